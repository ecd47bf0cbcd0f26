"""A line with a column for each year, for the lists of references and citing papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from litterm.tui.widgets.glyphs import Glyphs

MAX_YEARS = 40
"""Columns at most: those before them count as earlier papers."""
_MIN_YEARS = 3
"""Years with papers from which a picture says more than the list."""


def year_axis(years: Iterable[int | None], glyphs: Glyphs) -> str:
    """`2017 ▂▃ █▅ 2021`: papers by year, the fullest year as the highest column; empty for fewer than three years.

    Years before the last `MAX_YEARS` are counted in words.
    """
    counts = Counter(year for year in years if year is not None)
    if len(counts) < _MIN_YEARS:
        return ""
    last = max(counts)
    first = max(min(counts), last - MAX_YEARS + 1)
    shown = [counts[year] for year in range(first, last + 1)]
    highest = max(shown)
    columns = "".join(
        # Rounded up, so that a year with one paper differs from one without.
        glyphs.levels[-(-count * len(glyphs.levels) // highest) - 1] if count else " "
        for count in shown
    )
    earlier = sum(count for year, count in counts.items() if year < first)
    return f"{first} {columns} {last}" + (f" ({earlier:,} earlier)" if earlier else "")
