"""The layout of the panes: regions for a size of the screen, without widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.geometry import Region

from litterm.tui.state import PaneName

MIN_WIDTH_TWO_COLUMNS, MIN_WIDTH_THREE_COLUMNS = 100, 160
"""Screen widths from which results and reader, then also evidence, are side by side."""
MIN_FRAMED_HEIGHT = 30
"""Rows from which the query has a frame."""
MAX_READER_WIDTH = 106
"""Cells of the reader that hold 100 text columns, its margin, gutter and frame."""
SHEET_HEIGHT = 7
"""Rows of the evidence sheet on a small screen, its title included."""
MIN_PANE_WIDTH, MIN_PANE_HEIGHT = 12, 3
MAX_QUERY_LINES = 5
"""Lines of a query of several lines on a screen that frames it; without a frame there is one, and three to type in."""
MAX_UNFRAMED_QUERY_LINES = 3
MAX_ASPECT_LINES = 3
"""Lines of chips on a screen that has room for a frame around them; without a frame there is one."""

Divider = Literal["split", "side", "sheet"]


@dataclass(frozen=True, slots=True)
class LayoutShape:
    """The state that determines the layout besides the screen's size."""

    focus: PaneName = "query"
    main: PaneName = "results"
    """The last of results, reader and evidence that had the focus: what one column shows."""
    reading: bool = False
    """Whether a paper is open."""
    evidence: bool = False
    """Whether the evidence pane has anything to say."""
    matrix: bool = False
    """Whether a matrix is open; it has the whole body while it has the focus."""
    hidden: frozenset[PaneName] = frozenset()
    preview: bool = False
    """Whether the reader follows the cursor of the results: one column then shows both."""
    zoomed: PaneName | None = None
    query_lines: int = 1
    aspects: int = 0
    """Lines that the aspects of the query take; 0 where it has none."""
    split: float = 46 / 116
    """Share of the results in the width they share with the reader."""
    side: float = 0.24
    """Share of the evidence in the width of three columns."""
    sheet: float = 0.24
    """Share of the evidence in the height below the query, in two columns."""


@dataclass(frozen=True, slots=True)
class PaneRegions:
    """Regions of the panes that are shown, and of the lines between them that can be dragged."""

    panes: dict[PaneName, Region]
    dividers: tuple[tuple[Divider, Region], ...] = ()
    columns: int = 1
    framed: bool = True
    """Whether the query has a frame."""


