"""Makes a test set: draws citing paragraphs, keeps what passes the published rules, and has a model write if asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from litterm.core.errors import UsageError
from litterm.core.tasks import as_one_step, collect_outgoing
from litterm.model.citations.graph import ReferenceListHead
from litterm.model.events import Progress
from litterm.model.test_sets import CitingPassage, SearchQuestion, SetCounts, SetItem, SetRequest
from litterm.test_sets.excerpts import excerpt_of, single_candidates
from litterm.test_sets.hypotheses import hypotheses_of
from litterm.test_sets.lists import queried_list
from litterm.test_sets.questions import candidate_groups, question_of
from litterm.test_sets.sub_queries import sub_queries_of

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import PaperId
    from litterm.reading_lists.expert_lists import ExpertLists
    from litterm.test_sets.llm_writers import ModelWriter
    from litterm.test_sets.passages import CitingPassages
    from litterm.test_sets.sub_queries import PoolSearch

Outcome: TypeAlias = "SetItem | str"
"""An item, or the reason why there is none."""
MAX_ITEMS_PER_PAPER = 5
"""Of one citing paper: its questions are alike, and many of them would say little about the library."""
MAX_ASKED_PER_ITEM = 2
"""Paragraphs that a model is asked about for each item wanted: of LitSearch's a quarter to a half gave a question."""
_ASKED_AT_A_TIME = 16


@dataclass(frozen=True, slots=True)
class SetMaker:
    """Makes test sets from the user's own library; thread-safe."""

    passages: CitingPassages
    expert_lists: ExpertLists
    pools: PoolSearch
    open_writer: Callable[[SetRequest], ModelWriter]
    """The model as the writer of one kind; raises `UsageError` or `ModelError` where there is none."""
    open_dry_run: Callable[[SetRequest], ModelWriter]
    """The same, but yields `OutgoingRequest` instead of sending."""

    def make(
        self, request: SetRequest, on_item: Callable[[SetItem], None], *, with_model: bool = False
    ) -> Task[SetCounts]:
        """Makes the items of `request` that are not done, and gives each to `on_item` as soon as it is made.

        Raises:
            UsageError: no model is set, or it has no part in this kind.
            ModelError: it cannot be asked.
        """
        writer = self.open_writer(request) if with_model else self.pools if request.kind == "subqueries" else None
        if request.kind == "lists":
            return (yield from self._make_lists(request, on_item))
        drawing = _Drawing(request, passages_only=with_model and request.kind == "questions")
        batches = self._batches(request, drawing)
        limit = request.count * MAX_ASKED_PER_ITEM if with_model else None
        while not drawing.is_full and (limit is None or drawing.asked < limit):
            try:
                candidates = yield from next(batches)
            except StopIteration:
                break
            for chunk in drawing.chunks(candidates, _ASKED_AT_A_TIME if with_model else 1, limit):
                outcomes = (yield from writer.write(chunk)) if writer else chunk
                for item in drawing.keep(outcomes):
                    on_item(item)
                yield Progress(f"making {request.kind}", drawing.made, request.count)
        return drawing.counts(complete=drawing.is_full)

    def _make_lists(self, request: SetRequest, on_item: Callable[[SetItem], None]) -> Task[SetCounts]:
        """The lists that tutorials and surveys of the library print, as far as they are of the published size."""
        drawing = _Drawing(request, passages_only=False)
        found = yield from self.expert_lists.all()
        candidates: list[CitingPassage | Outcome] = list(map(queried_list, found))
        for chunk in drawing.chunks(candidates, 1):
            for item in drawing.keep(chunk):
                on_item(item)
        return drawing.counts(complete=drawing.is_full)

    def estimate(self, request: SetRequest) -> Task[CostEstimate]:
        """What `make` with a model would cost at most; sends nothing.

        Raises:
            UsageError: no model is set, or it has no part in this kind.
            ModelError: it cannot be asked.
        """
        return self.open_writer(request).estimate((yield from self._candidates(request)))

    def preview(self, request: SetRequest) -> Task[tuple[str, ...]]:
        """The requests that `make` with a model would send at most, to the letter; those to replies are missing.

        Raises:
            UsageError: no model is set, or it has no part in this kind.
            ModelError: it cannot be asked.
        """
        writer = self.open_dry_run(request)
        return (yield from collect_outgoing(writer.write((yield from self._candidates(request)))))

    def _candidates(self, request: SetRequest) -> Task[list[CitingPassage | Outcome]]:
        """What a model would be asked about at most."""
        drawing = _Drawing(request, passages_only=request.kind == "questions")
        most = 0 if drawing.is_full else request.count * MAX_ASKED_PER_ITEM
        candidates: list[CitingPassage | Outcome] = []
        for batch in self._batches(request, drawing):
            if len(candidates) >= most:
                break
            candidates += [candidate for candidate in (yield from batch) if not isinstance(candidate, str)]
        return candidates[:most]

    def _batches(self, request: SetRequest, drawing: _Drawing) -> Iterator[Task[list[CitingPassage | Outcome]]]:
        """Tasks that each read a few papers and return what comes into question, or why not."""
        outcomes_of = self._outcomes(request)

        def read(progress: Progress, heads: Sequence[ReferenceListHead]) -> Task[list[CitingPassage | Outcome]]:
            yield progress
            passages = yield from as_one_step(progress, self.passages.read(heads, request.seed))
            candidates: list[CitingPassage | Outcome] = []
            for passage in passages:
                candidates += drawing.draw(passage, outcomes_of)
            return candidates

        for progress, heads in self.passages.batches(request.seed):
            yield read(progress, heads)

    def _outcomes(self, request: SetRequest) -> Callable[[CitingPassage], Iterator[Outcome]]:
        def questions(passage: CitingPassage) -> Iterator[Outcome]:
            for sentence, group in candidate_groups(passage):
                yield question_of(passage, sentence, group, request.max_overlap)

        def excerpts(passage: CitingPassage) -> Iterator[Outcome]:
            for sentence, group in single_candidates(passage):
                yield excerpt_of(passage, sentence, group)

        makers: Mapping[str, Callable[[CitingPassage], Iterator[Outcome]]] = {
            "questions": questions,
            "excerpts": excerpts,
            "hypotheses": hypotheses_of,
            "subqueries": lambda passage: sub_queries_of(passage, request.max_overlap),
        }
        if request.kind not in makers:
            raise UsageError(f"{request.kind} are not made from citing sentences")
        return makers[request.kind]


