"""Options of the pane one is in, and the look of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from litterm.tui.citing import Citing
from litterm.tui.dialogs.pick import Choice, Pick
from litterm.tui.finding import Finding
from litterm.tui.refining import Refining
from litterm.tui.stage import Stage


@dataclass(frozen=True, slots=True)
class Option:
    """One thing to switch."""

    label: str
    now: str
    switch: Callable[[], None]


class Options:
    """`,` lists what can be switched here; enter switches it."""

    def __init__(self, stage: Stage, refining: Refining, finding: Finding, citing: Citing) -> None:
        self._stage = stage
        self._refining = refining
        self._finding = finding
        self._citing = citing

    def open(self, start: int = 0) -> None:
        """The list; it comes back after each switch, until left."""
        options = self._options()
        choices = [Choice(option.label, option.now) for option in options]
        dialog = Pick(
            f"options {self._stage.glyphs.dot} {self._stage.focus}",
            choices,
            self._stage.glyphs,
            start=start,
            keys="switch",
        )

        def switch(at: int) -> None:
            options[at].switch()
            self.open(at)

        self._stage.open(dialog, switch)

    def _options(self) -> Sequence[Option]:
        finding, stage = self._finding, self._stage
        words = bool(stage.reader.state.words)
        own: Sequence[Option] = (
            Option("sort results", stage.results.state.sort, self._refining.sort),
            Option(
                "citation candidates", "join the results" if self._citing.join else "replace the results", self._join
            ),
        )
        if stage.focus in ("reader", "evidence", "matrix"):
            own = (
                Option("evidence sentences", str(finding.how_many), self._how_many),
                Option("evidence from", "all sections" if finding.scope == "all" else "results only", self._scope),
                Option("highlight words of the query", "yes" if words else "no", self._highlight),
            )
        return (*own, Option("theme", str(stage.screen.app.theme), self._theme))

    def _join(self) -> None:
        self._citing.join = not self._citing.join

    def _how_many(self) -> None:
        self._finding.how_many = {5: 10, 10: 20, 20: 5}.get(self._finding.how_many, 10)

    def _scope(self) -> None:
        self._finding.scope = "results" if self._finding.scope == "all" else "all"

    def _highlight(self) -> None:
        reader, query = self._stage.reader, self._stage.query.state.query
        words = () if reader.state.words or query is None else query.words
        reader.state = replace(reader.state, words=words)

    def _theme(self) -> None:
        app = self._stage.screen.app
        names = sorted(name for name in app.available_themes if not name.startswith("textual"))
        at = names.index(app.theme) if app.theme in names else -1
        app.theme = names[(at + 1) % len(names)]
