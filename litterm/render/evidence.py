"""The JSON of the evidence of a paper for a hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from litterm.render.agreement import MarkOfAgreement, mark_data
from litterm.render.closeness import evidence_stance_words, evidence_words, strength_words
from litterm.render.locator import locator, section_of
from litterm.render.study_aspects import StudyAspectsData, study_json

if TYPE_CHECKING:
    from litterm.model.agreement import AgreementMark
    from litterm.model.document import Document
    from litterm.model.evidence import Evidence, EvidenceSentence, LikelyStance
    from litterm.model.study_aspects import StudyCoverage


class LikelyStanceData(TypedDict):
    """A stance by wording, and its probability."""

    stance: str
    probability: float


class RankedSentenceData(TypedDict):
    """What is said of each sentence that bears on a hypothesis."""

    rank: int
    index: int
    section: str
    kind: str
    page: int | None
    text: str
    score: float
    strength: str
    closeness: str
    locator: str
    stance: str | None
    likely_stance: LikelyStanceData | None
    reason: str


class EvidenceSentenceData(RankedSentenceData):
    """A sentence of a paper that bears on a hypothesis."""

    paragraph: int
    position: float
    terms: list[str]


class FailedPartData(TypedDict):
    """A part of a paper that a model could not be asked about."""

    key: str
    title: str
    why: str


class EvidenceData(TypedDict):
    """The answer of `evidence PAPER HYPOTHESIS`."""

    paper: str
    hypothesis: str
    by: str
    document: str
    sentences: list[EvidenceSentenceData]
    scope: str
    origin: str
    notices: list[str]
    verdict: str | None
    closeness: str
    level: str | None
    stance: str | None
    confidence: float | None
    key_findings: list[EvidenceSentenceData]
    failed: list[FailedPartData]
    negated: EvidenceData | None
    aspects: StudyAspectsData | None
    agreement: MarkOfAgreement | None


def evidence_data(
    result: Evidence, document: Document, coverage: StudyCoverage | None = None, mark: AgreementMark | None = None
) -> EvidenceData:
    """Evidence of one paper; `document` is the one the sentences are taken from, `coverage` what was asked of it.

    `mark` says how far the model whose stances these are agrees with people; `None` where there are none.
    """
    return {
        "paper": result.paper_id,
        "hypothesis": result.hypothesis,
        "by": result.by,
        "document": result.document_id,
        "sentences": [_sentence(item, document) for item in result.sentences],
        "scope": result.scope,
        "origin": document.origin,
        "notices": list(result.notices),
        "verdict": evidence_words(result) if result.verdict else None,
        "closeness": evidence_words(result),
        "level": result.verdict,
        "stance": evidence_stance_words(result) or None,
        "confidence": None if result.confidence is None else round(result.confidence, 3),
        "key_findings": [_sentence(item, document) for item in result.key_findings],
        "failed": [{"key": part.key, "title": part.title, "why": part.why} for part in result.failed],
        "negated": None if result.negated is None else evidence_data(result.negated, document, mark=mark),
        "aspects": None if coverage is None else study_json(coverage),
        "agreement": None if mark is None else mark_data(mark),
    }


def _sentence(item: EvidenceSentence, document: Document) -> EvidenceSentenceData:
    sentence = item.sentence
    return {
        "rank": item.rank,
        "index": sentence.index,
        "section": section_of(document, sentence),
        "kind": sentence.kind,
        "page": sentence.page,
        "text": sentence.text,
        "score": item.score,
        "strength": item.strength,
        "closeness": strength_words(item.strength),
        "paragraph": sentence.paragraph,
        "position": sentence.position,
        "locator": locator(document, sentence),
        "terms": list(item.terms),
        "stance": item.stance,
        "likely_stance": likely_stance_data(item.likely_stance),
        "reason": item.reason,
    }


def likely_stance_data(likely: LikelyStance | None) -> LikelyStanceData | None:
    """A stance by wording: `{"stance", "probability"}`."""
    return None if likely is None else {"stance": likely.stance, "probability": round(likely.probability, 2)}
