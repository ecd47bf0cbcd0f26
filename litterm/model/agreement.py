"""Grades by people of what a model judges too, and how far people and the model agree (after DORIS-MAE's Anno-GPT)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litterm.model.paper import PaperId

CellKind = Literal["aspects", "evidence"]
"""`aspects`: how far a paper meets an aspect; `evidence`: what a sentence does for a hypothesis."""
SetPart = Literal["development", "test"]
Metric = Literal["accuracy", "macro F1", "kappa", "rho"]
METRICS: tuple[Metric, ...] = ("accuracy", "macro F1", "kappa", "rho")
LABELS: Mapping[CellKind, tuple[str, ...]] = {
    "aspects": ("0", "1", "2"),
    "evidence": ("refutes", "neither", "supports"),
}
"""The labels of a kind in ascending order, which is the order that rho compares. A sentence that the model did not
choose, or chose as context, is `neither`."""
OWN_GRADER = "you"
"""What the user is called among the people who graded."""
DEFAULT_DEVELOPMENT, DEFAULT_TEST = 30, 60
"""Cells of a set: a third and a quarter of the published 90 and 250, an hour and a half for one person."""
MIN_TEST_CELLS = 30
"""Cells graded by two people below which a test says nothing."""
SIGNIFICANCE = 0.05
"""Probability below which agreement with the model is called lower than that of people, as published."""


@dataclass(frozen=True, slots=True)
class GradedCell:
    """What is graded: an aspect and a paper, or a hypothesis and a sentence of a paper."""

    paper_id: PaperId
    text: str
    """The aspect, or the hypothesis, blanks squeezed."""
    sentence: str = ""
    """The paper's own sentence, blanks squeezed; empty for an aspect."""

    @property
    def kind(self) -> CellKind:
        """Whether an aspect or a sentence is graded."""
        return "evidence" if self.sentence else "aspects"


@dataclass(frozen=True, slots=True)
class PersonGrade:
    """A grade by a person."""

    label: str
    """One of `LABELS`."""
    note: str = ""
    at: str = ""
    """UTC, ISO 8601."""
    blind: bool = True
    """Whether the person had not seen the model's grade; others are kept, and are in no comparison."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """Model and prompt as they were when the development was over."""

    model: str
    """Its name."""
    model_hash: str
    """Of its name and temperature."""
    prompt_hash: str
    """Of the text of its prompts."""
    at: str
    """UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class GradedSet:
    """Cells drawn to be graded by people and by a model, in the order in which they are graded."""

    kind: CellKind
    query: str
    """The search, or the hypothesis, the papers came from."""
    seed: int
    development: tuple[GradedCell, ...]
    test: tuple[GradedCell, ...]
    """No paper of it is in `development`, unless an earlier test set was added there."""
    freeze: Freeze | None = None
    measured: tuple[Freeze, ...] = ()
    """For each time its test cells were measured, with what, and when."""

    def cells(self, part: SetPart) -> tuple[GradedCell, ...]:
        """The cells of one part."""
        return self.development if part == "development" else self.test


@dataclass(frozen=True, slots=True)
class MetricInterval:
    """A metric with its interval of 95 %; `None` where it is undefined, as kappa is if all labels are one."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How far some graders agree."""

    name: str
    """`people with people`, `people with MODEL`, `MODEL with the majority`, or two names."""
    cells: int
    """Cells that entered it."""
    metrics: Mapping[Metric, MetricInterval]


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """What a comparison found."""

    part: SetPart
    kind: CellKind
    cells: int
    """Of the part."""
    graders: Mapping[str, int]
    """By person, how many cells of the part are graded blindly."""
    model: str = ""
    """Empty where no model is compared."""
    rows: tuple[AgreementRow, ...] = ()
    differences: Mapping[Metric, MetricInterval] = field(default_factory=dict)
    """People with people, minus people with the model."""
    p: Mapping[Metric, float] = field(default_factory=dict)
    """Of the hypothesis that both agree alike, from two sides; empty below `MIN_TEST_CELLS`."""
    compared: int = 0
    """Cells with grades of two people and the model, on which `p` rests."""
    papers: int = 0
    """Papers of these, which the bootstrap draws."""
    agrees: bool | None = None
    """Whether the model agrees as a person does; `None` where that was not tested."""
    splits: tuple[tuple[GradedCell, tuple[tuple[str, str], ...]], ...] = ()
    """Cells that were graded differently, each with grader and label."""
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgreementMark:
    """What is known of a model's agreement with people, shown beside its grades or stances."""

    cells: int = 0
    """Test cells on which it rests."""
    agrees: bool | None = None
    """`None`: never tested with this model and this prompt."""
