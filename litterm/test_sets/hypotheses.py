"""Hypotheses that papers are cited for, after EvidenceBench (Wang et al. 2025), without a model.

A citing sentence is a person's summary of what a paper shows. It is the hypothesis, without its mark; its clauses are
the study aspects; and the sentences of the cited paper that hold nearly all words and numbers of an aspect state it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.attribution.marks import loose_names
from litterm.model.test_sets import CitationGroup, CitedHypothesis, CitingPassage, PassageSentence
from litterm.test_sets.excerpts import SENTENCE
from litterm.test_sets.passages import is_usable
from litterm.test_sets.questions import UNRESOLVED, count_content_words
from litterm.text.tokens import FUNCTION_WORDS, tokens, words

if TYPE_CHECKING:
    from litterm.model.document import Document
    from litterm.model.paper import PaperId

NO_TEXT, NO_FINDING = "the full text of the cited paper is not here", "no outcome is said of the cited paper"
SEVERAL_CITED = "the sentence cites several works, or one twice"
NOT_COVERED = "too little of it is in the text of the cited paper"
TOO_LONG, NOT_ALONE = "longer than a hypothesis", "not to be understood by itself"
MAX_WORDS = 50
"""A hypothesis has fewer words, as in EvidenceBench."""
MIN_COVERED_ASPECTS = 0.7
"""Share of the aspects that sentences must state: with less, the summary rests on figures and tables (EvidenceBench)."""
MIN_STATED_WEIGHT = 0.6
"""Share of an aspect's words, weighted by their rarity in the paper, that a sentence must hold to state it."""
_MIN_ASPECT_WORDS = 4
_ASPECT_BOUNDARY = re.compile(r";\s|,\s(?:and|but|while|whereas|which)\s|\swhereas\s")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_OUTCOME = re.compile(
    r"\b(?:show|find|found|demonstrate|report|observe|reveal|indicate|suggest|conclude|improve|increase|decrease|reduce|lead"
    r"|cause|prevent|inhibit|induce|enhance|affect|correlate|associate|outperform|achieve|higher|lower|better|worse|more"
    r"|less|greater|significant|effective|require|depend)\w{0,5}\b",
    re.IGNORECASE,
)
_POOL_KINDS = frozenset({"abstract", "body"})


@dataclass(frozen=True, slots=True)
class HypothesisMaker:
    """Makes hypotheses from citing sentences, with the sentences of the cited papers that bear on them."""

    read: Callable[[PaperId], Document | None]
    """The full text of a paper; `None` where only its abstract is here."""

    def outcomes(self, passage: CitingPassage) -> Iterator[CitedHypothesis | str]:
        """A hypothesis for each citation of a passage, or the reason why there is none."""
        for sentence in passage.sentences:
            for group in sentence.groups if is_usable(sentence) else ():
                if group.cited and passage.source.id not in group.cited:
                    yield self._outcome(passage, sentence, group)

    def _outcome(
        self, passage: CitingPassage, sentence: PassageSentence, group: CitationGroup
    ) -> CitedHypothesis | str:
        if len(sentence.groups) > 1 or not group.is_single:
            return SEVERAL_CITED
        paper = passage.papers[group.cited[0]]
        text = statement_of(sentence, group)
        if fault := find_fault(text):
            return fault
        document = self.read(paper.id)
        if document is None or document.origin == "abstract":
            return NO_TEXT
        aspects = split_aspects(text)
        stated = tuple((aspect, sentences) for aspect in aspects if (sentences := stating(aspect, document)))
        if len(stated) < MIN_COVERED_ASPECTS * len(aspects):
            return NOT_COVERED
        key = f"{passage.source.id}#{sentence.number}"
        context = " ".join(other.text for other in passage.sentences)
        optimal = fewest_covering([sentences for _, sentences in stated])
        return CitedHypothesis(key, text, stated, paper, document, passage.source, context, SENTENCE, optimal)


def statement_of(sentence: PassageSentence, group: CitationGroup) -> str:
    """The sentence without its mark and the names of authors beside it."""
    text = f"{sentence.text[: group.span.start].rstrip()} {sentence.text[group.span.end :].lstrip()}".strip()
    for span in sorted(loose_names(text), key=lambda span: -span.start):
        text = text[: span.start] + text[span.end :]
    text = re.sub(r"\s+([.,;:])", r"\1", " ".join(text.split()))
    return text[:1].upper() + text[1:]


def find_fault(text: str) -> str:
    """Why `text` is no hypothesis; empty for one."""
    if len(text.split()) >= MAX_WORDS:
        return TOO_LONG
    if UNRESOLVED.search(text) or count_content_words(text) < _MIN_ASPECT_WORDS:
        return NOT_ALONE
    return "" if _OUTCOME.search(text) or _NUMBER.search(text) else NO_FINDING


def split_aspects(text: str) -> tuple[str, ...]:
    """The study aspects of a hypothesis: its clauses, those too short for one joined to the clause before."""
    aspects: list[str] = []
    for clause in _ASPECT_BOUNDARY.split(text.rstrip(".")):
        if aspects and count_content_words(clause) < _MIN_ASPECT_WORDS:
            aspects[-1] = f"{aspects[-1]}, {clause.strip()}"
        elif clause.strip():
            aspects.append(clause.strip())
    return tuple(aspects)


def stating(aspect: str, document: Document) -> tuple[int, ...]:
    """Indices of the sentences of `document` that state `aspect`: all its numbers, most of its telling words."""
    rows = [(sentence.index, sentence.text) for sentence in document.sentences if sentence.kind in _POOL_KINDS]
    stems_of = {index: set(tokens(text)) for index, text in rows}
    frequency = Counter(stem for stems in stems_of.values() for stem in stems)
    weights = {
        stem: math.log(1 + len(rows) / (1 + frequency[stem]))
        for stem in set(tokens(" ".join(word for word in words(aspect) if word not in FUNCTION_WORDS)))
    }
    numbers = set(_NUMBER.findall(aspect))
    return tuple(
        index
        for index, text in rows
        if numbers <= set(_NUMBER.findall(text)) and _share(weights, stems_of[index]) >= MIN_STATED_WEIGHT
    )


def fewest_covering(aspects: Sequence[Sequence[int]]) -> int:
    """How many sentences state all `aspects`, taking each time the one that states most, the earliest of equals."""
    left = [frozenset(sentences) for sentences in aspects if sentences]
    count = 0
    while left:
        covered = Counter(number for sentences in left for number in sentences)
        best = min(covered, key=lambda number: (-covered[number], number))
        left = [sentences for sentences in left if best not in sentences]
        count += 1
    return count


def has_numbers_of(text: str, summary: str) -> bool:
    """Whether `text` gives away a number of the summary that it was made from."""
    return not set(_NUMBER.findall(text)).isdisjoint(_NUMBER.findall(summary))


def _share(weights: Mapping[str, float], stems: set[str]) -> float:
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if stem in stems) / total if total else 0.0
