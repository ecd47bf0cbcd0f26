"""`P` and `:project NAME`: another project, with its own query, hypothesis, lists and watches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from litterm.model.library import LibraryStatus
from litterm.tui.command_line import Command
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import Confirm
from litterm.tui.dialogs.projects import FIRST, ProjectList, Wish, size_words
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.layout.pane_focus import PaneFocus
from litterm.tui.search.controller import WHAT_TO_TYPE
from litterm.tui.session import SessionController
from litterm.tui.state import EvidenceState, QueryState, ReaderState
from litterm.tui.textual_compat import ActionTarget


class Switching(ActionTarget):
    """Saves the session of the project one leaves, then brings back that of the other."""

    def __init__(
        self, stage: WorkbenchContext, arranging: PaneFocus, remembering: SessionController, changed: Callable[[], None]
    ) -> None:
        """`changed` says that another project is in use, or that one has another name."""
        self._stage = stage
        self._arranging = arranging
        self._remembering = remembering
        self._changed = changed
        self.left: Callable[[], None] = lambda: None
        """Told when another project is in use."""

    def action_open(self) -> None:
        """The projects there are."""
        stage, projects = self._stage, self._stage.engine.desk.projects
        stage.open(
            ProjectList(projects.all(), projects.sizes(), current=projects.current, glyphs=stage.glyphs), self._answered
        )

    def _answered(self, wish: Wish) -> None:
        stage = self._stage
        match wish.what:
            case "go":
                self.use(wish.name)
            case "begin":
                about = "Starts empty. Your current project is kept; press P to switch back."
                stage.open(TextDialog("name of the project", "", stage.glyphs, about=about, name=True), self.use)
            case "rename":
                ask = TextDialog(f"another name for {_quoted(wish.name)}", wish.name, stage.glyphs, name=True)
                stage.open(ask, lambda name: self.rename(wish.name, name))
            case "delete":
                self._confirm(wish.name)

    def _confirm(self, name: str) -> None:
        stage = self._stage
        if name == stage.engine.desk.projects.all()[0]:
            stage.tell("The first project is always there; it cannot be deleted.")
            return
        held = size_words(stage.engine.desk.projects.size(name), stage.glyphs)
        question = f"Delete the project “{name}” ({held})? Papers, tags and notes stay; u restores it."
        stage.open(Confirm("delete", question, stage.glyphs), lambda _yes: self.delete(name))

    def names(self) -> list[str]:
        """What `:project` can be completed to."""
        return [name for name in self._stage.engine.desk.projects.all() if name]

    def rename(self, name: str, new: str) -> None:
        """Give a project another name."""
        projects = self._stage.engine.desk.projects
        named = self._stage.attempt(lambda: projects.rename(name, new))
        if named is not None:
            self._stage.tell(f"{_quoted(name)} is now {_quoted(named)}; u undoes this.")
            self.refresh()

    def delete(self, name: str) -> None:
        """Take a project off the list; whoever is in it goes to the first one."""
        stage, projects = self._stage, self._stage.engine.desk.projects
        if projects.current == name:
            self.use("")
        stage.attempt(lambda: projects.delete(name))
        stage.tell(f"{_quoted(name)} is deleted; u restores it.")
        self.refresh()

    def refresh(self) -> None:
        """Something was decided, undone or done again: the project in use may have another name."""
        self._stage.project = self._stage.engine.desk.projects.current
        self._changed()

    def use(self, name: str) -> None:
        """Over to the project `name`, begun if it is new."""
        stage = self._stage
        projects, before = stage.engine.desk.projects, stage.engine.desk.project
        self._remembering.save()
        if stage.attempt(lambda: projects.use(name)) is None or projects.key == before:
            return
        session = stage.engine.desk.session()
        for group in ("search", "read", "evidence", "matrix"):
            stage.work.cancel(group)
        stage.session = session
        stage.query.fill("")
        stage.query.state = QueryState()
        stage.reader.state, stage.evidence.state = ReaderState(), EvidenceState()
        stage.results.state = replace(
            stage.results.state, rows=(), found=0, by="", source="search", empty=WHAT_TO_TYPE, hint=()
        )
        self.left()
        self._arranging.home()
        self._remembering.start(LibraryStatus(0, 1, 0), session, None)
        stage.tell(f"Project {_quoted(projects.current)}." if projects.current else "Back in the default project.")
        self.refresh()

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of it."""
        here = self._stage.engine.desk.projects
        return (
            Command("project", "another project, created if it is new", self.use, "NAME", self.names),
            Command("rename-project", "rename this project", lambda n: self.rename(here.current, n), "NAME"),
            Command("delete-project", "delete a project, after asking", self._confirm, "NAME", self.names),
        )


def _quoted(name: str) -> str:
    """A project's name within a sentence."""
    return f"“{name}”" if name else FIRST
