"""Finds text in the open paper, filters the rows of results or matrix, and selects rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from litterm.model.paper import Paper, PaperId
from litterm.tui.context import WorkbenchContext
from litterm.tui.matrix.pane import MatrixPane
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.search.all_results import AllResults
from litterm.tui.search.results_pane import ResultsPane
from litterm.tui.state import ResultRow
from litterm.tui.widgets.find_bar import FindBar


class FindController(ActionTarget):
    """Searches the pane that had the focus when the find bar was opened."""

    def __init__(self, context: WorkbenchContext, bar: FindBar, all_results: AllResults) -> None:
        self._context = context
        self._bar = bar
        self._all_results = all_results
        self._selected_before_range: frozenset[PaperId] = frozenset()
        """What was selected when a range was begun."""
        self._searched_pane: Literal["results", "reader", "matrix"] = "reader"

    def action_open(self) -> None:
        """Open the find bar for the paper (reader, evidence), the rows of the matrix, or the results."""
        context = self._context
        if context.focus == "home":
            context.tell("Nothing to search here: 1 searches the library, / searches in papers and lists.")
            return
        # Noted now, as the bar has the focus from here on.
        in_paper = context.focus in ("reader", "evidence") and context.reader.state.document is not None
        self._searched_pane = "reader" if in_paper else "matrix" if context.focus == "matrix" else "results"
        self._bar.open(context.reader.text_search.wanted if in_paper else self._filtered_pane.state.only)
        self.search(self._bar.field.text)

    @property
    def _filtered_pane(self) -> ResultsPane | MatrixPane:
        """The pane whose rows are filtered."""
        return self._context.matrix if self._searched_pane == "matrix" else self._context.results

    def search(self, text: str) -> None:
        """Search for `text`."""
        if self._searched_pane == "reader":
            self._bar.show_status(self._context.reader.find(text).status_words())
        else:
            self._filter_rows(text)

    def _filter_rows(self, text: str) -> None:
        """Show only the rows of the list that hold `text`."""
        results, matrix = self._context.results, self._context.matrix
        if self._searched_pane == "matrix":
            matrix.state = replace(matrix.state, only=text)
            total = len(matrix.state.matrix.rows) if matrix.state.matrix else 0
        else:
            results.state = replace(results.state, only=text)
            total = len(results.state.rows)
        self._bar.show_status(f"{len(self._filtered_pane.shown)} of {total} rows")

    def step(self, step: int) -> None:
        """Go to the next or previous hit; in a list, close the bar and keep the filter."""
        if self._searched_pane == "reader":
            self._bar.show_status(self._context.reader.find(self._bar.field.text, step).status_words())
        else:
            self.close(keep=True)

    def repeat_search(self, step: int) -> bool:
        """Go to the next or previous hit after the bar was closed; returns whether a search is active."""
        reader = self._context.reader
        if self._context.focus != "reader" or not reader.text_search.wanted:
            return False
        # `n` does two things in the reader: the notice says how to get the other one back.
        sentence = reader.find(reader.text_search.wanted, step).status_words()
        self._context.tell(f"{sentence}; esc ends the search, and n goes to evidence again.")
        return True

    def close(self, *, keep: bool) -> None:
        """Close the bar and focus the pane; a filter stays only with `keep`."""
        self._bar.close()
        # Hits in the text may stay, as they hide nothing; a list that is narrowed looks as if papers were missing.
        if self._searched_pane != "reader" and not keep:
            self._filter_rows("")
        self._context.focus_pane(self._searched_pane)

    def clear_search(self) -> bool:
        """Clear the hits or the filter of the focused pane; returns whether there were any."""
        context = self._context
        if context.focus in ("reader", "evidence") and context.reader.text_search.wanted:
            context.reader.find("")
            return True
        if context.focus == "results" and context.results.state.only:
            context.results.state = replace(context.results.state, only="")
            return True
        return False

    def toggle_rows(self, indexes: tuple[int, ...]) -> None:
        """Select rows of the results, or unselect them if all of them are."""
        shown_rows = self._context.results.shown
        rows: list[ResultRow] = [shown_rows[index] for index in indexes if index < len(shown_rows)]
        ids = frozenset(row.paper.id for row in rows)
        chosen = self._context.results.state.chosen
        chosen = chosen - ids if ids <= chosen else chosen | ids
        self._context.results.state = replace(self._context.results.state, chosen=chosen)

    def action_everything(self) -> None:
        """Select all results, also those that were not fetched, or unselect them if all are selected."""
        state = self._context.results.state
        everything = (*(row.paper for row in self._context.results.shown), *state.beyond)
        if len(everything) >= state.result_count and {paper.id for paper in everything} <= state.chosen:
            self._toggle(everything)
        else:
            self._all_results.take("selecting all results", self._toggle)

    def _toggle(self, papers: tuple[Paper, ...]) -> None:
        """Select papers, or unselect them if all of them are."""
        results = self._context.results
        ids, rows = frozenset(paper.id for paper in papers), {row.paper.id for row in results.state.rows}
        chosen = results.state.chosen
        others = {paper.id: paper for paper in (*results.state.beyond, *papers) if paper.id not in rows}
        chosen = chosen - ids if ids <= chosen else chosen | ids
        results.state = replace(results.state, chosen=chosen, beyond=tuple(others.values()))

    def select_range(self, indexes: tuple[int, ...], *, is_new_range: bool) -> None:
        """Select a range in addition to what was selected when it began; without rows the range ends."""
        results = self._context.results
        if is_new_range:
            self._selected_before_range = results.state.chosen
        ids = frozenset(results.shown[index].paper.id for index in indexes if index < len(results.shown))
        chosen = self._selected_before_range | ids if ids else results.state.chosen
        results.state = replace(results.state, chosen=chosen)
        # The title says whether a range is open, which is no part of the state that draws it again.
        results.retitle()

    def clear_selection(self) -> None:
        """Deselect all rows."""
        self._context.results.range_start = None
        self._context.results.state = replace(self._context.results.state, chosen=frozenset())
