"""Which papers have a full text with a section of a given title."""

from __future__ import annotations

from litterm.core.json_fields import text
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.lookup import papers_by_key
from litterm.model.library import Snapshot
from litterm.model.paper import PaperId

_PAPERS_SQL = (
    "SELECT DISTINCT paper FROM {segment}.section JOIN {segment}.document USING (doc)"
    " WHERE contains(lower(title), $1) AND regexp_matches(lower(title), $2)"
)


def papers_with_section(library: DuckLibrary, word: str, pattern: str) -> tuple[PaperId, ...]:
    """Ids of the papers with a section whose title in small letters has `word` and fits `pattern`, sorted.

    The pattern is looked for in few titles only: in all of them it would take seconds with 100,000 full texts.
    """

    def read(snapshot: Snapshot) -> tuple[PaperId, ...]:
        stored = {
            PaperId(text(paper))
            for segment in snapshot.segments
            for (paper,) in library.view.select(segment, _PAPERS_SQL, [word, pattern])
        }
        # A full text may be stored under an id that an older record of its paper had.
        found = papers_by_key(library.view, snapshot, sorted(stored))
        return tuple(sorted({paper.id for papers in found for paper in papers[:1]}))

    return library.with_newest_snapshot(read)
