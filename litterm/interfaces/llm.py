"""The interface of larger models that turn texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.core.tasks import Task
    from litterm.model.llm import CostEstimate

    Vector: TypeAlias = "npt.NDArray[np.float32]"
    """One row or one number a row; cosines are in [-1, 1]."""


class TextEmbedder(Protocol):
    """Texts to vectors by a larger model, slowly: only the first papers of a ranking are put in order by it.

    `SentenceEncoder` on this machine, `EndpointEmbedder` at an endpoint.
    """

    name: str
    """Model and where it runs, for the screen and for the cache."""

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "paper"]) -> Task[Vector]:
        """Float32 `[len(texts), dims]`, one unit vector a text, in order; what was embedded before is not again.

        Yields at least every 100 ms while it waits.

        Raises:
            ModelError: there is no answer; the ranking stays as it was.
        """
        ...

    def estimate(self, texts: Sequence[str]) -> CostEstimate:
        """What embedding `texts` would cost at most; sends nothing."""
        ...
