"""Links between papers: versions of one work, and pairs that may be one paper until the user decides."""

from __future__ import annotations

from litterm.core.json_fields import text
from litterm.library.segments.connections import View
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.load_papers import papers_by_key
from litterm.model.library import Snapshot
from litterm.model.paper import PaperId
from litterm.text.references.identity import paper_ids

_LINKS_SQL = "SELECT one, other FROM {segment}.link WHERE kind = ? ORDER BY one, other"
_LINKS_OF_SQL = (
    "SELECT one, other FROM {segment}.link WHERE kind = ? AND list_has_any([one, other], ?) ORDER BY one, other"
)

Pair = tuple[PaperId, PaperId]


def versions_of(library: DuckLibrary, paper_id: PaperId) -> tuple[PaperId, ...]:
    """Other papers that are the same work: preprint, workshop paper, resubmission.

    Raises:
        UnknownPaper: the library does not hold it.
    """
    (paper,) = library.by_id([paper_id])
    pairs = library.with_newest_snapshot(
        lambda snapshot: _find_links(library.view, snapshot, _LINKS_OF_SQL, "version", list(paper_ids(paper)))
    )
    return tuple(sorted({other for pair in pairs if paper.id in pair for other in pair if other != paper.id}))


def doubtful_pairs(library: DuckLibrary) -> tuple[Pair, ...]:
    """Pairs with one title that may be one paper; kept apart until somebody decides."""
    return library.with_newest_snapshot(lambda snapshot: _find_links(library.view, snapshot, _LINKS_SQL, "doubtful"))


def _find_links(view: View, snapshot: Snapshot, sql: str, *values: object) -> tuple[Pair, ...]:
    pairs = [
        (text(one), text(other)) for segment in snapshot.segments for one, other in view.select(segment, sql, values)
    ]
    keys = sorted({key for pair in pairs for key in pair})
    papers = dict(zip(keys, papers_by_key(view, snapshot, keys), strict=True))
    # By what they are called now: one of a pair may have been joined to another paper since.
    current_ids = {key: matches[0].id for key, matches in papers.items() if matches}
    known = {
        (current_ids[one], current_ids[other]) for one, other in pairs if one in current_ids and other in current_ids
    }
    return tuple(sorted((one, other) for one, other in known if one != other))