@dataclass(slots=True)
class _Drawing:
    """What one run has drawn so far."""

    request: SetRequest
    passages_only: bool
    """Whether paragraphs themselves come into question, since a model makes the items of them."""
    made: int = 0
    asked: int = 0
    looked_at: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    per_paper: Counter[PaperId] = field(default_factory=Counter)
    questions_per_paper: Counter[PaperId] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.made = len(self.request.done)

    @property
    def is_full(self) -> bool:
        """Whether as many items as asked for are there."""
        return self.made >= self.request.count

    def draw(
        self, passage: CitingPassage, outcomes_of: Callable[[CitingPassage], Iterator[Outcome]]
    ) -> list[CitingPassage | Outcome]:
        """What a paragraph offers: at most one item, and the reasons against others."""
        if self.per_paper[passage.source.id] >= MAX_ITEMS_PER_PAPER:
            return []
        if self.passages_only:
            if not any(True for _ in candidate_groups(passage)):
                return []
            self.per_paper[passage.source.id] += 1
            return [passage]
        drawn: list[CitingPassage | Outcome] = []
        for outcome in outcomes_of(passage):
            drawn.append(outcome)
            if not isinstance(outcome, str):
                self.per_paper[passage.source.id] += 1
                break
        return drawn

    def chunks(
        self, candidates: Sequence[CitingPassage | Outcome], size: int, limit: int | None = None
    ) -> Iterator[Sequence[CitingPassage | Outcome]]:
        """The candidates a few at a time, until the set is full or `limit` were given; the reasons are counted."""
        reasons = [candidate for candidate in candidates if isinstance(candidate, str)]
        self.left_out.update(reasons)
        self.looked_at += len(reasons)
        rest = [candidate for candidate in candidates if not isinstance(candidate, str)]
        while rest and not self.is_full and (limit is None or self.asked < limit):
            # No more than were estimated.
            chunk = rest[: size if limit is None else min(size, limit - self.asked)]
            rest = rest[len(chunk) :]
            self.asked += len(chunk)
            self.looked_at += len(chunk)
            yield chunk

    def keep(self, outcomes: Sequence[CitingPassage | Outcome]) -> Iterator[SetItem]:
        """The items that are new, no more than are wanted, and few of one paper; reasons are counted."""
        for outcome in outcomes:
            if isinstance(outcome, str):
                self.left_out[outcome] += 1
            elif not isinstance(outcome, CitingPassage) and outcome.key not in self.request.done and not self.is_full:
                if isinstance(outcome, SearchQuestion):
                    # Of one paragraph a model may write several.
                    self.questions_per_paper[outcome.source.id] += 1
                    if self.questions_per_paper[outcome.source.id] > MAX_ITEMS_PER_PAPER:
                        continue
                self.made += 1
                yield outcome

    def counts(self, *, complete: bool) -> SetCounts:
        """What it came to."""
        return SetCounts(self.made, self.looked_at, dict(self.left_out), complete)
