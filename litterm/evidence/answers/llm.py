"""Requests for an answer in sentences: written from numbered quotes, then compared with its quotes one by one.

A reply names quotes by number, before each sentence; the request that checks sees one sentence and its quotes, and
neither the question nor any other quote.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, cast

from litterm.model.answer import AnswerSentence
from litterm.model.llm import ModelRequest, Question, ReplyForm
from litterm.model.written_answer import FaultKind, PartKind, WrittenPart, WrittenSentence
from litterm.text.escape import plain
from litterm.text.llm.prompts import Data, prompt
from litterm.text.llm.reply_json import Label, LineShape, ListField, OptionalField, Record, WholeNumber

MAX_SENTENCES: Final = 16
"""Sentences of the paragraphs; points and disagreement have their own."""
MAX_POINTS: Final = 6
MAX_DISAGREEMENTS: Final = 4
MAX_GAPS: Final = 4
_MAX_QUOTES: Final = 6
"""Quotes behind one sentence."""
_MAX_SENTENCE_CHARS, _MAX_QUESTION_CHARS, _MAX_QUOTE_CHARS = 500, 1_000, 1_500
_MAX_PARAGRAPHS: Final = 9
_WRITE_TOKENS, _CHECK_TOKENS = 4_000, 1_000
_VERDICTS: Final = ("fine", "scope", "direction", "roles", "population", "quote")
_MAX_REASON_CHARS: Final = 200
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class DraftAnswer:
    """What a model has written, not yet checked."""

    parts: tuple[WrittenPart, ...]
    gaps: tuple[WrittenSentence, ...]


@dataclass(frozen=True, slots=True)
class CheckReply:
    """What a model says of one sentence beside its quotes."""

    reason: str
    verdict: str
    """`fine`, or a kind of fault."""

    @property
    def fault(self) -> FaultKind | None:
        """The kind of fault; `None` where the quotes say the sentence."""
        return None if self.verdict == "fine" else cast("FaultKind", self.verdict)


@dataclass(frozen=True, slots=True)
class _Draft:
    quotes: tuple[int, ...]
    sentence: str
    paragraph: int = 1


def write_question(question: str, quotes: Sequence[AnswerSentence]) -> Question[DraftAnswer]:
    """Asks for points, paragraphs, disagreement and gaps; `quotes` are numbered by their rank."""
    filled = prompt(
        "answer-write",
        question=Data("question", question[:_MAX_QUESTION_CHARS]),
        quotes=Data("quotes", "\n".join(_quote_lines(quotes))),
        limit=MAX_SENTENCES,
    )
    numbers = ListField(WholeNumber(1, max(1, len(quotes))), _MAX_QUOTES)
    line = LineShape("one sentence", _MAX_SENTENCE_CHARS)
    cited = Record(_Draft, quotes=numbers, sentence=line)
    shape = Record(
        _draft,
        points=ListField(cited, MAX_POINTS),
        answer=OptionalField(
            ListField(
                Record(_of_paragraph, paragraph=WholeNumber(1, _MAX_PARAGRAPHS), quotes=numbers, sentence=line),
                MAX_SENTENCES,
            ),
            (),
        ),
        disagreement=OptionalField(ListField(cited, MAX_DISAGREEMENTS), ()),
        gaps=OptionalField(ListField(line, MAX_GAPS), ()),
    )
    request = ModelRequest(filled.purpose, filled.messages, max_tokens=_WRITE_TOKENS)
    return Question(request, ReplyForm("answer", shape))


def check_question(sentence: str, quotes: Sequence[str]) -> Question[CheckReply]:
    """Asks what `sentence` says otherwise than `quotes`, which is all that the request shows."""
    filled = prompt(
        "answer-check",
        sentence=Data("sentence", _one_line(sentence)),
        quotes=Data("quotes", "\n".join(_one_line(quote)[:_MAX_QUOTE_CHARS] for quote in quotes)),
    )
    shape = Record(
        CheckReply, reason=OptionalField(LineShape("a few words", _MAX_REASON_CHARS), ""), verdict=Label(_VERDICTS)
    )
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=_CHECK_TOKENS), ReplyForm("check", shape))


def _quote_lines(quotes: Sequence[AnswerSentence]) -> list[str]:
    lines: list[str] = []
    for _, of_paper in groupby(quotes, key=lambda quote: quote.paper.id):
        own = list(of_paper)
        paper = own[0].paper
        year = f" ({paper.year})" if paper.year else ""
        status = paper.retraction.partition(":")[0].strip()
        warning = f" {plain(status).upper()}." if status and status != "corrected" else ""
        lines.append(f"Paper: {plain(_one_line(paper.title))}{year}.{warning}")
        lines += [f"[{quote.rank}] {plain(_one_line(quote.text))[:_MAX_QUOTE_CHARS]}" for quote in own]
    return lines


def _one_line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()


def _of_paragraph(paragraph: int, quotes: tuple[int, ...], sentence: str) -> _Draft:
    return _Draft(quotes, sentence, paragraph)


def _draft(
    points: tuple[_Draft, ...], answer: tuple[_Draft, ...], disagreement: tuple[_Draft, ...], gaps: tuple[str, ...]
) -> DraftAnswer:
    parts = [_part("points", points)]
    paragraphs = sorted((each for each in answer if each.sentence), key=lambda each: each.paragraph)
    parts += [_part("paragraph", list(own)) for _, own in groupby(paragraphs, key=lambda each: each.paragraph)]
    parts.append(_part("disagreement", disagreement))
    return DraftAnswer(
        tuple(part for part in parts if part.sentences), tuple(WrittenSentence(gap, ()) for gap in gaps if gap)
    )


def _part(kind: PartKind, drafts: Sequence[_Draft]) -> WrittenPart:
    sentences = (
        WrittenSentence(draft.sentence, tuple(dict.fromkeys(draft.quotes))) for draft in drafts if draft.sentence
    )
    return WrittenPart(kind, tuple(sentences))
