"""Lines to parts: stretches of lines that belong together, recognised by gaps, indents, sizes and columns.

Distances are compared with the size and the pitch of the paper's own text (`Style`): papers are set in any scale.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.running_heads import PageBody, Style

Side: TypeAlias = Literal["left", "right", "full"]

_CAPTION = re.compile(
    r"(?P<label>(?:supplementary |extended data |additional |online )?"
    r"(?P<what>fig(?:ure|\.|s\.)?|table|tab\.|scheme|chart|algorithm|box|plate|abbildung|tabelle|tableau)"
    r"\s*[-.]?\s*(?P<number>[A-Z]?\.?\d{1,3}(?:[.-]\d{1,2})?[A-Za-z]?|[IVX]{1,5}))"
    r"(?P<stop>\s*[.:|–—)]|(?=\s+[A-Z(“\"])|\s*$)",
    re.IGNORECASE,
)
_ITEM_MARK = re.compile(r"(?:[•▪◦●■–*]|\(?\d{1,2}[.)]|\(?[a-zA-Z][.)]|\([ivx]{1,4}\))\s")
TERMINATOR = re.compile(r"[.!?:][\"”’)\]¹²³⁴⁵⁶⁷⁸⁹⁰,⁻]*\Z|\.\d{1,3}\Z")


@dataclass(frozen=True, slots=True)
class PdfBlock:
    """Consecutive lines that belong together."""

    lines: tuple[Line, ...]
    side: Side
    gap: float
    """Distance to the line drawn before in the same column, in usual pitches; 9 at the top of a column."""
    indented: bool
    label: str = ""
    """`Figure 2` where it is a caption."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Cells where it is a table."""
    width: float = 0.0
    """Of its column, in points."""

    @property
    def text(self) -> str:
        """Its lines, one below the other."""
        return "\n".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class PageColumns:
    """The horizontal positions of the columns of one page."""

    gutter: float | None
    """The middle between two columns; `None` on a page of one."""
    edges: dict[Side, tuple[float, float]]

    def side(self, line: Line) -> Side:
        """The column of a line."""
        if self.gutter is None:
            return "full"
        if line.x1 < self.gutter + 4:
            return "left"
        return "right" if line.x0 > self.gutter - 4 else "full"

    def edge(self, side: Side, line: Line) -> tuple[float, float]:
        """Left and right edge of the column; of the line itself where nothing is known."""
        return self.edges.get(side, (line.x0, line.x1))


def page_columns(page: PageBody) -> PageColumns:
    """The columns of `page`, by the gap that most lines respect."""
    long = [line for line in page.lines if len(line.text) > 20]
    gutter = _gutter(long, page.width)
    columns = PageColumns(gutter, {})
    edges: dict[Side, tuple[float, float]] = {}
    for side in ("left", "right", "full"):
        side_lines = [line for line in long if columns.side(line) == side]
        if len(side_lines) >= 3:
            lefts = Counter(round(line.x0) for line in side_lines)
            # Not the rightmost: a formula or an address may stick out.
            rights = sorted(line.x1 for line in side_lines)
            best = max(lefts, key=lambda x: (lefts[x] + lefts[x + 1] + lefts[x - 1], -x))
            edges[side] = (float(best), rights[int(0.9 * (len(rights) - 1))])
    return PageColumns(gutter, edges)


def _gutter(long: Sequence[Line], width: float) -> float | None:
    best: tuple[int, float] | None = None
    # In hundredths of the page's width, around its middle.
    for step in range(38, 63):
        x = width * step / 100
        left_count = sum(1 for line in long if line.x1 < x + 2)
        right = sum(1 for line in long if line.x0 > x - 2)
        crossing = len(long) - left_count - right
        # Lines may cross: a title over both columns, a wide table.
        if min(left_count, right) >= 5 and crossing <= 0.6 * len(long):
            score = (left_count + right, -abs(x - width / 2))
            if best is None or score > (best[0], -abs(best[1] - width / 2)):
                best = (score[0], x)
    return best[1] if best else None


def page_parts(page: PageBody, style: Style) -> Iterator[PdfBlock]:
    """The parts of a page, in order of reading."""
    columns = page_columns(page)
    ragged = _is_ragged(page, columns)
    builder = _BlockBuilder(page, style, columns, ragged)
    for line in page.lines:
        builder.add(line)
    yield from builder.finish()


def _is_ragged(page: PageBody, columns: PageColumns) -> bool:
    """Whether the text is set flush left only: a short line then says nothing."""
    long = [line for line in page.lines if len(line.text) > 35]
    flush = sum(1 for line in long if columns.edge(columns.side(line), line)[1] - line.x1 < 0.5 * line.size)
    return bool(long) and flush < 0.5 * len(long)


