"""The default extractor: fitted weights for the features of each sentence, and a verdict on the paper.

Two readings of relevance stand side by side. *This hypothesis* looks for the sentences closest to the claim and
chooses the evidence; it is fitted on claims with their rationales and on EvidenceBench together. Of a full text the
first sentence is chosen by weights of its own: it should state the claim, and those that follow add what it does not
say. *Key findings* takes the weights as fitted on EvidenceBench alone, where what a paper mainly says is most of what
was asked for.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from litterm.core.errors import BadInput
from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, build_candidate_pool
from litterm.evidence.candidate_scores import SentenceCandidates, score_candidates
from litterm.evidence.caveats import caveats_of
from litterm.evidence.diverse_top_k import SentenceSimilarity, select_diverse
from litterm.evidence.features import (
    CandidateFeatures,
    ClaimClosenessTable,
    claim_feature_values,
    feature_values,
    measure_closeness,
    weighted_sum,
)
from litterm.evidence.hypothesis import Hypothesis, read_hypothesis
from litterm.evidence.language.concepts import concept_scores, find_occurrences
from litterm.evidence.language.directions import ClaimDirections, likely_direction
from litterm.evidence.language.rhetorical_role import RhetoricalRole, rhetorical_roles
from litterm.evidence.language.stance import (
    MAX_STANCE_RANK,
    MIN_STANCE_SENTENCES,
    compare_with_claim,
    likely_stance,
    telling_comparison,
)
from litterm.evidence.lexical import LexicalExtractor, require_positive
from litterm.evidence.strength import (
    logistic,
    strength_of_probability,
    strength_rank,
    strength_values,
    verdict_of_sentences,
)
from litterm.evidence.verdict import (
    MIN_FULL_TEXT_SENTENCES,
    MIN_VERDICT_SENTENCES,
    compute_verdict_features,
    evidence_probability,
)
from litterm.evidence.weights import WEIGHTS_FILE, Weights, read_weights
from litterm.interfaces import EvidenceExtractor
from litterm.model.document import Document, SentenceKind
from litterm.model.evidence import Evidence, EvidenceScope, EvidenceSentence, LikelyStance, Strength, Verdict

MIN_HYPOTHESIS_SHARE = 0.1
"""Share of the hypothesis a sentence must hold to be evidence: 7 in 100 gold ones among the best ten hold less."""
NO_EVIDENCE_THRESHOLD = 0.15
"""Probability below which a paper does not speak to the hypothesis."""
_UNKNOWN_CONFIDENCE = 0.5
"""What the strength of a sentence goes by where the paper has no probability."""
SHARPNESS = 1.0
_MAX_STATED_CONCEPTS: Final = 8
"""Content words of a claim of which it is known what stands for its subject; longer ones say several things."""
_MIN_STATED, _MAX_UNSTATED = 0.66, 0.34
"""How far a sentence has to state what the claim is about, to come before one that does so less than the latter."""
_STATEMENT_CANDIDATES, _MAX_STATEMENT_GAP = 12, 3.0
"""Such a sentence is one of so many, by so many points at most behind the first."""
_NUMBERED_HEADING: Final = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?(?:\s\S+){1,9}")
"""A heading that a PDF or a scan gives as if it were a sentence, such as *4.2 Using neural networks.*"""


@dataclass(frozen=True, slots=True)
class ScoredPaper:
    """How close a paper is to a hypothesis, before its sentences are ranked."""

    candidates: SentenceCandidates
    closeness: ClaimClosenessTable
    roles: tuple[RhetoricalRole, ...]
    confidence: float | None
    """`None` of a record with so few sentences that it would not tell anything."""
    strength_weights: tuple[float, ...]

    def is_evidence(self, index: int) -> bool:
        """Whether this candidate may be called evidence."""
        return not is_silent(self.confidence) and self.holds(index)

    def holds(self, index: int) -> bool:
        """Whether this candidate holds enough of the hypothesis to speak of it."""
        share = max(self.candidates.occurrences.hypothesis_share(index), self.closeness.rows[index].share)
        return share >= MIN_HYPOTHESIS_SHARE

    def strength(self, index: int) -> Strength:
        """How strongly this candidate speaks to the hypothesis."""
        return strength_of_probability(self.strength_probability(index))

    def strength_probability(self, index: int) -> float:
        """That this candidate would be given as the reason why the hypothesis holds or does not."""
        confidence = _UNKNOWN_CONFIDENCE if self.confidence is None else self.confidence
        numbers = strength_values(self.closeness.rows[index], self.roles[index], confidence=confidence)
        return logistic(weighted_sum((*numbers, 1.0), self.strength_weights))


@dataclass(frozen=True, slots=True)
class MeasuredSentences:
    """Every candidate of a paper against a hypothesis; the sequences run parallel to the pool."""

    paper: ScoredPaper
    features: tuple[CandidateFeatures, ...]
    scores: tuple[float, ...]
    """By the fitted weights; comparable within the paper only."""


@dataclass(frozen=True, slots=True)
class _PreparedPaper:
    """What is computed once for a paper, whatever the hypothesis."""

    document: Document
    pool: CandidatePool
    similarity: SentenceSimilarity
    roles: tuple[RhetoricalRole, ...]


class LinearExtractor:
    """Chooses evidence sentences with fitted weights."""

    name = "linear"

    def __init__(self, weights: Weights, *, withheld: Collection[SentenceKind] = ()) -> None:
        """Sentences of the kinds `withheld` are read but never chosen."""
        self._weights = weights
        self._withheld = frozenset(withheld)
        # In a matrix all hypotheses of one paper come in a row, and reading the paper is most of the work.
        self._last_paper: _PreparedPaper | None = None

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        """At most `k` sentences that jointly cover most, and key findings, with `EvidenceFound` after every section.

        Sentences that hold too little of the hypothesis are left out, all of them where the verdict is
        *nothing*; with `everything` there are always `k`, if the document has as many.

        Raises:
            UsageError: `k` is below 1, or the hypothesis has no content word.
        """
        claim = read_hypothesis(hypothesis)
        require_positive(k)
        paper = yield from self._prepare(document)
        scored = yield from self._score_paper(paper, claim)
        candidates, similarity = scored.candidates, paper.similarity
        selectable = {index for index, row in enumerate(paper.pool.sentences) if row.kind not in self._withheld}
        closeness = yield from candidates.measure_closeness(concept_scores(candidates.occurrences, paper.pool))
        claim_weights = self._claim_weights(scope, of_abstract=_is_abstract(paper.pool))
        features, scores = yield from score_candidates(
            candidates,
            closeness,
            lambda index, terms: weighted_sum(
                claim_feature_values(terms, scored.closeness.rows[index], paper.roles[index]), claim_weights
            ),
            k=k,
            is_shown=lambda index: index in selectable and (everything or scored.is_evidence(index)),
            strength=scored.strength,
        )
        # Results come first by their own weights already, ahead of methods.
        first = self._choose_first(claim, scored, features, scores, selectable) if scope == "all" else None
        picked = yield from select_diverse(
            scores, similarity, k=k, sharpness=SHARPNESS, selectable=selectable, first=first
        )
        evidence = [index for index in picked if everything or scored.is_evidence(index)]
        finding_weights = self._weights.key_results if scope == "results" else self._weights.key_findings
        finding_scores = [weighted_sum(feature_values(terms), finding_weights) for terms in features]
        findings = yield from select_diverse(
            finding_scores, similarity, k=k, sharpness=SHARPNESS, selectable=selectable
        )
        sentences = self._with_stance(claim, scored, candidates.to_evidence(evidence, scores, scored.strength))
        return Evidence(
            paper_id=document.paper_id,
            document_id=document.id,
            hypothesis=claim.text,
            scope=scope,
            by=self.name,
            sentences=sentences,
            notices=caveats_of(document, paper.pool, claim),
            verdict=verdict_of_paper(scored.confidence, sentences),
            confidence=scored.confidence,
            key_findings=candidates.to_evidence(findings, finding_scores, scored.strength),
        )

    def measure(self, document: Document, hypothesis: Hypothesis) -> Task[MeasuredSentences]:
        """All candidates of `document` against `hypothesis`, scored and not yet chosen from."""
        paper = yield from self._prepare(document)
        scored = yield from self._score_paper(paper, hypothesis)
        candidates = scored.candidates
        closeness = yield from candidates.measure_closeness(concept_scores(candidates.occurrences, paper.pool))
        weights = self._claim_weights("all", of_abstract=_is_abstract(paper.pool))
        features, scores = yield from score_candidates(
            candidates,
            closeness,
            lambda index, terms: weighted_sum(
                claim_feature_values(terms, scored.closeness.rows[index], paper.roles[index]), weights
            ),
            k=1,
            is_shown=lambda _index: False,
        )
        return MeasuredSentences(scored, tuple(features), tuple(scores))

    def tell_stance(
        self, hypothesis: Hypothesis, paper: ScoredPaper, places: Sequence[int]
    ) -> tuple[int, LikelyStance] | None:
        """Which of the candidates at `places`, the best first, tells for or against, and what; `None` for none."""
        scores = [0.0] * len(paper.candidates.pool.sentences)
        told = self._with_stance(hypothesis, paper, paper.candidates.to_evidence(places, scores, paper.strength))
        return next(
            ((place, item.likely_stance) for place, item in zip(places, told, strict=True) if item.likely_stance), None
        )

    def _score_paper(self, paper: _PreparedPaper, hypothesis: Hypothesis) -> Task[ScoredPaper]:
        """How close the paper is to the hypothesis, sentence by sentence and as a whole."""
        document, pool = paper.document, paper.pool
        occurrences = find_occurrences(hypothesis, pool)
        closeness = yield from measure_closeness(document, pool, occurrences, hypothesis.text)
        weights = self._weights.verdict_abstract if _is_abstract(pool) else self._weights.verdict_full_text
        confidence = (
            evidence_probability(compute_verdict_features(document, pool, occurrences, closeness), weights)
            if not 0 < len(pool.sentences) < MIN_VERDICT_SENTENCES
            else None
        )
        return ScoredPaper(
            SentenceCandidates(document, pool, occurrences), closeness, paper.roles, confidence, self._weights.strength
        )

    def _with_stance(
        self, hypothesis: Hypothesis, scored: ScoredPaper, sentences: tuple[EvidenceSentence, ...]
    ) -> tuple[EvidenceSentence, ...]:
        """Adds the likely stance to those of the best sentences that tell it.

        None is given where it was right too seldom (docs/benchmarks-history.md): of a short record without a title,
        and of one with a few sentences only.
        """
        pool = scored.candidates.pool
        title = " ".join(row.text for row in scored.candidates.document.sentences if row.kind == "title")
        # A sentence that hardly touches the claim neither supports nor refutes it.
        places = [place for place, item in enumerate(sentences[:MAX_STANCE_RANK]) if item.strength != "weak"]
        if not _is_abstract(pool):
            told = self._directions_of(hypothesis, scored, sentences, places, title)
        elif title and len(pool.sentences) >= MIN_STANCE_SENTENCES:
            told = self._wording_of(hypothesis, scored, sentences, places, title)
        else:
            told = {}
        return tuple(
            replace(item, likely_stance=told[place]) if place in told else item for place, item in enumerate(sentences)
        )

    def _wording_of(
        self,
        hypothesis: Hypothesis,
        scored: ScoredPaper,
        sentences: Sequence[EvidenceSentence],
        places: Sequence[int],
        title: str,
    ) -> Mapping[int, LikelyStance | None]:
        """Of an abstract: the stance of the one sentence whose wording tells it."""
        concepts = scored.candidates.occurrences.concepts
        telling = telling_comparison(
            compare_with_claim(hypothesis.text, concepts, sentences[place].sentence.text, title) for place in places
        )
        return {places[telling[0]]: likely_stance(telling[1], self._weights.stance)} if telling else {}

    def _directions_of(
        self,
        hypothesis: Hypothesis,
        scored: ScoredPaper,
        sentences: Sequence[EvidenceSentence],
        places: Sequence[int],
        title: str,
    ) -> Mapping[int, LikelyStance | None]:
        """Of a full text: the stance of its first sentence, and of others that tell the same.

        Nothing where the first does not tell it, or where two of them differ: what stands further down is mostly about
        something else.
        """
        directions = ClaimDirections(hypothesis.text, scored.candidates.occurrences.concepts)
        sections = scored.candidates.document.sections
        told: dict[int, LikelyStance] = {}
        for place in places:
            row = sentences[place].sentence
            # An introduction tells what others found, and a method what was done.
            if sections[row.section].kind not in ("introduction", "methods"):
                likely = likely_direction(directions.compare(row.text, title), self._weights.directions)
                if likely:
                    told[place] = likely
        return told if 0 in told and len({likely.stance for likely in told.values()}) == 1 else {}

    def _claim_weights(self, scope: EvidenceScope, *, of_abstract: bool) -> Sequence[float]:
        if scope == "results":
            return self._weights.claim_results
        return self._weights.claim_abstract if of_abstract else self._weights.claim_full_text

    def _choose_first(
        self,
        hypothesis: Hypothesis,
        scored: ScoredPaper,
        features: Sequence[CandidateFeatures],
        scores: Sequence[float],
        selectable: Collection[int],
    ) -> int | None:
        """The candidate likeliest to state the claim; `None` for an abstract, which has weights that put it first.

        Its strength is not below that of the candidate with the highest of `scores`, unless it alone of the likeliest
        names all that the claim is about, and says that something becomes of it.
        """
        sentences = scored.candidates.pool.sentences
        if not selectable or _is_abstract(scored.candidates.pool):
            return None
        best = max(sorted(selectable), key=scores.__getitem__)
        lowest = strength_rank(scored.strength(best))

        def points(index: int) -> float:
            row, role = scored.closeness.rows[index], scored.roles[index]
            return weighted_sum(claim_feature_values(features[index], row, role), self._weights.claim_first)

        points_of = {
            index: points(index)
            for index in sorted(selectable)
            if not _NUMBERED_HEADING.fullmatch(sentences[index].text)
        }
        eligible = [index for index in points_of if strength_rank(scored.strength(index)) >= lowest]
        likeliest = max(eligible, key=points_of.__getitem__, default=best)
        return _stating(hypothesis, scored, points_of, likeliest)

    def _prepare(self, document: Document) -> Task[_PreparedPaper]:
        """Reads a paper; the last one is kept, since several hypotheses are often tested on one paper in turn."""
        paper = self._last_paper
        # By identity: comparing two documents reads both to their end.
        if paper is None or paper.document is not document:
            pool = yield from build_candidate_pool(document)
            roles = rhetorical_roles(pool.sentences, [section.title for section in document.sections])
            paper = self._last_paper = _PreparedPaper(document, pool, SentenceSimilarity(pool.vectors), tuple(roles))
        return paper


def open_extractor(weights: Path = WEIGHTS_FILE) -> EvidenceExtractor:
    """The fitted extractor, or H1 with a notice where the weights cannot be read."""
    try:
        return LinearExtractor(read_weights(weights).shipped)
    # A broken installation still finds evidence, and says so.
    except BadInput as error:
        return LexicalExtractor(f"{error} Sentences are ranked without weights (h1), and there is no verdict.")


def is_silent(confidence: float | None) -> bool:
    """Whether a paper with this probability does not speak to the hypothesis; not where there is none."""
    return confidence is not None and confidence < NO_EVIDENCE_THRESHOLD


def verdict_of_paper(confidence: float | None, sentences: Sequence[EvidenceSentence]) -> Verdict:
    """The verdict of the strongest sentence, or `nothing` where `confidence` is below the threshold.

    Without a probability and without a sentence it is `unclear`.
    """
    if confidence is None and not sentences:
        return "unclear"
    return "nothing" if is_silent(confidence) else verdict_of_sentences(sentences)


def _stating(hypothesis: Hypothesis, scored: ScoredPaper, points_of: Mapping[int, float], likeliest: int) -> int:
    """The candidate that states what a short claim is about, where `likeliest` does not; else `likeliest`."""
    concepts = scored.candidates.occurrences.concepts
    if len(concepts) > _MAX_STATED_CONCEPTS or likeliest not in points_of:
        return likeliest
    directions = ClaimDirections(hypothesis.text, concepts)
    sentences = scored.candidates.pool.sentences
    if directions.statement_share(sentences[likeliest].text) >= _MAX_UNSTATED:
        return likeliest
    lowest = points_of[likeliest] - _MAX_STATEMENT_GAP
    near = heapq.nlargest(_STATEMENT_CANDIDATES, points_of, key=points_of.__getitem__)
    stating = (
        index
        for index in near
        if points_of[index] >= lowest and directions.statement_share(sentences[index].text) >= _MIN_STATED
    )
    return next(stating, likeliest)


def _is_abstract(pool: CandidatePool) -> bool:
    return len(pool.sentences) < MIN_FULL_TEXT_SENTENCES
