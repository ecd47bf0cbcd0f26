"""Asks a language model for the columns of a paper, in one request, and checks every value against its sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.evidence.columns.rules import PaperText
from litterm.evidence.llm.chunks import CHARACTERS_PER_TOKEN, prompt_text
from litterm.model.columns import ColumnValue, EmptyColumnReason
from litterm.model.llm import ModelRequest, Question, ReplyForm
from litterm.text.llm.prompts import Data, number_lines, prompt
from litterm.text.llm.reply_json import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.plural import count_phrase
from litterm.text.tokens import stem, words

if TYPE_CHECKING:
    from litterm.model.document import Document, Sentence

MAX_SHOWN_TOKENS = 12_000
"""Tokens of a paper that are shown; of a longer one the sentences that most likely state something."""
MAX_VALUES = 6
"""Values of a cell at most."""
_MAX_VALUE_CHARS, _MAX_UNIT_CHARS, _MAX_STRUCK_CHARS = 300, 60, 80
_BASE_REPLY_TOKENS, _REPLY_TOKENS_PER_COLUMN = 600, 240
_MIN_FLOAT_SENTENCES = 40
"""Rows of tables and captions that are shown of a long paper at most."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value as a model names it."""

    column: int
    """Number of the column, from 1."""
    sentence: int
    """Number of the sentence, from 1."""
    value: str
    unit: str


@dataclass(frozen=True, slots=True)
class ColumnReply:
    """A reply about one paper."""

    values: tuple[NamedValue, ...]
    not_stated: tuple[int, ...]
    """Numbers of the columns that the paper does not state."""


@dataclass(frozen=True, slots=True)
class ShownPaper:
    """What a model is shown of a paper."""

    text: PaperText
    sentences: tuple[Sentence, ...]
    """In reading order. A number shown to a model is a place in here, plus 1."""
    is_whole: bool
    """Whether nothing that may state a value was left out."""


@dataclass(frozen=True, slots=True)
class CheckedColumn:
    """What is left of a model's answer for one column."""

    values: tuple[ColumnValue, ...]
    empty: EmptyColumnReason | None
    why: str
    """What was struck out, or not shown; empty where there is nothing to say."""


def show_paper(text: PaperText, columns: Sequence[str]) -> ShownPaper:
    """The paper whole where it has room; else title, abstract, and the sentences that most likely state something."""
    document = text.document
    rows = [row for row in document.sentences if row.kind != "heading" and not _is_back(document, row)]
    room = round(MAX_SHOWN_TOKENS * CHARACTERS_PER_TOKEN)
    if sum(len(row.text) + 6 for row in rows) <= room:
        return ShownPaper(text, tuple(rows), True)
    wanted = {stem(word) for column in columns for word in words(column)}
    stating = {row.index for row, _, _ in text.quantities}
    floats = {row.index for row in [row for row in rows if row.kind in ("caption", "table")][:_MIN_FLOAT_SENTENCES]}

    def likelihood(row: Sentence) -> float:
        if row.kind in ("title", "abstract"):
            return 100.0
        shared = len(wanted.intersection(map(stem, words(row.text))))
        return 3.0 * shared + 1.0 * (row.index in stating) + 2.0 * (row.index in floats) + text.weight_of(row)

    chosen: list[Sentence] = []
    for row in sorted(rows, key=lambda row: (-likelihood(row), row.index)):
        size = min(len(row.text), room) + 6
        if size > room:
            break
        chosen.append(row)
        room -= size
    return ShownPaper(text, tuple(sorted(chosen, key=lambda row: row.index)), False)


def _is_back(document: Document, row: Sentence) -> bool:
    return row.section < len(document.sections) and document.sections[row.section].kind == "back"