def plan_layout(shape: LayoutShape, width: int, height: int) -> PaneRegions:
    """Regions of the panes for `width` x `height` cells; they never overlap, and some may be missing."""
    columns = 1 if width < MIN_WIDTH_TWO_COLUMNS else 2 if width < MIN_WIDTH_THREE_COLUMNS else 3
    framed = height >= MIN_FRAMED_HEIGHT and columns > 1
    panes: dict[PaneName, Region] = {}
    if shape.zoomed:
        return PaneRegions(
            {shape.zoomed: Region(0, 0, width, height)}, columns=columns, framed=shape.zoomed == "query" or framed
        )
    top = 0
    if "query" not in shape.hidden or shape.focus == "query":
        query_height = _query_lines(shape, framed=framed) + (2 if framed else 0)
        top = max(min(1, height), min(query_height, height // 3))
        panes["query"] = Region(0, 0, width, top)
    top = _place_aspects(shape, panes, Region(0, top, width, height - top), framed=framed)
    body = Region(0, top, width, height - top)
    if shape.focus in ("matrix", "home"):
        panes[shape.focus] = body
        return PaneRegions(panes, columns=columns, framed=framed)
    remaining, dividers = (_one_column, _two_columns, _three_columns)[columns - 1](shape, body)
    panes.update({name: region for name, region in remaining.items() if region.width > 0 and region.height > 0})
    return PaneRegions(panes, dividers, columns, framed)


def _query_lines(shape: LayoutShape, *, framed: bool) -> int:
    if framed:
        return min(shape.query_lines, MAX_QUERY_LINES)
    return min(shape.query_lines, MAX_UNFRAMED_QUERY_LINES) if shape.focus == "query" else 1


def _place_aspects(shape: LayoutShape, panes: dict[PaneName, Region], region: Region, *, framed: bool) -> int:
    """Puts the strip of aspects on top of `region`; the row that is left below it."""
    if not shape.aspects or shape.focus in ("matrix", "home"):
        return region.y
    rows = min(shape.aspects, MAX_ASPECT_LINES) + 2 if framed else 1
    rows = min(rows, region.height // 3)
    if rows:
        panes["aspects"] = Region(0, region.y, region.width, rows)
    return region.y + rows


_Arrangement = tuple[dict[PaneName, Region], tuple[tuple[Divider, Region], ...]]


def _one_column(shape: LayoutShape, body: Region) -> _Arrangement:
    main = shape.main if shape.main not in shape.hidden else "results"
    if main == "results" and shape.preview and shape.reading and body.height >= 2 * SHEET_HEIGHT:
        above, below = _split_below(body, body.height // 2)
        return {"results": above, "reader": below}, ()
    # Where both fit, evidence is below the text that it is of.
    if main == "evidence" and shape.reading and body.height > 2 * SHEET_HEIGHT and "reader" not in shape.hidden:
        main = "reader"
    if main != "reader" or not shape.evidence or "evidence" in shape.hidden:
        return {main: body}, ()
    upper, lower = _split_below(body, SHEET_HEIGHT if body.height >= 2 * SHEET_HEIGHT else 0)
    return {"reader": upper, "evidence": lower}, ()


def _two_columns(shape: LayoutShape, body: Region) -> _Arrangement:
    panes: dict[PaneName, Region] = {}
    dividers: list[tuple[Divider, Region]] = []
    if _has_evidence(shape):
        rows = max(MIN_PANE_HEIGHT + 2, round(body.height * shape.sheet))
        body, panes["evidence"] = _split_below(body, min(rows, max(0, body.height - MIN_PANE_HEIGHT)))
        dividers.append(("sheet", Region(0, panes["evidence"].y, body.width, 1)))
    _side_by_side(shape, body, panes, dividers)
    return panes, tuple(dividers)


def _three_columns(shape: LayoutShape, body: Region) -> _Arrangement:
    panes: dict[PaneName, Region] = {}
    dividers: list[tuple[Divider, Region]] = []
    if _has_evidence(shape):
        cells = _clamp_width(round(body.width * shape.side), body.width)
        panes["evidence"] = Region(body.right - cells, body.y, cells, body.height)
        # Two cells wide, as the frames of both panes meet there.
        dividers.append(("side", Region(body.right - cells - 1, body.y, 2, body.height)))
        body = Region(body.x, body.y, body.width - cells, body.height)
    _side_by_side(shape, body, panes, dividers)
    return panes, tuple(dividers)


def _has_evidence(shape: LayoutShape) -> bool:
    """Whether the evidence pane is shown; without the reader only if it has the focus."""
    if not shape.evidence or "evidence" in shape.hidden:
        return False
    return shape.focus == "evidence" or (shape.reading and "reader" not in shape.hidden)


def _side_by_side(
    shape: LayoutShape, body: Region, panes: dict[PaneName, Region], dividers: list[tuple[Divider, Region]]
) -> None:
    results = "results" not in shape.hidden
    reader = shape.reading and "reader" not in shape.hidden
    if not (results and reader):
        panes["reader" if reader else "results"] = body
        return
    # Cells beyond what the reader can use for its text go to the results.
    left_width = _clamp_width(max(round(body.width * shape.split), body.width - MAX_READER_WIDTH), body.width)
    panes["results"] = Region(body.x, body.y, left_width, body.height)
    panes["reader"] = Region(body.x + left_width, body.y, body.width - left_width, body.height)
    dividers.append(("split", Region(body.x + left_width - 1, body.y, 2, body.height)))


def _clamp_width(cells: int, width: int) -> int:
    """`cells`, but leaving both sides at least `MIN_PANE_WIDTH` where there is room for that."""
    least = min(MIN_PANE_WIDTH, width // 2)
    return max(least, min(cells, width - least))


def _split_below(body: Region, rows: int) -> tuple[Region, Region]:
    """`body` without its last `rows`, and those."""
    rows = max(0, min(rows, body.height))
    upper = Region(body.x, body.y, body.width, body.height - rows)
    return upper, Region(body.x, upper.bottom, body.width, rows)
