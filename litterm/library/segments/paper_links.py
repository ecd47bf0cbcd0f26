"""Links between papers: versions of one work, and pairs that may be one paper until the user decides."""

from __future__ import annotations

from typing import Literal

from litterm.core.json_fields import text
from litterm.library.segments.connections import LibraryView
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.load_papers import papers_by_key
from litterm.model.library import Snapshot
from litterm.model.paper import PaperId

_LINKS_SQL = "SELECT one, other FROM {segment}.link WHERE kind = ? ORDER BY one, other"

Pair = tuple[PaperId, PaperId]


def doubtful_pairs(library: DuckLibrary) -> tuple[Pair, ...]:
    """Pairs with one title that may be one paper; kept apart until the user decides."""
    return linked_pairs(library, "doubtful")


def linked_pairs(library: DuckLibrary, kind: Literal["version", "doubtful"]) -> tuple[Pair, ...]:
    """Pairs of papers with a link of this kind: versions of one work, or papers that may be one."""
    return library.with_newest_snapshot(lambda snapshot: _find_links(library.view, snapshot, kind))


def _find_links(view: LibraryView, snapshot: Snapshot, kind: str) -> tuple[Pair, ...]:
    pairs = [
        (text(one), text(other))
        for segment in snapshot.segments
        for one, other in view.select(segment, _LINKS_SQL, (kind,))
    ]
    keys = sorted({key for pair in pairs for key in pair})
    papers = dict(zip(keys, papers_by_key(view, snapshot, keys), strict=True))
    # By what they are called now: one of a pair may have been joined to another paper since.
    current_ids = {key: matches[0].id for key, matches in papers.items() if matches}
    known = {
        (current_ids[one], current_ids[other]) for one, other in pairs if one in current_ids and other in current_ids
    }
    return tuple(sorted((one, other) for one, other in known if one != other))
