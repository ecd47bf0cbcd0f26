"""Assembles tables cell by cell, and leaves out the lettering of figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.dehyphenate import clean_text
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.running_heads import Style
from litterm.text.documents.sections import classify

_MAX_TABLE_PARTS = 400


def with_tables(parts: Sequence[PdfBlock], style: Style) -> list[PdfBlock]:
    """The parts of a page, each table one part with `rows` behind its caption, without letters of pictures."""
    used: set[int] = set()
    tables: dict[int, PdfBlock] = {}
    for index, part in enumerate(parts):
        if part.label.casefold().startswith(("tab", "supplementary tab")):
            cells = _cells(parts, index, style, used)
            rows = _rows([line for cell in cells for line in parts[cell].lines])
            if rows:
                used.update(cells)
                tables[index] = replace(parts[cells[0]], label=part.label, rows=rows)
    result: list[PdfBlock] = []
    for index, part in enumerate(parts):
        if index not in used and not _is_lettering(part, style):
            result.append(part)
        if index in tables:
            result.append(tables[index])
    return result


def _cells(parts: Sequence[PdfBlock], caption: int, style: Style, used: set[int]) -> list[int]:
    """Parts of the table's body: those after its caption as far as they look like cells, else those before it."""
    cells_below = _stretch(parts, range(caption + 1, min(len(parts), caption + _MAX_TABLE_PARTS)), style, used)
    if len(cells_below) > 1 or _has_many(parts, cells_below):
        return cells_below
    before = _stretch(parts, range(caption - 1, max(-1, caption - _MAX_TABLE_PARTS), -1), style, used)
    return before[::-1] if len(before) > 1 or _has_many(parts, before) else []


def _has_many(parts: Sequence[PdfBlock], chosen: Sequence[int]) -> bool:
    return sum(len(parts[index].lines) for index in chosen) > 3


def _stretch(parts: Sequence[PdfBlock], order: Sequence[int], style: Style, used: set[int]) -> list[int]:
    cells: list[int] = []
    for index in order:
        part = parts[index]
        if part.label or index in used or not _is_cell(part, style):
            break
        cells.append(index)
    return cells


def _is_cell(part: PdfBlock, style: Style) -> bool:
    """Short pieces, several on one height, or small type: not a paragraph of the text."""
    shared = len(part.lines) - len({round(line.y) for line in part.lines})
    if shared and shared >= len(part.lines) / 4:
        return True
    widest = max(line.x1 - line.x0 for line in part.lines)
    if part.lines[0].size > style.size + 0.6:
        return False
    if part.lines[0].size < style.size - 0.6:
        return widest < 0.9 * part.width or len(part.lines) < 2
    short = widest < 0.6 * part.width
    return short and not (part.lines[0].bold and len(part.lines) == 1 and part.gap > 1.4 and not part.indented)


def _is_lettering(part: PdfBlock, style: Style) -> bool:
    """Axis labels, legends, node names: small and short, never a sentence."""
    if part.label or part.rows or part.lines[0].size > style.size - 0.6:
        return False
    words = part.text.split()
    if len(part.lines) == 1 and len(words) < 7 and classify(part.text) != "other":
        return False  # `Abstract` or `Funding` above small type
    widest = max(line.x1 - line.x0 for line in part.lines)
    letters = sum(character.isalpha() for character in part.text)
    return len(words) < 8 or widest < 0.35 * part.width or letters < 0.5 * len(part.text)


def _rows(lines: Sequence[Line]) -> tuple[tuple[str, ...], ...]:
    """Cells by height, then from left to right; empty if there are not two cells beside each other twice."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (-line.y, line.x0)):
        if rows and rows[-1][0].y - line.y < 0.45 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    if sum(1 for row in rows if len(row) > 1) < 2:
        return ()
    return tuple(tuple(clean_text(line.text) for line in sorted(row, key=lambda line: line.x0)) for row in rows)
