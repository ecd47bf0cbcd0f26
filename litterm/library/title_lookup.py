"""Papers of the library by title, or by author and year, and the references of a paper resolved against them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.interfaces import WorkLookup
from litterm.model.document import Document, Reference
from litterm.model.events import Progress
from litterm.model.paper import Byline, Paper, PaperId
from litterm.text.references.citation_marks import add_contexts
from litterm.text.references.resolution import find_mentions, resolve_mention, resolve_references

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.library.index.reader import IndexReader
    from litterm.library.segments.library import DuckLibrary
    from litterm.library.shown_library import ShownLibrary

_REFERENCES_PER_EVENT = 8
"""References between two events."""
MAX_PAPERS_BY_AUTHOR = 2000
"""Papers by authors of one family name that are looked at where no year is known."""
_CACHE_SIZE = 2048
"""Pairs of family name and year whose bylines are held in memory."""


class LibraryWorks:
    """Papers by id, title, or author and year; fits `interfaces.WorkLookup`. Make a new one for each task."""

    def __init__(self, library: DuckLibrary | ShownLibrary, index: IndexReader) -> None:
        self._library = library
        self._index = index
        self._snapshot = library.snapshot()
        self._by_first_author: dict[tuple[str, int], tuple[Byline, ...]] = {}

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is."""
        return self._library.find(keys)

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per title, the papers with an equal title key and equal numerals."""
        return self._library.find_by_title(titles)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids, in order."""
        return self._library.by_id(ids) if ids else ()

    def find_by_author_years(self, pairs: Sequence[tuple[str, int]]) -> tuple[tuple[Paper, ...], ...]:
        """Per family name and year, the papers of that year, give or take one, by such an author; ascending by id.

        With the year 0 those of any year, at most `MAX_PAPERS_BY_AUTHOR`.
        """
        if not pairs:
            return ()
        years = self._years
        # The index knows the years: only the rows that can matter are fetched.
        rows_by_pair = [
            [row for row in rows if abs(int(years[row.segment][row.row]) - year) < 2]
            if year
            else list(rows[:MAX_PAPERS_BY_AUTHOR])
            for (_, year), rows in zip(
                pairs, self._library.author_rows(self._snapshot, [family for family, _ in pairs]), strict=True
            )
        ]
        rows = list(dict.fromkeys(row for rows in rows_by_pair for row in rows))
        papers = dict(zip(rows, self._library.papers(self._snapshot, rows), strict=True))
        return tuple(tuple(sorted((papers[row] for row in rows), key=lambda paper: paper.id)) for rows in rows_by_pair)

    def find_by_first_author(self, family: str, year: int) -> tuple[Byline, ...]:
        """The papers of `year`, give or take one, whose first author has this family name; ascending by id."""
        self.prefetch_first_authors([(family, year)])
        return self._by_first_author[family, year]

    def prefetch_first_authors(self, pairs: Sequence[tuple[str, int]]) -> None:
        """Looks up in few statements all that `find_by_first_author` will be asked for; planning takes most of them."""
        fresh = [pair for pair in dict.fromkeys(pairs) if pair not in self._by_first_author]
        if not fresh:
            return
        if len(self._by_first_author) + len(fresh) > _CACHE_SIZE:
            self._by_first_author.clear()
            # All that were asked for, since those known before have just been dropped.
            fresh = list(dict.fromkeys(pairs))
        rows_by_pair = self._library.first_author_rows(self._snapshot, fresh, self._years)
        rows = list(dict.fromkeys(row for rows in rows_by_pair for row in rows))
        bylines = dict(zip(rows, self._library.bylines(self._snapshot, rows), strict=True))
        for pair, pair_rows in zip(fresh, rows_by_pair, strict=True):
            self._by_first_author[pair] = tuple(
                sorted((bylines[row] for row in pair_rows), key=lambda byline: byline.id)
            )

    @cached_property
    def _years(self) -> dict[str, npt.NDArray[np.int16]]:
        """Years by segment, cached because opening the index of every segment takes as long as the look-up itself."""
        return {segment.key: self._index.part(segment).columns.year for segment in self._snapshot.segments}


def resolve_document(document: Document, works: WorkLookup) -> Task[Document]:
    """`document` with its citations found and each reference that the library holds pointing at its paper.

    What cannot be determined for certain keeps no target.
    """
    (answer,) = yield from resolve_documents([document], works)
    return answer


def resolve_documents(documents: Sequence[Document], works: WorkLookup) -> Task[tuple[Document, ...]]:
    """As `resolve_document` for several documents, with one look-up for all of them."""
    cited: list[Document] = []
    for document in documents:
        cited.append(add_contexts(document))
        yield Progress("finding citations", len(cited), len(documents))
    total = sum(len(document.references) for document in cited)
    yield Progress("looking up references", 0, total)
    resolved = resolve_references(
        [reference for document in cited if document.references_known for reference in document.references], works
    )
    works.prefetch_first_authors(
        [pair for document in cited if not document.references_known for pair in _mentioned_pairs(document)]
    )
    answers: list[Document] = []
    done = 0
    for document in cited:
        count = len(document.references)
        entries = islice(resolved, count) if document.references_known else _resolve_mentions(document, works)
        references: list[Reference] = []
        for reference in entries:
            references.append(reference)
            done += 1
            if done % _REFERENCES_PER_EVENT == 0:
                yield Progress("looking up references", done, total)
        answers.append(replace(document, references=tuple(references)))
    return tuple(answers)


def _mentioned_pairs(document: Document) -> Iterator[tuple[str, int]]:
    """First author and year of every mention that refers to an entry."""
    for reference in document.references:
        for mention in islice(find_mentions(reference.label), 1):
            yield mention.families[0], mention.year


def _resolve_mentions(document: Document, works: WorkLookup) -> Iterator[Reference]:
    """The entries that mentions refer to: the words around each mention must identify the paper, and all must agree."""
    places: dict[int, list[int]] = {}
    for context in document.contexts:
        places.setdefault(context.reference, []).append(context.sentence)
    mentions = [next(find_mentions(reference.label), None) for reference in document.references]
    for reference, mention in zip(document.references, mentions, strict=True):
        targets: set[PaperId | None] = set()
        if mention is not None and reference.target is None:
            targets = {
                resolve_mention(mention, _text_around(document, sentence), works)
                for sentence in places.get(reference.index, ())
            }
        # A mention that tells nothing does not speak against one that does; two papers do.
        targets.discard(None)
        yield replace(reference, target=targets.pop()) if len(targets) == 1 else reference


def _text_around(document: Document, index: int) -> str:
    sentences = document.sentences[max(0, index - 1) : index + 2]
    return " ".join(sentence.text for sentence in sentences)
