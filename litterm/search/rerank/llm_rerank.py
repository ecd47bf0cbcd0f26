"""Reranks a ranking with a language model: the local order first, then window by window the model's in its place.

All candidates stand in one window where the model can read that many at once; else a window slides from the end of
the list to its top, each half over the next, so that the best of all rise to the first place (RankGPT). A window that
is too long for the model is halved. Whatever fails leaves the order as it is there, and is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from litterm.core.errors import CapReached, ContextOverflow, DryRun, ModelError, ModelGone, RepeatedRequest, ReplyCut
from litterm.model.events import Progress, ProvisionalRanking
from litterm.model.search import RerankOptions
from litterm.search.rerank.listwise import about_papers

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import ChatModel
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import PaperId
    from litterm.model.search import Ranking

WINDOW_HERE = 20
"""Papers at once for a model on this machine: about 8,000 tokens."""
SMALLEST = 4
_AS_USUAL = RerankOptions()
# With these the next window would fail in the same way, perhaps after a long wait.
_HOPELESS = (ModelGone, RepeatedRequest, CapReached)
_TOO_LONG = (ContextOverflow, ReplyCut)


class JudgedRanker:
    """Asks a model for the order of a ranking; fits `interfaces.Reranker`."""

    def __init__(self, model: ChatModel, use: RerankOptions = _AS_USUAL) -> None:
        """`model` has begun its run: its caps count over everything asked through it."""
        self._model = model
        self._use = use
        self.name = f"listwise · {model.name}"

    def rank(self, ranking: Ranking) -> Task[Ranking]:
        """`ranking` with its first papers in the model's order; `ProvisionalRanking` after each window.

        Where the model cannot be asked at all it is `ranking` itself, with a notice; `by` tells which.
        """
        most = min(self._use.most, len(ranking.papers))
        if most < 2:
            return ranking
        sliding = _SlidingWindow(self._model, ranking, list(range(most)), self._window(most))
        total = len(list(spans(most, sliding.window)))
        try:
            while sliding.end > 0:
                yield Progress(
                    f"{self._model.name} ranks {most} papers", sliding.answered + sliding.failed, max(total, 1)
                )
                yield from sliding.step()
                total = sliding.answered + sliding.failed + len(list(spans(sliding.end, sliding.window)))
                if sliding.answered:
                    yield ProvisionalRanking(self._ranked(sliding, ()))
        except _HOPELESS as error:
            sliding.why = str(error)
        if not sliding.answered:
            notice = f"The model could not be asked, so this is the offline order: {sliding.why}"
            return replace(ranking, notices=(*ranking.notices, notice))
        return self._ranked(sliding, tuple(self._notices(sliding)))

    def estimate(self, ranking: Ranking) -> CostEstimate:
        """What `rank` would cost at most; sends nothing."""
        most = min(self._use.most, len(ranking.papers))
        papers = [paper.paper for paper in ranking.papers[:most]]
        windows = spans(most, self._window(most)) if most > 1 else ()
        return self._model.estimate([about_papers(ranking.query, papers[start:end]) for start, end in windows])

    def _window(self, most: int) -> int:
        window = self._use.window or (WINDOW_HERE if self._model.local else most)
        return max(2, min(window, most))

    def _ranked(self, sliding: _SlidingWindow, notices: tuple[str, ...]) -> Ranking:
        before = sliding.ranking.papers
        shown = [
            replace(
                before[place],
                rank=rank,
                score=None,
                by=self.name,
                local_rank=before[place].rank,
                reason=sliding.reasons.get(before[place].paper.id, ""),
            )
            for rank, place in enumerate(sliding.order, 1)
        ]
        rest = before[len(sliding.order) :]
        return replace(
            sliding.ranking,
            papers=(*shown, *rest),
            by=self.name,
            notices=(*sliding.ranking.notices, *notices),
        )

    def _notices(self, sliding: _SlidingWindow) -> Iterator[str]:
        if sliding.failed or sliding.end > 0:
            parts = f"{sliding.answered} of {sliding.total} parts of the list"
            yield f"{parts} were ranked by the model, the others keep their order: {sliding.why}"
        moved = sum(place != rank for rank, place in enumerate(sliding.order))
        yield f"{self._model.name} was shown the first {len(sliding.order)}; {moved} of them moved."


@dataclass(slots=True)
class _SlidingWindow:
    """The order as far as the model has given it, and the window that is next."""

    model: ChatModel
    ranking: Ranking
    order: list[int]
    """Places in the local order, from 0."""
    window: int
    end: int = -1
    """The window under work ends before this place of `order`; 0 when all is done."""
    answered: int = 0
    failed: int = 0
    why: str = ""
    reasons: dict[PaperId, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.end = len(self.order)

    @property
    def total(self) -> int:
        """Windows, those still to come included."""
        return self.answered + self.failed + len(list(spans(self.end, self.window)))

    def step(self) -> Task[None]:
        """One window asked about, or halved because the model cannot read it.

        Raises:
            ModelError: asking about another window is no use either.
        """
        start = max(0, self.end - self.window)
        shown = self.order[start : self.end]
        papers = [self.ranking.papers[place].paper for place in shown]
        try:
            answer = yield from self.model.answer(about_papers(self.ranking.query, papers))
        except _TOO_LONG as error:
            if self.window <= SMALLEST:
                self._fail(error)
            else:
                # The end stays: the same papers are asked about again, in smaller portions.
                self.window = max(SMALLEST, self.window // 2)
            return
        except _HOPELESS:
            raise
        except ModelError as error:
            self._fail(error)
            return
        # The window overlaps the next one: its best papers go on towards the top of the list.
        self.order[start : self.end] = [shown[number - 1] for number in answer.value.numbers]
        for number, reason in answer.value.reasons.items():
            self.reasons[papers[number - 1].id] = reason
        self.answered += 1
        self._advance()

    # Nothing failed in a dry run; its one sentence comes from the error that ends it.
    def _fail(self, error: ModelError) -> None:
        if not isinstance(error, DryRun):
            self.why = str(error)
        self.failed += 1
        self._advance()

    def _advance(self) -> None:
        self.end = next_end(self.end, self.window)


def spans(end: int, window: int) -> Iterator[tuple[int, int]]:
    """Windows of a list from its end to its top, half-open; each half over the next."""
    while end > 0:
        yield max(0, end - window), end
        end = next_end(end, window)


def next_end(end: int, window: int) -> int:
    """Where the window ends that follows the one ending at `end`; 0 after the last."""
    return 0 if end <= window else end - max(1, window // 2)
