"""Tests whether a model grades as people do: its grades of a drawn set, the freeze, the comparison, and the mark."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from litterm.agreement import drawn_set
from litterm.annotations.highlights import normalize_sentence
from litterm.annotations.people_grades import now
from litterm.core.errors import BadInput, ModelError, UnknownPaper, UsageError
from litterm.library.full_text import read_full_text
from litterm.model.agreement import (
    LABELS,
    MIN_TEST_CELLS,
    AgreementMark,
    AgreementReport,
    CellKind,
    Freeze,
    GradedCell,
    GradedSet,
    SetPart,
)
from litterm.model.evidence import EvidenceLlmOptions
from litterm.search.aspects.grade_prompts import Criterion
from litterm.text.llm.prompts import templates_hash
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.annotations.people_grades import PeopleGrades
    from litterm.core.tasks import Task
    from litterm.evidence.llm.llm_evidence import LlmEvidence
    from litterm.interfaces import EvidenceExtractor, Records
    from litterm.model.document import Document
    from litterm.model.evidence import Evidence
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import Paper, PaperId
    from litterm.search.aspects.grades import ModelGrader

_PROMPTS: Final[Mapping[CellKind, tuple[str, ...]]] = {
    "aspects": ("aspects-grade",),
    "evidence": (
        *("evidence-whole", "evidence-section", "evidence-all", "evidence-choose", "evidence-again", "evidence-rules"),
        *("evidence-shown-abstract", "evidence-shown-part", "evidence-shown-title", "evidence-shown-whole"),
    ),
}
"""The prompts with which a model judges, without those that show examples or ask for results."""
_EVIDENCE_OPTIONS = EvidenceLlmOptions()
_CHOSEN_STRATEGIES = ("whole", "sections")
"""What an answer is said to be made by where the strategy was left to litterm."""
EVIDENCE_SENTENCES = 10
"""Sentences that a model may choose from a paper, the default of `litterm evidence`."""
_MAX_SENTENCES_PER_PAPER = 20

Labels = Mapping[GradedCell, str]


@dataclass(frozen=True, slots=True)
class ModelAgreement:
    """Operations on drawn sets and people's grades; safe from any thread. Only those that say so ask a model."""

    grades: Callable[[], PeopleGrades]
    records: Callable[[], Records]
    extractor: Callable[[], EvidenceExtractor]
    grader: Callable[[], ModelGrader]
    """Starts a run. Raises `UsageError` where no model is set, `ModelError` where it cannot be asked."""
    model_evidence: Callable[[], LlmEvidence]
    model: str
    """Name of the model of the settings; empty where none is set."""
    temperature: float

    def draw_aspects(
        self,
        query: str,
        criteria: Sequence[str],
        papers: Sequence[Paper],
        *,
        development: int,
        test: int,
        seed: int,
        earlier: GradedSet | None = None,
    ) -> GradedSet:
        """A set of aspects and papers; papers without an abstract are left out.

        Raises:
            UsageError: there are too few.
        """
        cells = drawn_set.aspect_cells(papers, criteria)
        sizes = {"development": development, "test": test, "seed": seed}
        return drawn_set.draw("aspects", query, cells, **sizes, earlier=earlier)

    def draw_sentences(
        self,
        hypothesis: str,
        papers: Sequence[PaperId],
        *,
        development: int,
        test: int,
        seed: int,
        earlier: GradedSet | None = None,
    ) -> Task[GradedSet]:
        """A set of sentences of papers: of each paper as many close to the hypothesis as others.

        Raises:
            UsageError: there are too few, or the hypothesis has no word to look for.
        """
        source = random.Random(seed)
        each = min(_MAX_SENTENCES_PER_PAPER, max(2, 2 * -(-(development + test) // max(1, len(papers)))))
        by_paper: dict[PaperId, Sequence[GradedCell]] = {}
        for paper_id in papers:
            document = yield from read_full_text(self.records(), paper_id)
            near = yield from self.extractor().extract(document, hypothesis, k=each, scope="all", everything=True)
            by_paper[paper_id] = drawn_set.sentence_cells(document, near, each, source)
        sizes = {"development": development, "test": test, "seed": seed}
        return drawn_set.draw("evidence", hypothesis, by_paper, **sizes, earlier=earlier)

    # The model.

    def current(self, kind: CellKind) -> Freeze:
        """Model and prompt as they are now; asks nobody.

        Raises:
            UsageError: no model is set.
        """
        if not self.model:
            raise UsageError("No language model is set; `litterm config model` sets one up.")
        return Freeze(self.model, self._model_hash(), templates_hash(*_PROMPTS[kind]), now())

    def mark(self, kind: CellKind, by: str = "") -> AgreementMark:
        """What is known of the agreement of the model of the settings.

        `by` is what grades (`AspectScores.graded_by`) or stances (`Evidence.by`) were made with: of another model, and
        of another strategy of evidence, nothing is known.
        """
        strategies = (_EVIDENCE_OPTIONS.strategy, *_CHOSEN_STRATEGIES)
        if not self.model or by not in ("", self.model, *(f"{strategy} · {self.model}" for strategy in strategies)):
            return AgreementMark()
        return self.grades().mark(kind, self._model_hash(), templates_hash(*_PROMPTS[kind]))

    def freeze(self, drawn: GradedSet) -> GradedSet:
        """`drawn` with model and prompt as they are now.

        Raises:
            UsageError: no model is set.
            BadInput: its test cells have been measured; another model needs other test cells.
        """
        if drawn.measured:
            raise BadInput(
                f"The test cells were measured on {drawn.measured[-1].at[:10]} with {drawn.measured[-1].model}, and "
                "are not new to anyone who chooses a model or a prompt now; draw others with --again."
            )
        return replace(drawn, freeze=self.current(drawn.kind))

    def estimate(self, cells: Sequence[GradedCell]) -> Task[CostEstimate | None]:
        """What `model_labels` would cost at most; sends nothing. `None` without cells.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        total: CostEstimate | None = None
        grader = self.grader()
        for texts, papers in self._groups(cells):
            cost = grader.estimate([Criterion(text) for text in texts], papers)
            total = total.plus(cost) if total else cost
        extractor = self.model_evidence().build_extractor(_EVIDENCE_OPTIONS)
        for document, hypothesis in (yield from self._read_papers(cells)):
            cost = yield from extractor.estimate(document, hypothesis, k=EVIDENCE_SENTENCES, scope="all")
            total = total.plus(cost) if total else cost
        return total

    def stored_labels(self, cells: Sequence[GradedCell]) -> Labels:
        """The grades of aspects that the model has given before; none where no model is set or may be asked."""
        try:
            grader = self.grader()
        except (UsageError, ModelError):
            return {}
        labels: dict[GradedCell, str] = {}
        for texts, papers in self._groups(cells):
            stored = grader.stored_grades([Criterion(text) for text in texts], papers)
            labels |= {GradedCell(paper_id, text): str(cell.grade) for (text, paper_id), cell in stored.items()}
        return _only(labels, cells)

    def model_labels(self, cells: Sequence[GradedCell]) -> Task[tuple[Labels, tuple[str, ...]]]:
        """The model's labels, asking it for those that are not cached, and notices on what it could not be asked.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        labels: dict[GradedCell, str] = {}
        notices: list[str] = []
        grader = self.grader()
        for texts, papers in self._groups(cells):
            scores = yield from grader.grade([Criterion(text) for text in texts], papers)
            labels |= {GradedCell(paper_id, text): str(cell.grade) for (text, paper_id), cell in scores.cells.items()}
            notices += scores.notices
        extractor = self.model_evidence().build_extractor(_EVIDENCE_OPTIONS)
        for document, hypothesis in (yield from self._read_papers(cells)):
            evidence = yield from extractor.extract(document, hypothesis, k=EVIDENCE_SENTENCES, scope="all")
            # What was found offline in place of the model is not its answer.
            if not extractor.is_by_model(evidence) or evidence.failed:
                notices += (*evidence.notices, f"{document.paper_id} was not judged by {self.model}.")
                continue
            own = [cell for cell in cells if (cell.paper_id, cell.text) == (document.paper_id, hypothesis)]
            labels |= _stances(own, evidence)
        return _only(labels, cells), tuple(dict.fromkeys(notices))

    # The comparison.

    def report(self, drawn: GradedSet, part: SetPart, by_model: Labels | None = None) -> AgreementReport:
        """People with people on one part, and people with the model where `by_model` has its labels; tests nothing."""
        return self._compare(drawn, part, by_model, with_test=False)

    def refuse_unfrozen(self, drawn: GradedSet) -> Freeze:
        """What the set is frozen with, if the test may be measured now.

        Raises:
            BadInput: it is not frozen, model or prompt has changed since, or too few cells are graded.
            UsageError: no model is set.
        """
        frozen, current = drawn.freeze, self.current(drawn.kind)
        if frozen is None:
            raise BadInput("The set is not frozen: `litterm agree freeze FILE` fixes model and prompt before the test.")
        if frozen.model_hash != current.model_hash:
            raise BadInput(
                f"The set was frozen on {frozen.at[:10]} with {frozen.model}; now the settings have {current.model}, "
                "or another temperature, so the test is not measured."
            )
        if frozen.prompt_hash != current.prompt_hash:
            raise BadInput(
                f"The prompt has changed since the set was frozen on {frozen.at[:10]}, so the test is not measured; "
                "`litterm agree freeze FILE` freezes the new one, as long as the test has not been measured."
            )
        from litterm.agreement.statistics import graded_together

        _, shared = graded_together(self._people(drawn.test))
        if len(shared) < MIN_TEST_CELLS:
            raise BadInput(
                f"{count_phrase(len(shared), 'test cell')} graded by two people, and {MIN_TEST_CELLS} are needed; the "
                "model's grades of test cells were not looked at."
            )
        return frozen

    def test(self, drawn: GradedSet, by_model: Labels) -> tuple[AgreementReport, GradedSet]:
        """Measures the test cells once, keeps the outcome for the mark, and returns the set that remembers it.

        Raises:
            BadInput, UsageError: as `refuse_unfrozen`.
        """
        frozen = self.refuse_unfrozen(drawn)
        report = self._compare(drawn, "test", by_model, with_test=True)
        looked = replace(frozen, at=now())
        if drawn.measured:
            notice = f"These test cells have been measured before, first on {drawn.measured[0].at[:10]}."
            report = replace(report, notices=(*report.notices, notice))
        if report.agrees is not None:
            self.grades().record_test(drawn.kind, looked, AgreementMark(report.compared, report.agrees))
        return report, replace(drawn, measured=(*drawn.measured, looked))

    def _compare(self, drawn: GradedSet, part: SetPart, by_model: Labels | None, *, with_test: bool) -> AgreementReport:
        # numpy takes longer to import than most commands run.
        from litterm.agreement.statistics import compare

        cells = drawn.cells(part)
        model = self.model if by_model else ""
        report = compare(part, drawn.kind, cells, self._people(cells), model, by_model, with_test=with_test)
        given = self.grades().grades_of(cells)
        seen = sum(not grade.blind for grades in given.values() for grade in grades.values())
        if seen:
            left_out = f"{count_phrase(seen, 'grade')} left out: the model's was on the screen before."
            report = replace(report, notices=(*report.notices, left_out))
        return report

    def _people(self, cells: Sequence[GradedCell]) -> dict[str, dict[GradedCell, str]]:
        """The labels that people gave blindly, by person."""
        return {
            name: {cell: grade.label for cell, grade in grades.items() if grade.blind}
            for name, grades in self.grades().grades_of(cells).items()
        }

    def _groups(self, cells: Sequence[GradedCell]) -> list[tuple[tuple[str, ...], list[Paper]]]:
        """The aspects of `cells` with their papers, those together that are asked about the same aspects."""
        texts_by_paper: dict[PaperId, dict[str, None]] = {}
        for cell in cells:
            if cell.kind == "aspects":
                texts_by_paper.setdefault(cell.paper_id, {})[cell.text] = None
        groups: dict[tuple[str, ...], list[Paper]] = {}
        for paper_id, texts in texts_by_paper.items():
            try:
                (paper,) = self.records().by_id([paper_id])
            except UnknownPaper:
                continue
            groups.setdefault(tuple(sorted(texts)), []).append(replace(paper, id=paper_id))
        return list(groups.items())

    def _read_papers(self, cells: Sequence[GradedCell]) -> Task[list[tuple[Document, str]]]:
        """The texts of the papers whose sentences are among `cells`, each with the hypothesis."""
        texts = []
        for paper_id, hypothesis in dict.fromkeys((cell.paper_id, cell.text) for cell in cells if cell.sentence):
            # A library that has lost a paper leaves its cells without a label.
            with suppress(UnknownPaper):
                document = yield from read_full_text(self.records(), paper_id)
                texts.append((replace(document, paper_id=paper_id), hypothesis))
        return texts

    def _model_hash(self) -> str:
        return hashlib.sha256(f"{self.model}\0{self.temperature}".encode()).hexdigest()


def _stances(cells: Sequence[GradedCell], evidence: Evidence) -> dict[GradedCell, str]:
    """The stance of each sentence; `neither` where the model did not choose it, or chose it as context."""
    # By their words: another parse of the paper may be read now.
    chosen = {normalize_sentence(item.sentence.text): item.stance for item in evidence.sentences}
    given = {cell: chosen.get(normalize_sentence(cell.sentence)) or "" for cell in cells}
    return {cell: label if label in LABELS["evidence"] else "neither" for cell, label in given.items()}


def _only(labels: Labels, cells: Sequence[GradedCell]) -> dict[GradedCell, str]:
    return {cell: labels[cell] for cell in cells if labels.get(cell) in LABELS[cell.kind]}
