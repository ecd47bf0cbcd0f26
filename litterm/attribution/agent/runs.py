"""Citation search by the agent, as the shells call it: estimate, run, resume, replay; every step is stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litterm.attribution.agent.storage import LAST, TrajectoryStore
from litterm.attribution.agent.votes import count_votes, describe_vote, has_majority, rank_by_votes
from litterm.attribution.candidate_bounds import read_bounds
from litterm.attribution.excerpt import read_excerpt
from litterm.core.errors import LibraryError, ModelError, UnknownPaper
from litterm.core.tasks import Task, collect_outgoing
from litterm.interfaces import Attributor, Records, WorkLookup
from litterm.model.attribution.agent import (
    MAX_OFFLINE_CANDIDATES,
    AgentChoice,
    AgentOptions,
    Trajectory,
    TrajectoryId,
    TrajectoryRequest,
)
from litterm.model.attribution.citation import Attribution, Candidate, Excerpt
from litterm.model.events import AgentStepped
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper

if TYPE_CHECKING:
    from litterm.attribution.agent.agent import CitationAgent


_FINAL_REASONS = ("selected", "none", "unselected", "circles", "searches")
"""Ends after which `resume` replays instead of asking again; the others, `model` and `stopped`, may pass."""


@dataclass(frozen=True, slots=True)
class AgentAttribution:
    """Citations by an agent; every call is a run of its own, with its own cap. Safe from any thread."""

    records: Records
    titles: Callable[[], WorkLookup]
    attributor: Callable[[], Attributor]
    store: TrajectoryStore
    build_agent: Callable[[AgentOptions], CitationAgent]
    """Raises `UsageError` where no model is set, `ModelError` where the one that is set cannot be asked."""
    build_dry_run: Callable[[AgentOptions], CitationAgent]
    """Makes an agent whose model yields `OutgoingRequest` instead of sending, for dry runs."""

    def find(
        self, excerpt: Excerpt, options: AgentOptions, *, k: int = 5, before: int | str | None = None, source: str = ""
    ) -> Task[Attribution]:
        """The paper the agent selects, the offline candidates behind it; the offline ranking is said first.

        Where the agent fails, or selects nothing, it is the offline answer, and a notice says why. Each step is said
        as `AgentStepped` once it is stored. Of several runs the answer is the paper that most of them select.

        Raises:
            UsageError: no model is set, the excerpt or `before` makes no sense, or several runs are to be alike.
        """
        bounds = read_bounds(before, source, self.records, self.titles)
        # First, and not only when the agent fails: it is there to be read while the agent works, which takes minutes.
        proposed = yield from self.attributor().attribute(excerpt, k=max(k, MAX_OFFLINE_CANDIDATES), bounds=bounds)
        offline = replace(proposed, candidates=proposed.candidates[:k])
        try:
            agent = self.build_agent(options)
        except ModelError as error:
            return _offline_with_notice(offline, str(error), error.failed_at)
        used = agent.options
        request = TrajectoryRequest(
            text=excerpt.text,
            chosen=excerpt.chosen,
            claim=excerpt.claim,
            bounds=bounds,
            model=agent.model,
            host=agent.host,
            most=used.max_actions,
            online=used.online,
            example=used.example,
            commands=used.commands,
            temperature=used.temperature,
            runs=used.runs,
        )
        trajectory = self.store.open(self.store.begin(request))
        if used.runs > 1:
            return (yield from self._vote(agent, trajectory, excerpt, offline, proposed.candidates))
        return (yield from self._run(agent, trajectory, excerpt, offline, proposed.candidates))

    def resume(self, trajectory_id: str, options: AgentOptions, *, k: int = 5) -> Task[Attribution]:
        """A search that was stopped, or whose model failed, continues after its last step; one at its end is replayed.

        Of a vote every run that is not at its end continues, or begins. Of `options` only `online` and `cached` hold:
        everything else is as it was begun.

        Raises:
            UnknownTrajectory: there is none with this id.
            UsageError: no model is set.
            LibraryError: another litterm is at it.
        """
        trajectory = self.store.open(trajectory_id)
        excerpt = self._excerpt(trajectory.request)
        bounds = trajectory.request.bounds
        used = trajectory.request.apply(options)
        if used.runs > 1 and all(map(_is_final, self._members(trajectory))):
            return (yield from self.replay(self._first_run(trajectory).id, k=k))
        if used.runs == 1 and _is_final(trajectory):
            return (yield from self.replay(trajectory_id, k=k))
        proposed = yield from self.attributor().attribute(excerpt, k=max(k, MAX_OFFLINE_CANDIDATES), bounds=bounds)
        offline = replace(proposed, candidates=proposed.candidates[:k])
        try:
            agent = self.build_agent(used)
        except ModelError as error:
            return _offline_with_notice(offline, str(error), error.failed_at)
        if used.runs > 1:
            first = self._first_run(trajectory)
            return (yield from self._vote(agent, first, excerpt, offline, proposed.candidates))
        return (yield from self._run(agent, trajectory, excerpt, offline, proposed.candidates))

    def replay(self, trajectory_id: str, *, k: int = 5) -> Task[Attribution]:
        """A saved search and its answer, without asking a model. The offline candidates are computed anew.

        The id of the first run of a vote, and `last`, name the vote; the id of another run names that run alone.

        Raises:
            UnknownTrajectory: there is none with this id.
        """
        runs = self.open_runs(trajectory_id)
        offline = yield from self.attributor().attribute(
            self._excerpt(runs[0].request), k=k, bounds=runs[0].request.bounds
        )
        if len(runs) == 1 and runs[0].request.run > 1:
            return self._answer(offline, runs[0])
        return self._answer_of(offline, runs)

    def open_runs(self, trajectory_id: str) -> tuple[Trajectory, ...]:
        """What `replay` shows: the runs of a vote in their order, or one search.

        Raises:
            UnknownTrajectory: there is none with this id.
        """
        trajectory = self.store.open(trajectory_id)
        is_vote = not trajectory.request.vote or trajectory_id.strip().lower() == LAST
        return self._members(trajectory) if is_vote else (trajectory,)

    def open(self, trajectory_id: str) -> Trajectory:
        """A search as it is kept; `last` is the newest.

        Raises:
            UnknownTrajectory: there is none with this id.
        """
        return self.store.open(trajectory_id)

    def all(self) -> tuple[Trajectory, ...]:
        """Every search that is kept, the newest first."""
        return self.store.all()

    def estimate(
        self, excerpt: Excerpt, options: AgentOptions, *, before: int | str | None = None, source: str = ""
    ) -> CostEstimate:
        """What `find` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return self.build_agent(options).estimate(excerpt, read_bounds(before, source, self.records, self.titles))

    def preview(
        self, excerpt: Excerpt, options: AgentOptions, *, before: int | str | None = None, source: str = ""
    ) -> Task[tuple[str, ...]]:
        """The first request `find` would send, to the letter; all later ones depend on the replies.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        bounds = read_bounds(before, source, self.records, self.titles)
        agent = self.build_dry_run(options)
        offline = yield from self.attributor().attribute(excerpt, k=MAX_OFFLINE_CANDIDATES, bounds=bounds)
        return (yield from collect_outgoing(agent.run(excerpt, bounds, candidates=offline.candidates)))

    def _members(self, trajectory: Trajectory) -> tuple[Trajectory, ...]:
        return self.store.vote_of(trajectory)

    def _first_run(self, trajectory: Trajectory) -> Trajectory:
        return self._members(trajectory)[0]

    def _vote(
        self,
        agent: CitationAgent,
        first: Trajectory,
        excerpt: Excerpt,
        offline: Attribution,
        candidates: Sequence[Candidate],
    ) -> Task[Attribution]:
        """Every run of a vote that is not at its end, and what most of them say."""
        lease = self.store.lease(first.id, vote=True)
        if lease is None:
            raise LibraryError(f"Another litterm is working on the vote {first.id}; `--replay {first.id}` shows it.")
        try:
            known = {member.request.run: member for member in self._members(first)}
            for run in range(1, agent.options.runs + 1):
                trajectory = known.get(run)
                if trajectory is None:
                    trajectory = self.store.open(self.store.begin(replace(first.request, run=run, vote=first.id)))
                if _is_final(trajectory):
                    continue
                yield from self._run(agent.for_run(run), trajectory, excerpt, offline, candidates)
                if not _is_final(self.store.open(trajectory.id)):
                    # Whatever has stopped the model stops the next run, too.
                    break
        finally:
            lease.release()
        return self._answer_of(offline, self._members(first))

    def _run(
        self,
        agent: CitationAgent,
        trajectory: Trajectory,
        excerpt: Excerpt,
        offline: Attribution,
        candidates: Sequence[Candidate],
    ) -> Task[Attribution]:
        lease = self.store.lease(trajectory.id)
        if lease is None:
            raise LibraryError(
                f"Another litterm is working on the trajectory {trajectory.id}; `--replay {trajectory.id}` shows it."
            )
        choice = AgentChoice("stopped", why="You stopped it.")
        try:
            choice = yield from self._store_steps(trajectory.id, agent, excerpt, trajectory, candidates)
        finally:
            # Also when the task is closed: what was done so far is reported and can be continued.
            self.store.end(trajectory.id, choice)
            lease.release()
        return self._answer(offline, self.store.open(trajectory.id))

    def _store_steps(
        self,
        trajectory_id: TrajectoryId,
        agent: CitationAgent,
        excerpt: Excerpt,
        trajectory: Trajectory,
        candidates: Sequence[Candidate],
    ) -> Task[AgentChoice]:
        """The agent's run, each step stored before it is said."""
        task = agent.run(excerpt, trajectory.request.bounds, trajectory.steps, candidates)
        try:
            while True:
                event = next(task)
                if isinstance(event, AgentStepped):
                    self.store.put(trajectory_id, event.step)
                yield event
        except StopIteration as end:
            choice: AgentChoice = end.value
            return choice
        finally:
            task.close()

    def _excerpt(self, request: TrajectoryRequest) -> Excerpt:
        """The excerpt as it was read then."""
        # Stored is the mark's place in the text, while the reader takes its rank by preference: try each rank.
        excerpt = read_excerpt(request.text)
        for mark in range(1, len(excerpt.marks)):
            if excerpt.chosen == request.chosen:
                break
            excerpt = read_excerpt(request.text, mark)
        # The user may have chosen another stretch than the one that reading gives.
        if excerpt.claim == request.claim:
            return excerpt
        mark = next(
            number
            for number in range(max(1, len(excerpt.marks)))
            if read_excerpt(request.text, number).chosen == excerpt.chosen
        )
        return read_excerpt(request.text, mark, request.claim)

    def _answer_of(self, offline: Attribution, runs: Sequence[Trajectory]) -> Attribution:
        """The answer of one search, or of a vote."""
        if runs[0].request.runs == 1:
            return self._answer(offline, runs[0])
        finished = [trajectory for trajectory in runs if _is_final(trajectory)]
        votes, most = count_votes(finished), runs[0].request.runs
        unfinished = next((trajectory for trajectory in runs if not _is_final(trajectory)), None)
        why = "" if unfinished is None else f" {unfinished.choice.why or 'The search was killed.'}"
        notices = [describe_vote(vote, most) for vote in votes[1:] if vote.paper is None]
        if len(finished) < most:
            notices.insert(
                0, f"{len(finished)} of {most} runs have come to an end; `--resume {runs[0].id}` continues.{why}"
            )
        first = votes[0] if votes else None
        trajectory = runs[0] if first is None else next(member for member in runs if member.id == first.runs[0])
        if first is None:
            answer = _offline_with_notice(replace(offline, steps=trajectory.steps), "no run has come to an end.")
        elif first.paper is None:
            answer = _offline_with_notice(replace(offline, steps=trajectory.steps), describe_vote(first, most))
        else:
            answer = self._answer(offline, trajectory)
            candidates = rank_by_votes(answer, votes, most)
            answer = replace(
                answer,
                candidates=candidates[: max(len(offline.candidates), 1)],
                verdict="found" if has_majority(votes, most) else "unsure",
            )
        return replace(answer, trajectory=runs[0].id, votes=votes, notices=(*notices, *answer.notices))

    def _answer(self, offline: Attribution, trajectory: Trajectory) -> Attribution:
        """The paper selected before the offline candidates; the offline answer with a notice where there is none."""
        choice = trajectory.choice
        # An empty reason: the process was killed before it could write an end.
        answer = replace(offline, steps=trajectory.steps, trajectory=trajectory.id)
        if choice.paper is None:
            if choice.ended == "none":
                return replace(answer, notices=(f"{choice.why} This is the offline ranking.", *answer.notices))
            return _offline_with_notice(answer, choice.why or "The search was killed.")
        paper = choice.paper if choice.service else self._current_record(choice.paper)
        other_candidates = [candidate for candidate in offline.candidates if candidate.paper.id != paper.id]
        before = next((candidate for candidate in offline.candidates if candidate.paper.id == paper.id), None)
        first = before or Candidate(1, paper, 0.0)
        reason = f"chosen by {trajectory.request.model}" + (f": {choice.why}" if choice.why else "")
        found_in = (f"found in {choice.service}; not in your library",) if choice.service else ()
        first = replace(
            first, rank=1, support=choice.support or first.support, confidence=None, why=(reason, *found_in, *first.why)
        )
        ranked = (first, *(replace(other, rank=rank) for rank, other in enumerate(other_candidates, 2)))
        k = max(len(offline.candidates), 1)
        return replace(
            answer,
            by=f"agent · {trajectory.request.model}",
            candidates=ranked[:k],
            verdict="found",
            confidence=None,
            online_query="",
        )

    def _current_record(self, paper: Paper) -> Paper:
        """The library's record of today; as it was then where the paper is gone."""
        try:
            return self.records.by_id([paper.id])[0]
        except UnknownPaper:
            return paper


def _is_final(trajectory: Trajectory) -> bool:
    return trajectory.choice.ended in _FINAL_REASONS


def _offline_with_notice(
    offline: Attribution, reason: str, failed_at: str = "The model selected no paper"
) -> Attribution:
    notice = f"{failed_at}, so this is the offline ranking: {reason}"
    return replace(offline, notices=(notice, *offline.notices))
