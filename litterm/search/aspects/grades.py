"""Grades 0, 1, 2 for aspects and papers by a model: one call a paper about all its criteria that have no grade yet.

After DORIS-MAE: four labels for three grades, exactly one of which must be named; anything else is `?` and no grade.
A grade is kept for its criterion and paper, so that another aspect, or another wording of one, costs only itself.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.core.errors import ContextOverflow, ModelError, ModelGone, ReplyCut, ReplyUnreadable
from litterm.model.aspects import AspectCell, AspectScores, CellKey, CellsByAspect
from litterm.model.events import Event, PaperGraded, Progress
from litterm.search.aspects.grade_prompts import CriterionLabel, about_paper, purpose, shown_sentences

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import ChatModel
    from litterm.llm.grade_cache import GradeFiles
    from litterm.model.llm import CostEstimate, StructuredReply
    from litterm.model.paper import Paper

_log = logging.getLogger(__name__)

A_CALL = 12
"""Criteria that one call asks about."""
_LENGTHS = (8_000, 1_500)
"""Characters of title and abstract that are shown; the second where the first are too many for the model."""
_UNREAD = (ReplyUnreadable, ReplyCut)


@dataclass(frozen=True, slots=True)
class _GradeRequest:
    """One call: a paper and some criteria."""

    paper: Paper
    criteria: tuple[str, ...]


class ModelGrader:
    """Asks a model how far papers meet criteria; what is kept is not asked again."""

    def __init__(self, model: ChatModel, book: GradeFiles) -> None:
        """`model` has begun its run, and answers from no cache: `book` keeps what was said."""
        self._model = model
        self._book = book

    def kept(self, criteria: Sequence[str], papers: Sequence[Paper]) -> CellsByAspect:
        """The grades of earlier runs of the same model for the same text of the paper."""
        keys = {paper.id: _key(paper) for paper in papers}
        cells: dict[CellKey, AspectCell] = {}
        for criterion in criteria:
            grades_by_key = self._book.kept(self._column(criterion))
            cells.update(
                ((criterion, paper_id), grades_by_key[key]) for paper_id, key in keys.items() if key in grades_by_key
            )
        return MappingProxyType(cells)

    def estimate(self, criteria: Sequence[str], papers: Sequence[Paper]) -> CostEstimate:
        """What `grade` would cost at most; papers whose grades are all kept are counted as such."""
        asks = _missing(criteria, papers, self.kept(criteria, papers))
        return self._model.estimate([about_paper(ask.paper, ask.criteria, _LENGTHS[0]) for ask in asks])

    def grade(self, criteria: Sequence[str], papers: Sequence[Paper]) -> Task[AspectScores]:
        """Grades; what is kept is said first. A paper that failed has none, and a notice says so."""
        run = _Run(self, dict(self.kept(criteria, papers)))
        for paper in papers:
            known_cells = tuple((text, run.cells[text, paper.id]) for text in criteria if (text, paper.id) in run.cells)
            if known_cells:
                yield PaperGraded(paper.id, known_cells)
        asks = _missing(criteria, papers, run.cells)
        run.total = len(asks)
        # The longer text first; only papers that were too long for the model are asked about again with less.
        for length in _LENGTHS:
            asks = yield from run.ask(self._model, asks, length, last=length == _LENGTHS[-1])
            if not asks:
                break
        return AspectScores(MappingProxyType(run.cells), graded_by=self._model.name, notices=run.notices())

    def keep(self, paper: Paper, text: str, cell: AspectCell) -> None:
        """Keeps one grade; `?` is none and is asked again next time."""
        if cell.grade != "?":
            self._book.keep(self._column(text), _key(paper), cell)

    def _column(self, criterion: str) -> str:
        # Another model or another prompt gives other grades: they stand in a file of their own.
        return _hash(f"{self._model.name}\0{purpose()}\0{criterion}")


@dataclass(slots=True)
class _Run:
    """Grades coming in."""

    grader: ModelGrader
    cells: dict[CellKey, AspectCell]
    total: int = 0
    done: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Titles of papers without an answer, each with why."""
    unread: int = 0

    def ask(
        self, model: ChatModel, asks: Sequence[_GradeRequest], length: int, *, last: bool
    ) -> Task[list[_GradeRequest]]:
        """Asks about every paper; returns those whose text was too long, to be asked about with less of it."""
        what = f"grading with {model.name}"
        unanswered, too_long = dict(enumerate(asks)), list[_GradeRequest]()

        def hear(number: int, outcome: StructuredReply[tuple[CriterionLabel, ...]] | ModelError) -> Iterator[Event]:
            request = unanswered.pop(number)
            if isinstance(outcome, ContextOverflow) and not last:
                too_long.append(request)
                return
            self.done += 1
            yield Progress(what, self.done, self.total)
            if isinstance(outcome, ModelError) and not isinstance(outcome, _UNREAD):
                self._fail(request, outcome)
                return
            yield PaperGraded(request.paper.id, self._take(request, outcome, length))

        yield Progress(what, self.done, self.total)
        try:
            yield from model.answer_all([about_paper(ask.paper, ask.criteria, length) for ask in asks], hear)
        except ModelError as error:
            for ask in unanswered.values():
                self.failed[ask.paper.title] = str(error)
        return too_long

    def _fail(self, ask: _GradeRequest, error: ModelError) -> None:
        self.failed[ask.paper.title] = str(error)
        if isinstance(error, ModelGone):
            # Nothing else will answer either; whoever waits for the rest is told so.
            raise error

    def _take(
        self, ask: _GradeRequest, outcome: StructuredReply[tuple[CriterionLabel, ...]] | ModelError, length: int
    ) -> tuple[tuple[str, AspectCell], ...]:
        labels = () if isinstance(outcome, ModelError) else outcome.value
        if not isinstance(outcome, ModelError):
            for fault in outcome.dropped:
                _log.info("%s: %s", ask.paper.id, fault)
        why = "The model's reply could not be read." if isinstance(outcome, ModelError) else ""
        sentences = shown_sentences(ask.paper, length)
        cells = tuple((text, _cell(number, labels, sentences, why)) for number, text in enumerate(ask.criteria, 1))
        for text, cell in cells:
            self.cells[text, ask.paper.id] = cell
            self.unread += cell.grade == "?"
            self.grader.keep(ask.paper, text, cell)
        return cells

    def notices(self) -> tuple[str, ...]:
        """What is missing, in sentences."""
        lines = []
        if self.failed:
            title, why = next(iter(self.failed.items()))
            more = f" and {len(self.failed) - 1:,} more" if len(self.failed) > 1 else ""
            lines.append(f"“{title}”{more}: not graded; the offline result is shown instead: {why}")
        if self.unread:
            lines.append(
                f"{self.unread:,} answers do not name exactly one grade and are shown as ?; ask again to retry them."
            )
        return tuple(lines)


def _cell(number: int, labels: Sequence[CriterionLabel], sentences: Sequence[str], why: str) -> AspectCell:
    own_labels = [label for label in labels if label.number == number]
    grades = {label.grade for label in own_labels}
    if len(grades) != 1:
        return AspectCell(
            grade="?", reason=why or ("The model named several grades." if own_labels else "No grade named.")
        )
    first = own_labels[0]
    quoted = sentences[first.sentence - 1] if 0 < first.sentence <= len(sentences) else ""
    return AspectCell(grade=first.grade, reason=first.reason, sentence=quoted)


def _missing(
    criteria: Sequence[str], papers: Sequence[Paper], known: Mapping[CellKey, AspectCell]
) -> list[_GradeRequest]:
    asks = []
    for paper in papers:
        left = [text for text in dict.fromkeys(criteria) if (text, paper.id) not in known]
        asks += [_GradeRequest(paper, tuple(left[start : start + A_CALL])) for start in range(0, len(left), A_CALL)]
    return asks


def _key(paper: Paper) -> str:
    # By its text, not only by its id: an abstract that came later is graded anew.
    return _hash(f"{paper.id}\0{paper.title}\0{paper.abstract}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
