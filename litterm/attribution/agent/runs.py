"""The verb *cite* with a language model that searches and reads: its cost, its run, kept step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from litterm.attribution.cite import ExcerptReader, read_bounds
from litterm.core.errors import LibraryError, ModelError, UnknownPaper
from litterm.core.tasks import Task, outgoing
from litterm.interfaces import Attributor, Records, TitleLookup
from litterm.model.agent import AgentChoice, AgentUse
from litterm.model.citation import Attribution, Candidate, Excerpt
from litterm.model.events import AgentStepped
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper
from litterm.model.trajectory import Trajectory, TrajectoryId, TrajectoryRequest

if TYPE_CHECKING:
    from litterm.attribution.agent.agent import CitingAgent
    from litterm.attribution.agent.storage import FileTrajectories


_FINAL = ("selected", "none", "unselected", "circles", "searches")
"""Ends after which there is nothing to go on with; trouble of the model may have passed."""


class AgentFactory(Protocol):
    """Makes an agent with a run of its own."""

    def __call__(self, use: AgentUse) -> CitingAgent:
        """Raises `UsageError` where no model is set, `ModelError` where the one that is set cannot be asked."""
        ...


@dataclass(frozen=True, slots=True)
class AgentAttribution:
    """Citations by an agent; every call is a run of its own, with its own cap. Safe from any thread."""

    records: Records
    titles: Callable[[], TitleLookup]
    read: ExcerptReader
    attributor: Callable[[], Attributor]
    store: FileTrajectories
    agent: AgentFactory
    rehearse: AgentFactory
    """The same, that says `Outgoing` instead of sending."""

    def find(
        self, excerpt: Excerpt, use: AgentUse, *, k: int = 5, before: int | str | None = None, source: str = ""
    ) -> Task[Attribution]:
        """The paper the agent selects, the offline candidates behind it; the offline ranking is said first.

        Where the agent fails, or selects nothing, it is the offline answer, and a notice says why. Each step is said
        as `AgentStepped` once it is stored.

        Raises:
            UsageError: no model is set, or the excerpt or `before` makes no sense.
        """
        bounds = read_bounds(before, source, self.records, self.titles)
        offline = yield from self.attributor().attribute(excerpt, k=k, bounds=bounds)
        try:
            agent = self.agent(use)
        except ModelError as error:
            return _fallen_back(offline, str(error))
        claim = excerpt.claim
        asked = TrajectoryRequest(
            excerpt.text, excerpt.chosen, claim, bounds, agent.model, agent.host, use.most, use.online
        )
        return (yield from self._run(agent, self.store.open(self.store.begin(asked)), excerpt, offline))

    def resume(self, trajectory_id: str, use: AgentUse, *, k: int = 5) -> Task[Attribution]:
        """A search that was stopped, or whose model failed, goes on behind its last step; one at its end is replayed.

        Raises:
            UnknownTrajectory: there is none with this id.
            UsageError: no model is set.
            LibraryError: another litterm is at it.
        """
        kept = self.store.open(trajectory_id)
        if kept.choice.ended in _FINAL:
            return (yield from self.replay(trajectory_id, k=k))
        excerpt = self._excerpt(kept.request)
        offline = yield from self.attributor().attribute(excerpt, k=k, bounds=kept.request.bounds)
        try:
            agent = self.agent(replace(use, most=kept.request.most))
        except ModelError as error:
            return _fallen_back(offline, str(error))
        return (yield from self._run(agent, kept, excerpt, offline))

    def replay(self, trajectory_id: str, *, k: int = 5) -> Task[Attribution]:
        """A search as it was, and its answer; asks nobody. The offline candidates are those of today.

        Raises:
            UnknownTrajectory: there is none with this id.
        """
        kept = self.store.open(trajectory_id)
        offline = yield from self.attributor().attribute(self._excerpt(kept.request), k=k, bounds=kept.request.bounds)
        return self._answer(offline, kept)

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
        self, excerpt: Excerpt, use: AgentUse, *, before: int | str | None = None, source: str = ""
    ) -> CostEstimate:
        """What `find` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return self.agent(use).estimate(excerpt, read_bounds(before, source, self.records, self.titles))

    def preview(
        self, excerpt: Excerpt, use: AgentUse, *, before: int | str | None = None, source: str = ""
    ) -> Task[tuple[str, ...]]:
        """The first request `find` would send, to the letter; all later ones depend on the replies.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        bounds = read_bounds(before, source, self.records, self.titles)
        return (yield from outgoing(self.rehearse(use).pursue(excerpt, bounds)))

    def _run(self, agent: CitingAgent, kept: Trajectory, excerpt: Excerpt, offline: Attribution) -> Task[Attribution]:
        lease = self.store.lease(kept.id)
        if lease is None:
            raise LibraryError(
                f"Another litterm is working on the trajectory {kept.id}; `--replay {kept.id}` shows it."
            )
        choice = AgentChoice("stopped", why="You stopped it.")
        try:
            choice = yield from self._kept(kept.id, agent, excerpt, kept)
        finally:
            # Also when the task is closed: what was done so far is told and can be gone on with.
            self.store.end(kept.id, choice)
            lease.release()
        return self._answer(offline, self.store.open(kept.id))

    def _kept(self, kept_id: TrajectoryId, agent: CitingAgent, excerpt: Excerpt, kept: Trajectory) -> Task[AgentChoice]:
        """The agent's run, each step stored before it is said."""
        task = agent.pursue(excerpt, kept.request.bounds, kept.steps)
        try:
            while True:
                event = next(task)
                if isinstance(event, AgentStepped):
                    self.store.put(kept_id, event.step)
                yield event
        except StopIteration as end:
            choice: AgentChoice = end.value
            return choice
        finally:
            task.close()

    def _excerpt(self, asked: TrajectoryRequest) -> Excerpt:
        """The excerpt as it was read then."""
        read = self.read(asked.text)
        for mark in range(1, len(read.marks)):
            if read.chosen == asked.chosen:
                break
            read = self.read(asked.text, mark)
        if read.claim == asked.claim:
            return read
        mark = next(at for at in range(max(1, len(read.marks))) if self.read(asked.text, at).chosen == read.chosen)
        return self.read(asked.text, mark, asked.claim)

    def _answer(self, offline: Attribution, kept: Trajectory) -> Attribution:
        """The paper selected before the offline candidates; the offline answer with a notice where there is none."""
        choice = kept.choice
        told = replace(offline, steps=kept.steps, trajectory=kept.id)
        if choice.paper is None:
            return _fallen_back(told, choice.why or "The search was killed.")
        paper = choice.paper if choice.where else self._now(choice.paper)
        others = [candidate for candidate in offline.candidates if candidate.paper.id != paper.id]
        before = next((candidate for candidate in offline.candidates if candidate.paper.id == paper.id), None)
        first = before or Candidate(1, paper, 0.0)
        why = f"chosen by {kept.request.model}" + (f": {choice.why}" if choice.why else "")
        found_in = (f"found in {choice.where}; not in your library",) if choice.where else ()
        first = replace(
            first, rank=1, support=choice.support or first.support, confidence=None, why=(why, *found_in, *first.why)
        )
        ranked = (first, *(replace(other, rank=rank) for rank, other in enumerate(others, 2)))
        k = max(len(offline.candidates), 1)
        return replace(
            told,
            by=f"agent · {kept.request.model}",
            candidates=ranked[:k],
            verdict="found",
            confidence=None,
            online_query="",
        )

    def _now(self, paper: Paper) -> Paper:
        """The library's record of today; as it was then where the paper is gone."""
        try:
            return self.records.by_id([paper.id])[0]
        except UnknownPaper:
            return paper


def _fallen_back(offline: Attribution, why: str) -> Attribution:
    notice = f"The model gave no answer, so this is the offline ranking: {why}"
    return replace(offline, notices=(notice, *offline.notices))
