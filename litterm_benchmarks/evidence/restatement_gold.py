"""The sentences of a paper's body that restate its conclusion, told without a reader.

Four measures of likeness have to agree, three of which know nothing of the features that evidence is ranked by: pairs
of words in a row, the longest common sequence of words, and the vectors of the semantic model. What is alike but stands
in the introduction or among the methods asks or plans what the claim says, and does not state it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, build_candidate_pool, content_stems
from litterm.evidence.features import inherited_section_kinds
from litterm.library.index.static_embeddings import StaticModel, open_static
from litterm.model.document import Document, SectionKind
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.text.tokens import tokens
from litterm_benchmarks.readers.restatements import read_concluded_papers

Floats = npt.NDArray[np.float64]

_STATING_SECTIONS: frozenset[SectionKind] = frozenset({"results", "discussion", "conclusion"})
_TOP, _AGREEING = 3, 3
"""A restatement is among the three sentences of the body that are most like the claim by three of four measures."""
_MAX_WORDS = 80
"""Words of a sentence that are compared in order; longer ones are mostly tables."""
_RARE_IDF = 8.0
"""Weight of a stem that no abstract of the file holds."""


@dataclass(frozen=True, slots=True)
class Restatement:
    """A claim, the paper without the sentence it was made from, and where the body restates it."""

    paper: PaperId
    claim: str
    document: Document
    pool: CandidatePool
    kinds: tuple[SectionKind, ...]
    """Of the section of each candidate, headings that do not tell taking the kind of the one before."""
    gold: frozenset[int]
    """Places of candidates in the pool; never empty."""


def read_restatements(path: Path) -> Task[tuple[Restatement, ...]]:
    """The papers of `path` whose conclusion is restated in their body.

    Raises:
        BadInput: a line is not in the expected form, or no paper concludes with a finding.
    """
    papers = read_concluded_papers(path)
    likeness = ClaimLikeness(open_static(), _idf([paper.abstract for paper in papers]))
    restatements: list[Restatement] = []
    for number, paper in enumerate(papers):
        yield Progress("restatements", number, len(papers))
        pool = yield from build_candidate_pool(paper.document)
        by_section = inherited_section_kinds(paper.document.sections)
        kinds = tuple(by_section[sentence.section] for sentence in pool.sentences)
        gold = _gold(likeness.measure(paper.claim, [row.text for row in pool.sentences]), pool, kinds)
        if gold:
            restatements.append(Restatement(paper.paper, paper.claim, paper.document, pool, kinds, gold))
    return tuple(restatements)


class ClaimLikeness:
    """Compares sentences with a claim in four ways."""

    def __init__(self, model: StaticModel, idf: Mapping[str, float]) -> None:
        self._model = model
        self._idf = idf

    def measure(self, claim: str, sentences: Sequence[str]) -> Floats:
        """A row a sentence: pairs of words, common sequence, weighted stems, and vectors; each at most 1."""
        claim_words, claim_stems, claim_vector = tokens(claim), self._weigh(claim), self._embed(claim)
        rows: list[tuple[float, float, float, float]] = []
        for sentence in sentences:
            sentence_words = tokens(sentence)
            common = _common_length(claim_words, sentence_words[:_MAX_WORDS])
            rows.append(
                (
                    _pair_overlap(claim_words, sentence_words),
                    _dice(common, len(claim_words), min(_MAX_WORDS, len(sentence_words))),
                    _cosine(claim_stems, self._weigh(sentence)),
                    float(claim_vector @ self._embed(sentence)),
                )
            )
        return np.array(rows)

    def _weigh(self, text: str) -> dict[str, float]:
        return {stem: n * self._idf.get(stem, _RARE_IDF) for stem, n in Counter(content_stems(text)).items()}

    def _embed(self, text: str) -> Floats:
        """The mean vector of the known stems, of length 1, or zeros."""
        stems = list(dict.fromkeys(content_stems(text)))
        places = self._model.places(stems)
        known = [number for number, place in enumerate(places.tolist()) if place >= 0]
        if not known:
            return np.zeros(self._model.dims)
        weights = np.array([self._idf.get(stems[number], _RARE_IDF) for number in known])
        vector = (weights[:, None] * self._model.vectors(places[known])).sum(axis=0)
        return np.asarray(vector / (np.linalg.norm(vector) or 1.0), dtype=np.float64)


def _gold(likeness: Floats, pool: CandidatePool, kinds: Sequence[SectionKind]) -> frozenset[int]:
    in_body = np.array([sentence.kind == "body" for sentence in pool.sentences])
    compared = np.where(in_body[:, None], likeness, -1.0)
    ranks = (-compared).argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    agreeing = (ranks < _TOP).sum(axis=1) >= _AGREEING
    return frozenset(
        place for place in np.flatnonzero(agreeing & in_body).tolist() if kinds[place] in _STATING_SECTIONS
    )


def _idf(abstracts: Sequence[str]) -> Mapping[str, float]:
    frequency = Counter(stem for abstract in abstracts for stem in set(content_stems(abstract)))
    return {stem: math.log(len(abstracts) / (count + 0.5)) for stem, count in frequency.items()}


def _pair_overlap(one: Sequence[str], other: Sequence[str]) -> float:
    pairs, other_pairs = (Counter(pairwise(row)) for row in (one, other))
    return _dice((pairs & other_pairs).total(), pairs.total(), other_pairs.total())


def _common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for word in one:
        longer = [0]
        for place, its in enumerate(other):
            longer.append(row[place] + 1 if word == its else max(row[place + 1], longer[place]))
        row = longer
    return row[-1]


def _dice(common: int, one: int, other: int) -> float:
    return 2 * common / (one + other) if one + other else 0.0


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    norm = math.sqrt(_square(one.values()) * _square(other.values()))
    return math.fsum(weight * other[stem] for stem, weight in one.items() if stem in other) / norm if norm else 0.0


def _square(weights: Iterable[float]) -> float:
    return math.fsum(weight * weight for weight in weights)
