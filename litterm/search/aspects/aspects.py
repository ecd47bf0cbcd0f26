"""Queries with several aspects: splitting, scoring and ranking offline; decomposing and grading with a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError
from litterm.core.tasks import Task, collect_outgoing
from litterm.interfaces import AspectScorer, PaperSearcher
from litterm.model.aspects import (
    MAX_SCORED_PAPERS,
    Aspect,
    AspectCell,
    AspectCoverage,
    AspectQuery,
    AspectScores,
    CellKey,
)
from litterm.model.events import Notice, Progress
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper, PaperId
from litterm.search.aspects.grade_prompts import Criterion
from litterm.text.queries.aspects import format_aspect, read_aspect, read_aspects, split_long, split_query
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.model.search import Query, Ranking
    from litterm.search.aspects.decompose import ModelSplitter
    from litterm.search.aspects.grades import ModelGrader
    from litterm.search.aspects.sentence_similarity import SentenceEmbedder


def coverage(query: AspectQuery, scores: AspectScores, papers: Iterable[PaperId]) -> tuple[AspectCoverage, ...]:
    """The coverage of all aspects of `query` by each paper, in the order of `papers`.

    The offline share is a mean over the aspects that are not muted. Grades are added up over their distinct texts and
    sub-aspects, each with the largest weight it has; `?` and missing grades are in neither sum nor mean.
    """
    criteria = tuple(criterion_weights(query.active).items())
    return tuple(_coverage_row(query, criteria, scores, paper_id) for paper_id in papers)


def rank_by_aspects(query: AspectQuery, scores: AspectScores, papers: Iterable[PaperId]) -> tuple[AspectCoverage, ...]:
    """The papers ranked by mean grade, then those without grades by offline share; ties keep the order of `papers`."""
    return tuple(sorted(coverage(query, scores, papers), key=_sort_key))


def _coverage_row(
    query: AspectQuery, criteria: Sequence[tuple[str, float]], scores: AspectScores, paper_id: PaperId
) -> AspectCoverage:
    cells = tuple(scores.cell(aspect.text, paper_id) for aspect in query.aspects)
    weighted_scores = [
        (aspect.weight, cell.score)
        for aspect, cell in zip(query.aspects, cells, strict=True)
        if not aspect.muted and cell.score is not None
    ]
    # Without a grading model the criteria are the aspects alone, and no grade is missing.
    weighed = [(weight, scores.cell(text, paper_id)) for text, weight in criteria] if scores.graded_by else []
    graded = [(weight, float(cell.grade)) for weight, cell in weighed if cell.grade not in (None, "?")]
    relevance = sum(weight * grade for weight, grade in graded) if graded else None
    return AspectCoverage(
        paper_id,
        cells,
        _weighted_mean(weighted_scores),
        relevance,
        _weighted_mean(graded),
        _count_unread(cell for _, cell in weighed),
    )


def criterion_weights(aspects: Iterable[Aspect]) -> dict[str, float]:
    """Every distinct aspect and sub-aspect in order, with the largest weight of its aspects."""
    weight_by_text: dict[str, float] = {}
    for aspect in aspects:
        for text in aspect.criteria:
            weight_by_text[text] = max(aspect.weight, weight_by_text.get(text, 0.0))
    return weight_by_text


def _sort_key(row: AspectCoverage) -> tuple[bool, float, float]:
    # Graded papers first, even those graded 0: mean grades and shares cannot be compared.
    return row.average is None, -(row.average or 0.0), -(row.share or 0.0)


def _weighted_mean(weighed: Sequence[tuple[float, float]]) -> float | None:
    total = sum(weight for weight, _ in weighed)
    return sum(weight * value for weight, value in weighed) / total if total > 0 else None


def _count_unread(cells: Iterable[AspectCell]) -> int:
    return sum(cell.grade == "?" for cell in cells)


@dataclass(frozen=True, slots=True)
class Aspects:
    """Operations on queries with several aspects; safe from any thread. Only those that need a model ask one."""

    scorer: Callable[[], AspectScorer]
    splitter: Callable[[], ModelSplitter]
    """Starts a run of its own. Raises `UsageError` where no model is set, `ModelError` where it cannot be asked."""
    grader: Callable[[], ModelGrader]
    """The same; grades of earlier runs are reused."""
    dry_run_grader: Callable[[], ModelGrader]
    """As `grader`, in a dry run: yields `OutgoingRequest` instead of sending."""
    dry_run_splitter: Callable[[], ModelSplitter]
    """As `splitter`, in a dry run."""
    searcher: Callable[[], PaperSearcher]
    """Searches an aspect by itself."""
    embedder: Callable[[], SentenceEmbedder]
    """The user's encoder, or the built-in vectors. Raises `ModelError` where the encoder cannot be used."""
    built_in: Callable[[], SentenceEmbedder]
    """The built-in vectors."""

    def split(self, text: str, *, long: bool = False) -> AspectQuery:
        """The aspects of `text`, none if it has only one; with `long` it is always split like a long query."""
        query = split_query(text)
        return split_long(text) if long and not query.aspects else query

    def read(self, parts: Sequence[str]) -> AspectQuery:
        """Reads aspects as a user writes them, one a part, each with an optional weight (`*2`)."""
        return AspectQuery(read_aspects(parts), "hand")

    def read_one(self, text: str, sub_aspects: Sequence[str] | None = None) -> Aspect:
        """Reads one aspect as a user writes it; its sub-aspects are its clauses unless they are given."""
        return read_aspect(text, sub_aspects)

    def format_aspect(self, aspect: Aspect) -> str:
        """Formats an aspect so that `read` reads it back."""
        return format_aspect(aspect)

    def score(
        self, query: AspectQuery, papers: Sequence[PaperId], known: AspectScores | None = None
    ) -> Task[AspectScores]:
        """`known` with an offline score for every aspect and paper; computes only missing ones."""
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

    def search_each(
        self, query: Query, aspects: AspectQuery, *, k: int, within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers where each aspect searches by itself, merged by reciprocal ranks."""
        from litterm.search.aspects.aspect_search import search_each_aspect

        return (yield from search_each_aspect(self.searcher(), query, aspects, k=k, within=within))

    def rank_by_sentences(self, ranking: Ranking, *, count: int = MAX_SCORED_PAPERS) -> Task[Ranking]:
        """`ranking` with its first `count` papers by how near the query is to them, sentence by sentence.

        By the user's encoder, where there is one, else by the built-in vectors.
        """
        from litterm.search.aspects.sentence_similarity import rank_by_sentences, split_sentences

        asked = split_sentences(free_text(ranking.query) or ranking.query.text)
        try:
            embedder = self.embedder()
        except ModelError as error:
            embedder = self.built_in()
            ranking = replace(
                ranking, notices=(*ranking.notices, f"Sentences are compared without an encoder: {error}")
            )
        return (yield from rank_by_sentences(ranking, asked, embedder=embedder, fallback=self.built_in, count=count))

    def coverage(
        self, query: AspectQuery, scores: AspectScores, papers: Sequence[PaperId]
    ) -> tuple[AspectCoverage, ...]:
        """The coverage of all aspects by each paper, in the order of `papers`."""
        return coverage(query, scores, papers)

    def rank_by_coverage(
        self, query: AspectQuery, scores: AspectScores, papers: Sequence[PaperId]
    ) -> tuple[AspectCoverage, ...]:
        """The same, ranked by coverage; ties keep the order of `papers`."""
        return rank_by_aspects(query, scores, papers)

    def decompose(self, text: str) -> Task[AspectQuery]:
        """The aspects of `text` by the model; where it fails, those found offline, with a notice.

        Raises:
            UsageError: no model is set.
        """
        try:
            return (yield from self.splitter().split(text))
        except ModelError as error:
            offline = self.split(text, long=True)
            yield Notice(f"The model gave no aspects, so the query was split {_how_split(offline)}: {error}")
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
        return (yield from collect_outgoing(self.dry_run_splitter().split(text)))

    def grade(
        self, query: AspectQuery, papers: Sequence[Paper], known: AspectScores | None = None
    ) -> Task[AspectScores]:
        """`known` with the model's grades of the aspects that are not muted; yields `PaperGraded` for each paper.

        Earlier grades are reused. Where the model fails, offline scores stay, with a notice.

        Raises:
            UsageError: no model is set.
        """
        known = known or AspectScores()
        try:
            grader = self.grader()
        except ModelError as error:
            return replace(known, notices=(f"No model was asked: {error}",))
        grades = yield from grader.grade(_criteria(query), papers)
        return self.merge_scores(known, grades)

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
        return (yield from collect_outgoing(self.dry_run_grader().grade(_criteria(query), papers)))

    def merge_scores(self, known: AspectScores, newer: AspectScores) -> AspectScores:
        """Merges both: scores and grades of `newer` replace those of `known`; keeps the notices of `newer`."""
        cells: dict[CellKey, AspectCell] = dict(known.cells)
        for key, cell in newer.cells.items():
            older_cell = cells.get(key, cell)
            score = older_cell.score if cell.score is None else cell.score
            cells[key] = replace(older_cell if cell.grade is None else cell, score=score)
        graded_by = newer.graded_by or known.graded_by
        return AspectScores(MappingProxyType(cells), newer.by or known.by, graded_by, newer.notices)

    def max_grades(self, query: AspectQuery, papers: Sequence[Paper]) -> int:
        """The largest number of grades that `grade` may ask for: distinct aspects and sub-aspects, times papers."""
        return len(_criteria(query)) * len(papers)


def _criteria(query: AspectQuery) -> list[Criterion]:
    """Every distinct aspect and sub-aspect in order, a sub-aspect with the first aspect that has it."""
    criteria: dict[str, Criterion] = {}
    texts = {aspect.text for aspect in query.active}
    for aspect in query.active:
        criteria.setdefault(aspect.text, Criterion(aspect.text))
        for text in aspect.sub_aspects:
            # What is an aspect by itself, too, is asked as that.
            criteria.setdefault(text, Criterion(text, "" if text in texts else aspect.text))
    return list(criteria.values())


def _how_split(query: AspectQuery) -> str:
    return f"by its {query.by}" if query.aspects else "not at all"
