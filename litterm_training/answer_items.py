"""Questions of sets as matrices: one row per sentence of the papers read, and which rows answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.core.tasks import run
from litterm.evidence.answers.features import ANSWER_FEATURE_NAMES, ReadPaper, answer_values, compare_sentences
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.question_sets import AnsweredSet, SetQuestion, fitted_without
from litterm_training.softmax import Matrix

if TYPE_CHECKING:
    import numpy.typing as npt


ROW_NAMES = (*ANSWER_FEATURE_NAMES, "question_share", "paper_share")


@dataclass(frozen=True, slots=True)
class SentenceRows:
    """The sentences of the papers read for a question."""

    rows: Matrix
    """Of `ROW_NAMES`."""
    paper_of: npt.NDArray[np.intp]
    """Number of its paper, a row each."""
    gold: Matrix
    """1 for a row that answers."""


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """A question with the sentences of the papers read for it, and those read where its own papers are not there."""

    set: str
    sentences: SentenceRows
    others: SentenceRows

    @property
    def is_answerable(self) -> bool:
        """Whether a sentence that answers was read."""
        return bool(self.sentences.gold.any())


def measure_questions(questions: AnsweredSet, shipped: Extractors) -> Iterator[MeasuredQuestion]:
    """Every question of a set, measured with weights that have not seen it."""
    for question in questions.questions:
        extractor = fitted_without(question, shipped)
        _, papers = run(questions.read(question, extractor))
        _, others = run(questions.read(question, extractor, without=frozenset(question.gold)))
        yield MeasuredQuestion(questions.name, _rows(question, papers), _rows(question, others))


def _rows(question: SetQuestion, papers: Sequence[ReadPaper]) -> SentenceRows:
    compared = compare_sentences(papers)
    rows = [
        (*answer_values(each.features), each.question_share, each.paper_share)
        for of_paper in compared
        for each in of_paper
    ]
    gold = [
        float(sentence.index in question.gold.get(candidates.document.paper_id, ()))
        for paper in papers
        for candidates in (paper.sentences.paper.candidates,)
        for sentence in candidates.pool.sentences
    ]
    return SentenceRows(
        np.array(rows) if rows else np.zeros((0, len(ROW_NAMES))),
        np.repeat(np.arange(len(compared)), [len(of_paper) for of_paper in compared]),
        np.array(gold),
    )
