"""Prompts that ask a language model to grade a paper by several criteria, and parsing of the labels in its reply.

A reply can only name numbers and labels; the sentence shown as evidence is always one of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.model.aspects import Grade
from litterm.model.llm import ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.documents import sentences
from litterm.text.escape import plain
from litterm.text.llm.prompts import Data, number_lines, phrase, prompt
from litterm.text.llm.reply_json import LineShape, ListField, OptionalField, Record, WholeNumber, label_from_text

if TYPE_CHECKING:
    from litterm.model.paper import Paper

_GRADES: Mapping[str, Grade] = {"FULLY": 2, "PARTLY": 1, "TOUCHES": 1, "UNRELATED": 0}
"""The four labels of DORIS-MAE (CONCUR, AGREE, DISPUTE, DISAGREE) in plain words, and their grades."""
CANNOT_TELL = "CANNOT TELL"
"""The label of a paper without an abstract whose title does not decide; its grade is `?`."""
_MAX_REASON_CHARS = 200
_MAX_CRITERION_CHARS = 500
_BASE_REPLY_TOKENS, _REPLY_TOKENS_PER_CRITERION = 512, 160
_LINE = re.compile(r"^\W{0,8}(\d{1,2})\W{1,6}(.+)$", re.MULTILINE)
_MAX_REPLY_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a paper is graded by: an aspect, or a sub-aspect with its aspect."""

    text: str
    part_of: str = ""
    """Text of the aspect, without which a sub-aspect may not be understood; empty for an aspect."""


@dataclass(frozen=True, slots=True)
class CriterionLabel:
    """The answer of a model for one criterion."""

    number: int
    """Number of the criterion, from 1."""
    reason: str
    sentence: int
    """Number of the deciding sentence, from 1; 0 for none."""
    grade: Grade


@dataclass(frozen=True, slots=True)
class _LabelShape:
    """One of `grades`, also among other words if it is the only one; or a bare 0, 1 or 2."""

    grades: Mapping[str, Grade]

    def schema(self) -> Mapping[str, object]:
        """As JSON schema."""
        return {"type": "string", "enum": list(self.grades)}

    def example(self) -> str:
        """As in an example."""
        return " | ".join(f'"{label}"' for label in self.grades)

    def read(self, value: object, field_path: str, dropped: list[str]) -> Grade:
        """The grade of the label."""
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        return _parse_grade(text, self.grades)


def grade_question(paper: Paper, criteria: Sequence[Criterion], length: int) -> Question[tuple[CriterionLabel, ...]]:
    """Asks how far `paper`, of which `length` characters are shown, meets each of `criteria`."""
    rows = shown_sentences(paper, length)
    has_text = bool(paper.abstract.strip())
    grade_prompt = prompt(
        "aspects-grade",
        requirements=Data("requirements", number_lines(_requirement_lines(criteria))),
        paper=Data("paper", number_lines(rows)),
        shown="title and abstract as numbered sentences"
        if has_text
        else "only the title, as the abstract is not known",
        unknown="" if has_text else f"\n{phrase('aspects-title-only')}",
        requirement="the requirement" if len(criteria) == 1 else f"each of the {len(criteria)} requirements",
    )
    max_tokens = _BASE_REPLY_TOKENS + _REPLY_TOKENS_PER_CRITERION * len(criteria)
    grades = _GRADES if has_text else {**_GRADES, CANNOT_TELL: "?"}
    return Question(
        ModelRequest(grade_prompt.purpose, grade_prompt.messages, max_tokens=max_tokens),
        _reply_form(len(criteria), len(rows), grades),
    )


def _requirement_lines(criteria: Sequence[Criterion]) -> list[str]:
    """The criteria, a sub-aspect with the number of its aspect, or with its words where that has no number."""
    numbers = {criterion.text: number for number, criterion in enumerate(criteria, 1) if not criterion.part_of}
    lines = []
    for criterion in criteria:
        text, aspect = criterion.text[:_MAX_CRITERION_CHARS], criterion.part_of
        where = f"[{numbers[aspect]}]" if aspect in numbers else f"“{aspect[:_MAX_CRITERION_CHARS]}”"
        lines.append(f"(part of {where}) {text}" if aspect else text)
    return lines


def shown_sentences(paper: Paper, length: int) -> tuple[str, ...]:
    """The title and the sentences of the abstract, at most `length` characters in all."""
    abstract = " ".join(paper.abstract[:length].split())
    rows = (paper.title, *(abstract[span.start : span.end] for span in sentences.split(abstract)))
    return tuple(plain(row) for row in rows if row.strip())


def prompt_purpose() -> str:
    """Name and version of the prompt; grades by another version are stored separately."""
    return prompt("aspects-grade", requirements="", paper="", shown="", unknown="", requirement="").purpose


def _reply_form(criteria: int, rows: int, grades: Mapping[str, Grade]) -> ReplyForm[tuple[CriterionLabel, ...]]:
    label_shape = Record(
        CriterionLabel,
        number=WholeNumber(1, criteria),
        reason=LineShape("at most 20 words", _MAX_REASON_CHARS),
        sentence=OptionalField(WholeNumber(0, rows), 0),
        grade=_LabelShape(grades),
    )
    return ReplyForm(
        "grades", Record(_only_field, grades=ListField(label_shape)), lambda text: _parse_lines(text, grades)
    )


def _only_field(grades: tuple[CriterionLabel, ...]) -> tuple[CriterionLabel, ...]:
    """Gives the value of the only field of the form.

    Raises:
        ValueError: it has no grade.
    """
    if not grades:
        raise ValueError("no requirement has a label")
    return grades


def _parse_lines(text: str, grades: Mapping[str, Grade]) -> tuple[CriterionLabel, ...]:
    """Parses lines such as `2: PARTLY because ...`.

    Raises:
        ReplyMismatch: there are none.
    """
    labels = []
    for line in _LINE.finditer(text[:_MAX_REPLY_CHARS]):
        try:
            grade = _parse_grade(line[2], grades)
        except ReplyMismatch:
            continue
        labels.append(CriterionLabel(int(line[1]), plain(line[2])[:_MAX_REASON_CHARS].strip(), 0, grade))
    if not labels:
        raise ReplyMismatch("No line names a requirement and its label, such as 1: PARTLY.")
    return tuple(labels)


def _parse_grade(text: str, grades: Mapping[str, Grade]) -> Grade:
    bare = text.strip()
    numbers: Mapping[str, Grade] = {"0": 0, "1": 1, "2": 2}
    return numbers[bare] if bare in numbers else grades[label_from_text(bare, tuple(grades))]
