"""Trajectories of the citation agent: runs in the state of the library.

An entry is a request, a step or the end, and is read back as what was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from litterm.core.errors import UnknownTrajectory
from litterm.core.json_fields import integer, integer_or_none, items, mapping, number_or_none, text, texts
from litterm.evidence.matrix.codec import decode_cost, encode_cost
from litterm.library.lock import WriteLock
from litterm.library.state.connection import StateDatabase
from litterm.library.state.runs import Runs
from litterm.model.attribution.agent import (
    Action,
    ActionName,
    ActionOutcome,
    AgentChoice,
    AgentCommands,
    AgentHit,
    AgentStep,
    EndReason,
    Trajectory,
    TrajectoryId,
    TrajectoryRequest,
)
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.document import Span
from litterm.model.paper import Author, Paper, PaperId


def encode_request(request: TrajectoryRequest) -> dict[str, object]:
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
        "example": request.example,
        "commands": request.commands,
        "temperature": request.temperature,
        "runs": request.runs,
        "run": request.run,
        "vote": request.vote,
    }


def decode_request(body: Mapping[str, object]) -> TrajectoryRequest:
    """The request of one line.

    Raises:
        KeyError, TypeError, ValueError: it is malformed; so for the other readers here.
    """
    start, end = items(body["claim"])
    bounds = CandidateBounds(
        integer_or_none(body["year"]),
        integer_or_none(body["month"]),
        tuple(map(PaperId, texts(body["exclude"]))),
        text(body["source"]),
    )
    return TrajectoryRequest(
        text=text(body["text"]),
        chosen=integer(body["chosen"]),
        claim=Span(integer(start), integer(end)),
        bounds=bounds,
        model=text(body["model"]),
        host=text(body["host"]),
        most=integer(body["most"]),
        online=body["online"] is True,
        # Earlier versions had no such switches.
        example=body.get("example", True) is True,
        commands=cast(AgentCommands, text(body.get("commands", "all"))),
        temperature=number_or_none(body.get("temperature")),
        runs=integer(body.get("runs", 1)),
        run=integer(body.get("run", 1)),
        vote=text(body.get("vote", "")),
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
        "elsewhere": [{"paper": _paper_line(hit.paper), "where": hit.service} for hit in step.elsewhere],
        "spent": encode_cost(step.spent),
    }


def step_from(body: Mapping[str, object], time: str) -> AgentStep:
    """The step of one line written at the time `time`."""
    action = mapping(body["action"])
    outside_hits = (mapping(item) for item in items(body["elsewhere"]))
    return AgentStep(
        number=integer(body["number"]),
        thought=text(body["thought"]),
        action=Action(cast(ActionName, text(action["name"])), text(action["query"]), text(action["paper"])),
        observation=text(body["observation"]),
        outcome=cast(ActionOutcome, text(body["outcome"])),
        counted=body["counted"] is True,
        found=tuple(map(PaperId, texts(body["found"]))),
        elsewhere=tuple(
            AgentHit(_paper_from(mapping(fields["paper"])), None, text(fields["where"])) for fields in outside_hits
        ),
        spent=decode_cost(mapping(body["spent"])),
        at=time,
    )


def choice_line(choice: AgentChoice) -> dict[str, object]:
    """An end as JSON takes it."""
    return {
        "ended": choice.ended,
        "paper": None if choice.paper is None else _paper_line(choice.paper),
        "where": choice.service,
        "support": choice.support,
        "why": choice.why,
    }


def choice_from(body: Mapping[str, object]) -> AgentChoice:
    """The end of one line."""
    paper = body["paper"]
    return AgentChoice(
        ended=cast(EndReason, text(body["ended"])),
        paper=None if paper is None else _paper_from(mapping(paper)),
        service=text(body["where"]),
        support=text(body["support"]),
        why=text(body["why"]),
    )


def _paper_line(paper: Paper) -> dict[str, object]:
    # Only what is shown and cited: the whole record is the library's, or the service's to give again.
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": [[author.surname, author.given] for author in paper.authors],
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
        year=integer_or_none(fields["year"]),
        date=text(fields["date"]),
        venue=text(fields["venue"]),
        aliases=tuple(map(PaperId, texts(fields["aliases"]))),
        urls=texts(fields["urls"]),
    )


LAST = "last"
"""What `open` takes for the newest trajectory; no id begins so, for the alphabet of ULIDs has no `l`."""


class TrajectoryStore:
    """Trajectories of the agent; every step is durable when its call returns."""

    def __init__(self, state: StateDatabase) -> None:
        self._runs = Runs(state, "trajectory")

    def begin(self, request: TrajectoryRequest) -> TrajectoryId:
        """A new trajectory without steps.

        Raises:
            DiskFull: it could not be written.
        """
        return TrajectoryId(self._runs.begin(encode_request(request)))

    def all(self) -> tuple[Trajectory, ...]:
        """Every trajectory, the newest first."""
        trajectories = (self._read(TrajectoryId(name)) for name in self._runs.ids())
        return tuple(trajectory for trajectory in trajectories if trajectory is not None)

    def open(self, trajectory_id: str) -> Trajectory:
        """The trajectory as it is now, by its id or its beginning; `last` is the newest.

        Raises:
            UnknownTrajectory: there is none, or there are several.
        """
        names = self._runs.ids()
        prefix = trajectory_id.strip().lower()
        fitting = names[:1] if prefix == LAST else [name for name in names if prefix and name.startswith(prefix)]
        trajectory = self._read(TrajectoryId(fitting[0])) if len(fitting) == 1 else None
        if trajectory is None:
            several = f"{len(fitting)} trajectories begin with {prefix}" if len(fitting) > 1 else ""
            trouble = several or f"There is no trajectory “{trajectory_id}”"
            raise UnknownTrajectory(f"{trouble}; `litterm cite --replay` without an id lists all.")
        return trajectory

    def lease(self, trajectory_id: TrajectoryId, *, vote: bool = False) -> WriteLock | None:
        """The right to continue with it, until `release` or the end of this process; `None` while another has it.

        With `vote` the right to continue the vote that it is the first run of, whose runs have leases of their own.
        """
        return self._runs.lease(f"{trajectory_id}-vote" if vote else trajectory_id)

    def vote_of(self, trajectory: Trajectory) -> tuple[Trajectory, ...]:
        """The runs of the vote that it belongs to, in their order; itself alone where there is none."""
        if trajectory.request.runs == 1:
            return (trajectory,)
        first = trajectory.request.vote or trajectory.id
        # Ids sort by time: no run of the vote is older than its first.
        names = [TrajectoryId(name) for name in self._runs.ids() if name >= first]
        members = [member for member in map(self._read, names) if member is not None]
        own = [member for member in members if first in (member.id, member.request.vote)]
        return tuple(sorted(own, key=lambda member: (member.request.run, member.id)))

    def put(self, trajectory_id: TrajectoryId, step: AgentStep) -> None:
        """One more step."""
        self._runs.append(trajectory_id, "step", step_line(step))

    def end(self, trajectory_id: TrajectoryId, choice: AgentChoice) -> None:
        """How it has ended, for now."""
        self._runs.append(trajectory_id, "end", choice_line(choice))

    def _read(self, trajectory_id: TrajectoryId) -> Trajectory | None:
        """`None` where there is none with a request that can be read."""
        trajectory: Trajectory | None = None
        for time, kind, body in self._runs.entries(trajectory_id):
            try:
                trajectory = _add_line(trajectory, trajectory_id, time, kind, body)
            except (KeyError, TypeError, ValueError):
                # Written by a newer litterm or by hand: what cannot be read counts as not there.
                continue
        return trajectory


def _add_line(
    trajectory: Trajectory | None, trajectory_id: TrajectoryId, time: str, kind: str, body: Mapping[str, object]
) -> Trajectory | None:
    """The trajectory with one more line; a kind this version does not know changes nothing."""
    if kind == "asked":
        return Trajectory(trajectory_id, time, decode_request(body))
    if trajectory is None:
        return None
    if kind == "step":
        # Whoever went on after an end has not come to a new one yet.
        return replace(trajectory, steps=(*trajectory.steps, step_from(body, time)), choice=AgentChoice(""))
    return replace(trajectory, choice=choice_from(body)) if kind == "end" else trajectory
