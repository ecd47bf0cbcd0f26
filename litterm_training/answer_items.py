"""Questions of sets as matrices: one row per sentence of the papers read, and which rows answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.core.tasks import run
from litterm.evidence.answers.features import ANSWER_FEATURE_NAMES, ReadPaper, answer_feature_rows
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.question_sets import AnsweredSet, SetQuestion, fitted_without
from litterm_training.softmax import Matrix

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """A question with the sentences of the papers read for it, and those read where its own papers are not there."""

    set: str
    cluster: str
    rows: Matrix
    """Of `ANSWER_FEATURE_NAMES`, all papers."""
    gold: Matrix
    """1 for a row that answers."""
    paper_of: npt.NDArray[np.intp]
    """Number of its paper, a row each."""
    other_rows: Matrix
    other_paper_of: npt.NDArray[np.intp]

    @property
    def is_answerable(self) -> bool:
        """Whether a sentence that answers was read."""
        return bool(self.gold.any())


def measure_questions(questions: AnsweredSet, shipped: Extractors) -> Iterator[MeasuredQuestion]:
    """Every question of a set, measured with weights that have not seen it."""
    for question in questions.questions:
        extractor = fitted_without(question, shipped)
        _, papers = run(questions.read(question, extractor))
        _, others = run(questions.read(question, extractor, without=frozenset(question.gold)))
        rows, paper_of = _stacked(papers)
        other_rows, other_paper_of = _stacked(others)
        yield MeasuredQuestion(
            questions.name, question.cluster, rows, gold_of(question, papers), paper_of, other_rows, other_paper_of
        )


def gold_of(question: SetQuestion, papers: Sequence[ReadPaper]) -> Matrix:
    """1 for each sentence of `papers` that answers, in their order, else 0."""
    return np.array(
        [
            float(sentence.index in question.gold.get(candidates.document.paper_id, ()))
            for paper in papers
            for candidates in (paper.sentences.paper.candidates,)
            for sentence in candidates.pool.sentences
        ]
    )


def _stacked(papers: Sequence[ReadPaper]) -> tuple[Matrix, npt.NDArray[np.intp]]:
    by_paper = answer_feature_rows(papers)
    rows = [row for of_paper in by_paper for row in of_paper]
    matrix = np.array(rows) if rows else np.zeros((0, len(ANSWER_FEATURE_NAMES)))
    return matrix, np.repeat(np.arange(len(by_paper)), [len(of_paper) for of_paper in by_paper])
