"""The seams of the agent that looks for a cited paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces.annotations import Lease
    from litterm.model.agent import AgentChoice, AgentStep
    from litterm.model.citation import Bounds, Excerpt
    from litterm.model.graph import Direction, ExternalList
    from litterm.model.library import Parsed
    from litterm.model.llm import Estimate
    from litterm.model.paper import Paper, PaperId
    from litterm.model.services import Obtained
    from litterm.model.trajectory import Trajectory, TrajectoryId, TrajectoryRequest


class Elsewhere(Protocol):
    """Services of papers, where the user allows them."""

    def find(self, name: str, query: str, *, limit: int = 20) -> Task[tuple[Parsed, ...]]:
        """Live search in the service `name`.

        Raises:
            SourceError: it could not be asked.
            Offline: the network is switched off.
        """
        ...

    def fetch(self, ids: Sequence[PaperId]) -> Task[tuple[Obtained, ...]]:
        """The full texts of papers of the library, stored; one result a paper.

        Raises:
            Offline: the network is switched off.
        """
        ...

    def listed(self, paper: Paper, direction: Direction, *, limit: int = 500) -> Task[ExternalList]:
        """What `paper` cites, or what cites it, from the first service that knows.

        Raises:
            SourceError: none knows, or none could be asked.
            Offline: the network is switched off.
        """
        ...


class CitationAgent(Protocol):
    """A model that searches, reads and selects; one run, whose caps count over all its calls."""

    @property
    def name(self) -> str:
        """As in `Attribution.by`: `agent · MODEL`."""
        ...

    @property
    def model(self) -> str:
        """The model, as in the settings."""
        ...

    @property
    def host(self) -> str:
        """Where it is asked."""
        ...

    def pursue(self, excerpt: Excerpt, bounds: Bounds, steps: Sequence[AgentStep] = ()) -> Task[AgentChoice]:
        """Goes on behind `steps` until a paper is selected or nothing more can be done; never raises `ModelError`.

        Yields `Stepped` for each further step.
        """
        ...

    def estimate(self, excerpt: Excerpt, bounds: Bounds) -> Estimate:
        """What `pursue` would cost at most; sends nothing."""
        ...

    def support(self, excerpt: Excerpt, paper: Paper) -> str:
        """The sentence of `paper` nearest to the excerpt; empty if there is none."""
        ...


class TrajectoryStore(Protocol):
    """Trajectories on disk; every line is durable when its call returns."""

    def begin(self, request: TrajectoryRequest) -> TrajectoryId:
        """A new trajectory without steps."""
        ...

    def all(self) -> tuple[Trajectory, ...]:
        """Every trajectory, the newest first."""
        ...

    def open(self, trajectory_id: str) -> Trajectory:
        """The trajectory as it is now, by its id or its beginning; `last` is the newest.

        Raises:
            UnknownTrajectory: there is none, or there are several.
        """
        ...

    def lease(self, trajectory_id: TrajectoryId) -> Lease | None:
        """The right to go on with it; `None` while somebody else has it."""
        ...

    def put(self, trajectory_id: TrajectoryId, step: AgentStep) -> None:
        """One more step."""
        ...

    def end(self, trajectory_id: TrajectoryId, choice: AgentChoice) -> None:
        """How it has ended, for now."""
        ...
