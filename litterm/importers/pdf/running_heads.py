"""Removes running heads, feet and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from litterm.importers.pdf.lines import Line, page_lines
from litterm.importers.pdf.pages import PdfPage

_BAND_SHARE = 0.13
"""Share of the page's height, at the top and at the bottom, in which running lines are looked for."""
_REFERENCES_HEADING = re.compile(
    r"[\W_]*(?:(?:\d{1,2}|[IVX]{1,5}|[A-Z])[\s.:)]{1,3})?(?:list of |selected |key )?"
    r"(?:r\s?e\s?f\s?e\s?r\s?e\s?n\s?c\s?e\s?s?|bibliography|bibliographical references|literature cited|works cited"
    r"|references and notes|references? cited|literature|literatur|références|bibliographie|referencias|bibliografía"
    r"|bibliografia|riferimenti|βιβλιογραφία)[\W_]*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"[\W_]*(?:page\s*)?(?:\d{1,5}|[ivxl]{1,6})(?:\s*(?:of|/)\s*\d{1,4})?[\W_]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    """What most of the text looks like."""

    size: float
    font: str
    pitch: float
    """Usual distance of two lines, in points."""


@dataclass(frozen=True, slots=True)
class PageBody:
    """A page without its running lines."""

    width: float
    height: float
    lines: tuple[Line, ...]
    running: tuple[Line, ...] = ()


def page_bodies(pages: Sequence[PdfPage]) -> tuple[PageBody, ...]:
    """Every page with its lines in order of reading, running lines set aside."""
    page_and_lines = [(page, _in_order(page, page_lines(page))) for page in pages]
    style = style_of(line for _, lines in page_and_lines for line in lines)
    keys: Counter[tuple[str, int]] = Counter()
    for page, lines in page_and_lines:
        keys.update({key for line in lines for key in _keys(line, page)})
    bodies = []
    for page, lines in page_and_lines:
        ends = _isolated_ends(lines, style) if page.number > 1 else ()
        marginal_lines = [
            line for line in lines if line in ends or _is_number(line, page) or _is_repeated(line, page, keys, style)
        ]
        body = tuple(line for line in lines if line not in marginal_lines)
        bodies.append(PageBody(page.width, page.height, body, tuple(marginal_lines)))
    return tuple(bodies)


def style_of(lines: Iterable[Line]) -> Style:
    """Size, font and pitch of most of the text before the reference list, which may be longer than the text."""
    ordered = list(lines)
    ordered = ordered[: _references_start(ordered)]
    sizes: Counter[float] = Counter()
    for line in ordered:
        # Tables and figures consist of short pieces, running text of long ones.
        sizes[round(line.size * 2) / 2] += len(line.text) if len(line.text) > 25 else 0
    size = max(sizes, key=lambda value: (sizes[value], value)) if sizes else 10.0
    body = [line for line in ordered if abs(line.size - size) <= 0.3]
    fonts: Counter[str] = Counter()
    for line in body:
        fonts[line.font] += len(line.text)
    steps: Counter[float] = Counter()
    for above, below in pairwise(body):
        step = above.y - below.y
        if above.page == below.page and 0.8 * size < step < 2.5 * size and abs(above.x0 - below.x0) < 4 * size:
            steps[round(step * 2) / 2] += 1
    pitch = max(steps, key=lambda value: (steps[value], -value)) if steps else 1.2 * size
    return Style(size, max(fonts, key=lambda name: (fonts[name], name)) if fonts else "", pitch)


def _references_start(lines: Sequence[Line]) -> int:
    for index in range(len(lines) - 1, len(lines) // 4, -1):
        if is_references_heading(lines[index].text):
            return index
    return len(lines)


def is_references_heading(text: str) -> bool:
    """Whether a line is the heading of a reference list."""
    return _REFERENCES_HEADING.fullmatch(text) is not None


def _keys(line: Line, page: PdfPage) -> Iterable[tuple[str, int]]:
    """What a line repeats as: its text without numbers, at its height give or take a little."""
    if not _is_in_band(line, page):
        return ()
    text = "".join(_NUMBER.sub("#", line.text.casefold()).split())
    place = int(line.y // 8)
    # Two bands of eight points: a line near the border of one still meets its like.
    return ((text, place), (text, place + 1)) if len(text) > 1 else ()


def _is_in_band(line: Line, page: PdfPage) -> bool:
    return line.y > (1 - _BAND_SHARE) * page.height or line.y < _BAND_SHARE * page.height


def _is_repeated(line: Line, page: PdfPage, keys: Counter[tuple[str, int]], style: Style) -> bool:
    # The title on the first page, whose words the running heads repeat, stays.
    headline = page.number == 1 and line.size > style.size + 2
    return not headline and any(keys[key] > 1 for key in _keys(line, page))


def _is_number(line: Line, page: PdfPage) -> bool:
    return _is_in_band(line, page) and _PAGE_NUMBER.fullmatch(line.text) is not None


def _isolated_ends(lines: Sequence[Line], style: Style) -> tuple[Line, ...]:
    """First and last line of a page where they are apart and carry a number, as running lines do."""
    if len(lines) < 4:
        return ()
    heights = sorted({round(line.y, 1) for line in lines}, reverse=True)
    ends: list[float] = []
    if len(heights) > 3:
        ends += [heights[0]] if heights[0] - heights[1] > 1.5 * style.pitch else []
        ends += [heights[-1]] if heights[-2] - heights[-1] > 1.5 * style.pitch else []
    isolated = [line for line in lines if round(line.y, 1) in ends and line.size <= style.size + 0.3]
    numbered = {line.y for line in isolated if re.search(r"(?:^|\s)\d{1,5}(?:\s|$)", line.text)}
    return tuple(line for line in isolated if line.y in numbered or line.size < style.size - 0.8)


def _in_order(page: PdfPage, lines: Sequence[Line]) -> tuple[Line, ...]:
    """`lines` as drawn, unless the drawing hops between the columns line by line, as some scans do."""
    middle = page.width / 2
    long = [line for line in lines if len(line.text) > 15]
    sides = [-1 if line.x1 < middle + 10 else 1 if line.x0 > middle - 10 else 0 for line in long]
    hops = sum(1 for a, b in pairwise(sides) if a * b < 0)
    # Drawn order is better than any sorting, unless it is plainly none.
    if hops <= max(8, len(long) // 5):
        return tuple(lines)
    return tuple(sorted(lines, key=lambda line: (line.x0 > middle - 10, -line.y, line.x0)))
