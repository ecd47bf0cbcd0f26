"""Switches projects (`P`, `:project NAME`): each has its own query, hypothesis, lists and watches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from litterm.model.annotations import ProjectSize
from litterm.model.library import LibraryStatus
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.dialogs.message import ConfirmDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.home.controller import HomeController
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.layout.pane_focus import PaneFocus
from litterm.tui.search.controller import QUERY_HINTS
from litterm.tui.session import SessionController
from litterm.tui.state import EvidenceState, QueryState, ReaderState
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

DEFAULT_PROJECT_NAME = "default project"
"""Display name of the default project while it has no name."""
_PROJECTS_HINT = (
    "Each has its own query, open paper, hypothesis, lists (included, excluded, starred), decisions on evidence and "
    "watches. Papers, tags, notes and read status are shared by all."
)


@dataclass(frozen=True, slots=True)
class ProjectRequest:
    """An action on a project."""

    action: Literal["go", "begin", "rename", "delete"]
    name: str = ""


class ProjectList(Dialog[ProjectRequest]):
    """Lists the projects; other keys than enter open a dialog of their own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(textual_key(BY_ID["results.add"].keys[0]), "begin", "new project", id="projects.begin"),
        Binding(textual_key(BY_ID["all.note"].keys[0]), "rename", "rename", id="projects.rename"),
        Binding(textual_key(BY_ID["all.reject"].keys[0]), "delete", "delete", id="projects.delete"),
    ]

    def __init__(self, names: Sequence[str], sizes: Sequence[ProjectSize], *, current: str, glyphs: Glyphs) -> None:
        dot = f" {glyphs.dot} "
        super().__init__("projects", dot.join(("enter switch", "+ new", "m rename", "x delete", "esc leave")), glyphs)
        self._names = tuple(names)
        self._start = self._names.index(current)
        rows = [
            ListChoice(
                name or DEFAULT_PROJECT_NAME, size_words(size, glyphs), key=glyphs.hand if name == current else ""
            )
            for name, size in zip(names, sizes, strict=True)
        ]
        self.choices = ChoiceRows(rows, glyphs)

    def body(self) -> ComposeResult:
        yield paragraph(_PROJECTS_HINT, "cause")
        yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()
        self.choices.cursor = self._start
        self.call_after_refresh(self.choices.show_cursor)

    @property
    def current(self) -> str:
        """The name under the cursor."""
        return self._names[self.choices.cursor]

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(ProjectRequest("go", self.current))

    def action_begin(self) -> None:
        self.dismiss(ProjectRequest("begin"))

    def action_rename(self) -> None:
        self.dismiss(ProjectRequest("rename", self.current))

    def action_delete(self) -> None:
        self.dismiss(ProjectRequest("delete", self.current))


def size_words(size: ProjectSize, glyphs: Glyphs) -> str:
    """`2 watches · 12 included · 3 starred`."""
    lists = (
        *((size.included, "included"), (size.excluded, "excluded"), (size.starred, "starred")),
        (size.quoted, "with evidence"),
    )
    watches = f"{size.watches:,} watch{'' if size.watches == 1 else 'es'}" if size.watches else ""
    parts = [watches, *(f"{count:,} {noun}" for count, noun in lists if count)]
    return f" {glyphs.dot} ".join(part for part in parts if part) or "empty"


