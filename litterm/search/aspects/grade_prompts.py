"""Prompts that ask a language model about one paper and several aspects, and the reading of its labels.

A reply can only name numbers and labels; the sentence that is shown as its reason is the paper's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from litterm.model.llm import ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.documents import sentences
from litterm.text.escape import plain
from litterm.text.llm.json_shapes import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.llm.prompts import Data, listed, prompt
from litterm.text.llm.reply_json import label_from_text

if TYPE_CHECKING:
    from litterm.model.paper import Paper

_GRADES: Mapping[str, Literal[0, 1, 2]] = {"DISAGREE": 0, "DISPUTE": 1, "AGREE": 1, "CONCUR": 2}
"""The four labels of DORIS-MAE, and the three grades they stand for."""
_LONGEST_REASON = 200
_LONGEST_CRITERION = 500
_REPLY_TOKENS, _TOKENS_EACH = 512, 160
_LINE = re.compile(r"^\W{0,8}(\d{1,2})\W{1,6}(.+)$", re.MULTILINE)
_LONGEST_REPLY = 100_000


@dataclass(frozen=True, slots=True)
class CriterionLabel:
    """What a model said of one criterion."""

    number: int
    """Of the criterion, from 1."""
    reason: str
    sentence: int
    """Number of the sentence that decides, from 1; 0 for none."""
    grade: Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class _Label:
    """One of the four labels, also among other words if it is the only one; a bare 0, 1 or 2 is taken too."""

    def schema(self) -> Mapping[str, object]:
        """As JSON schema."""
        return {"type": "string", "enum": list(_GRADES)}

    def example(self) -> str:
        """As in an example."""
        return " | ".join(f'"{label}"' for label in _GRADES)

    def read(self, value: object, where: str, dropped: list[str]) -> Literal[0, 1, 2]:
        """The grade the label stands for."""
        return _grade(str(value) if isinstance(value, str | int) and not isinstance(value, bool) else "")


def about_paper(paper: Paper, criteria: Sequence[str], length: int) -> Question[tuple[CriterionLabel, ...]]:
    """How far `paper`, of which `length` characters are shown, meets each of `criteria`."""
    rows = shown_sentences(paper, length)
    grade_prompt = prompt(
        "aspects-grade",
        requirements=Data("requirements", listed([criterion[:_LONGEST_CRITERION] for criterion in criteria])),
        paper=Data("paper", listed(rows)),
        count=len(criteria),
    )
    most = _REPLY_TOKENS + _TOKENS_EACH * len(criteria)
    return Question(
        ModelRequest(grade_prompt.purpose, grade_prompt.messages, max_tokens=most), _form(len(criteria), len(rows))
    )


def shown_sentences(paper: Paper, length: int) -> tuple[str, ...]:
    """The title and the sentences of the abstract, at most `length` characters in all."""
    abstract = " ".join(paper.abstract[:length].split())
    rows = (paper.title, *(abstract[span.start : span.end] for span in sentences.split(abstract)))
    return tuple(plain(row) for row in rows if row.strip())


def purpose() -> str:
    """Name and version of the prompt: grades by another are others."""
    return prompt("aspects-grade", requirements="", paper="", count=0).purpose


def _form(criteria: int, rows: int) -> ReplyForm[tuple[CriterionLabel, ...]]:
    label_shape = Record(
        CriterionLabel,
        number=WholeNumber(1, criteria),
        reason=LineShape("at most 20 words", _LONGEST_REASON),
        sentence=OptionalField(WholeNumber(0, rows), 0),
        grade=_Label(),
    )
    return ReplyForm("grades", Record(_listed, grades=ListField(label_shape)), _from_text)


def _listed(grades: tuple[CriterionLabel, ...]) -> tuple[CriterionLabel, ...]:
    """The one field of its form.

    Raises:
        ValueError: there is no grade in it.
    """
    if not grades:
        raise ValueError("no requirement has a label")
    return grades


def _from_text(text: str) -> tuple[CriterionLabel, ...]:
    """Lines such as `2: AGREE because ...`.

    Raises:
        ReplyMismatch: there is none.
    """
    labels = []
    for line in _LINE.finditer(text[:_LONGEST_REPLY]):
        try:
            grade = _grade(line[2])
        except ReplyMismatch:
            continue
        labels.append(CriterionLabel(int(line[1]), plain(line[2])[:_LONGEST_REASON].strip(), 0, grade))
    if not labels:
        raise ReplyMismatch("No line names a requirement and its label, such as 1: AGREE.")
    return tuple(labels)


def _grade(text: str) -> Literal[0, 1, 2]:
    bare = text.strip()
    if bare in ("0", "1", "2"):
        return (0, 1, 2)[int(bare)]
    return _GRADES[label_from_text(bare, tuple(_GRADES))]
