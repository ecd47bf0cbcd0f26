"""The JSON of the candidates for a citation mark."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from litterm.render.attribution.trajectory import StepData, VoteData, step_data, vote_data
from litterm.render.bibliography.keys import STANDARD_KEYS, CitationKeys
from litterm.render.names import full_name

if TYPE_CHECKING:
    from litterm.model.attribution.citation import Attribution, Candidate


class CandidateData(TypedDict):
    """A paper that a mark may refer to; `held`: whether the bibliography of the draft has it."""

    rank: int
    id: str
    title: str
    year: int | None
    score: float
    authors: list[str]
    venue: str
    matched: list[str]
    support: str
    confidence: float | None
    why: list[str]
    key: str
    held: NotRequired[bool]


class StatedData(TypedDict):
    """What the excerpt says of the cited work."""

    families: list[str]
    year: int | None


class CiteData(TypedDict):
    """The answer of `cite`."""

    excerpt: str
    by: str
    candidates: list[CandidateData]
    steps: list[StepData]
    lint: str | None
    mark: int
    marks: int
    notices: list[str]
    verdict: str | None
    confidence: float | None
    kind: str
    claim: list[int]
    stated: StatedData
    online_query: str
    trajectory: str
    votes: list[VoteData]


class CiteAllData(TypedDict):
    """The answer of `cite --all-marks`."""

    count: int
    marks: list[CiteData]


def cite_data(attribution: Attribution, citation_keys: CitationKeys = STANDARD_KEYS) -> CiteData:
    """The candidates for the citation mark of one excerpt, with the steps of an agent where one searched."""
    return {
        "excerpt": attribution.excerpt.text,
        "by": attribution.by,
        "candidates": [_candidate(item, citation_keys.key(item.paper)) for item in attribution.candidates],
        "steps": [step_data(agent_step) for agent_step in attribution.steps],
        "lint": attribution.excerpt.lint,
        "mark": attribution.excerpt.chosen,
        "marks": len(attribution.excerpt.marks),
        "notices": list(attribution.notices),
        "verdict": attribution.verdict,
        "confidence": attribution.confidence,
        "kind": attribution.excerpt.kind,
        "claim": [attribution.excerpt.claim.start, attribution.excerpt.claim.end],
        "stated": {"families": list(attribution.excerpt.stated.families), "year": attribution.excerpt.stated.year},
        "online_query": attribution.online_query,
        "trajectory": attribution.trajectory,
        "votes": [vote_data(vote) for vote in attribution.votes],
    }


def _candidate(item: Candidate, key: str) -> CandidateData:
    return {
        "rank": item.rank,
        "id": item.paper.id,
        "title": item.paper.title,
        "year": item.paper.year,
        "score": item.score,
        "authors": [full_name(author) for author in item.paper.authors],
        "venue": item.paper.venue,
        "matched": list(item.matched),
        "support": item.support,
        "confidence": item.confidence,
        "why": list(item.why),
        "key": key,
    }
