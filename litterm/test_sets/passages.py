"""The paragraphs of the library's full texts that cite papers of the library, in a random order, always the same.

A paper gives few items: questions from one paper are alike, and would count as many.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from litterm.attribution.marks import find_marks
from litterm.core.tasks import Task
from litterm.interfaces import WorkLookup
from litterm.library.segments.citing_texts import CitingTexts
from litterm.library.title_lookup import resolve_documents
from litterm.model.citations.graph import ReferenceListHead
from litterm.model.document import Document, Sentence, Span
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.model.test_sets import CitationGroup, CitingPassage, PassageSentence

_BATCH_PAPERS = 8
"""Papers whose references are resolved together: one by one, planning the statements takes most of the time."""
_MIN_SENTENCE_CHARS, _MAX_SENTENCE_CHARS = 40, 600
"""A shorter sentence says nothing of what it cites; a longer one is a list or a parser's mistake."""
_BETWEEN_MARKS = re.compile(r"(?:[\s,;()\[\]–-]|\band\b|&|e\.g\.|see)*")
"""What stands between two marks that are one citation of several works."""
_OPENING, _CLOSING = re.compile(r"[(\[](?:see|e\.g\.,?|cf\.|\s)*$"), re.compile(r"^\s*[)\]]")
_BRACKET = re.compile(r"[()\[\]]")
_CITING_KINDS = frozenset({"body", "abstract"})


@dataclass(frozen=True, slots=True)
class CitingPassages:
    """Reads citing paragraphs of the user's library; thread-safe."""

    texts: CitingTexts
    works: Callable[[], WorkLookup]

    def heads(self, seed: int) -> list[ReferenceListHead]:
        """The full texts of the library in the order of `seed`."""
        return sorted(self.texts.heads(), key=lambda head: _draw(seed, head.paper))

    def read(self, heads: Sequence[ReferenceListHead], seed: int) -> Task[list[CitingPassage]]:
        """The paragraphs of the texts `heads` that cite papers of the library, those of each paper in random order."""
        works = self.works()
        found = [document for document in self.texts.documents(heads) if document is not None]
        documents = yield from resolve_documents(found, works)
        held = sorted({entry.target for document in documents for entry in document.references if entry.target})
        papers = dict(zip(held, works.by_id(held), strict=True))
        sources = self.texts.current_papers([document.paper_id for document in documents])
        # A paper that the user removed is not shown.
        shown = dict(zip(sources, works.find(list(sources)), strict=True))
        passages: list[CitingPassage] = []
        for document in documents:
            source = sources.get(document.paper_id)
            if source is not None and shown[document.paper_id]:
                own = passages_of(document, source, papers)
                passages += sorted(own, key=lambda passage: _draw(seed, passage.key))
        return passages

    def batches(self, seed: int) -> Iterator[tuple[Progress, Sequence[ReferenceListHead]]]:
        """All texts a few at a time, each with the progress to show."""
        heads = self.heads(seed)
        for start in range(0, len(heads), _BATCH_PAPERS):
            yield Progress("reading citing papers", start, len(heads)), heads[start : start + _BATCH_PAPERS]


def passages_of(
    document: Document, source: Paper, papers: dict[PaperId, Paper], section_titles: Sequence[str] = ()
) -> Iterator[CitingPassage]:
    """The citing paragraphs of a document whose references are resolved; a paper that cites itself is not counted."""
    spans_by_sentence: dict[int, list[tuple[Span, PaperId | None]]] = {}
    for context in document.contexts:
        target = document.references[context.reference].target
        spans_by_sentence.setdefault(context.sentence, []).append((context.span, target))
    running = [sentence for sentence in document.sentences if sentence.kind in _CITING_KINDS]
    for (section, _), group in groupby(running, key=lambda sentence: (sentence.section, sentence.paragraph)):
        sentences = tuple(
            PassageSentence(sentence.index, sentence.text, _groups(sentence, spans_by_sentence.get(sentence.index, ())))
            for sentence in group
        )
        cited = {paper for sentence in sentences for group in sentence.groups for paper in group.cited} - {source.id}
        if cited:
            title = section_titles[section] if section < len(section_titles) else ""
            yield CitingPassage(source, sentences, {paper: papers[paper] for paper in sorted(cited)}, title)


def is_usable(sentence: PassageSentence) -> bool:
    """Whether a sentence is of a length at which it says something of what it cites."""
    return _MIN_SENTENCE_CHARS <= len(sentence.text) <= _MAX_SENTENCE_CHARS


def _groups(sentence: Sentence, contexts: Iterable[tuple[Span, PaperId | None]]) -> tuple[CitationGroup, ...]:
    """The citations of a sentence, each with all works cited at that place."""
    if len(sentence.text) != sentence.span.end - sentence.span.start:
        # The sentence was cleaned: positions in the document would point at other letters.
        return ()
    marks: list[tuple[Span, PaperId | None]] = [
        (Span(span.start - sentence.span.start, span.end - sentence.span.start), target) for span, target in contexts
    ]
    printed = [mark.span for mark in find_marks(sentence.text)]
    # What looks like a citation but leads to no entry is a citation of something unknown.
    marks += [(span, None) for span in printed if not any(_overlap(span, own) for own, _ in marks)]
    grown = sorted(((_grow(span, printed), target) for span, target in marks), key=lambda mark: mark[0].start)
    groups: list[list[tuple[Span, PaperId | None]]] = []
    for span, target in grown:
        if groups and _is_one_citation(sentence.text, _end(groups[-1]), span.start):
            groups[-1].append((span, target))
        else:
            groups.append([(span, target)])
    return tuple(_group(members, sentence.text) for members in groups)


def _is_one_citation(text: str, end: int, start: int) -> bool:
    """Whether marks that end and start there are one citation: nothing between them, or one bracket."""
    between = text[end:start]
    is_in_bracket = max(text.rfind("(", 0, end), text.rfind("[", 0, end)) > max(
        text.rfind(")", 0, end), text.rfind("]", 0, end)
    )
    return _BETWEEN_MARKS.fullmatch(between) is not None or (is_in_bracket and _BRACKET.search(between) is None)


def _end(members: Sequence[tuple[Span, PaperId | None]]) -> int:
    return max(span.end for span, _ in members)


def _group(members: Sequence[tuple[Span, PaperId | None]], text: str) -> CitationGroup:
    start, end = members[0][0].start, _end(members)
    opening, closing = _OPENING.search(text[:start]), _CLOSING.match(text[end:])
    if opening and closing:
        start, end = opening.start(), end + closing.end()
    cited = tuple(dict.fromkeys(target for _, target in members if target))
    return CitationGroup(Span(start, end), cited, sum(target is None for _, target in members))


def _grow(span: Span, printed: Iterable[Span]) -> Span:
    """`span` with the authors' names around it: some sources mark the year alone."""
    around = [other for other in printed if _overlap(other, span)]
    return Span(
        min([span.start, *(other.start for other in around)]), max([span.end, *(other.end for other in around)])
    )


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _draw(seed: int, key: str) -> str:
    """Sorts at random, by `seed`, but the same in every run and in libraries that share papers."""
    return hashlib.sha256(f"{seed}:{key}".encode()).hexdigest()