def column_question(shown: ShownPaper, columns: Sequence[str]) -> Question[ColumnReply]:
    """Asks for the values of `columns` in one paper."""
    document = shown.text.document
    extent = "title and abstract" if document.origin == "abstract" else "the text" if shown.is_whole else "parts"
    filled = prompt(
        "columns",
        shown=f"{extent} of one paper",
        limit=MAX_VALUES,
        columns=Data("columns", number_lines(columns)),
        paper=Data("paper", number_lines([prompt_text(row.text) for row in shown.sentences])),
        which="the column" if len(columns) == 1 else f"each of the {len(columns)} columns",
    )
    value = Record(
        NamedValue,
        column=WholeNumber(1, len(columns)),
        sentence=WholeNumber(1, max(1, len(shown.sentences))),
        value=LineShape("copied from the sentence", _MAX_VALUE_CHARS),
        unit=OptionalField(LineShape("copied from the sentence, or empty", _MAX_UNIT_CHARS), ""),
    )
    form = ReplyForm(
        "columns",
        Record(
            ColumnReply,
            values=ListField(value, MAX_VALUES * len(columns)),
            not_stated=OptionalField(ListField(WholeNumber(1, len(columns)), len(columns)), ()),
        ),
    )
    max_tokens = _BASE_REPLY_TOKENS + _REPLY_TOKENS_PER_COLUMN * len(columns)
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=max_tokens), form)


def check_column(shown: ShownPaper, reply: ColumnReply, number: int) -> CheckedColumn:
    """The values of column `number` that stand in the sentence that the model named; others are struck out."""
    kept: list[ColumnValue] = []
    struck: list[str] = []
    for named in reply.values:
        if named.column != number or len(kept) == MAX_VALUES:
            continue
        row = shown.sentences[named.sentence - 1] if named.sentence <= len(shown.sentences) else None
        value = stretch_of(row.text, named.value) if row else ""
        if row is None or not value:
            struck.append(named.value[:_MAX_STRUCK_CHARS])
            continue
        checked = ColumnValue(value, stretch_of(row.text, named.unit), shown.text.source(row))
        if checked not in kept:
            kept.append(checked)
    remarks = []
    if struck:
        quoted = ", ".join(f"“{value}”" for value in struck[:3])
        what = count_phrase(len(struck), "value")
        remarks.append(
            f"{what} of the model did not stand in the sentence it named and {_were(struck)} struck: {quoted}."
        )
    empty: EmptyColumnReason | None = None
    if not kept:
        is_told = number in reply.not_stated and not struck
        empty = "not stated" if is_told and shown.is_whole else "none found"
        if not shown.is_whole:
            seen, total = len(shown.sentences), len(shown.text.document.sentences)
            remarks.append(f"The model was shown {seen:,} of {total:,} sentences.")
    return CheckedColumn(tuple(kept), empty, " ".join(remarks))


def _were(struck: Sequence[str]) -> str:
    return "was" if len(struck) == 1 else "were"


def stretch_of(sentence: str, copied: str) -> str:
    """The stretch of `sentence` that `copied` is, as it stands there; empty where it is none.

    Blanks, dashes, quotation marks and case may differ; a stretch of letters or digits is never a part of a longer one.
    """
    wanted = [character for character in _folded(copied) if not character.isspace()]
    if not wanted:
        return ""
    places = [place for place, character in enumerate(sentence) if not character.isspace()]
    folded = _folded("".join(sentence[place] for place in places))
    needle = "".join(wanted)
    # Of a letter whose folded form is longer the places are not known.
    if len(folded) != len(places):
        return copied if re.search(rf"(?<!\w){re.escape(copied)}(?!\w)", sentence) else ""
    position = folded.find(needle)
    while position >= 0:
        start, end = places[position], places[position + len(needle) - 1] + 1
        if _is_whole(sentence, start, end):
            return sentence[start:end]
        position = folded.find(needle, position + 1)
    return ""


_SAME = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "µ": "μ"}
)


def _folded(text: str) -> str:
    return text.translate(_SAME).lower()


def _is_whole(sentence: str, start: int, end: int) -> bool:
    """Whether no word or number is cut at the ends of a stretch; a unit may stand right behind its number."""
    before, first = sentence[start - 1 : start], sentence[start]
    after, last = sentence[end : end + 1], sentence[end - 1]
    is_cut_before = (
        first.isdigit() and (before.isdigit() or (before in ".," and sentence[start - 2 : start - 1].isdigit()))
    ) or (first.isalpha() and before.isalpha())
    is_cut_after = (
        last.isdigit() and (after.isdigit() or (after in (".", ",") and sentence[end + 1 : end + 2].isdigit()))
    ) or (last.isalpha() and after.isalpha())
    return not is_cut_before and not is_cut_after
