"""What the engine offers for queries with several aspects: split, score, order; with a model decompose and grade."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.core.errors import DryRun, ModelError
from litterm.core.tasks import Task, collect_outgoing
from litterm.interfaces import AspectScorer
from litterm.model.aspects import Aspect, AspectCell, AspectCoverage, AspectQuery, AspectScores, CellKey
from litterm.model.events import Notice, Progress
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper, PaperId
from litterm.search.aspects.coverage import by_aspects, coverage, weights
from litterm.text.queries.aspects import read_aspect, read_aspects, split_long, split_query, written

if TYPE_CHECKING:
    from litterm.search.aspects.decompose import ModelSplitter
    from litterm.search.aspects.grades import ModelGrader


@dataclass(frozen=True, slots=True)
class Aspects:
    """Queries in several parts. Safe from any thread; what needs no model never asks one."""

    scorer: Callable[[], AspectScorer]
    splitter: Callable[[], ModelSplitter]
    """With a run of its own. Raises `UsageError` where no model is set, `ModelError` where it cannot be asked."""
    grader: Callable[[], ModelGrader]
    """The same; answers of earlier runs are taken from the grades that are kept."""
    rehearse: Callable[[], ModelGrader]
    """The same, in a dry run: it yields `OutgoingRequest` instead of sending."""
    rehearse_split: Callable[[], ModelSplitter]
    """As `splitter`, in a dry run."""

    def split(self, text: str, *, long: bool = False) -> AspectQuery:
        """The aspects of what was typed, none if it has but one; with `long` it is read as a long query anyway."""
        query = split_query(text)
        return split_long(text) if long and not query.aspects else query

    def read(self, parts: Sequence[str]) -> AspectQuery:
        """Aspects as a user writes them, one a part, each with its weight behind it (`*2`)."""
        return AspectQuery(read_aspects(parts), "hand")

    def read_one(self, text: str, sub_aspects: Sequence[str] | None = None) -> Aspect:
        """One aspect as a user writes it; its sub-aspects are its clauses unless they are given."""
        return read_aspect(text, sub_aspects)

    def written(self, aspect: Aspect) -> str:
        """An aspect as `read` reads it."""
        return written(aspect)

    def score(
        self, query: AspectQuery, papers: Sequence[PaperId], known: AspectScores | None = None
    ) -> Task[AspectScores]:
        """`known` with an offline score for every aspect and paper; only what is missing is computed."""
        known = known or AspectScores()
        cells = dict(known.cells)
        by = known.by
        for text in query.texts:
            rest = [paper for paper in papers if known.cell(text, paper).score is None]
            if not rest:
                continue
            new_scores = yield from self.scorer().scores([text], rest)
            by = new_scores.by or by
            for key, cell in new_scores.cells.items():
                cells[key] = replace(cells.get(key, cell), score=cell.score)
        return replace(known, cells=MappingProxyType(cells), by=by)

    def coverage(
        self, query: AspectQuery, scores: AspectScores, papers: Sequence[PaperId]
    ) -> tuple[AspectCoverage, ...]:
        """What is known of each paper over all aspects, in the order of `papers`."""
        return coverage(query, scores, papers)

    def ranked(self, query: AspectQuery, scores: AspectScores, papers: Sequence[PaperId]) -> tuple[AspectCoverage, ...]:
        """The same in the order of the aspects; equal ones keep the order of `papers`."""
        return by_aspects(query, scores, papers)

    def decompose(self, text: str) -> Task[AspectQuery]:
        """The aspects of `text` by the model; where it fails those found offline, and a notice says so.

        Raises:
            UsageError: no model is set.
        """
        try:
            return (yield from self.splitter().split(text))
        except ModelError as error:
            offline = self.split(text, long=True)
            yield Notice(f"The model gave no aspects, so the query was split {_split_words(offline)}: {error}")
            return offline

    def estimate_split(self, text: str) -> Task[CostEstimate]:
        """What `decompose` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        yield Progress("estimating")
        return self.splitter().estimate(text)

    def preview_split(self, text: str) -> Task[tuple[str, ...]]:
        """The request `decompose` would send, to the letter.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return (yield from collect_outgoing(_unsent(self.rehearse_split().split(text))))

    def grade(
        self, query: AspectQuery, papers: Sequence[Paper], known: AspectScores | None = None
    ) -> Task[AspectScores]:
        """`known` with the model's grades of the live aspects; yields `PaperGraded` for each paper once it is stored.

        What was graded before is free. Where the model fails the offline scores stand, and notices say so.

        Raises:
            UsageError: no model is set.
        """
        known = known or AspectScores()
        try:
            grader = self.grader()
        except ModelError as error:
            return replace(known, notices=(f"No model was asked: {error}",))
        grades = yield from grader.grade(_criteria(query), papers)
        return self.joined(known, grades)

    def estimate(self, query: AspectQuery, papers: Sequence[Paper]) -> Task[CostEstimate]:
        """What `grade` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        yield Progress("estimating", 0, len(papers))
        return self.grader().estimate(_criteria(query), papers)

    def preview(self, query: AspectQuery, papers: Sequence[Paper]) -> Task[tuple[str, ...]]:
        """The requests `grade` would send, to the letter.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return (yield from collect_outgoing(self.rehearse().grade(_criteria(query), papers)))

    def joined(self, known: AspectScores, newer: AspectScores) -> AspectScores:
        """Both together: scores and grades of `newer` before those of `known`, and its notices."""
        cells: dict[CellKey, AspectCell] = dict(known.cells)
        for key, cell in newer.cells.items():
            older_cell = cells.get(key, cell)
            score = older_cell.score if cell.score is None else cell.score
            cells[key] = replace(older_cell if cell.grade is None else cell, score=score)
        graded_by = newer.graded_by or known.graded_by
        return AspectScores(MappingProxyType(cells), newer.by or known.by, graded_by, newer.notices)

    def cost(self, query: AspectQuery, papers: Sequence[Paper]) -> int:
        """How many grades `grade` may ask for at most: the distinct live aspects and sub-aspects, times papers."""
        return len(_criteria(query)) * len(papers)


def _unsent(task: Task[AspectQuery]) -> Task[None]:
    """`task` up to what it would have sent."""
    try:
        yield from task
    except DryRun:
        return


def _criteria(query: AspectQuery) -> list[str]:
    return list(weights(query.active))


def _split_words(query: AspectQuery) -> str:
    return f"by its {query.by}" if query.aspects else "not at all"
