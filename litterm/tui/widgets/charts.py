"""Counts as bars: papers by year as columns, and one bar for the row of a list."""

from __future__ import annotations

from collections.abc import Mapping

from litterm.tui.widgets.glyphs import Glyphs

MIN_YEARS = 3
"""Different years from which a chart says more than their numbers."""
_CHART_HEIGHT = 3
_MAX_YEAR_WIDTH = 3
"""Cells of a year in a chart of few years."""


def year_chart(counts: Mapping[int, int], width: int, glyphs: Glyphs) -> list[str]:
    """Columns of papers by year, with the first and the last year below, in lines of at most `width` cells.

    Years without papers are gaps. Earlier years than have room are counted in words. Empty for fewer than `MIN_YEARS`.
    """
    if len(counts) < MIN_YEARS or width < 2 * MIN_YEARS:
        return []
    last = max(counts)
    first = max(min(counts), last - width + 1)
    shown = [counts.get(year, 0) for year in range(first, last + 1)]
    cells = max(1, min(_MAX_YEAR_WIDTH, width // len(shown)))
    highest = max(shown)
    steps = len(glyphs.levels)
    # Rounded up, so that a year with one paper differs from one without.
    heights = [-(-count * _CHART_HEIGHT * steps // highest) for count in shown]
    lines = [
        "".join(_column(height - row * steps, cells, glyphs) for height in heights).rstrip()
        for row in reversed(range(_CHART_HEIGHT))
    ]
    return [*lines, *_axis(counts, first, len(shown) * cells, highest, width)]


def _column(height: int, cells: int, glyphs: Glyphs) -> str:
    """A piece of a column of which `height` eighths are left; a column of several cells ends with a blank."""
    mark = glyphs.levels[min(height, len(glyphs.levels)) - 1] if height > 0 else " "
    return mark if cells == 1 else mark * (cells - 1) + " "


def _axis(counts: Mapping[int, int], first: int, chart_width: int, highest: int, width: int) -> list[str]:
    last, earlier = max(counts), sum(count for year, count in counts.items() if year < first)
    years = f"{first}{last:>{max(5, chart_width - 4)}}"
    fullest = max(year for year, count in counts.items() if count == highest and year >= first)
    words = f"most in {fullest}: {highest:,}" + (f"; {earlier:,} before {first}" if earlier else "")
    return [f"{years}   {words}"] if len(years) + len(words) + 3 <= width else [years, words]


def bar(count: int, highest: int, width: int, glyphs: Glyphs) -> str:
    """`count` as a bar, padded to `width` cells, which `highest` fills; none but 0 is without a cell."""
    cells = -(-count * width // max(1, highest))
    return (glyphs.levels[-1] * cells).ljust(width)