class _BlockBuilder:
    def __init__(self, page: PageBody, style: Style, columns: PageColumns, ragged: bool) -> None:
        self._style = style
        self._columns = columns
        self._is_ragged = ragged
        self._parts: list[PdfBlock] = []
        self._lines: list[Line] = []
        self._side: Side = "full"
        self._gap = 9.0
        self._below: dict[Side, float] = {}

    def add(self, line: Line) -> None:
        side = self._columns.side(line)
        if self._lines and not self._belongs_to_last(line, side):
            self._close()
        if not self._lines:
            self._side = side
            line_above = self._below.get(side)
            self._gap = (
                (line_above - line.y) / self._style.pitch if line_above is not None and line_above > line.y else 9.0
            )
        self._lines.append(line)
        self._below[side] = line.y

    def finish(self) -> list[PdfBlock]:
        self._close()
        return self._parts

    def _close(self) -> None:
        if self._lines:
            left, right = self._columns.edge(self._side, self._lines[0])
            indented = self._lines[0].x0 - left > 0.6 * self._style.size
            caption = caption_label(self._lines[0], self._gap, self._style)
            part = PdfBlock(tuple(self._lines), self._side, self._gap, indented, caption, (), max(1.0, right - left))
            self._parts.append(part)
        self._lines = []

    def _belongs_to_last(self, line: Line, side: Side) -> bool:
        last = self._lines[-1]
        step = last.y - line.y
        if side != self._side and not self._is_widening(line):
            return False
        if abs(step) < 0.5 * last.size:
            return True  # the next piece of the same line
        # Upwards is the next column.
        if step < 0 or step > 1.45 * self._line_pitch(last, line) or abs(line.size - last.size) > 0.6:
            return False
        if caption_label(line, step / self._style.pitch, self._style) or line.bold != last.bold:
            return False
        if last.font != self._style.font and _is_in_capitals(last) != _is_in_capitals(line) and len(last.text) > 4:
            return False
        return not self._begins_paragraph(line, last) and not self._has_other_face(line, last)

    def _is_widening(self, line: Line) -> bool:
        """A full line amid lines of one column, or the other way round: a short last line of a wide paragraph."""
        return abs(line.x0 - self._lines[0].x0) < 4 * line.size and "full" in (self._side, self._columns.side(line))

    def _line_pitch(self, last: Line, line: Line) -> float:
        if len(self._lines) > 1:
            inner = self._lines[-2].y - last.y
            if inner > 0.5 * last.size:
                return inner
        return self._style.pitch * max(1.0, min(line.size, last.size) / self._style.size)

    def _begins_paragraph(self, line: Line, last: Line) -> bool:
        left, right = self._columns.edge(self._side, last)
        indent = line.x0 - last.x0
        if 0.6 * line.size < indent < 6 * line.size and abs(last.x0 - left) < 0.4 * line.size:
            return True
        if _ITEM_MARK.match(line.text) and line.x0 - left > -2 and TERMINATOR.search(last.text):
            return True
        short = right - last.x1 > 0.12 * (right - left)
        return short and not self._is_ragged and bool(TERMINATOR.search(last.text)) and line.text[:1].isupper()

    def _has_other_face(self, line: Line, last: Line) -> bool:
        """A heading without a gap: one of the two lines is not in the font of the text, and short or alone."""
        body = self._style.font
        if (line.font == body) == (last.font == body):
            return False
        left, right = self._columns.edge(self._side, last)
        odd = last if last.font != body else line
        if any(word.font == body for word in odd.words) or TERMINATOR.search(odd.text):
            return False
        if odd.x1 - odd.x0 < 0.85 * (right - left):
            return True
        is_font_uniform = all(earlier.font == last.font for earlier in self._lines)
        return odd is last and is_font_uniform and line.text[:1].isupper() and not last.text.endswith((",", "-"))


def _is_in_capitals(line: Line) -> bool:
    return line.text.upper() == line.text and any(character.isalpha() for character in line.text)


def caption_label(line: Line, gap: float, style: Style) -> str:
    """`Figure 2` if a caption starts with this line; empty if a sentence about it may."""
    match = _CAPTION.match(line.text)
    if match is None:
        return ""
    rest = line.text[match.end() :].strip()
    stopped = bool(match["stop"].strip())
    set_apart = line.words[0].bold or line.words[0].font != style.font or abs(line.size - style.size) > 0.4 or gap > 1.3
    if rest[:1].islower() or not (set_apart or stopped):
        return ""
    if not stopped and rest and not set_apart:
        return ""
    return " ".join(match["label"].split())
