"""Reranks a ranking with a language model, window by window.

All candidates are in one window where the model can read that many, and it names the best 20 of them, while the others
keep their order. Otherwise a window slides from the end of the list
to its top, with half of it overlapping, so that the best papers rise to the top (RankGPT). A window that is too long
for the model is halved. A window that fails keeps its order, with a notice.

The question is that of LitSearch and RankGPT: candidates are numbered from 1, with title and abstract
cut at 300 words. Unknown and repeated numbers are dropped, and missing papers follow in their former order, so that no
reply can lose a paper. A reply can only name numbers; its reasons are shown as the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from litterm.core.errors import CapReached, ContextOverflow, DryRun, ModelError, ModelGone, RepeatedRequest, ReplyCut
from litterm.model.events import Progress, ProvisionalRanking
from litterm.model.llm import ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.model.search import RerankOptions
from litterm.render.names import short_authors, venue_and_year
from litterm.text.llm.prompts import Data, number_lines, prompt
from litterm.text.llm.reply_json import LineShape, ListField, OptionalField, Record, WholeNumber, without_reasoning
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Query, Ranking


LOCAL_MODEL_WINDOW = 20
"""Papers a window for a model on this machine, whose context is mostly small, where not all fit in one."""
LOCAL_MODEL_TOKENS = 6_000
"""Tokens of papers that a model on this machine is shown in one window, however many papers they are."""
MAX_ORDERED = 20
"""Papers of a window that the model puts in order; the others keep theirs behind them."""
_CHARS_PER_TOKEN = 4
MIN_WINDOW = 4
_DEFAULT_OPTIONS = RerankOptions()
# After these the next window would fail in the same way, perhaps after a long wait.
_FATAL_ERRORS = (ModelGone, RepeatedRequest, CapReached)
_TOO_LONG_ERRORS = (ContextOverflow, ReplyCut)
MAX_REASONS = 5
_MAX_WORDS = 300
_MAX_REASON_CHARS = 200
_MAX_REQUEST_CHARS = 4_000
_BASE_REPLY_TOKENS, _REPLY_TOKENS_PER_PAPER = 2048, 8
_BRACKETED_NUMBER = re.compile(r"\[\s*(\d{1,4})\s*\]")
_NUMBER_LIST = re.compile(r"\d{1,4}(?:\s*(?:>|,|;|\n|≻|->)\s*\d{1,4})+")
_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True)
class PaperOrder:
    """The order that a model gave to the papers of one question."""

    numbers: tuple[int, ...]
    """The number of every paper once, from 1, the best first."""
    reasons: Mapping[int, str]
    """Reasons for some of the best, by number."""


@dataclass(frozen=True, slots=True)
class _Reason:
    number: int
    reason: str


def order_question(query: Query, papers: Sequence[Paper]) -> Question[PaperOrder]:
    """Asks for the order in which `papers` answer `query`."""
    count = len(papers)
    rank_prompt = prompt(
        "rank-papers",
        request=Data("request", (free_text(query) or query.text)[:_MAX_REQUEST_CHARS]),
        papers=Data("papers", number_lines([_paper_text(paper) for paper in papers])),
        count=count,
        best=min(MAX_ORDERED, count),
        reasons=min(MAX_REASONS, count),
    )
    # Room for the numbers of all papers, too: a reply that is cut off has no order.
    max_tokens = _BASE_REPLY_TOKENS + _REPLY_TOKENS_PER_PAPER * count
    form = ReplyForm("order", _order_shape(count), lambda text: _parse_order(text, count))
    return Question(ModelRequest(rank_prompt.purpose, rank_prompt.messages, max_tokens=max_tokens), form)


def complete_order(numbers: Sequence[int], count: int) -> tuple[int, ...]:
    """1..`count` in the order of `numbers`; unknown and repeated numbers are dropped, missing ones appended."""
    valid_numbers = dict.fromkeys(number for number in numbers if 1 <= number <= count)
    return (*valid_numbers, *(number for number in range(1, count + 1) if number not in valid_numbers))


def _paper_text(paper: Paper) -> str:
    byline = ", ".join(filter(None, (short_authors(paper), venue_and_year(paper))))
    head = f"{paper.title} ({byline})" if byline else paper.title
    words = f"{head}. {paper.abstract}".split() if paper.abstract else head.split()
    return " ".join(words[:_MAX_WORDS])


def _order_shape(count: int) -> Record[PaperOrder]:
    number = WholeNumber(1, count)
    reason = Record(_Reason, number=number, reason=LineShape("why", _MAX_REASON_CHARS))

    def order(reasons: tuple[_Reason, ...], order: tuple[int, ...]) -> PaperOrder:
        if not order:
            raise ValueError("the order names no number that was shown.")
        # Reversed, so that of two reasons for one paper the first is kept.
        reason_by_number = {item.number: item.reason for item in reversed(reasons) if item.reason}
        return PaperOrder(complete_order(order, count), reason_by_number)

    return Record(order, reasons=OptionalField(ListField(reason), ()), order=ListField(number))


def _parse_order(text: str, count: int) -> PaperOrder:
    """Parses an order such as `[3] > [1]`, or a list of bare numbers; digits in prose do not count.

    Raises:
        ReplyMismatch: there is no such order.
    """
    bare = without_reasoning(text)[0]
    numbers = tuple(map(int, _BRACKETED_NUMBER.findall(bare))) or tuple(_longest_list(bare))
    if not any(1 <= number <= count for number in numbers):
        raise ReplyMismatch("There is no order of paper numbers in the reply.")
    return PaperOrder(complete_order(numbers, count), {})


def _longest_list(text: str) -> Iterator[int]:
    number_lists = [match[0] for match in _NUMBER_LIST.finditer(text)]
    # A reply that is a single number, or one number a line, is an order, too.
    bare_reply = [text] if not re.search(r"[^\W\d_]", text) else []
    best = max((_NUMBER.findall(piece) for piece in [*number_lists, *bare_reply]), key=len, default=[])
    yield from map(int, best)


class LlmReranker:
    """Reranks by a language model; fits `interfaces.Reranker`."""

    def __init__(self, model: ChatModel, options: RerankOptions = _DEFAULT_OPTIONS) -> None:
        """`model` has an open run, whose caps hold for all windows together."""
        self._model = model
        self._options = options
        self.name = f"listwise · {model.name}"

    def rank(self, ranking: Ranking) -> Task[Ranking]:
        """`ranking` with its first papers in the order of the model; yields `ProvisionalRanking` after each window.

        Where the model cannot be asked at all, `ranking` with a notice; `by` tells the two apart.
        """
        count = min(self._options.max_papers, len(ranking.papers))
        if count < 2:
            return ranking
        sliding = _SlidingWindow(self._model, ranking, list(range(count)), self._window(ranking, count))
        total = len(list(window_spans(count, sliding.window)))
        try:
            while sliding.end > 0:
                yield Progress(
                    f"{self._model.name} ranks {count} papers", sliding.answered + sliding.failed, max(total, 1)
                )
                yield from sliding.rank_window()
                total = sliding.answered + sliding.failed + len(list(window_spans(sliding.end, sliding.window)))
                if sliding.answered:
                    yield ProvisionalRanking(self._rank(sliding, ()))
        except _FATAL_ERRORS as error:
            sliding.failure, sliding.failed_at = str(error), error.failed_at
        if not sliding.answered:
            notice = f"{sliding.failed_at}, so this is the offline order: {sliding.failure}"
            return replace(ranking, notices=(*ranking.notices, notice))
        return self._rank(sliding, tuple(self._notices(sliding)))

    def estimate(self, ranking: Ranking) -> CostEstimate:
        """What `rank` would cost at most; sends nothing."""
        count = min(self._options.max_papers, len(ranking.papers))
        papers = [paper.paper for paper in ranking.papers[:count]]
        windows = window_spans(count, self._window(ranking, count)) if count > 1 else ()
        return self._model.estimate([order_question(ranking.query, papers[start:end]) for start, end in windows])

    def _window(self, ranking: Ranking, count: int) -> int:
        window = self._options.window or count
        if self._model.local and not self._options.window:
            chars = sum(len(_paper_text(ranked.paper)) for ranked in ranking.papers[:count])
            window = count if chars <= LOCAL_MODEL_TOKENS * _CHARS_PER_TOKEN else LOCAL_MODEL_WINDOW
        return max(2, min(window, count))

    def _rank(self, sliding: _SlidingWindow, notices: tuple[str, ...]) -> Ranking:
        papers, first = sliding.ranking.papers, sliding.first_place
        shown = [
            replace(papers[index], rank=rank, local_rank=papers[index].rank)
            if rank <= first
            else replace(
                papers[index],
                rank=rank,
                score=None,
                by=self.name,
                local_rank=papers[index].rank,
                reason=sliding.reasons.get(papers[index].paper.id, ""),
            )
            for rank, index in enumerate(sliding.order, 1)
        ]
        rest = papers[len(sliding.order) :]
        # Stopped halfway, the list is not yet in the order of the model.
        by = f"{sliding.ranking.by}, places {first + 1} to {len(shown)} by {self.name}" if first else self.name
        return replace(sliding.ranking, papers=(*shown, *rest), by=by, notices=(*sliding.ranking.notices, *notices))

    def _notices(self, sliding: _SlidingWindow) -> Iterator[str]:
        if sliding.failed or sliding.end > 0:
            parts = f"{sliding.answered} of {sliding.total} parts of the list"
            yield f"{parts} were ranked by the model, the others keep their order: {sliding.failure}"
        moved = sum(index != rank for rank, index in enumerate(sliding.order))
        yield f"{self._model.name} was shown the first {len(sliding.order)}; {moved} of them moved."


@dataclass(slots=True)
class _SlidingWindow:
    """The current order and the next window."""

    model: ChatModel
    ranking: Ranking
    order: list[int]
    """Indices into the local ranking."""
    window: int
    end: int = -1
    """Where the next window of `order` ends, exclusive; 0 when all windows are done."""
    answered: int = 0
    failed: int = 0
    first_place: int = 0
    """The first place of the order that a window has put in order; those before it are still as they were."""
    failure: str = ""
    failed_at: str = ModelError.failed_at
    reasons: dict[PaperId, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.end = self.first_place = len(self.order)

    @property
    def total(self) -> int:
        """Number of windows, including those still to come."""
        return self.answered + self.failed + len(list(window_spans(self.end, self.window)))

    def rank_window(self) -> Task[None]:
        """Asks about one window, or halves it where the model cannot read it.

        Raises:
            ModelError: other windows would fail, too.
        """
        start = max(0, self.end - self.window)
        shown = self.order[start : self.end]
        papers = [self.ranking.papers[index].paper for index in shown]
        try:
            answer = yield from self.model.answer(order_question(self.ranking.query, papers))
        except _TOO_LONG_ERRORS as error:
            if self.window <= MIN_WINDOW:
                self._fail(error)
            else:
                # The end stays: the same papers are asked about again, in smaller windows.
                self.window = max(MIN_WINDOW, self.window // 2)
            return
        except _FATAL_ERRORS:
            raise
        except ModelError as error:
            self._fail(error)
            return
        # The next window overlaps this one, so that its best papers move on towards the top.
        self.order[start : self.end] = [shown[number - 1] for number in answer.value.numbers]
        for number, reason in answer.value.reasons.items():
            self.reasons[papers[number - 1].id] = reason
        self.answered += 1
        self.first_place = start
        self._advance()

    def _fail(self, error: ModelError) -> None:
        # A dry run ends with an error, but nothing has failed.
        if not isinstance(error, DryRun):
            self.failure, self.failed_at = str(error), error.failed_at
        self.failed += 1
        self._advance()

    def _advance(self) -> None:
        self.end = next_window_end(self.end, self.window)


def window_spans(end: int, window: int) -> Iterator[tuple[int, int]]:
    """Half-open windows of a list from its end to its top, each overlapping the next by half."""
    while end > 0:
        yield max(0, end - window), end
        end = next_window_end(end, window)


def next_window_end(end: int, window: int) -> int:
    """The end of the window after the one that ends at `end`; 0 after the last."""
    return 0 if end <= window else end - max(1, window // 2)
