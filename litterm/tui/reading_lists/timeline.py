"""The time line of a reading list (`i`): a chart of the years, and its papers by year with what they cite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from litterm.model.paper import Paper
from litterm.model.reading_list import ReadingList
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.widgets.charts import bar, year_chart
from litterm.tui.widgets.glyphs import Glyphs

_MAX_CHART_WIDTH = 76
_MAX_BAR_WIDTH = 8
"""Cells of the bar of the fullest year, where it has that many papers."""


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A paper of the time line."""

    paper: Paper
    number: int
    """In the reading list."""
    cited: tuple[int, ...]
    """The numbers of the papers of the list that it cites."""


def timeline_rows(reading_list: ReadingList) -> tuple[TimelineRow, ...]:
    """The papers by year; those without a year come last."""
    number_of = {entry.paper.id: number for number, entry in enumerate(reading_list.entries, 1)}
    cited: dict[str, set[int]] = {}
    for citing_id, cited_id in reading_list.links:
        if cited_id in number_of:
            cited.setdefault(citing_id, set()).add(number_of[cited_id])
    rows = (
        TimelineRow(entry.paper, number_of[entry.paper.id], tuple(sorted(cited.get(entry.paper.id, ()))))
        for entry in reading_list.entries
    )
    return tuple(sorted(rows, key=lambda row: (row.paper.year or 9999, row.number)))


def timeline_dialog(rows: Sequence[TimelineRow], screen_width: int, glyphs: Glyphs) -> ChoiceDialog:
    """Answers with the index of a row: each year with a bar, then its papers with their numbers in the list."""
    counts = Counter(row.paper.year for row in rows)
    highest = max(counts.values(), default=0)
    bar_width = min(highest, _MAX_BAR_WIDTH)
    digits = max((len(str(row.number)) for row in rows), default=1)
    choices: list[ListChoice] = []
    year_before: int | None = -1
    for row in rows:
        year = row.paper.year
        # Said once for all papers of a year.
        year_words = f"{year or '-':>4} {bar(counts[year], highest, bar_width, glyphs)}"
        words = year_words if year != year_before else " " * len(year_words)
        year_before = year
        cites = f"cites {', '.join(map(str, row.cited))}" if row.cited else ""
        choices.append(ListChoice(row.paper.title, cites, key=f"{words} {row.number:>{digits}}"))
    dialog = ChoiceDialog("time line", choices, glyphs, keys="go to it in the list")
    years = {year: count for year, count in counts.items() if year}
    dialog.chart = year_chart(years, min(_MAX_CHART_WIDTH, screen_width * 3 // 4), glyphs)
    return dialog
