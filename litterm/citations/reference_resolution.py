"""Resolves one list of references to edges between papers of the library and the sentences that cite them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from litterm.core.tasks import Task
from litterm.interfaces import WorkLookup
from litterm.library.title_lookup import resolve_documents
from litterm.model.citations.graph import Citance, Edge, ExternalList, ReferenceListHead, ResolvedList
from litterm.model.document import Document, Reference, Sentence, Span
from litterm.model.paper import Paper, PaperId
from litterm.text.references.citation_marks import add_contexts
from litterm.text.references.resolution import resolve_references
from litterm.text.references.resolution_index import wanted_keys

_MAX_SENTENCE_CHARS = 600
"""Characters of a citing sentence that are kept: a longer one is a list or a parser's mistake."""


@dataclass(frozen=True, slots=True)
class CitedList:
    """A resolved list with its sentences."""

    resolved: ResolvedList
    citances: tuple[Citance, ...]


def from_documents(
    pairs: Sequence[tuple[ReferenceListHead, Document]], works: WorkLookup
) -> Task[tuple[CitedList, ...]]:
    """The references of full texts, resolved together."""
    documents = yield from resolve_documents([document for _, document in pairs], works)
    targets = {reference.target for document in documents for reference in document.references}
    titles = _titles(targets, works)
    return tuple(
        _resolve_list(head, document, _wanted_hashes(document.references, titles))
        for (head, _), document in zip(pairs, documents, strict=True)
    )


def from_starter(papers: Iterable[tuple[Paper, Document | None]]) -> tuple[CitedList, ...]:
    """The references of the starter library, whose targets its file names: no paper that comes in changes them."""
    return tuple(
        _resolve_list(
            ReferenceListHead(paper.id, document.id, paper.year, "starter"), add_contexts(document), frozenset()
        )
        for paper, document in papers
        if document is not None
    )


def _resolve_list(head: ReferenceListHead, document: Document, wanted: frozenset[int]) -> CitedList:
    """What a document with resolved references cites; `wanted` is what can change them."""
    entries = _by_target(document.references)
    targets = {entry: target for target, entry_numbers in entries.items() for entry in entry_numbers}
    marks = Counter(context.reference for context in document.contexts)
    edges = tuple(
        Edge(head.paper, target, sum(marks[entry] for entry in entry_numbers), head.year, head.source, entry_numbers)
        for target, entry_numbers in entries.items()
    )
    return CitedList(
        ResolvedList(head, document.references_known, edges, wanted), tuple(_citances(head, document, targets))
    )


def from_service(head: ReferenceListHead, listed: ExternalList, works: WorkLookup) -> CitedList:
    """Resolves a service's list like any other; its citing sentences have no marks."""
    references = tuple(resolve_references([work.reference for work in listed.works], works))
    contexts = {work.reference.index: work.contexts for work in listed.works}
    entries_by_target = _by_target(references)
    edges, citances = [], []
    for target, entries in entries_by_target.items():
        citing, cited = (head.paper, target) if head.direction == "references" else (target, head.paper)
        lists_references = head.direction == "references"
        # The year of a citing work is only in its own entry.
        year = head.year if lists_references else next((references[entry].year for entry in entries), None)
        sentences = [text for entry in entries for text in contexts[entry]]
        edges.append(Edge(citing, cited, len(sentences), year, head.source, entries))
        citances += [Citance(citing, cited, text[:_MAX_SENTENCE_CHARS], None, year, head.source) for text in sentences]
    wanted = _wanted_hashes(references, _titles({reference.target for reference in references}, works))
    return CitedList(ResolvedList(head, True, tuple(edges), wanted), tuple(citances))


def _titles(targets: Collection[PaperId | None], works: WorkLookup) -> dict[PaperId, str]:
    ids = sorted(target for target in targets if target is not None)
    return {paper_id: paper.title for paper_id, paper in zip(ids, works.by_id(ids), strict=True)}


def _wanted_hashes(references: Iterable[Reference], titles: Mapping[PaperId, str]) -> frozenset[int]:
    """What a new paper must bear to change how one of `references` resolves; `titles` are those of their targets."""
    return frozenset(
        key
        for reference in references
        for key in wanted_keys(reference, "" if reference.target is None else titles[reference.target])
    )


def _by_target(references: Iterable[Reference]) -> dict[PaperId, tuple[int, ...]]:
    """Target to the entries that mean it, both in the order of the list."""
    entries_by_target: dict[PaperId, tuple[int, ...]] = {}
    for reference in references:
        if reference.target is not None:
            entries_by_target[reference.target] = (*entries_by_target.get(reference.target, ()), reference.index)
    return entries_by_target


def _citances(head: ReferenceListHead, document: Document, targets: dict[int, PaperId]) -> Iterator[Citance]:
    for context in document.contexts:
        target = targets.get(context.reference)
        if target is None:
            continue
        sentence = document.sentences[context.sentence]
        yield Citance(
            citing=head.paper,
            cited=target,
            text=sentence.text[:_MAX_SENTENCE_CHARS],
            mark=_mark(context.span, sentence),
            year=head.year,
            source=head.source,
            document=document.id,
            sentence=sentence.index,
        )


def _mark(span: Span, sentence: Sentence) -> Span | None:
    """The citation mark in characters of the sentence; `None` where that was cut or cleaned."""
    start, end = span.start - sentence.span.start, span.end - sentence.span.start
    is_unchanged = len(sentence.text) == sentence.span.end - sentence.span.start
    # A span is counted in the document; where the sentence was cleaned it would point at other letters.
    return (
        Span(start, end) if is_unchanged and 0 <= start < end <= min(len(sentence.text), _MAX_SENTENCE_CHARS) else None
    )
