"""Decides which records of a batch are new papers, and which belong to a paper of the library or of the batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from litterm.library.segments.documents import count_located
from litterm.library.segments.segment import PaperLink
from litterm.library.writer.merge import merge_records
from litterm.model.document import Document, DocumentId
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import Paper, PaperId
from litterm.text.references.identity import (
    Relation,
    identity_hash,
    local_id,
    paper_ids,
    relation_by_id,
    relation_by_title,
    same_first_author,
    scheme_of,
)
from litterm.text.references.titles import same_title

_MAX_TWINS = 8
"""Possible duplicates listed per new paper; a title that fits more papers says little."""


@dataclass(slots=True, eq=False)
class PendingPaper:
    """One paper of the batch, to which further records may be added."""

    paper: Paper
    stored: tuple[RowRef, ...] = ()
    """Its rows in the library: none for a new paper, several if a record joined two papers."""
    before: Paper | None = None
    """The paper as the library has it; `None` for a new paper."""
    documents: dict[DocumentId, Document] = field(default_factory=dict)
    """New full texts."""
    absorbed: bool = False
    """Whether it was joined into another pending paper."""

    @property
    def changed(self) -> bool:
        """Whether there is a row to write."""
        return not self.absorbed and self.paper is not self.before


@dataclass(slots=True)
class MatchCounts:
    """How many records were new, changed or known; a paper that occurs twice counts twice."""

    added: int = 0
    merged: int = 0
    unchanged: int = 0
    documents: int = 0
    first_ids: list[PaperId] = field(default_factory=list)


class RecordMatcher:
    """Matches records in order; `known` are the papers of the library that share an id or a title with any of them."""

    def __init__(
        self,
        known: Iterable[tuple[RowRef, Paper]],
        known_documents: Iterable[tuple[DocumentId, int]] = (),
        *,
        timestamp: str = "",
    ) -> None:
        self.pending_papers: dict[PendingPaper, None] = {}
        self.links: list[PaperLink] = []
        self.counts = MatchCounts()
        self._import_time = timestamp
        self._documents = dict(known_documents)
        self._by_id: dict[str, list[PendingPaper]] = {}
        self._by_title: dict[int, list[PendingPaper]] = {}
        for ref, paper in known:
            self._register(PendingPaper(paper, (ref,), paper))

    def add_record(self, parsed: Parsed) -> None:
        """Adds one record to the paper it belongs to, or makes a new one."""
        paper = self._without_foreign_ids(
            replace(parsed.paper, full_text=False) if parsed.paper.full_text else parsed.paper
        )
        pending, twins = self._find(paper)
        if pending is None:
            pending = self._add(paper, twins)
            outcome = "added"
        else:
            outcome = "merged" if self._merge(pending, paper) else "unchanged"
        document = parsed.document
        if document is not None and paper.id != parsed.paper.id:
            document = replace(document, paper_id=paper.id)
        if document is not None and self._attach(pending, document):
            outcome = "merged" if outcome == "unchanged" else outcome
        setattr(self.counts, outcome, getattr(self.counts, outcome) + 1)
        if outcome != "unchanged" and len(self.counts.first_ids) < 20 and pending.paper.id not in self.counts.first_ids:
            self.counts.first_ids.append(pending.paper.id)

    def pending_sharing(self, papers: Sequence[Paper]) -> set[PendingPaper]:
        """The pending papers that share an id or a title with any of `papers`, now or before they changed."""
        ids = {paper_id.casefold() for paper in papers for paper_id in paper_ids(paper)}
        titles = {identity_hash(paper.title) for paper in papers} - {0}
        by_id = (self._by_id.get(paper_id, ()) for paper_id in ids)
        by_title = (self._by_title.get(title, ()) for title in titles)
        return {pending for pending_papers in chain(by_id, by_title) for pending in pending_papers}

    def _without_foreign_ids(self, paper: Paper) -> Paper:
        """`paper` without the local ids of another paper: `1` of one file is not `1` of the next."""
        ids = paper_ids(paper)
        foreign = [
            paper_id for paper_id in ids if scheme_of(paper_id) == "local" and self._is_another_papers(paper_id, paper)
        ]
        if not foreign:
            return paper
        remaining = [paper_id for paper_id in ids if paper_id not in foreign] or [
            local_id(paper.title, paper.authors, paper.year)
        ]
        return replace(paper, id=remaining[0], aliases=tuple(remaining[1:]))

    def _is_another_papers(self, name: PaperId, paper: Paper) -> bool:
        with_same_id = [pending for pending in self._by_id.get(name.casefold(), ()) if not pending.absorbed]
        return any(_are_different_papers(pending.paper, paper) for pending in with_same_id)

    def _find(self, paper: Paper) -> tuple[PendingPaper | None, list[tuple[PendingPaper, Relation]]]:
        """The pending paper that `paper` belongs to, or else those it is related to."""
        hits = dict.fromkeys(
            pending for paper_id in paper_ids(paper) for pending in self._by_id.get(paper_id.casefold(), ())
        )
        related = [(pending, relation_by_id(pending.paper, paper)) for pending in hits if not pending.absorbed]
        same_papers = [pending for pending, relation in related if relation == "same"]
        if same_papers:
            return self._join(same_papers), []
        # Only where no id agrees: a common id says more than any title.
        by_title = self._by_title.get(identity_hash(paper.title), ())
        related += [
            (pending, relation_by_title(pending.paper, paper))
            for pending in by_title
            if not pending.absorbed and pending not in hits
        ]
        same_papers = [pending for pending, relation in related if relation == "same"]
        return (same_papers[0], []) if same_papers else (None, related)

    def _join(self, pending_papers: Sequence[PendingPaper]) -> PendingPaper:
        """Joins `pending_papers` that do not conflict into the oldest one, and returns it."""
        # Stored papers before new ones, by where they are: the first id of a paper must not change with an import.
        oldest, *later_papers = sorted(pending_papers, key=lambda pending: (not pending.stored, pending.stored[:1]))
        for other in later_papers:
            if relation_by_id(oldest.paper, other.paper) == "same":
                oldest.stored += other.stored
                oldest.documents |= other.documents
                other.absorbed = True
                self._update(oldest, merge_records(oldest.paper, other.paper))
        return oldest

    def _add(self, paper: Paper, twins: Sequence[tuple[PendingPaper, Relation]]) -> PendingPaper:
        pending = PendingPaper(self._with_import_time(paper))
        self._register(pending)
        related_twins = [(twin, relation) for twin, relation in twins if relation != "different"]
        for twin, relation in related_twins[:_MAX_TWINS]:
            self.links.append(PaperLink(twin.paper.id, paper.id, relation))
        return pending

    def _merge(self, pending: PendingPaper, paper: Paper) -> bool:
        merged = merge_records(pending.paper, paper)
        if merged is pending.paper:
            return False
        self._update(pending, self._with_import_time(merged))
        return True

    def _attach(self, pending: PendingPaper, document: Document) -> bool:
        """Adds `document`, unless it is known with the same pages; returns whether it was added."""
        pages = count_located(document)
        # The same text again is news only where it brings pages that the stored one lacks.
        if self._documents.get(document.id, -1) >= pages:
            return False
        self._documents[document.id] = pages
        pending.documents[document.id] = document
        # A record with its references alone is stored as a document, but is no full text.
        self.counts.documents += document.origin != "abstract"
        if not pending.paper.full_text and document.origin != "abstract":
            self._update(pending, replace(pending.paper, full_text=True))
        return True

    def _with_import_time(self, paper: Paper) -> Paper:
        if paper.provenance.imported_at:
            return paper
        return replace(paper, provenance=replace(paper.provenance, imported_at=self._import_time))

    def _update(self, pending: PendingPaper, paper: Paper) -> None:
        pending.paper = paper
        self._register(pending)

    def _register(self, pending: PendingPaper) -> None:
        self.pending_papers[pending] = None
        if not pending.absorbed and pending not in self._by_title.get(title := identity_hash(pending.paper.title), ()):
            self._by_title.setdefault(title, []).append(pending)
        for paper_id in paper_ids(pending.paper):
            with_same_id = self._by_id.setdefault(paper_id.casefold(), [])
            if pending not in with_same_id:
                with_same_id.append(pending)


def _are_different_papers(first: Paper, second: Paper) -> bool:
    """Whether two records with a local id in common are two papers: neither titles nor authors and years agree."""
    if first.title == second.title or any(
        scheme_of(paper_id) != "local" for paper_id in {*paper_ids(first)} & {*paper_ids(second)}
    ):
        return False
    are_near_years = first.year is None or second.year is None or abs(first.year - second.year) <= 1
    if same_first_author(first, second) and are_near_years:
        return False
    return identity_hash(first.title) != identity_hash(second.title) and not same_title(first.title, second.title)
