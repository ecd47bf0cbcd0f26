"""Grades papers by criteria with a language model: 0, 1 or 2; one call a paper for all criteria without a grade.

After DORIS-MAE: four labels stand for three grades, and a reply must name exactly one; otherwise the grade is `?`.
Grades are stored by criterion and paper, so that a new aspect, or a new wording of one, costs only itself.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.core.errors import ContextOverflow, ModelError, ModelGone, ReplyCut, ReplyUnreadable
from litterm.model.aspects import AspectCell, AspectScores, CellKey, CellsByAspect
from litterm.model.events import Event, PaperGraded, Progress
from litterm.search.aspects.grade_prompts import (
    Criterion,
    CriterionLabel,
    grade_question,
    prompt_purpose,
    shown_sentences,
)
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel
    from litterm.model.llm import CostEstimate, StructuredReply
    from litterm.model.paper import Paper
    from litterm.search.aspects.grade_cache import GradeCache

_log = logging.getLogger(__name__)

MAX_CRITERIA_PER_CALL = 16
_SHOWN_CHARS = (8_000, 1_500)
"""Characters of title and abstract shown to the model; the second number where the first is too much for it."""
_UNREADABLE_ERRORS = (ReplyUnreadable, ReplyCut)


@dataclass(frozen=True, slots=True)
class _GradeRequest:
    """One call: a paper and some of the criteria."""

    paper: Paper
    criteria: tuple[Criterion, ...]


class ModelGrader:
    """Asks a model how far papers meet criteria; stored grades are not asked again."""

    def __init__(self, model: ChatModel, book: GradeCache) -> None:
        """`model` has an open run and uses no cache, as `book` stores the grades."""
        self._model = model
        self._book = book

    def stored_grades(self, criteria: Sequence[Criterion], papers: Sequence[Paper]) -> CellsByAspect:
        """The stored grades by the same model for the same text of each paper."""
        keys = {paper.id: _paper_key(paper) for paper in papers}
        cells: dict[CellKey, AspectCell] = {}
        for criterion in criteria:
            grades_by_key = self._book.load(self._column(criterion))
            cells.update(
                ((criterion.text, paper_id), grades_by_key[key])
                for paper_id, key in keys.items()
                if key in grades_by_key
            )
        return MappingProxyType(cells)

    def estimate(self, criteria: Sequence[Criterion], papers: Sequence[Paper]) -> CostEstimate:
        """What `grade` would cost at most; papers whose grades are all stored cost nothing."""
        asks = _ungraded_requests(criteria, papers, self.stored_grades(criteria, papers))
        return self._model.estimate([grade_question(ask.paper, ask.criteria, _SHOWN_CHARS[0]) for ask in asks])

    def grade(self, criteria: Sequence[Criterion], papers: Sequence[Paper]) -> Task[AspectScores]:
        """Grades the papers, yielding stored grades first; papers that failed have none, with a notice."""
        run = _GradingRun(self, dict(self.stored_grades(criteria, papers)))
        for paper in papers:
            texts = [criterion.text for criterion in criteria if (criterion.text, paper.id) in run.cells]
            known_cells = tuple((text, run.cells[text, paper.id]) for text in texts)
            if known_cells:
                yield PaperGraded(paper.id, known_cells)
        asks = _ungraded_requests(criteria, papers, run.cells)
        run.total, run.papers = len(asks), len({ask.paper.id for ask in asks})
        # The longer text first; papers that were too long for the model are asked again with less.
        for length in _SHOWN_CHARS:
            asks = yield from run.send(self._model, asks, length, last=length == _SHOWN_CHARS[-1])
            if not asks:
                break
        return AspectScores(MappingProxyType(run.cells), graded_by=self._model.name, notices=run.notices())

    def store_grade(self, paper: Paper, criterion: Criterion, cell: AspectCell) -> None:
        """Stores a grade."""
        self._book.store(self._column(criterion), _paper_key(paper), cell)

    def _column(self, criterion: Criterion) -> str:
        # Grades by another model or prompt, or of another aspect's part, are stored in another file.
        part_of = f"\0{criterion.part_of}" if criterion.part_of else ""
        return _hash(f"{self._model.name}\0{prompt_purpose()}\0{criterion.text}{part_of}")


@dataclass(slots=True)
class _GradingRun:
    """The state of one grading run."""

    grader: ModelGrader
    cells: dict[CellKey, AspectCell]
    total: int = 0
    done: int = 0
    papers: int = 0
    """That were asked about."""
    failed: dict[str, str] = field(default_factory=dict)
    """Titles of papers without an answer, each with the reason."""
    asked: int = 0
    """Grades that were asked for and answered in some way."""
    unread: int = 0
    untold: int = 0
    """Grades that the model says a title alone does not tell."""

    def send(
        self, model: ChatModel, asks: Sequence[_GradeRequest], length: int, *, last: bool
    ) -> Task[list[_GradeRequest]]:
        """Sends the requests; returns those whose text was too long for the model."""
        what = f"grading with {model.name}"
        unanswered, too_long = dict(enumerate(asks)), list[_GradeRequest]()

        def on_outcome(
            number: int, outcome: StructuredReply[tuple[CriterionLabel, ...]] | ModelError
        ) -> Iterator[Event]:
            request = unanswered.pop(number)
            if isinstance(outcome, ContextOverflow) and not last:
                too_long.append(request)
                return
            self.done += 1
            yield Progress(what, self.done, self.total)
            if isinstance(outcome, ModelError) and not isinstance(outcome, _UNREADABLE_ERRORS):
                self._fail(request, outcome)
                return
            yield PaperGraded(request.paper.id, self._store_reply(request, outcome, length))

        yield Progress(what, self.done, self.total)
        try:
            yield from model.answer_all([grade_question(ask.paper, ask.criteria, length) for ask in asks], on_outcome)
        except ModelError as error:
            for ask in unanswered.values():
                self.failed[ask.paper.title] = str(error)
        return too_long

    def _fail(self, ask: _GradeRequest, error: ModelError) -> None:
        self.failed[ask.paper.title] = str(error)
        if isinstance(error, ModelGone):
            # Other requests would fail, too.
            raise error

    def _store_reply(
        self, ask: _GradeRequest, outcome: StructuredReply[tuple[CriterionLabel, ...]] | ModelError, length: int
    ) -> tuple[tuple[str, AspectCell], ...]:
        labels = () if isinstance(outcome, ModelError) else outcome.value
        if not isinstance(outcome, ModelError):
            for fault in outcome.dropped:
                _log.info("%s: %s", ask.paper.id, fault)
        why = "The model's reply could not be read." if isinstance(outcome, ModelError) else ""
        sentences = shown_sentences(ask.paper, length)
        cells = []
        for number, criterion in enumerate(ask.criteria, 1):
            own_labels = [label for label in labels if label.number == number]
            cell = _cell_of(own_labels, sentences, why)
            self.cells[criterion.text, ask.paper.id] = cell
            cells.append((criterion.text, cell))
            self.asked += 1
            is_read = len({label.grade for label in own_labels}) == 1
            self.unread += not is_read
            self.untold += is_read and cell.grade == "?"
            # What could not be read is asked again next time.
            if is_read:
                self.grader.store_grade(ask.paper, criterion, cell)
        return tuple(cells)

    def notices(self) -> tuple[str, ...]:
        """Sentences on missing grades."""
        lines = []
        if self.failed:
            title, why = next(iter(self.failed.items()))
            more = f" and {len(self.failed) - 1:,} more" if len(self.failed) > 1 else ""
            verb = "was" if len(self.failed) == 1 else "were"
            failed = f"{len(self.failed):,} of {count_phrase(self.papers, 'paper')} {verb} not graded"
            lines.append(f"{failed} (“{title}”{more}); the offline result is shown instead: {why}")
        if self.unread:
            lines.append(
                f"{self.unread:,} of {self.asked:,} answers do not name exactly one grade and are shown as ?;"
                " ask again to retry them."
            )
        if self.untold:
            lines.append(
                f"{self.untold:,} of {self.asked:,} grades cannot be told from a title alone and are shown as ?."
            )
        return tuple(lines)


def _cell_of(own_labels: Sequence[CriterionLabel], sentences: Sequence[str], why: str) -> AspectCell:
    grades = {label.grade for label in own_labels}
    if len(grades) != 1:
        return AspectCell(
            grade="?", reason=why or ("The model named several grades." if own_labels else "No grade named.")
        )
    first = own_labels[0]
    quoted = sentences[first.sentence - 1] if 0 < first.sentence <= len(sentences) else ""
    return AspectCell(grade=first.grade, reason=first.reason, sentence=quoted)


def _ungraded_requests(
    criteria: Sequence[Criterion], papers: Sequence[Paper], known: Mapping[CellKey, AspectCell]
) -> list[_GradeRequest]:
    asks = []
    for paper in papers:
        left = [criterion for criterion in dict.fromkeys(criteria) if (criterion.text, paper.id) not in known]
        # Calls of about the same size: one requirement alone would cost the whole text of the paper once more.
        calls = math.ceil(len(left) / MAX_CRITERIA_PER_CALL)
        bounds = [round(len(left) * part / calls) for part in range(calls + 1)] if calls else []
        asks += [_GradeRequest(paper, tuple(left[start:end])) for start, end in pairwise(bounds)]
    return asks


def _paper_key(paper: Paper) -> str:
    # Includes the text: a paper whose abstract came later is graded again.
    return _hash(f"{paper.id}\0{paper.title}\0{paper.abstract}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
