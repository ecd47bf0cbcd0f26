"""Finds records that earlier versions probably merged wrongly: PDFs of two papers, or a heading for a title."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from litterm.core.json_fields import text
from litterm.library.segments.lookup import papers_by_key
from litterm.text.references.same_paper import titles_agree

if TYPE_CHECKING:
    from litterm.library.segments.library import DuckLibrary
    from litterm.model.paper import PaperId

_TITLES_SQL = (
    "SELECT d.paper, d.id, coalesce(s.text, substring(d.text, s.first + 1, s.past - s.first))"
    " FROM {segment}.document d JOIN {segment}.sentence s ON s.doc = d.doc AND s.kind = 'title'"
    " WHERE d.origin = 'pdf'"
)
_HEADINGS_SQL = "SELECT id FROM {segment}.paper WHERE regexp_full_match(lower(title), ?)"
_HEADING: Final = r"(?:[0-9ivx]+[.)]?\s+)?(?:introduction|abstract|contents|summary|background)"
_IS_HEADING: Final = re.compile(_HEADING, re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrongMerge:
    """A record that probably holds more than one paper."""

    paper_id: PaperId
    reason: str
    next_step: str


def find_wrong_merges(library: DuckLibrary) -> tuple[WrongMerge, ...]:
    """Records with PDFs of different titles, or with a section's heading for a title, sorted by id."""
    snapshot = library.snapshot()
    titles: dict[str, dict[str, str]] = defaultdict(dict)
    headed: set[str] = set()
    for segment in snapshot.segments:
        for paper, document, title in library.view.select(segment, _TITLES_SQL):
            titles[text(paper)][text(document)] = text(title)
        headed.update(text(row[0]) for row in library.view.select(segment, _HEADINGS_SQL, [_HEADING]))
    keys = sorted({*(key for key, printed in titles.items() if len(printed) > 1), *headed})
    found = []
    for key, papers in zip(keys, papers_by_key(library.view, snapshot, keys), strict=True):
        for paper in papers[:1]:
            printed = [title for document, title in titles[key].items() if document not in paper.left_documents]
            # A record may have been replaced since: only what it is now counts.
            if _IS_HEADING.fullmatch(paper.title) and paper.provenance.format == "pdf":
                step = f"`litterm remove {paper.id}`, then `litterm add FILE --retry` for each of its PDFs"
                found.append(WrongMerge(paper.id, "its title is the heading of a section", step))
            elif any(not titles_agree(printed[0], other) for other in printed[1:]):
                step = f"`litterm duplicates --split {paper.id}` takes it apart"
                found.append(WrongMerge(paper.id, "it holds PDFs with different titles", step))
    return tuple(sorted(found, key=lambda wrong: wrong.paper_id))
