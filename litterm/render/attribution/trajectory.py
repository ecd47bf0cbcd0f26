"""The steps of an agent, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from litterm.render.cost import spent_words
from litterm.text.escape import plain, plain_lines
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.attribution.agent import Action, AgentStep, AgentVote, EndReason, Trajectory
    from litterm.render.lines import LineOptions


class ActionData(TypedDict):
    """What the agent did in a step."""

    name: str
    query: str
    paper: str | None


class StepData(TypedDict):
    """A step of the agent."""

    step: int
    thought: str
    action: ActionData
    observation: str
    outcome: str
    counted: bool
    found: list[str]
    calls: int
    tokens: int
    cost: float | None
    at: str


class VoteData(TypedDict):
    """What some runs of the agent say."""

    paper: str | None
    title: str | None
    answered: bool
    runs: int
    trajectories: list[str]


class TrajectoryData(TypedDict):
    """A search of the agent, without its steps."""

    trajectory: str
    begun: str
    excerpt: str
    model: str
    host: str
    ended: str
    why: str
    paper: str | None
    run: int
    runs: int
    count: int
    calls: int
    tokens: int
    cost: float | None


class TrajectoriesData(TypedDict):
    """The answer of `cite --replay` without an id."""

    count: int
    trajectories: list[TrajectoryData]


_ACTION_WORDS: Mapping[str, str] = {
    "search": "searches “{query}”",
    "search_citations": "searches the most cited on “{query}”",
    "read": "reads {paper}",
    "find_text": "looks in the text of {paper}",
    "context": "reads more of the excerpt",
    "references": "looks up references of {paper}",
    "verify": "verifies {paper}",
    "select": "selects {paper}",
}
_OUTCOME_WORDS: Mapping[str, str] = {
    "nothing": "nothing found",
    "failed": "failed, does not count",
    "refused": "not done",
    "repeated": "the same as before",
    "selected": "the answer",
}
_TITLE_PREFIX = "Title: "
ENDING_WORDS: Mapping[EndReason, str] = {
    "": "has not come to its end",
    "selected": "selected a paper",
    "none": "found no paper that fits",
    "unselected": "selected no paper",
    "circles": "went in circles",
    "searches": "stopped, as searches failed",
    "model": "stopped, as the model failed",
    "stopped": "was stopped",
}


def action_words(action: Action) -> str:
    """An action in a few words: `searches “deep contextual words”`."""
    action_text = _ACTION_WORDS[action.name].format(query=plain(action.query), paper=plain(action.paper))
    question = plain(action.query) if action.name in ("read", "find_text", "references", "verify") else ""
    return f"{action_text}: {question}" if question else action_text


def outcome_words(step: AgentStep) -> str:
    """The outcome of a step in a few words: `10 papers`."""
    if step.outcome == "done" and step.action.name.startswith("search"):
        return count_phrase(len(step.found), "paper")
    # A selection whose paper the agent had not looked into is answered with that paper instead.
    return _OUTCOME_WORDS.get(step.outcome, "looks into it first" if step.action.name == "select" else "")


def observation_line(step: AgentStep) -> str:
    """The observation of a step in one line: of a result list the titles."""
    rows = step.observation.splitlines()
    titles = [row.removeprefix(_TITLE_PREFIX) for row in rows if row.startswith(_TITLE_PREFIX)]
    if step.action.name in ("search", "search_citations") and titles:
        return plain("; ".join(titles))
    return plain(" ".join(step.observation.split()))


def step_line(step: AgentStep) -> str:
    """A step on one line."""
    return "  ".join(filter(None, (f"{step.number:>2}", action_words(step.action), outcome_words(step))))


def step_lines(step: AgentStep, options: LineOptions) -> list[str]:
    """A step with its thought, what came back, and what it cost."""
    # A reply that was kept from an earlier run costs nothing.
    cost = spent_words(step.spent) if step.spent.calls else "kept from earlier"
    head = "  ".join(filter(None, (action_words(step.action), outcome_words(step))))
    lines = options.block(head, indent=4, first=f"{step.number:>2}  ", style="bold")
    if step.thought:
        lines += options.block(step.thought, indent=4)
    lines.append(f"    {options.paint(cost, 'dim')}")
    for line in plain_lines(step.observation).splitlines():
        lines += options.block(line, indent=6) if line.strip() else []
    return lines


def trajectory_lines(trajectory: Trajectory, options: LineOptions) -> list[str]:
    """Everything an agent did, and how it ended."""
    request = trajectory.request
    head = f"{request.model} at {request.host}, {trajectory.begun_at}{_run_words(trajectory)}"
    lines = [options.paint(head, "dim"), *options.block(request.text, indent=0), ""]
    for step in trajectory.steps:
        lines += step_lines(step, options)
    return [*lines, "", options.text(ending(trajectory)), ""]


def _run_words(trajectory: Trajectory) -> str:
    request = trajectory.request
    return f", run {request.run} of {request.runs}" if request.runs > 1 else ""


def ending(trajectory: Trajectory) -> str:
    """One line: how it ended, after how many steps, at what cost."""
    steps = count_phrase(len(trajectory.steps), "step")
    return f"It {ENDING_WORDS[trajectory.choice.ended]} after {steps}; {spent_words(trajectory.spent)}."


def step_data(item: AgentStep) -> StepData:
    """One step of an agent as JSON; the docs of the JSON contract name the fields."""
    spent = item.spent
    return {
        "step": item.number,
        "thought": item.thought,
        "action": {"name": item.action.name, "query": item.action.query, "paper": item.action.paper},
        "observation": item.observation,
        "outcome": item.outcome,
        "counted": item.counted,
        "found": list(item.found),
        "calls": spent.calls,
        "tokens": spent.tokens,
        "cost": spent.dollars,
        "at": item.at,
    }


def vote_data(vote: AgentVote) -> VoteData:
    """What some runs of a vote say, as JSON."""
    return {
        "paper": None if vote.paper is None else vote.paper.id,
        "title": None if vote.paper is None else vote.paper.title,
        "answered": vote.answered,
        "runs": len(vote.runs),
        "trajectories": list(vote.runs),
    }


def summary_data(trajectory: Trajectory) -> TrajectoryData:
    """A search of the agent as JSON, without its steps."""
    chosen, spent = trajectory.choice.paper, trajectory.spent
    return {
        "trajectory": trajectory.id,
        "begun": trajectory.begun_at,
        "excerpt": trajectory.request.text,
        "model": trajectory.request.model,
        "host": trajectory.request.host,
        "ended": trajectory.choice.ended,
        "why": trajectory.choice.why,
        "paper": None if chosen is None else chosen.id,
        "run": trajectory.request.run,
        "runs": trajectory.request.runs,
        "count": len(trajectory.steps),
        "calls": spent.calls,
        "tokens": spent.tokens,
        "cost": spent.dollars,
    }


def summary_line(trajectory: Trajectory, options: LineOptions) -> str:
    """A search of the agent on one line."""
    chosen = trajectory.choice.paper
    outcome = f"selected {chosen.title}" if chosen is not None else ENDING_WORDS[trajectory.choice.ended]
    steps = count_phrase(len(trajectory.steps), "step")
    return "  ".join(
        (
            options.text(trajectory.id),
            trajectory.begun_at,
            options.join((options.text(outcome), steps, f"{trajectory.request.model}{_run_words(trajectory)}")),
        )
    )
