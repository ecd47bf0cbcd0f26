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
        self.drafts: dict[PendingPaper, None] = {}
        self.links: list[PaperLink] = []
        self.tally = MatchCounts()
        self._now = timestamp
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
        draft, twins = self._find(paper)
        if draft is None:
            draft = self._add(paper, twins)
            outcome = "added"
        else:
            outcome = "merged" if self._merge(draft, paper) else "unchanged"
        document = parsed.document
        if document is not None and paper.id != parsed.paper.id:
            document = replace(document, paper_id=paper.id)
        if document is not None and self._attach(draft, document):
            outcome = "merged" if outcome == "unchanged" else outcome
        setattr(self.tally, outcome, getattr(self.tally, outcome) + 1)
        if outcome != "unchanged" and len(self.tally.first_ids) < 20 and draft.paper.id not in self.tally.first_ids:
            self.tally.first_ids.append(draft.paper.id)

    def sharing(self, papers: Sequence[Paper]) -> set[PendingPaper]:
        """The pending papers that share an id or a title with any of `papers`, now or before they changed."""
        ids = {paper_id.casefold() for paper in papers for paper_id in paper_ids(paper)}
        titles = {identity_hash(paper.title) for paper in papers} - {0}
        by_id = (self._by_id.get(paper_id, ()) for paper_id in ids)
        by_title = (self._by_title.get(title, ()) for title in titles)
        return {draft for drafts in chain(by_id, by_title) for draft in drafts}

    def _without_foreign_ids(self, paper: Paper) -> Paper:
        """`paper` without the local ids that another paper goes by: `1` of one file is not `1` of the next."""
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
        sharers = [draft for draft in self._by_id.get(name.casefold(), ()) if not draft.absorbed]
        return any(_are_different_papers(draft.paper, paper) for draft in sharers)

    def _find(self, paper: Paper) -> tuple[PendingPaper | None, list[tuple[PendingPaper, Relation]]]:
        """The pending paper that `paper` belongs to, or else those it is related to."""
        hits = dict.fromkeys(d for paper_id in paper_ids(paper) for d in self._by_id.get(paper_id.casefold(), ()))
        related = [(draft, relation_by_id(draft.paper, paper)) for draft in hits if not draft.absorbed]
        same_drafts = [draft for draft, relation in related if relation == "same"]
        if same_drafts:
            return self._join(same_drafts), []
        # Only where no id agrees: a common id says more than any title.
        by_title = self._by_title.get(identity_hash(paper.title), ())
        related += [
            (draft, relation_by_title(draft.paper, paper))
            for draft in by_title
            if not draft.absorbed and draft not in hits
        ]
        same_drafts = [draft for draft, relation in related if relation == "same"]
        return (same_drafts[0], []) if same_drafts else (None, related)

    def _join(self, drafts: Sequence[PendingPaper]) -> PendingPaper:
        """Joins `drafts` that do not conflict into the oldest one, and returns it."""
        # Stored papers before new ones, by where they are: the first id of a paper must not change with an import.
        oldest, *later_drafts = sorted(drafts, key=lambda draft: (not draft.stored, draft.stored[:1]))
        for other in later_drafts:
            if relation_by_id(oldest.paper, other.paper) == "same":
                oldest.stored += other.stored
                oldest.documents |= other.documents
                other.absorbed = True
                self._update(oldest, merge_records(oldest.paper, other.paper))
        return oldest

    def _add(self, paper: Paper, twins: Sequence[tuple[PendingPaper, Relation]]) -> PendingPaper:
        draft = PendingPaper(self._with_import_time(paper))
        self._register(draft)
        related_twins = [(twin, relation) for twin, relation in twins if relation != "different"]
        for twin, relation in related_twins[:_MAX_TWINS]:
            self.links.append(PaperLink(twin.paper.id, paper.id, relation))
        return draft

    def _merge(self, draft: PendingPaper, paper: Paper) -> bool:
        merged = merge_records(draft.paper, paper)
        if merged is draft.paper:
            return False
        self._update(draft, self._with_import_time(merged))
        return True

    def _attach(self, draft: PendingPaper, document: Document) -> bool:
        """Adds `document`, unless it is known with the same pages; returns whether it was added."""
        pages = count_located(document)
        # The same text again is news only where it brings pages that the stored one lacks.
        if self._documents.get(document.id, -1) >= pages:
            return False
        self._documents[document.id] = pages
        draft.documents[document.id] = document
        # A record with its references alone is stored as a document, but is no full text.
        self.tally.documents += document.origin != "abstract"
        if not draft.paper.full_text and document.origin != "abstract":
            self._update(draft, replace(draft.paper, full_text=True))
        return True

    def _with_import_time(self, paper: Paper) -> Paper:
        if paper.provenance.imported_at:
            return paper
        return replace(paper, provenance=replace(paper.provenance, imported_at=self._now))

    def _update(self, draft: PendingPaper, paper: Paper) -> None:
        draft.paper = paper
        self._register(draft)

    def _register(self, draft: PendingPaper) -> None:
        self.drafts[draft] = None
        if not draft.absorbed and draft not in self._by_title.get(title := identity_hash(draft.paper.title), ()):
            self._by_title.setdefault(title, []).append(draft)
        for paper_id in paper_ids(draft.paper):
            sharers = self._by_id.setdefault(paper_id.casefold(), [])
            if draft not in sharers:
                sharers.append(draft)


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