class ProjectSwitch(ActionTarget):
    """Saves the session of the current project, then restores that of the other."""

    def __init__(
        self,
        context: WorkbenchContext,
        panes: PaneFocus,
        session_controller: SessionController,
        annotations: AnnotationController,
        home: HomeController,
    ) -> None:
        annotations.revert_listeners.append(self.refresh)
        self._context = context
        self._panes = panes
        self._session = session_controller
        self._home = home
        self.leave_listeners: list[Callable[[], None]] = []
        """Called when another project is in use, before its session is restored."""

    def action_open(self) -> None:
        """List the projects."""
        context, projects = self._context, self._context.engine.annotations.projects
        context.open(
            ProjectList(projects.all(), projects.sizes(), current=projects.current, glyphs=context.glyphs),
            self._on_request,
        )

    def _on_request(self, request: ProjectRequest) -> None:
        context = self._context
        match request.action:
            case "go":
                self.switch_to(request.name)
            case "begin":
                description = "Starts empty. Your current project is kept; press P to switch back."
                dialog = TextDialog("name of the new project", "", context.glyphs, about=description, name=True)
                dialog.enter = "create"
                context.open(dialog, self.switch_to)
            case "rename":
                dialog = TextDialog(
                    f"new name for {_quote_name(request.name)}", request.name, context.glyphs, name=True
                )
                dialog.enter = "rename"
                context.open(dialog, lambda name: self.rename(request.name, name))
            case "delete":
                self._confirm(request.name)

    def _confirm(self, name: str) -> None:
        context = self._context
        if name == context.engine.annotations.projects.all()[0]:
            context.tell("The default project cannot be deleted.")
            return
        contents = size_words(context.engine.annotations.projects.size(name), context.glyphs)
        question = f"Delete the project “{name}” ({contents})? Papers, tags and notes stay; u restores it."
        context.open(ConfirmDialog("delete", question, context.glyphs), lambda _yes: self.delete(name))

    def names(self) -> list[str]:
        """The names that complete `:project`."""
        return [name for name in self._context.engine.annotations.projects.all() if name]

    def rename(self, name: str, new: str) -> None:
        """Give a project another name."""
        projects = self._context.engine.annotations.projects
        new_name = self._context.attempt(lambda: projects.rename(name, new))
        if new_name is not None:
            self._context.tell(f"{_quote_name(name)} is now {_quote_name(new_name)}; u undoes this.")
            self.refresh()

    def delete(self, name: str) -> None:
        """Delete a project; if it is the current one, switch to the first."""
        context, projects = self._context, self._context.engine.annotations.projects
        # Left before it is deleted: leaving saves the session into the project in use.
        if projects.current == name:
            self.switch_to("")
        context.attempt(lambda: projects.delete(name))
        context.tell(f"{_quote_name(name)} is deleted; u restores it.")
        self.refresh()

    def refresh(self) -> None:
        """Show the name of the current project, which an undo may have changed."""
        self._context.project = self._context.engine.annotations.projects.current
        self._home.project_changed()

    def switch_to(self, name: str, *, announced: bool = True) -> None:
        """Switch to the project `name`, creating it if it is new; a notice says so if `announced`."""
        context = self._context
        projects, before = context.engine.annotations.projects, context.engine.annotations.project
        # Before `use`, as the session goes into whichever project is in use.
        self._session.save()
        if context.attempt(lambda: projects.use(name)) is None or projects.key == before:
            return
        session = context.engine.annotations.session()
        # What is on its way was asked for in the project that is left, and would be shown in the other.
        for group in ("search", "read", "evidence", "matrix"):
            context.work.cancel(group)
        context.session = session
        context.query.fill("")
        context.query.state = QueryState()
        context.reader.state, context.evidence.state = ReaderState(), EvidenceState()
        context.results.state = replace(
            context.results.state,
            rows=(),
            result_count=0,
            by="",
            source="search",
            sort="relevance",
            empty=QUERY_HINTS,
            hint=(),
        )
        for listener in self.leave_listeners:
            listener()
        self._panes.show_query_and_results()
        self._session.start(LibraryStatus(0, 1, 0), session, None)
        if announced:
            context.tell(
                f"Project {_quote_name(projects.current)}." if projects.current else "Back in the default project."
            )
        self.refresh()

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        projects = self._context.engine.annotations.projects
        return (
            Command("project", "another project, created if it is new", self.switch_to, "NAME", self.names),
            Command("rename-project", "rename this project", lambda n: self.rename(projects.current, n), "NAME"),
            Command("delete-project", "delete a project, after asking", self._confirm, "NAME", self.names),
        )


def _quote_name(name: str) -> str:
    """A project's name within a sentence."""
    return f"“{name}”" if name else DEFAULT_PROJECT_NAME
