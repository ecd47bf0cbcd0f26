"""`P` and `:project NAME`: another project, with its own query, hypothesis, inclusions and watches."""

from __future__ import annotations

from dataclasses import replace

from litterm.model.library import LibraryStatus
from litterm.tui.arranging import Arranging
from litterm.tui.dialogs.ask import Ask
from litterm.tui.dialogs.pick import Choice, Pick
from litterm.tui.remembering import Remembering
from litterm.tui.searching import WHAT_TO_TYPE
from litterm.tui.stage import Stage
from litterm.tui.state import EvidenceState, QueryState, ReaderState

_FIRST = "the first project"


class Switching:
    """Saves the session of the project one leaves, then brings back that of the other."""

    def __init__(self, stage: Stage, arranging: Arranging, remembering: Remembering) -> None:
        self._stage = stage
        self._arranging = arranging
        self._remembering = remembering

    def open(self) -> None:
        """The projects there are, and one more."""
        stage = self._stage
        projects = stage.engine.desk.projects
        names = projects.all()
        choices = [Choice(name or _FIRST, "in use" if name == projects.current else "") for name in names]
        choices.append(Choice("begin another …" if not stage.glyphs.ascii else "begin another ..."))
        pick = Pick("projects", choices, stage.glyphs, start=names.index(projects.current), keys="go there")
        stage.open(pick, lambda at: self.use(names[at]) if at < len(names) else self._ask())

    def _ask(self) -> None:
        about = "It begins empty, with its own query, hypothesis, inclusions and watches; what is here stays."
        self._stage.open(Ask("name of the project", "", self._stage.glyphs, about=about), self.use)

    def names(self) -> list[str]:
        """What `:project` can be completed to."""
        return [name for name in self._stage.engine.desk.projects.all() if name]

    def use(self, name: str) -> None:
        """Over to the project `name`, begun if it is new."""
        stage = self._stage
        projects, before = stage.engine.desk.projects, stage.engine.desk.project
        self._remembering.save()
        if stage.attempt(lambda: projects.use(name)) is None or projects.current == before:
            return
        session = stage.engine.desk.session()
        for group in ("search", "read", "evidence", "matrix"):
            stage.work.cancel(group)
        stage.session = session
        stage.query.fill("")
        stage.query.state = QueryState()
        stage.reader.state, stage.evidence.state = ReaderState(), EvidenceState()
        stage.results.state = replace(
            stage.results.state, rows=(), found=0, source="search", empty=WHAT_TO_TYPE, hint=()
        )
        self._arranging.home()
        self._remembering.start(LibraryStatus(0, 1, 0), session, None)
        stage.tell(f"Project {projects.current}." if projects.current else "Back in the first project.")
