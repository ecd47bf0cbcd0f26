"""Changes of the current search: more rows, another order, fewer filters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from litterm.model.search import FilterChip
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.search.controller import SearchController, notes_of
from litterm.tui.state import ROW_ORDERS, ResultsState, RowOrder

ORDER_WORDS: Mapping[RowOrder, str] = {
    "relevance": "most relevant first",
    "aspects": "by the aspects of the query",
    "newest": "newest first",
    "oldest": "oldest first",
    "citations": "most cited first",
    "title": "by title",
    "author": "by author",
    "added": "last added first",
}
PAGE_SIZE, MAX_PAPERS = 200, 1000
"""Papers fetched when the cursor nears the end, and at most."""


class FiltersAndSort(ActionTarget):
    """Changes the search that is shown."""

    def __init__(self, context: WorkbenchContext, search: SearchController) -> None:
        self._context = context
        self._search = search

    @property
    def state(self) -> ResultsState:
        """The results as shown."""
        return self._context.results.state

    def fetch_next_page(self) -> None:
        """Fetch the next page of the results."""
        state = self.state
        # Rows that a model ordered must not be mixed with others that it never saw.
        has_all = state.ordered or len(state.rows) >= min(state.result_count, MAX_PAPERS) or state.source != "search"
        # The cursor near the end asks at every step; one answer is on its way already.
        if not has_all and not self._context.query.state.busy:
            limit = min(MAX_PAPERS, len(self.state.rows) + PAGE_SIZE)
            self._search.repeat_search(self._context.query.state.text, limit=limit)

    def action_sort(self) -> None:
        """Show all orders as a list with the cursor on the one in use."""
        context, now = self._context, self.state.sort
        orders = [order for order in ROW_ORDERS if order != "aspects" or context.aspects.state.shown]
        rows = [ListChoice(ORDER_WORDS[order], "in use" if order == now else "") for order in orders]
        dialog = ChoiceDialog("sort", rows, context.glyphs, start=orders.index(now), keys="sort")
        context.open(dialog, lambda index: self._sort_by(orders[index]))

    def _sort_by(self, order: RowOrder) -> None:
        # Before the search, which reads its order from here.
        self._context.results.state = replace(self.state, sort=order)
        if self.state.source == "search":
            self._search.repeat_search(self._context.query.state.text)

    def remove_filter(self, chip: FilterChip) -> None:
        """Search again without one filter."""
        text = self._context.query.state.text
        remaining = f"{text[: chip.span.start].rstrip()} {text[chip.span.end :].lstrip()}".strip()
        self._context.query.fill(remaining)
        self._search.repeat_search(remaining)

    def remove_hiding_filters(self) -> bool:
        """Search again without filters if only they hide all papers; returns whether it did."""
        query = self._context.query.state.query
        if self.state.rows or query is None or not query.chips:
            return False
        # From the last to the first, as the spans of a query hold only for its unchanged beginning.
        for chip in sorted(query.chips, key=lambda chip: -chip.span.start):
            self.remove_filter(chip)
        return True

    def refresh_notes(self) -> None:
        """Show the user's notes and decisions again."""
        notes = notes_of(self._context.engine.annotations, self.state.rows)
        self._context.results.state = replace(self.state, notes=notes)
