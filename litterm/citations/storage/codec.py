"""Reads and writes resolved reference lists and citing sentences as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from litterm.core.json_fields import integer, integer_or_none, items, text
from litterm.model.citations.graph import Citance, Direction, Edge, EdgeSource, ReferenceListHead, ResolvedList
from litterm.model.document import DocumentId, Span
from litterm.model.paper import PaperId


def list_line(resolved: ResolvedList) -> dict[str, object]:
    """One list with its edges; of an edge only what does not follow from the list's own paper."""
    head = resolved.head
    return {
        "paper": head.paper,
        "key": head.key,
        "year": head.year,
        "source": head.source,
        "direction": head.direction,
        "known": resolved.known,
        # `known` stays in front of the edges: the packing child stops reading a line there.
        "edges": [_edge_line(edge, head.direction) for edge in resolved.edges],
        "wants": sorted(resolved.unresolved_hashes),
    }


def list_from(fields: Mapping[str, object]) -> ResolvedList:
    """The list of one line.

    Raises:
        KeyError: a field is missing.
        TypeError: a field is of another kind.
    """
    head = ReferenceListHead(
        paper=PaperId(text(fields["paper"])),
        key=text(fields["key"]),
        year=integer_or_none(fields["year"]),
        source=cast(EdgeSource, text(fields["source"])),
        direction=cast(Direction, text(fields["direction"])),
    )
    edges = tuple(_edge(items(edge_fields), head) for edge_fields in items(fields["edges"]))
    return ResolvedList(head, fields["known"] is True, edges, frozenset(map(integer, items(fields["wants"]))))


def citance_line(citance: Citance) -> dict[str, object]:
    """One citing sentence; what follows from its list is left out."""
    mark = citance.mark
    return {
        "citing": citance.citing,
        "cited": citance.cited,
        "text": citance.text,
        "mark": None if mark is None else [mark.start, mark.end],
        "sentence": citance.sentence,
    }


def citance_from(fields: Mapping[str, object], resolved: ResolvedList) -> Citance:
    """The sentence of one line of `resolved`.

    Raises:
        KeyError: a field is missing.
        TypeError: a field is of another kind.
    """
    head = resolved.head
    citing = PaperId(text(fields["citing"]))
    mark = None if fields["mark"] is None else Span(*map(integer, items(fields["mark"])))
    return Citance(
        citing=citing,
        cited=PaperId(text(fields["cited"])),
        text=text(fields["text"]),
        mark=mark,
        year=head.year if citing == head.paper else _year_of(citing, resolved),
        source=head.source,
        document=DocumentId(head.key) if head.source == "text" else None,
        sentence=integer_or_none(fields["sentence"]),
    )


def _year_of(citing: PaperId, resolved: ResolvedList) -> int | None:
    return next((edge.year for edge in resolved.edges if edge.citing == citing), None)


def _edge_line(edge: Edge, direction: Direction) -> list[object]:
    other = edge.cited if direction == "references" else edge.citing
    # A list and not an object: there are dozens of edges to a line, and names of fields would be most of it.
    return [other, edge.count, list(edge.entries), edge.year]


def _edge(fields: list[object], head: ReferenceListHead) -> Edge:
    other, count, entries, year = fields
    ends = (head.paper, PaperId(text(other)))
    citing, cited = ends if head.direction == "references" else ends[::-1]
    return Edge(citing, cited, integer(count), integer_or_none(year), head.source, tuple(map(integer, items(entries))))
