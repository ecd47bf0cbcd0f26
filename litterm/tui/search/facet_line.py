"""The line of facets above the results: years, venues, types and sources with their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litterm.model.search import Facet, FilterChip, Query
from litterm.text.escape import plain
from litterm.text.terminal_width import width_of
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Line, Piece

MIN_LIST_WIDTH, MIN_LIST_HEIGHT = 50, 12
"""Cells and lines of a list that has room for the line of facets."""
_MAX_VALUES: dict[str, int] = {"year": 4, "venue": 6, "type": 3, "source": 3}


@dataclass(frozen=True, slots=True)
class FacetSpan:
    """The cells of one value on the line, half-open."""

    start: int
    end: int
    facet: Facet


@dataclass(frozen=True, slots=True)
class FacetLine:
    """The values that fit on the line, and their cells."""

    pieces: Line = ()
    spans: tuple[FacetSpan, ...] = ()

    def facet_at(self, x: int) -> Facet | None:
        """The facet at cell `x`; `None` between facets."""
        return next((span.facet for span in self.spans if span.start <= x < span.end), None)

    def shift(self, cells: int) -> FacetLine:
        """The same line, `cells` further right."""
        spans = tuple(FacetSpan(span.start + cells, span.end + cells, span.facet) for span in self.spans)
        return FacetLine(self.pieces, spans)


def is_single_year(facet: Facet) -> bool:
    """Whether it counts the papers of one year, and not of a range."""
    return facet.field == "year" and ".." not in facet.value


def distinguishing_facets(facets: Sequence[Facet], matching: int, query: Query | None) -> tuple[Facet, ...]:
    """Facets that would exclude papers, and all of a field with a chosen value."""
    chosen = {facet.field for facet in facets if find_chip(query, facet) is not None}
    # A value that all papers share narrows nothing; one that is chosen must stay, or it could not be taken out.
    return tuple(facet for facet in facets if facet.count < matching or facet.field in chosen)


def find_chip(query: Query | None, facet: Facet) -> FilterChip | None:
    """The filter of `query` for the value of `facet`; `None` without one."""
    return find_filter(query, facet.field, facet.value)


def find_filter(query: Query | None, name: str, value: str) -> FilterChip | None:
    """The filter `name:value` of `query`; `None` without one."""
    label = f"{name}:{value}"
    return next((chip for chip in query.chips if chip.label.casefold() == label.casefold()), None) if query else None


def facet_line(facets: Sequence[Facet], query: Query | None, width: int, glyphs: Glyphs) -> FacetLine:
    """As many of `facets` as fit into `width` cells: the first of each field, then the second, and so on."""
    # Of years only the ranges: single ones are too many.
    listed = [facet for facet in facets if not is_single_year(facet)]
    by_field = {name: [facet for facet in listed if facet.field == name][:limit] for name, limit in _MAX_VALUES.items()}
    shown_facets: dict[str, list[Facet]] = {name: [] for name in by_field}
    room = width - 1
    # In turns: otherwise four years would take the room of every venue.
    for place in range(max(_MAX_VALUES.values())):
        for name, values in by_field.items():
            if place < len(values):
                cells = width_of(_facet_words(values[place], query, glyphs)) + (len(name) + 4 if place == 0 else 3)
                if cells <= room:
                    room -= cells
                    shown_facets[name].append(values[place])
    return _lay_out({name: values for name, values in shown_facets.items() if values}, query, glyphs)


def _facet_words(facet: Facet, query: Query | None, glyphs: Glyphs) -> str:
    text = f"{plain(facet.value)} {facet.count:,}"
    return f"{text} {glyphs.rejected}" if find_chip(query, facet) is not None else text


def _lay_out(shown_facets: dict[str, list[Facet]], query: Query | None, glyphs: Glyphs) -> FacetLine:
    pieces: list[Piece] = []
    spans: list[FacetSpan] = []
    column = 0

    def put(text: str, role: str) -> None:
        nonlocal column
        pieces.append((text, role))
        column += width_of(text)

    for name, values in shown_facets.items():
        put(("   " if pieces else " ") + name, "muted")
        for place, facet in enumerate(values):
            put(f" {glyphs.dot} " if place else " ", "muted")
            start = column
            put(_facet_words(facet, query, glyphs), "chip" if find_chip(query, facet) is not None else "key")
            spans.append(FacetSpan(start, column, facet))
    return FacetLine(tuple(pieces), tuple(spans))
