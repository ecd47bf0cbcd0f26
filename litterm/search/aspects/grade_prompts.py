"""Prompts that ask a language model to grade a paper by several criteria, and parsing of the labels in its reply.

A reply can only name numbers and labels; the sentence shown as evidence is always one of the paper.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from litterm.model.llm import ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.documents import sentences
from litterm.text.escape import plain
from litterm.text.llm.prompts import Data, number_lines, prompt
from litterm.text.llm.reply_json import LineShape, ListField, OptionalField, Record, WholeNumber, label_from_text

if TYPE_CHECKING:
    from litterm.model.paper import Paper

_GRADES: Mapping[str, Literal[0, 1, 2]] = {"DISAGREE": 0, "DISPUTE": 1, "AGREE": 1, "CONCUR": 2}
"""The four labels of DORIS-MAE and their grades."""
_MAX_REASON_CHARS = 200
_MAX_CRITERION_CHARS = 500
_BASE_REPLY_TOKENS, _REPLY_TOKENS_PER_CRITERION = 512, 160
_LINE = re.compile(r"^\W{0,8}(\d{1,2})\W{1,6}(.+)$", re.MULTILINE)
_MAX_REPLY_CHARS = 100_000


@dataclass(frozen=True, slots=True)
class CriterionLabel:
    """The answer of a model for one criterion."""

    number: int
    """Number of the criterion, from 1."""
    reason: str
    sentence: int
    """Number of the deciding sentence, from 1; 0 for none."""
    grade: Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class _LabelShape:
    """One of the four labels, also among other words if it is the only one; or a bare 0, 1 or 2."""

    def schema(self) -> Mapping[str, object]:
        """As JSON schema."""
        return {"type": "string", "enum": list(_GRADES)}

    def example(self) -> str:
        """As in an example."""
        return " | ".join(f'"{label}"' for label in _GRADES)

    def read(self, value: object, field_path: str, dropped: list[str]) -> Literal[0, 1, 2]:
        """The grade of the label."""
        return _parse_grade(str(value) if isinstance(value, str | int) and not isinstance(value, bool) else "")


def grade_question(paper: Paper, criteria: Sequence[str], length: int) -> Question[tuple[CriterionLabel, ...]]:
    """Asks how far `paper`, of which `length` characters are shown, meets each of `criteria`."""
    rows = shown_sentences(paper, length)
    grade_prompt = prompt(
        "aspects-grade",
        requirements=Data("requirements", number_lines([criterion[:_MAX_CRITERION_CHARS] for criterion in criteria])),
        paper=Data("paper", number_lines(rows)),
        count=len(criteria),
    )
    max_tokens = _BASE_REPLY_TOKENS + _REPLY_TOKENS_PER_CRITERION * len(criteria)
    return Question(
        ModelRequest(grade_prompt.purpose, grade_prompt.messages, max_tokens=max_tokens),
        _reply_form(len(criteria), len(rows)),
    )


def shown_sentences(paper: Paper, length: int) -> tuple[str, ...]:
    """The title and the sentences of the abstract, at most `length` characters in all."""
    abstract = " ".join(paper.abstract[:length].split())
    rows = (paper.title, *(abstract[span.start : span.end] for span in sentences.split(abstract)))
    return tuple(plain(row) for row in rows if row.strip())


def prompt_purpose() -> str:
    """Name and version of the prompt; grades by another version are stored separately."""
    return prompt("aspects-grade", requirements="", paper="", count=0).purpose


def _reply_form(criteria: int, rows: int) -> ReplyForm[tuple[CriterionLabel, ...]]:
    label_shape = Record(
        CriterionLabel,
        number=WholeNumber(1, criteria),
        reason=LineShape("at most 20 words", _MAX_REASON_CHARS),
        sentence=OptionalField(WholeNumber(0, rows), 0),
        grade=_LabelShape(),
    )
    return ReplyForm("grades", Record(_only_field, grades=ListField(label_shape)), _parse_lines)


def _only_field(grades: tuple[CriterionLabel, ...]) -> tuple[CriterionLabel, ...]:
    """Gives the value of the only field of the form.

    Raises:
        ValueError: it has no grade.
    """
    if not grades:
        raise ValueError("no requirement has a label")
    return grades


def _parse_lines(text: str) -> tuple[CriterionLabel, ...]:
    """Parses lines such as `2: AGREE because ...`.

    Raises:
        ReplyMismatch: there are none.
    """
    labels = []
    for line in _LINE.finditer(text[:_MAX_REPLY_CHARS]):
        try:
            grade = _parse_grade(line[2])
        except ReplyMismatch:
            continue
        labels.append(CriterionLabel(int(line[1]), plain(line[2])[:_MAX_REASON_CHARS].strip(), 0, grade))
    if not labels:
        raise ReplyMismatch("No line names a requirement and its label, such as 1: AGREE.")
    return tuple(labels)


def _parse_grade(text: str) -> Literal[0, 1, 2]:
    bare = text.strip()
    if bare in ("0", "1", "2"):
        return (0, 1, 2)[int(bare)]
    return _GRADES[label_from_text(bare, tuple(_GRADES))]
