"""The options dialog (`,`): options of the current pane, theme and layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.tui.attribution.candidates import CitationCandidates
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.library.online_search import OnlineSearch
from litterm.tui.messages import query_words
from litterm.tui.search.rerank import RerankChoices
from litterm.tui.state import SwitchedOption

RESULT_LAYOUTS = ("auto", "table", "cards")
_LAYOUT_WORDS = {"auto": "one line per paper where it fits", "table": "one line per paper", "cards": "cards"}


class OptionsController(ActionTarget):
    """Lists the options of the current pane (`,`); enter switches one."""

    def __init__(
        self,
        context: WorkbenchContext,
        rerank_choices: RerankChoices,
        candidates: CitationCandidates,
        online: OnlineSearch,
    ) -> None:
        self._context = context
        self._rerank_choices = rerank_choices
        self._candidates = candidates
        self._online = online

    def action_open(self, start: int = 0) -> None:
        """Open the list; it is shown again after each switch until it is closed."""
        options = self._options()
        choices = [ListChoice(option.label, option.value) for option in options]
        dialog = ChoiceDialog(
            f"options {self._context.glyphs.dot} {self._context.focus}",
            choices,
            self._context.glyphs,
            start=start,
            keys="switch",
        )

        def switch(index: int) -> None:
            options[index].switch()
            self.action_open(index)

        self._context.open(dialog, switch)

    def _options(self) -> Sequence[SwitchedOption]:
        context = self._context
        words = bool(context.reader.state.words)
        options: Sequence[SwitchedOption] = (
            SwitchedOption("layout of the results", _LAYOUT_WORDS[context.results.layout_wanted], self._layout),
            SwitchedOption("sort results", context.results.state.sort, context.results.action_sort),
            self._rerank_choices.hop_option(),
            self._rerank_choices.full_text_option(),
            self._online.option(),
            SwitchedOption(
                "citation candidates",
                "join the results" if self._candidates.join else "replace the results",
                self._join,
            ),
        )
        if context.focus in ("reader", "evidence", "matrix"):
            options = (
                *context.evidence.options.switches(),
                *context.evidence.options.llm_switches(),
                SwitchedOption("highlight words of the query", "yes" if words else "no", self._highlight),
            )
        return (*options, SwitchedOption("theme", str(context.screen.app.theme), self._theme))

    def _join(self) -> None:
        self._candidates.join = not self._candidates.join

    def _highlight(self) -> None:
        reader = self._context.reader
        words = () if reader.state.words else query_words(self._context.query.state.query)
        reader.state = replace(reader.state, words=words)

    def _theme(self) -> None:
        app = self._context.screen.app
        # Textual's own is there only where no theme of ours could be read.
        names = sorted(name for name in app.available_themes if not name.startswith("textual"))
        index = names.index(app.theme) if app.theme in names else -1
        app.theme = names[(index + 1) % len(names)]
        self._context.save_setting("theme", app.theme)

    def _layout(self) -> None:
        pane = self._context.results
        pane.layout_wanted = RESULT_LAYOUTS[(RESULT_LAYOUTS.index(pane.layout_wanted) + 1) % len(RESULT_LAYOUTS)]
        pane.renew()
        self._context.save_setting("results_layout", pane.layout_wanted)
