"""The default: a fitted weight for every term, and a verdict on whether the paper speaks to the hypothesis at all.

Two readings of relevance stand side by side. *This hypothesis* looks for the sentences closest to the claim and
chooses the evidence; it is fitted on claims with their rationales and on EvidenceBench together. *Key findings*
takes the weights as fitted on EvidenceBench alone, where what a paper mainly says is most of what was asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, read_pool
from litterm.evidence.candidates import SentenceCandidates, described
from litterm.evidence.caveats import notices
from litterm.evidence.diverse_top_k import Overlap, cover
from litterm.evidence.features.candidate_features import values
from litterm.evidence.features.claim_closeness import ClaimClosenessTable, measure_closeness
from litterm.evidence.features.claim_features import claim_values, weighted
from litterm.evidence.hypothesis import Hypothesis, read_hypothesis
from litterm.evidence.lexical import at_least_one
from litterm.evidence.strength import logistic, strength_of, strength_values, verdict_by
from litterm.evidence.verdict import THIN, probability, read_verdict_features
from litterm.evidence.weights import Weights
from litterm.evidence.wording.concepts import find_occurrences, relevances
from litterm.evidence.wording.rhetorical_role import Tone, tones
from litterm.evidence.wording.stance import compare, likely_stance
from litterm.model.document import Document, SentenceKind
from litterm.model.evidence import Evidence, EvidenceScope, EvidenceSentence, Strength, Verdict

FLOOR = 0.1
"""Share of the hypothesis a sentence must hold to be evidence: 7 in 100 gold ones among the best ten hold less."""
NOTHING_BELOW = 0.15
"""Probability below which a paper does not speak to the hypothesis."""
SHARPNESS = 1.0


@dataclass(frozen=True, slots=True)
class _Judged:
    """A paper against a hypothesis, before sentences are ranked."""

    candidates: SentenceCandidates
    near: ClaimClosenessTable
    tones: tuple[Tone, ...]
    confidence: float
    by_strength: tuple[float, ...]

    def speaks(self, place: int) -> bool:
        """Whether this candidate may be called evidence."""
        share = max(self.candidates.occurrences.share(place), self.near.rows[place].share)
        return self.confidence >= NOTHING_BELOW and share >= FLOOR

    def strength(self, place: int) -> Strength:
        """How strongly this candidate speaks to the hypothesis."""
        numbers = strength_values(self.near.rows[place], self.tones[place], confidence=self.confidence)
        return strength_of(logistic(weighted((*numbers, 1.0), self.by_strength)))


@dataclass(frozen=True, slots=True)
class _Read:
    """What every question to one paper has in common."""

    document: Document
    pool: CandidatePool
    overlap: Overlap
    tones: tuple[Tone, ...]


class LinearExtractor:
    """Fitted extractor; fits `interfaces.EvidenceExtractor`."""

    name = "linear"

    def __init__(self, weights: Weights, *, withheld: Collection[SentenceKind] = ()) -> None:
        """Sentences of the kinds `withheld` are read but never chosen."""
        self._weights = weights
        self._withheld = frozenset(withheld)
        # One paper: in a matrix its hypotheses come one after the other, and reading it is most of the work.
        self._last: _Read | None = None

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        """At most `k` sentences that jointly cover most, and the key findings, with `Found` after every section.

        Sentences that hold too little of the hypothesis are left out, all of them where the verdict is
        *nothing*; with `everything` there are always `k`, if the document has as many.

        Raises:
            UsageError: `k` is below 1, or the hypothesis has no content word.
        """
        claim = read_hypothesis(hypothesis)
        at_least_one(k)
        read = yield from self._read(document)
        judged = yield from self._judge(read, claim)
        candidates, overlap = judged.candidates, read.overlap
        live = {place for place, row in enumerate(read.pool.sentences) if row.kind not in self._withheld}
        closeness = yield from candidates.closeness(relevances(candidates.occurrences, read.pool))
        by_claim = self._by_claim(scope, thin=_is_thin(read.pool))
        features, scores = yield from described(
            candidates,
            closeness,
            lambda place, terms: weighted(claim_values(terms, judged.near.rows[place], read.tones[place]), by_claim),
            k=k,
            shown=lambda place: place in live and (everything or judged.speaks(place)),
            strength=judged.strength,
        )
        picked = yield from cover(scores, overlap, k=k, sharpness=SHARPNESS, among=live)
        evidence = [place for place in picked if everything or judged.speaks(place)]
        fitted = self._weights.results if scope == "results" else self._weights.all
        by_findings = [weighted(values(terms), fitted) for terms in features]
        findings = yield from cover(by_findings, overlap, k=k, sharpness=SHARPNESS, among=live)
        sentences = self._with_stance(claim, judged, candidates.ranked(evidence, scores, judged.strength))
        return Evidence(
            paper_id=document.paper_id,
            document_id=document.id,
            hypothesis=claim.text,
            scope=scope,
            by=self.name,
            sentences=sentences,
            notices=notices(document, read.pool, claim),
            verdict=verdict_of(judged.confidence, sentences),
            confidence=judged.confidence,
            key_findings=candidates.ranked(findings, by_findings, judged.strength),
        )

    def _judge(self, read: _Read, hypothesis: Hypothesis) -> Task[_Judged]:
        """How near the paper is to the hypothesis, sentence by sentence and as a whole."""
        document, pool = read.document, read.pool
        occurrences = find_occurrences(hypothesis, pool)
        near = yield from measure_closeness(document, pool, occurrences, hypothesis.text)
        weights = self._weights.thin if _is_thin(pool) else self._weights.full
        confidence = probability(read_verdict_features(document, pool, occurrences, near), weights)
        return _Judged(
            SentenceCandidates(document, pool, occurrences), near, read.tones, confidence, self._weights.strength
        )

    def _with_stance(
        self, hypothesis: Hypothesis, judged: _Judged, sentences: tuple[EvidenceSentence, ...]
    ) -> tuple[EvidenceSentence, ...]:
        """The first with its likely stance: only of the first sentence is it known how often that is right."""
        # A sentence hardly on the claim says neither.
        if not sentences or sentences[0].strength == "weak":
            return sentences
        compared = compare(hypothesis.text, judged.candidates.occurrences.concepts, sentences[0].sentence.text)
        return (replace(sentences[0], likely_stance=likely_stance(compared, self._weights.stance)), *sentences[1:])

    def _by_claim(self, scope: EvidenceScope, *, thin: bool) -> Sequence[float]:
        if scope == "results":
            return self._weights.claim_results
        return self._weights.claim_thin if thin else self._weights.claim_full

    def _read(self, document: Document) -> Task[_Read]:
        """The paper without any hypothesis; several are often put to one paper in turn, so the last one is kept."""
        last = self._last
        # By identity: comparing two documents reads both to their end.
        if last is None or last.document is not document:
            pool = yield from read_pool(document)
            last = self._last = _Read(document, pool, Overlap(pool.vectors), tuple(tones(pool.sentences)))
        return last


def verdict_of(confidence: float, sentences: Sequence[EvidenceSentence]) -> Verdict:
    """The paper's word: that of the best of its `sentences`, unless it hardly speaks to the hypothesis at all."""
    return "nothing" if confidence < NOTHING_BELOW else verdict_by(sentences)


def _is_thin(pool: CandidatePool) -> bool:
    return len(pool.sentences) < THIN
