"""Several runs of the agent on one excerpt as one answer: the paper that most of them select."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.model.attribution.agent import AgentVote, Trajectory
from litterm.model.attribution.citation import Attribution, Candidate
from litterm.model.paper import Paper
from litterm.text.references.identity import identity_key


def count_votes(runs: Sequence[Trajectory]) -> tuple[AgentVote, ...]:
    """What the runs say, the most frequent first; of as many, papers first and in the order of the runs."""
    groups: dict[str, list[Trajectory]] = {}
    for trajectory in runs:
        groups.setdefault(_said(trajectory), []).append(trajectory)
    votes = [
        AgentVote(
            paper=members[0].choice.paper,
            answered=members[0].choice.ended in ("selected", "none"),
            runs=tuple(member.id for member in members),
            service=members[0].choice.service,
        )
        for members in groups.values()
    ]
    return tuple(sorted(votes, key=lambda vote: (-len(vote.runs), vote.paper is None, not vote.answered)))


def has_majority(votes: Sequence[AgentVote], runs: int) -> bool:
    """Whether more than half of all `runs` say the same; so neither a tie nor the largest minority is certain."""
    return bool(votes) and 2 * len(votes[0].runs) > runs


def describe_vote(vote: AgentVote, runs: int) -> str:
    """What a share of the runs says, in one sentence."""
    said = "found no paper that fits" if vote.answered else "came to no answer"
    if vote.paper is not None:
        said = f"selected {vote.paper.title}"
    return f"{len(vote.runs)} of {runs} runs {said}."


def rank_by_votes(answer: Attribution, votes: Sequence[AgentVote], runs: int) -> tuple[Candidate, ...]:
    """The papers that were selected, by the number of runs that did, then the other candidates of `answer`."""
    by_key = {_paper_key(candidate.paper): candidate for candidate in answer.candidates}
    chosen: list[Candidate] = []
    for vote in votes:
        if vote.paper is None:
            continue
        candidate = by_key.pop(_paper_key(vote.paper), None) or Candidate(1, vote.paper, 0.0)
        found_in = (f"found in {vote.service}; not in your library",) if vote.service else ()
        share = f"selected in {len(vote.runs)} of {runs} runs"
        others = (reason for reason in candidate.why if reason not in found_in)
        chosen.append(replace(candidate, confidence=None, why=(share, *found_in, *others)))
    return tuple(replace(candidate, rank=rank) for rank, candidate in enumerate((*chosen, *by_key.values()), 1))


def _said(trajectory: Trajectory) -> str:
    """Equal for runs that say the same."""
    choice = trajectory.choice
    if choice.paper is not None:
        return f"paper {_paper_key(choice.paper)}"
    return "none" if choice.ended == "none" else "no answer"


def _paper_key(paper: Paper) -> str:
    # Runs may meet one paper in the library and in a service, under different ids.
    return identity_key(paper.title) or paper.id
