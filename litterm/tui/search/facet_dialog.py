"""The dialog that narrows the results (`p`): a chart of the years, and the facets with a bar each."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.search import Facet, Query
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.search.facet_line import find_chip, is_single_year
from litterm.tui.widgets.charts import bar, year_chart
from litterm.tui.widgets.glyphs import Glyphs

_BAR_WIDTH, _MAX_CHART_WIDTH = 24, 76
"""Cells of the bar of a facet, and of the chart of years."""


def listed_facets(facets: Sequence[Facet], query: Query | None) -> tuple[Facet, ...]:
    """The facets that are rows: single years are columns of the chart, but for those that the query has."""
    return tuple(facet for facet in facets if not is_single_year(facet) or find_chip(query, facet) is not None)


def facet_dialog(facets: Sequence[Facet], query: Query | None, screen_width: int, glyphs: Glyphs) -> ChoiceDialog:
    """Answers with the index of one of `listed_facets`."""
    listed = listed_facets(facets, query)
    digits = max((len(f"{facet.count:,}") for facet in listed), default=1)
    rows: list[ListChoice] = []
    for facet in listed:
        highest = max(other.count for other in listed if other.field == facet.field)
        chosen = "chosen  " if find_chip(query, facet) is not None else ""
        words = f"{chosen}{bar(facet.count, highest, _BAR_WIDTH, glyphs)} {facet.count:>{digits},}"
        rows.append(ListChoice(f"{facet.field}:{facet.value}", words))
    dialog = ChoiceDialog("narrow the results", rows, glyphs, keys="add, or remove")
    years = {int(facet.value): facet.count for facet in facets if is_single_year(facet)}
    dialog.chart = year_chart(years, min(_MAX_CHART_WIDTH, screen_width * 3 // 4), glyphs)
    return dialog
