"""Interface of a second ranking by a language or embedding model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.llm import CostEstimate
    from litterm.model.search import Ranking


class RankJudge(Protocol):
    """A model that orders a ranking; one run, whose caps count over all calls."""

    def rank(self, ranking: Ranking) -> Task[Ranking]:
        """`ranking` in the model's order, every paper kept; where it fails the local order, and a notice says so."""
        ...

    def estimate(self, ranking: Ranking) -> CostEstimate:
        """What `rank` would cost at most; sends nothing."""
        ...
