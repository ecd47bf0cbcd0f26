"""Options of the pane one is in, and the look of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.tui.citing import Citing
from litterm.tui.dialogs.pick import Choice, Pick
from litterm.tui.online import Online
from litterm.tui.refining import Refining
from litterm.tui.reranking import Ways
from litterm.tui.stage import Stage
from litterm.tui.using import Option, Using
from litterm.tui.words import query_words


class Options:
    """`,` lists what can be switched here; enter switches it."""

    def __init__(
        self, stage: Stage, refining: Refining, ways: Ways, using: Using, citing: Citing, online: Online
    ) -> None:
        self._stage = stage
        self._refining = refining
        self._ways = ways
        self._using = using
        self._citing = citing
        self._online = online

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
        stage = self._stage
        words = bool(stage.reader.state.words)
        own: Sequence[Option] = (
            Option("sort results", stage.results.state.sort, self._refining.sort),
            self._ways.hops(),
            self._ways.texts(),
            self._online.option(),
            Option(
                "citation candidates", "join the results" if self._citing.join else "replace the results", self._join
            ),
        )
        if stage.focus in ("reader", "evidence", "matrix"):
            own = (
                *self._using.evidence(),
                *self._using.options(),
                Option("highlight words of the query", "yes" if words else "no", self._highlight),
            )
        return (*own, Option("theme", str(stage.screen.app.theme), self._theme))

    def _join(self) -> None:
        self._citing.join = not self._citing.join

    def _highlight(self) -> None:
        reader = self._stage.reader
        words = () if reader.state.words else query_words(self._stage.query.state.query)
        reader.state = replace(reader.state, words=words)

    def _theme(self) -> None:
        app = self._stage.screen.app
        names = sorted(name for name in app.available_themes if not name.startswith("textual"))
        at = names.index(app.theme) if app.theme in names else -1
        app.theme = names[(at + 1) % len(names)]
