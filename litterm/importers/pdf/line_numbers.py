"""Removes the line numbers of manuscripts: columns of rising numbers beside the text, over most of the paper."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from litterm.importers.pdf.content_stream import Word
from litterm.importers.pdf.pages import PdfPage

Edge: TypeAlias = Literal["x0", "x1"]
_EDGES: Final[tuple[Edge, ...]] = ("x0", "x1")
"""Numbers of one column have a common left or right edge, whatever the number of their digits."""
_NUMBER: Final = re.compile(r"\d{1,4}")
_EDGE_TOLERANCE_PT: Final = 1.5
_MIN_RUN: Final = 5
"""Numbers in order, from which a column on a page counts by itself."""
_MIN_WIDE_RUN: Final = 3
_MIN_WIDE_STEP: Final = 5
"""Where every fifth line or fewer is numbered, fewer numbers do."""
_MAX_RUNS: Final = 12
"""Columns looked at on a page; each is compared with all lines."""
_MAX_STEP: Final = 20
"""Of those that number every fifth or tenth line, with some to spare."""
_MAX_MISSING: Final = 3
"""Steps between two numbers of a run: one that stands elsewhere does not end it."""
_MIN_GAP_PT: Final = 2.0
_CLEAR_SHARE: Final = 0.8
"""Share of the numbers of a column with nothing close to them: two narrow columns of text may touch it."""
_MIN_HEIGHT_SHARE: Final = 0.5
"""Share of the height of the text that the numbers stand beside."""
_MIN_ROW_SHARE: Final = 0.7
"""Lines that the numbers count, of those beside them: entries of a list are longer than a line."""
_MAX_CROSSED_SHARE: Final = 0.3
"""Share of the lines above and below the numbers that may stand in their place: a title over two columns."""
_MIN_PAGE_SHARE: Final = 0.5
"""Share of the pages of text that must have such a column; tables, lists and programs fill fewer."""
_MIN_PAGE_ROWS: Final = 8


@dataclass(frozen=True, slots=True)
class _Column:
    """Where the numbers of lines stand."""

    edge: Edge
    at: float
    step: int


@dataclass(frozen=True, slots=True)
class _Run:
    """Numbers of one column of one page, from the top."""

    column: _Column
    words: tuple[Word, ...]

    @property
    def left(self) -> float:
        return min(word.x0 for word in self.words)

    @property
    def right(self) -> float:
        return max(word.x1 for word in self.words)


@dataclass(frozen=True, slots=True)
class _Row:
    """The words on one height of a page, from left to right."""

    y: float
    words: tuple[Word, ...]


def without_line_numbers(pages: Sequence[PdfPage]) -> tuple[PdfPage, ...]:
    """`pages` without the numbers of their lines; all as they are where the paper has none."""
    rows = [_rows(page) for page in pages]
    runs = [
        [run for run in _runs(page) if _counts_lines(run, page_rows)]
        for page, page_rows in zip(pages, rows, strict=True)
    ]
    without = [row for page_runs, page_rows in zip(runs, rows, strict=True) if not page_runs for row in page_rows]
    runs = _apart_from(without, runs)
    text_pages = [index for index, page_rows in enumerate(rows) if len(page_rows) >= _MIN_PAGE_ROWS]
    numbered = [index for index in text_pages if runs[index]]
    if not numbered or len(numbered) < _MIN_PAGE_SHARE * len(text_pages):
        return tuple(pages)
    columns = _common_columns([run for page_runs in runs for run in page_runs])
    last = 0
    cleaned: list[PdfPage] = []
    for page, page_rows, page_runs in zip(pages, rows, runs, strict=True):
        numbers = _numbers(page, page_rows, page_runs, columns, last)
        last = max((int(word.text) for word in numbers), default=last)
        marked = {id(word) for word in numbers}
        cleaned.append(replace(page, words=tuple(word for word in page.words if id(word) not in marked)))
    return tuple(cleaned)


def _rows(page: PdfPage) -> list[_Row]:
    rows: list[list[Word]] = []
    for word in sorted(page.words, key=lambda word: -word.y):
        if rows and rows[-1][0].y - word.y < 0.4 * word.size:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [_Row(row[0].y, tuple(sorted(row, key=lambda word: word.x0))) for row in rows]


def _runs(page: PdfPage) -> list[_Run]:
    """The longest columns of numbers on a page that rise by one step from line to line."""
    numbers = [word for word in page.words if _NUMBER.fullmatch(word.text)]
    groups = [(aligned, edge) for edge in _EDGES if numbers for aligned in _aligned(numbers, edge)]
    runs = [run for aligned, edge in groups if (run := _longest_run(aligned, edge)) is not None]
    long = [run for run in runs if len(run.words) >= _MIN_WIDE_RUN]
    return sorted(long, key=lambda run: -len(run.words))[:_MAX_RUNS]


def _aligned(numbers: Sequence[Word], edge: Edge) -> Iterator[list[Word]]:
    """Groups of numbers with a common edge, each from the top."""
    ordered = sorted(numbers, key=lambda word: _edge_of(word, edge))
    group = ordered[:1]
    for previous, word in pairwise(ordered):
        if _edge_of(word, edge) - _edge_of(previous, edge) > _EDGE_TOLERANCE_PT:
            yield sorted(group, key=lambda word: -word.y)
            group = []
        group.append(word)
    yield sorted(group, key=lambda word: -word.y)


def _edge_of(word: Word, edge: Edge) -> float:
    return word.x0 if edge == "x0" else word.x1


def _longest_run(aligned: Sequence[Word], edge: Edge, step: int = 0) -> _Run | None:
    """The longest run of numbers that rise by `step`; by the usual difference of neighbours where it is 0."""
    differences = Counter(int(below.text) - int(above.text) for above, below in pairwise(aligned))
    step = step or max(
        (value for value in differences if 0 < value <= _MAX_STEP), key=lambda value: differences[value], default=0
    )
    if not step:
        return None
    lengths: list[int] = []
    previous: list[int] = []
    latest: dict[int, int] = {}
    for index, word in enumerate(aligned):
        value = int(word.text)
        before = [latest[value - gap * step] for gap in range(1, _MAX_MISSING + 1) if value - gap * step in latest]
        best = max(before, key=lambda position: lengths[position], default=-1)
        lengths.append(1 + (lengths[best] if best >= 0 else 0))
        previous.append(best)
        latest[value] = index
    position = max(range(len(aligned)), key=lambda index: lengths[index])
    at = _edge_of(aligned[position], edge)
    chosen: list[Word] = []
    while position >= 0:
        chosen.append(aligned[position])
        position = previous[position]
    return _Run(_Column(edge, at, step), tuple(reversed(chosen)))


def _counts_lines(run: _Run, rows: Sequence[_Row]) -> bool:
    """Whether the numbers of `run` stand apart from the text and count its lines."""
    top, bottom = run.words[0].y + run.words[0].size, run.words[-1].y - run.words[-1].size
    beside = [row for row in rows if bottom < row.y < top]
    others = [row for row in rows if not bottom < row.y < top]
    height = rows[0].y - rows[-1].y
    if top - bottom < _MIN_HEIGHT_SHARE * height or _count_clear(run, beside) < _CLEAR_SHARE * len(run.words):
        return False
    crossed = sum(1 for row in others if _is_crossed(row, run))
    crossed_beside = sum(1 for row in beside if _is_crossed(row, run))
    if crossed > _MAX_CROSSED_SHARE * len(others) or crossed_beside > (1 - _CLEAR_SHARE) * len(beside):
        return False
    counted, neighbours = len(run.words) * run.column.step, _count_neighbours(run, beside)
    if len(run.words) < _MIN_RUN and (run.column.step < _MIN_WIDE_STEP or neighbours < _MIN_ROW_SHARE * counted / 2):
        return False
    return counted >= _MIN_ROW_SHARE * neighbours


def _apart_from(rows: Sequence[_Row], runs: Sequence[Sequence[_Run]]) -> list[list[_Run]]:
    """The runs of each page, without those in places where most of the text of other pages stands."""
    crossed: dict[tuple[Edge, int], bool] = {}
    apart: list[list[_Run]] = []
    for page_runs in runs:
        apart.append([])
        for run in page_runs:
            place = (run.column.edge, round(run.column.at))
            if place not in crossed:
                crossed[place] = 2 * sum(1 for row in rows if _is_crossed(row, run)) > len(rows)
            apart[-1] += [] if crossed[place] else [run]
    return apart


def _is_crossed(row: _Row, run: _Run) -> bool:
    """Whether a word of the row that is no number itself stands where the numbers do."""
    return any(word.x0 < run.right and word.x1 > run.left and not _NUMBER.fullmatch(word.text) for word in row.words)


def _count_clear(run: _Run, rows: Sequence[_Row]) -> int:
    """The numbers with no word close to them."""
    close: set[int] = set()
    for row in rows:
        for left, right in pairwise(row.words):
            if right.x0 - left.x1 < _MIN_GAP_PT:
                close |= {id(left), id(right)}
    return sum(1 for word in run.words if id(word) not in close)


def _count_neighbours(run: _Run, rows: Sequence[_Row]) -> int:
    """The lines that begin at the common edge of those right of the numbers; else those that end left of them."""
    firsts = [next((word.x0 for word in row.words if word.x0 >= run.right), None) for row in rows]
    edges = Counter(round(x) for x in firsts if x is not None)
    if sum(edges.values()) > 0.5 * len(rows):
        edge = max(edges, key=lambda x: edges[x])
        return sum(edges[x] for x in (edge - 1, edge, edge + 1))
    return sum(1 for row in rows if any(word.x1 <= run.left for word in row.words))


def _common_columns(runs: Sequence[_Run]) -> list[_Column]:
    """Where the runs stand, each place once, those with most numbers first."""
    weights: defaultdict[_Column, int] = defaultdict(int)
    for run in runs:
        column = run.column
        weights[replace(column, at=round(column.at))] += len(run.words)
    columns: list[_Column] = []
    for column in sorted(weights, key=lambda column: -weights[column]):
        if not any(column.edge == other.edge and abs(column.at - other.at) <= _EDGE_TOLERANCE_PT for other in columns):
            columns.append(column)
    return columns


def _numbers(
    page: PdfPage, rows: Sequence[_Row], runs: Sequence[_Run], columns: Sequence[_Column], last: int
) -> list[Word]:
    """The line numbers of a page: its runs, and in known columns what goes on with them or after page `last`."""
    numbers = [word for word in page.words if _NUMBER.fullmatch(word.text)]
    found: dict[int, Word] = {}
    for column in columns:
        aligned = [word for word in numbers if abs(_edge_of(word, column.edge) - column.at) <= 2 * _EDGE_TOLERANCE_PT]
        aligned.sort(key=lambda word: -word.y)
        run = _longest_run(aligned, column.edge, column.step) if aligned else None
        if run is not None and _goes_on(run, rows, last):
            runs = [*runs, run]
    for run in runs:
        found.update((id(word), word) for word in (*run.words, *_around(run, numbers)))
    return list(found.values())


def _goes_on(run: _Run, rows: Sequence[_Row], last: int) -> bool:
    """Whether a few numbers where others stood are those of the lines of a short page."""
    first, step = int(run.words[0].text), run.column.step
    is_next = last < first <= last + step or first in (0, 1, step)
    bottom, top = run.words[-1].y - 1, run.words[0].y + 1
    beside = [row for row in rows if bottom <= row.y <= top]
    is_apart = not any(_is_crossed(row, run) for row in beside)
    return (is_next or len(run.words) > 1) and is_apart and _count_clear(run, beside) == len(run.words)


def _around(run: _Run, numbers: Sequence[Word]) -> Iterator[Word]:
    """Numbers in the place of the run that are above it and smaller, or below it and larger: `1` above 5, 10, 15."""
    first, last = run.words[0], run.words[-1]
    for word in numbers:
        if abs(_edge_of(word, run.column.edge) - run.column.at) > _EDGE_TOLERANCE_PT:
            continue
        if (word.y > first.y and int(word.text) < int(first.text)) or (
            word.y < last.y and int(word.text) > int(last.text)
        ):
            yield word
