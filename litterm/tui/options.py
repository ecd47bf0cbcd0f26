"""Options of the pane one is in, and the look of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.tui.citation.controller import CitationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.evidence.options import EvidenceOption, EvidenceOptions
from litterm.tui.kept_choices import keep
from litterm.tui.library.online_search import OnlineSearch
from litterm.tui.messages import query_words
from litterm.tui.search.filters_sort import FiltersAndSort
from litterm.tui.search.rerank import Ways
from litterm.tui.textual_compat import ActionTarget

LAYOUTS = ("auto", "table", "cards")
_LAYOUT_WORDS = {"auto": "a line a paper where it fits", "table": "a line a paper", "cards": "cards"}


class Options(ActionTarget):
    """`,` lists what can be switched here; enter switches it."""

    def __init__(
        self,
        stage: WorkbenchContext,
        refining: FiltersAndSort,
        ways: Ways,
        using: EvidenceOptions,
        citing: CitationController,
        online: OnlineSearch,
    ) -> None:
        self._stage = stage
        self._refining = refining
        self._ways = ways
        self._using = using
        self._citing = citing
        self._online = online

    def action_open(self, start: int = 0) -> None:
        """The list; it comes back after each switch, until left."""
        options = self._options()
        choices = [ListChoice(option.label, option.now) for option in options]
        dialog = ChoiceDialog(
            f"options {self._stage.glyphs.dot} {self._stage.focus}",
            choices,
            self._stage.glyphs,
            start=start,
            keys="switch",
        )

        def switch(at: int) -> None:
            options[at].switch()
            self.action_open(at)

        self._stage.open(dialog, switch)

    def _options(self) -> Sequence[EvidenceOption]:
        stage = self._stage
        words = bool(stage.reader.state.words)
        own: Sequence[EvidenceOption] = (
            EvidenceOption("layout of the results", _LAYOUT_WORDS[stage.results.layout_wanted], self._layout),
            EvidenceOption("sort results", stage.results.state.sort, self._refining.action_sort),
            self._ways.hops(),
            self._ways.texts(),
            self._online.option(),
            EvidenceOption(
                "citation candidates", "join the results" if self._citing.join else "replace the results", self._join
            ),
        )
        if stage.focus in ("reader", "evidence", "matrix"):
            own = (
                *self._using.evidence(),
                *self._using.options(),
                EvidenceOption("highlight words of the query", "yes" if words else "no", self._highlight),
            )
        return (*own, EvidenceOption("theme", str(stage.screen.app.theme), self._theme))

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
        keep(self._stage, "theme", app.theme)

    def _layout(self) -> None:
        pane = self._stage.results
        pane.layout_wanted = LAYOUTS[(LAYOUTS.index(pane.layout_wanted) + 1) % len(LAYOUTS)]
        pane.renew()
        keep(self._stage, "results_layout", pane.layout_wanted)
