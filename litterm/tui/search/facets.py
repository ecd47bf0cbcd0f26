"""Facets: years, venues and types of the papers found, counted in the background; a value filters the query."""

from __future__ import annotations

from collections.abc import Callable

from textual.timer import Timer

from litterm.core.errors import LittermError
from litterm.model.search import Facet, Query
from litterm.text.plural import count_phrase
from litterm.text.queries.parser import append_filters, remove_filter
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.search.facet_line import distinguishing_facets, find_chip

FACETS_GROUP = "facets"
COUNT_DELAY_S = 0.3
"""Seconds after the last change of the results before facets are counted, so that typing never waits."""
_MIN_ROWS = 2


class FacetController(ActionTarget):
    """Counts facets of the results in the background, and adds values to the query or removes them."""

    def __init__(
        self, context: WorkbenchContext, search: Callable[[str], None], on_counted: Callable[[], None]
    ) -> None:
        """`search` searches for a text and leaves the focus where it is."""
        self._context = context
        self._search = search
        self._on_counted = on_counted
        self._timer: Timer | None = None

    def schedule_count(self) -> None:
        """Count the facets of new results after a delay."""
        self.cancel_count()
        query, results = self._context.query.state.query, self._context.results
        if query is None or len(results.state.rows) < _MIN_ROWS:
            results.show_facets(())
        else:
            self._timer = self._context.screen.set_timer(COUNT_DELAY_S, lambda: self._count(query))

    def cancel_count(self) -> None:
        """Cancel the count, as another search begins."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        # The search that follows must not wait for counts of the one before.
        self._context.work.cancel(FACETS_GROUP)

    def _count(self, query: Query) -> None:
        engine, results = self._context.engine, self._context.results

        def show(facets: tuple[Facet, ...]) -> None:
            results.show_facets(distinguishing_facets(facets, results.state.result_count, query), query)
            self._on_counted()

        def on_failure(_error: LittermError) -> None:
            # The counts came unasked, and a failing library shows in the search itself.
            results.show_facets(())

        self._context.work.start(FACETS_GROUP, "counting", lambda: engine.facets(query), show, failed=on_failure)

    def toggle(self, facet: Facet) -> None:
        """Add the value as a filter to the query, or remove it if it is one."""
        context = self._context
        text = context.query.state.text
        chip = find_chip(context.query.state.query, facet)
        # Into the text of the query and not beside it: what narrows the results can be seen, edited and kept.
        text = append_filters(text, [(facet.field, facet.value)]) if chip is None else remove_filter(text, chip.span)
        context.query.fill(text)
        self._search(text)

    def action_open(self) -> None:
        """Show all values as a list."""
        context, facets = self._context, self._context.results.facets
        if not facets:
            context.tell("All of these results have the same years, venues, types and sources.")
            return
        query = context.query.state.query
        rows = [
            ListChoice(
                f"{facet.field}:{facet.value}",
                f"{count_phrase(facet.count, 'paper')}{', chosen' if find_chip(query, facet) is not None else ''}",
            )
            for facet in facets
        ]
        dialog = ChoiceDialog("narrow the results", rows, context.glyphs, keys="add, or remove")
        context.open(dialog, lambda index: self.toggle(facets[index]))
