"""Evidence sentences from word statistics and cue words with fixed weights; no model, nothing fitted."""

from __future__ import annotations

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.evidence.candidate_scores import SentenceCandidates, score_candidates
from litterm.evidence.caveats import caveats_of
from litterm.evidence.diverse_top_k import SentenceSimilarity, select_diverse
from litterm.evidence.features import CandidateFeatures, hypothesis_scores
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import find_occurrences
from litterm.model.document import Document
from litterm.model.evidence import Evidence, EvidenceScope

_SHARPNESS = 0.5


class LexicalExtractor:
    """The extractor without fitted weights: a baseline, and the fallback for unreadable weights. Gives no verdict."""

    name = "h1"

    def __init__(self, notice: str = "") -> None:
        self._notices = (notice,) if notice else ()

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        """At most `k` sentences that jointly cover most, with `Found` after every section.

        Never empty for a document that holds a sentence. What limits the answer (abstract only, a language
        without cue words, no word in common) is in `caveats_of`.

        Raises:
            UsageError: `k` is below 1, or the hypothesis has no content word.
        """
        claim = read_hypothesis(hypothesis)
        require_positive(k)
        pool = yield from build_candidate_pool(document)
        candidates = SentenceCandidates(document, pool, find_occurrences(claim, pool))
        closeness = yield from candidates.measure_closeness(hypothesis_scores(pool, claim.words))
        _, scores = yield from score_candidates(
            candidates, closeness, lambda _place, terms: h1_score(terms, scope), k=k
        )
        picked = yield from select_diverse(scores, SentenceSimilarity(pool.vectors), k=k, sharpness=_SHARPNESS)
        return Evidence(
            paper_id=document.paper_id,
            document_id=document.id,
            hypothesis=claim.text,
            scope=scope,
            by=self.name,
            sentences=candidates.to_evidence(picked, scores),
            notices=(*self._notices, *caveats_of(document, pool, claim)),
        )


def require_positive(k: int) -> None:
    """Checks that at least one sentence is asked for.

    Raises:
        UsageError: `k` is below 1.
    """
    if k < 1:
        raise UsageError(f"Ask for at least one sentence, not {k}.")


def h1_score(terms: CandidateFeatures, scope: EvidenceScope) -> float:
    """The score of one candidate with integer weights set by hand."""
    base = terms.centre + terms.hypothesis + terms.abstract + 2 * terms.in_abstract + terms.numbers
    base -= terms.citation + terms.hedge
    if scope == "results":
        base += terms.direction + terms.significance + terms.statistic
        base -= terms.methods + terms.introduction
    return base
