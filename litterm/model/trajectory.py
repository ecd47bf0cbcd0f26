"""One search of an agent for a cited paper, as it is kept: what was asked, every step, and the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NewType

from litterm.model.agent import AgentChoice, AgentStep
from litterm.model.llm import Spent, spent_together

if TYPE_CHECKING:
    from litterm.model.citation import CandidateBounds
    from litterm.model.document import Span

TrajectoryId = NewType("TrajectoryId", str)
"""Sorts by the time it was begun."""


@dataclass(frozen=True, slots=True)
class TrajectoryRequest:
    """Which excerpt an agent was asked about, and how it was to search."""

    text: str
    """Of the excerpt."""
    chosen: int
    """Index of the mark that is meant, in reading order; -1: the end of the text."""
    claim: Span
    """The stretch that the mark stands for."""
    bounds: CandidateBounds
    model: str
    host: str
    most: int
    online: bool


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A search as it is now; immutable."""

    id: TrajectoryId
    begun_at: str
    """UTC, ISO 8601."""
    request: TrajectoryRequest
    steps: tuple[AgentStep, ...] = ()
    choice: AgentChoice = field(default=AgentChoice(""))
    """With an empty `ended` while it runs, and where it was killed."""

    @property
    def spent(self) -> Spent:
        """What all its steps have cost."""
        return spent_together(step.spent for step in self.steps)
