"""The lines of a trajectory's journal: request, steps and end as JSON, there and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from litterm.core.json_fields import items, mapping, text, texts, whole, whole_or_none
from litterm.evidence.matrix.codec import cost_from, cost_line
from litterm.model.attribution.agent import (
    Action,
    ActionName,
    ActionOutcome,
    AgentChoice,
    AgentHit,
    AgentStep,
    EndReason,
    TrajectoryRequest,
)
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.document import Span
from litterm.model.paper import Author, Paper, PaperId


def request_line(request: TrajectoryRequest) -> dict[str, object]:
    """A request as JSON takes it."""
    bounds = request.bounds
    return {
        "text": request.text,
        "chosen": request.chosen,
        "claim": [request.claim.start, request.claim.end],
        "year": bounds.year,
        "month": bounds.month,
        "exclude": list(bounds.exclude),
        "source": bounds.source,
        "model": request.model,
        "host": request.host,
        "most": request.most,
        "online": request.online,
    }


def request_from(body: Mapping[str, object]) -> TrajectoryRequest:
    """The request of one line.

    Raises:
        KeyError, TypeError, ValueError: it is none; so for the other readers here.
    """
    start, end = items(body["claim"])
    bounds = CandidateBounds(
        whole_or_none(body["year"]),
        whole_or_none(body["month"]),
        tuple(map(PaperId, texts(body["exclude"]))),
        text(body["source"]),
    )
    return TrajectoryRequest(
        text=text(body["text"]),
        chosen=whole(body["chosen"]),
        claim=Span(whole(start), whole(end)),
        bounds=bounds,
        model=text(body["model"]),
        host=text(body["host"]),
        most=whole(body["most"]),
        online=body["online"] is True,
    )


def step_line(step: AgentStep) -> dict[str, object]:
    """A step as JSON takes it; its time is on the line itself."""
    return {
        "number": step.number,
        "thought": step.thought,
        "action": {"name": step.action.name, "query": step.action.query, "paper": step.action.paper},
        "observation": step.observation,
        "outcome": step.outcome,
        "counted": step.counted,
        "found": list(step.found),
        "elsewhere": [{"paper": _paper_line(hit.paper), "where": hit.where} for hit in step.elsewhere],
        "spent": cost_line(step.spent),
    }


def step_from(body: Mapping[str, object], time: str) -> AgentStep:
    """The step of one line written at the time `time`."""
    action = mapping(body["action"])
    outside_hits = (mapping(item) for item in items(body["elsewhere"]))
    return AgentStep(
        number=whole(body["number"]),
        thought=text(body["thought"]),
        action=Action(cast(ActionName, text(action["name"])), text(action["query"]), text(action["paper"])),
        observation=text(body["observation"]),
        outcome=cast(ActionOutcome, text(body["outcome"])),
        counted=body["counted"] is True,
        found=tuple(map(PaperId, texts(body["found"]))),
        elsewhere=tuple(
            AgentHit(_paper_from(mapping(fields["paper"])), None, text(fields["where"])) for fields in outside_hits
        ),
        spent=cost_from(mapping(body["spent"])),
        at=time,
    )


def choice_line(choice: AgentChoice) -> dict[str, object]:
    """An end as JSON takes it."""
    return {
        "ended": choice.ended,
        "paper": None if choice.paper is None else _paper_line(choice.paper),
        "where": choice.where,
        "support": choice.support,
        "why": choice.why,
    }


def choice_from(body: Mapping[str, object]) -> AgentChoice:
    """The end of one line."""
    paper = body["paper"]
    return AgentChoice(
        ended=cast(EndReason, text(body["ended"])),
        paper=None if paper is None else _paper_from(mapping(paper)),
        where=text(body["where"]),
        support=text(body["support"]),
        why=text(body["why"]),
    )


def _paper_line(paper: Paper) -> dict[str, object]:
    # Only what is shown and cited: the whole record is the library's, or the service's to give again.
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": [[author.family, author.given] for author in paper.authors],
        "year": paper.year,
        "date": paper.date,
        "venue": paper.venue,
        "aliases": list(paper.aliases),
        "urls": list(paper.urls),
    }


def _paper_from(fields: Mapping[str, object]) -> Paper:
    people = (texts(item) for item in items(fields["authors"]))
    return Paper(
        id=PaperId(text(fields["id"])),
        title=text(fields["title"]),
        abstract=text(fields["abstract"]),
        authors=tuple(Author(family, given) for family, given in people),
        year=whole_or_none(fields["year"]),
        date=text(fields["date"]),
        venue=text(fields["venue"]),
        aliases=tuple(map(PaperId, texts(fields["aliases"]))),
        urls=texts(fields["urls"]),
    )
