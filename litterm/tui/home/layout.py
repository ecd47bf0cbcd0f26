"""The layout of home: regions of its sections for a size, without widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from textual.geometry import Region

from litterm.tui.layout.plan import MIN_WIDTH_THREE_COLUMNS, MIN_WIDTH_TWO_COLUMNS

SectionName = Literal["new", "reading", "lists", "work", "kept", "decided"]
SECTIONS: tuple[SectionName, ...] = ("new", "reading", "lists", "work", "kept", "decided")
_COLUMNS: Mapping[int, Sequence[Sequence[SectionName]]] = {
    1: (SECTIONS,),
    2: (("new", "reading", "lists"), ("work", "kept", "decided")),
    3: (("new", "lists"), ("reading", "decided"), ("work", "kept")),
}


def section_columns(width: int) -> Sequence[Sequence[SectionName]]:
    """The sections from the left to the right, each column from top to bottom."""
    return _COLUMNS[1 if width < MIN_WIDTH_TWO_COLUMNS else 2 if width < MIN_WIDTH_THREE_COLUMNS else 3]


def place_sections(
    needs: Mapping[SectionName, int], width: int, height: int, *, focus: SectionName
) -> dict[SectionName, Region]:
    """Regions of the sections, which fill the screen; `needs` are the lines each wants to show.

    The section with the focus gets what it needs first. Where there is no room for all, those farthest from it
    are missing.
    """
    regions: dict[SectionName, Region] = {}
    columns = section_columns(width)
    x = 0
    for position, column in enumerate(columns):
        cells = (width - x) // (len(columns) - position)
        y = 0
        # One column has titles only, as rows are scarce there.
        for name, rows in _share_rows(column, needs, height, focus, frame=1 if len(columns) == 1 else 2).items():
            regions[name] = Region(x, y, cells, rows)
            y += rows
        x += cells
    return {name: region for name, region in regions.items() if region.width > 0 and region.height > 0}


def _share_rows(
    column: Sequence[SectionName], needs: Mapping[SectionName, int], height: int, focus: SectionName, *, frame: int
) -> dict[SectionName, int]:
    """Rows of each section with its frame; they add up to `height`."""
    focus_index = column.index(focus) if focus in column else 0
    nearest = sorted(column, key=lambda name: abs(column.index(name) - focus_index))
    visible = nearest[: max(1, height // (frame + 1))]
    rows = {name: frame + 1 for name in column if name in visible}
    wanted_heights = {name: frame + max(1, needs.get(name, 1)) for name in rows}
    free = max(0, height - sum(rows.values()))
    if focus in rows:
        # Half of what is left is for the one in use; the others stay readable.
        extra = min(wanted_heights[focus] - rows[focus], free // 2)
        rows[focus], free = rows[focus] + extra, free - extra
    while free > 0:
        # Line by line in turn, so that no section gets all it wants while another has none; what is over goes to the
        # last.
        unsatisfied = [name for name in rows if rows[name] < wanted_heights[name]] or list(rows)[-1:]
        for name in unsatisfied[:free]:
            rows[name] += 1
        free -= len(unsatisfied[:free])
    if len(rows) == 1:
        rows = dict.fromkeys(rows, height)
    return rows
