"""Decides which records of a batch are new papers, and which belong to a paper of the library or of the batch."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from litterm.importers.attached_files import FORMATS_WITH_FILES
from litterm.library.segments.documents import count_located
from litterm.library.segments.segment import PaperLink
from litterm.library.writer.merge import combine, is_same_source, record_digest, with_source
from litterm.model.document import Document, DocumentId
from litterm.model.library import KeptApart, Merged, Parsed, RowRef
from litterm.model.paper import ATTACHED, CORRECTION, Paper, PaperId, SourceRecord
from litterm.text.references.identity import (
    folded_id,
    have_conflicting_ids,
    identity_hash,
    is_generic,
    local_id,
    paper_ids,
    scheme_of,
    title_key,
)
from litterm.text.references.same_paper import (
    Relation,
    accompanying_kind,
    are_published_apart,
    relation_by_id,
    relation_by_title,
    same_first_author,
)
from litterm.text.references.titles import same_title

_MAX_TWINS = 8
"""Possible duplicates listed per new paper; a title that fits more papers says little."""
MAX_NAMED = 1000
"""Merges, and pairs kept apart, that a report names one by one."""
_TITLE_PAGE_CHARS = 1500
"""Characters of the text of a PDF in which its title stands, if it is the paper that its id names."""


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
    merges: list[Merged] = field(default_factory=list)
    """Which records joined which known papers."""
    kept_apart: list[KeptApart] = field(default_factory=list)
    """Records that share an id with another paper, or its title, but are not certainly that paper."""


_Placed = tuple[PendingPaper | None, Paper, list[PendingPaper], list[tuple[PendingPaper, Relation]]]
"""The paper that a record belongs to, the record as it is then, papers kept apart from it, and papers related to it."""


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
        self._by_file: dict[str, list[PendingPaper]] = {}
        """By the path of a PDF that belongs to a record of another file."""
        for ref, paper in known:
            self._register(PendingPaper(paper, (ref,), paper))

    def add_record(self, parsed: Parsed) -> None:
        """Adds one record to the paper it belongs to, or makes a new one."""
        document = parsed.document
        # What the store sets, and no source can state.
        stated = replace(parsed.paper, full_text=False, sources=(), separated=(), left_documents=())
        stated = _with_lasting_file(stated)
        pending, paper, apart, twins = self._with_its_file(stated) or self._placed(stated, document)
        if pending is None:
            pending = self._add(paper, [*twins, *((other, "doubtful") for other in apart)])
            outcome = "added"
            self._note_apart(paper, apart, twins, stated)
        else:
            outcome = "merged" if self._merge(pending, paper, document) else "unchanged"
        if document is not None and paper.id != parsed.paper.id:
            document = replace(document, paper_id=paper.id)
        if document is not None and self._attach(pending, document):
            outcome = "merged" if outcome == "unchanged" else outcome
        setattr(self.counts, outcome, getattr(self.counts, outcome) + 1)
        if outcome == "merged" and len(self.counts.merges) < MAX_NAMED:
            self.counts.merges.append(Merged(paper.title, paper.imprint.bibkey, pending.paper.id, pending.paper.title))
        if outcome != "unchanged" and len(self.counts.first_ids) < 20 and pending.paper.id not in self.counts.first_ids:
            self.counts.first_ids.append(pending.paper.id)

    def _placed(self, stated: Paper, document: Document | None) -> _Placed:
        paper, apart = self._without_contested_ids(stated, document)
        pending, twins = self._find(paper, document)
        return pending, paper, apart, twins

    def _with_its_file(self, stated: Paper) -> _Placed | None:
        """The paper that has the file of `stated` attached, whatever the file prints, and its record with what it says.

        `None` where no record names the file.
        """
        read = stated.imprint.annotated_files
        if stated.provenance.format != "pdf" or len(read) != 1:
            return None
        for pending in self._by_file.get(read[0].file, ()):
            if pending.absorbed or record_digest(stated) in pending.paper.separated:
                continue
            said = (source.paper for source in pending.paper.sources) if pending.paper.sources else (pending.paper,)
            for record in said:
                if read[0].file in _attached_to(record):
                    imprint = replace(record.imprint, annotated_files=read)
                    abstract = record.abstract or stated.abstract
                    return pending, replace(record, full_text=False, abstract=abstract, imprint=imprint), [], []
        return None

    def replace(self, pending: PendingPaper, paper: Paper, documents: Iterable[Document] = ()) -> None:
        """Makes `paper` what is written for `pending`, with its own full texts; `pending` may be new."""
        pending.documents |= {document.id: document for document in documents}
        self._update(pending, paper)

    def pending_sharing(self, papers: Sequence[Paper]) -> set[PendingPaper]:
        """The pending papers that share an id or a title with any of `papers`, now or before they changed."""
        ids = {folded_id(paper_id) for paper in papers for paper_id in paper_ids(paper)}
        titles = {identity_hash(paper.title) for paper in papers} - {0}
        by_id = (self._by_id.get(paper_id, ()) for paper_id in ids)
        by_title = (self._by_title.get(title, ()) for title in titles)
        files = {annotated.file for paper in papers for annotated in paper.imprint.annotated_files}
        by_file = (self._by_file.get(file, ()) for file in files)
        return {pending for pending_papers in chain(by_id, by_title, by_file) for pending in pending_papers}

    def _without_contested_ids(self, paper: Paper, document: Document | None) -> tuple[Paper, list[PendingPaper]]:
        """`paper` without the ids that another paper has, and these papers.

        A local id of one file is not that of the next; any other id is kept as not verified.
        """
        ids = paper_ids(paper)
        contested: dict[PaperId, list[PendingPaper]] = {}
        for paper_id in ids:
            others = [pending for pending in self._by_id.get(folded_id(paper_id), ()) if not pending.absorbed]
            different = [pending for pending in others if self._contests(pending, paper, paper_id, document)]
            if different and len(different) == len(others):
                contested[paper_id] = different
        if not contested:
            return paper, []
        remaining = [paper_id for paper_id in ids if paper_id not in contested] or [
            detailed_local_id(paper, "" if document is None else document.id)
        ]
        unverified = [paper_id for paper_id in contested if scheme_of(paper_id) != "local"]
        apart = dict.fromkeys(
            pending
            for paper_id, different in contested.items()
            for pending in different
            if scheme_of(paper_id) != "local" or same_first_author(pending.paper, paper)
        )
        settled = replace(
            paper,
            id=remaining[0],
            aliases=tuple(remaining[1:]),
            unverified_ids=tuple(dict.fromkeys((*paper.unverified_ids, *unverified))),
        )
        return settled, [*apart]

    def _contests(self, pending: PendingPaper, paper: Paper, paper_id: PaperId, document: Document | None) -> bool:
        """Whether `pending`, which has the id `paper_id` too, is another paper."""
        known = pending.paper
        if record_digest(paper) in known.separated:
            return True
        if paper.provenance.format == CORRECTION:
            return False
        if scheme_of(paper_id) == "local":
            return _are_different_papers(known, paper, document)
        if _is_told_anew(known, paper):
            return False
        if document is not None and document.origin == "pdf" and known.is_title_certain > paper.is_title_certain:
            return not prints_title(document, known.title)
        if relation_by_id(known, paper) != "different":
            return False
        is_printed = document is not None and document.origin == "pdf" and prints_title(document, known.title)
        return not (is_printed and accompanying_kind(known.title) == accompanying_kind(paper.title))

    def _find(
        self, paper: Paper, document: Document | None
    ) -> tuple[PendingPaper | None, list[tuple[PendingPaper, Relation]]]:
        """The pending paper that `paper` belongs to, or else those it is related to."""
        digest = record_digest(paper)
        hits = dict.fromkeys(
            pending
            for paper_id in paper_ids(paper)
            for pending in self._by_id.get(folded_id(paper_id), ())
            if not pending.absorbed and not self._contests(pending, paper, paper_id, document)
        )
        # Those that contest an id are left out: the others are this paper, or another version of it.
        related: list[tuple[PendingPaper, Relation]] = [
            (pending, "version" if have_conflicting_ids(pending.paper, paper) else "same") for pending in hits
        ]
        same_papers = [pending for pending, relation in related if relation == "same"]
        if same_papers:
            return self._join(same_papers), []
        # Only where no id agrees: a common id says more than any title.
        by_title = self._by_title.get(identity_hash(paper.title), ())
        related += [
            (pending, relation_by_title(pending.paper, paper))
            for pending in by_title
            if not pending.absorbed and pending not in hits and digest not in pending.paper.separated
        ]
        same_papers = [pending for pending, relation in related if relation == "same"]
        # A file without a year fits the paper of any year: only if there is one is it certain which.
        if len(same_papers) > 1 and paper.year is None:
            return None, [
                (pending, "doubtful" if pending in same_papers else relation) for pending, relation in related
            ]
        return (same_papers[0], []) if same_papers else (None, related)

    def _note_apart(
        self,
        paper: Paper,
        apart: Sequence[PendingPaper],
        twins: Sequence[tuple[PendingPaper, Relation]],
        stated: Paper,
    ) -> None:
        shared = [paper_id for paper_id in paper_ids(stated) if paper_id in paper.unverified_ids]
        for other in apart:
            common = [paper_id for paper_id in shared if folded_id(paper_id) in _folded_ids(other.paper)]
            self._note_pair(paper, other.paper, common[0] if common else "")
        for twin, relation in twins:
            if relation == "doubtful":
                self._note_pair(paper, twin.paper, "")

    def _note_pair(self, paper: Paper, other: Paper, shared_id: str) -> None:
        if len(self.counts.kept_apart) < MAX_NAMED:
            self.counts.kept_apart.append(KeptApart(paper.id, paper.title, other.id, other.title, shared_id))

    def _join(self, pending_papers: Sequence[PendingPaper]) -> PendingPaper:
        """Joins `pending_papers` that do not conflict into the oldest one, and returns it."""
        # Stored papers before new ones, by where they are: the first id of a paper must not change with an import.
        oldest, *later_papers = sorted(pending_papers, key=lambda pending: (not pending.stored, pending.stored[:1]))
        for other in later_papers:
            if relation_by_id(oldest.paper, other.paper) == "same":
                oldest.stored += other.stored
                oldest.documents |= other.documents
                other.absorbed = True
                self._update(oldest, _joined(oldest.paper, other.paper))
        return oldest

    def _add(self, paper: Paper, twins: Iterable[tuple[PendingPaper, Relation]]) -> PendingPaper:
        pending = PendingPaper(self._with_import_time(paper))
        self._register(pending)
        related_twins = [(twin, relation) for twin, relation in twins if relation != "different"]
        for twin, relation in related_twins[:_MAX_TWINS]:
            self.links.append(PaperLink(twin.paper.id, paper.id, relation))
        return pending

    def _merge(self, pending: PendingPaper, paper: Paper, document: Document | None) -> bool:
        texts = () if document is None or document.origin == "abstract" else (document.id,)
        merged = with_source(pending.paper, SourceRecord(self._with_import_time(paper), texts))
        if merged is pending.paper:
            return False
        self._update(pending, self._with_import_time(merged))
        return True

    def _attach(self, pending: PendingPaper, document: Document) -> bool:
        """Adds `document`, unless it is known with the same pages; returns whether it was added."""
        pages = count_located(document)
        left = pending.paper.left_documents
        if document.id in left:
            # Its file was taken back or apart, and is read again.
            is_text = pending.paper.full_text or document.origin != "abstract"
            texts = tuple(text_id for text_id in left if text_id != document.id)
            self._update(pending, replace(pending.paper, left_documents=texts, full_text=is_text))
            self._documents.pop(document.id, None)
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
        for said in (pending.paper, *(source.paper for source in pending.paper.sources)):
            for file in _attached_to(said):
                if pending not in (with_file := self._by_file.setdefault(file, [])):
                    with_file.append(pending)
        for paper_id in paper_ids(pending.paper):
            with_same_id = self._by_id.setdefault(folded_id(paper_id), [])
            if pending not in with_same_id:
                with_same_id.append(pending)


def _attached_to(record: Paper) -> tuple[str, ...]:
    """The files that were read with a record of another file; a PDF alone is attached to nothing."""
    annotated = record.imprint.annotated_files
    # What a row of JSON Lines says of files on this machine is not to be trusted.
    if not annotated or record.provenance.format not in (ATTACHED, *FORMATS_WITH_FILES):
        return ()
    return tuple(file.file for file in annotated if file.file)


def _with_lasting_file(stated: Paper) -> Paper:
    """`stated` with its annotations under its origin: a PDF that was fetched was read from a file that is gone."""
    annotated, origin = stated.imprint.annotated_files, stated.provenance.origin
    if not annotated or stated.provenance.format in (ATTACHED, "jsonl", *FORMATS_WITH_FILES):
        return stated
    file = os.path.normpath(origin) if origin.startswith("/") else origin
    annotated = tuple(replace(one, file=file) for one in annotated)
    return replace(stated, imprint=replace(stated.imprint, annotated_files=annotated))


def _joined(one: Paper, other: Paper) -> Paper:
    """Two papers of the library that a record with ids of both shows to be one."""
    sources = (*(one.sources or (SourceRecord(one),)), *(other.sources or (SourceRecord(other),)))
    joined = combine(one, sources)
    return replace(
        joined,
        aliases=tuple(dict.fromkeys((*joined.aliases, *(name for name in paper_ids(other) if name != one.id)))),
        full_text=one.full_text or other.full_text,
        separated=(*one.separated, *other.separated),
        left_documents=(*one.left_documents, *other.left_documents),
    )


def _is_told_anew(known: Paper, paper: Paper) -> bool:
    """Whether a source of `known` states its record again: it may correct a title."""
    return any(is_same_source(said, paper) for said in (known, *(source.paper for source in known.sources)))


def _folded_ids(paper: Paper) -> set[str]:
    return {folded_id(paper_id) for paper_id in paper_ids(paper)}


def detailed_local_id(paper: Paper, text_id: str = "") -> PaperId:
    """A local id for a record whose own is another paper's: made of what tells the two apart, so that it stays.

    `text_id` is the id of its full text, if it has one.
    """
    imprint = paper.imprint
    place = (imprint.volume, imprint.issue, imprint.pages, imprint.booktitle or imprint.journal)
    if any(place):
        return local_id(paper.title, paper.authors, paper.year, *place)
    # Nothing printed tells them apart: what its file calls it, or its text.
    return local_id(paper.title, paper.authors, paper.year, imprint.bibkey or text_id or record_digest(paper))


def prints_title(document: Document, title: str) -> bool:
    """Whether `title` stands at the head of the text."""
    key = title_key(title)
    return bool(key) and key in title_key(document.text[:_TITLE_PAGE_CHARS])


def _are_different_papers(first: Paper, second: Paper, document: Document | None) -> bool:
    """Whether two records with a local id in common are two papers.

    Neither titles nor authors and years agree; or both do, but volume, issue or year of publication do not.
    """
    if any(scheme_of(paper_id) != "local" for paper_id in {*paper_ids(first)} & {*paper_ids(second)}):
        return False
    # The same entry of the same file told anew.
    if first.imprint.bibkey and is_same_source(first, second):
        return False
    if identity_hash(first.title) == identity_hash(second.title):
        is_other_text = document is not None and document.origin == "pdf" and first.full_text
        return are_published_apart(first, second) or (is_other_text and is_generic(first.title))
    if first.title == second.title:
        return False
    are_near_years = first.year is None or second.year is None or abs(first.year - second.year) <= 1
    if same_first_author(first, second) and are_near_years:
        return False
    return not same_title(first.title, second.title)
