"""Interfaces of models: a language model at an endpoint, and larger models that turn texts into vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.core.errors import ModelError
    from litterm.core.tasks import Task
    from litterm.model.events import Event
    from litterm.model.llm import CostEstimate, ModelCost, ModelReply, ModelRequest, Question, StructuredReply

    Vector: TypeAlias = "npt.NDArray[np.float32]"
    """One row or one number a row; cosines are in [-1, 1]."""

T = TypeVar("T")


class ChatModel(Protocol):
    """A model at an endpoint, for everything in litterm that asks one; safe from any thread.

    Every task yields at least every 100 ms while it waits (`Notice("")` when there is nothing to say),
    `WaitingForServer` while the server asked to wait, `CostUpdate` after each paid call; closing it closes its
    connections. Every task raises `ModelError`, whose kinds are in `errors`: whoever asks falls back to what needs no
    model, and says so.
    """

    @property
    def name(self) -> str:
        """The model, as in the settings."""
        ...

    @property
    def host(self) -> str:
        """Where it is asked: host and, unless usual, port; for the screen."""
        ...

    @property
    def local(self) -> bool:
        """Whether it runs on this machine, so that nothing leaves it."""
        ...

    def start_run(self, *, fresh: bool = False) -> ChatModel:
        """Starts a new run of the same model: caps per run and the guard against loops count from zero.

        With `fresh` replies kept from earlier do not answer; new ones are kept all the same.
        """
        ...

    def start_item(self) -> ChatModel:
        """Continues the run with the next of many items, such as the papers of a matrix.

        Caps continue counting, the guard against loops counts from zero: papers share sentences, and asking about
        each is no loop.
        """
        ...

    def ask(self, request: ModelRequest, *, stream: bool = False) -> Task[ModelReply]:
        """The model's next turn: text, calls of tools, or both; with `stream` yields `ReplyPiece` as it is written.

        Raises:
            ModelError: there is none.
        """
        ...

    def answer(self, question: Question[T]) -> Task[StructuredReply[T]]:
        """A reply of the form asked for, in the strictest way the server knows, repaired at most once.

        Raises:
            ModelError: there is none, or it does not fit.
        """
        ...

    def answer_all(
        self,
        questions: Sequence[Question[T]],
        on_reply: Callable[[int, StructuredReply[T] | ModelError], Iterable[Event]] = ...,
    ) -> Task[tuple[StructuredReply[T] | ModelError, ...]]:
        """Several at the same time, as many as the settings allow, those alike once; the outcome of each, in order.

        As each arrives, `on_reply` is called in the thread of the task, with its position; the events it gives are
        yielded. Trouble with one does not end the others; a cap that is reached ends each that was not yet sent.
        """
        ...

    def estimate(self, requests: Sequence[ModelRequest | Question[object]]) -> CostEstimate:
        """What asking all this would cost at most; quick, sends nothing."""
        ...

    def total_cost(self) -> ModelCost:
        """The cost of all model calls of this process so far."""
        ...


class TextEmbedder(Protocol):
    """Texts to vectors by a larger model, slowly: only the first papers of a ranking are put in order by it."""

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
