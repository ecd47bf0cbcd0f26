"""Prompts that ask a language model to order papers, and parsing of the order; no reply can lose a paper.

After the listwise reranking of LitSearch (section 5.2) and RankGPT: candidates are numbered from 1, with title and
abstract cut at 300 words, in one question. Unknown and repeated numbers are dropped, and missing papers follow in their
former order. A reply can only name numbers; its reasons are shown as the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.model.llm import ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.llm.json_shapes import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.llm.prompts import Data, number_lines, prompt
from litterm.text.llm.reply_json import without_reasoning
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.model.paper import Paper
    from litterm.model.search import Query

MAX_REASONS = 5
_MAX_WORDS = 300
_MAX_REASON_CHARS = 200
_MAX_REQUEST_CHARS = 4_000
_BASE_REPLY_TOKENS, _REPLY_TOKENS_PER_PAPER = 2048, 8
_BRACKETED_NUMBER = re.compile(r"\[\s*(\d{1,4})\s*\]")
_NUMBER_LIST = re.compile(r"\d{1,4}(?:\s*(?:>|,|;|\n|≻|->)\s*\d{1,4})+")
_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True)
class PaperOrder:
    """The order that a model gave to the papers of one question."""

    numbers: tuple[int, ...]
    """The number of every paper once, from 1, the best first."""
    reasons: Mapping[int, str]
    """Reasons for some of the best, by number."""


@dataclass(frozen=True, slots=True)
class _Reason:
    number: int
    reason: str


def order_question(query: Query, papers: Sequence[Paper]) -> Question[PaperOrder]:
    """Asks for the order in which `papers` answer `query`."""
    count = len(papers)
    rank_prompt = prompt(
        "rank-papers",
        request=Data("request", (free_text(query) or query.text)[:_MAX_REQUEST_CHARS]),
        papers=Data("papers", number_lines([_paper_text(paper) for paper in papers])),
        count=count,
        reasons=min(MAX_REASONS, count),
    )
    # Room for the numbers of all papers, too: a reply that is cut off has no order.
    max_tokens = _BASE_REPLY_TOKENS + _REPLY_TOKENS_PER_PAPER * count
    form = ReplyForm("order", _order_shape(count), lambda text: _parse_order(text, count))
    return Question(ModelRequest(rank_prompt.purpose, rank_prompt.messages, max_tokens=max_tokens), form)


def complete_order(numbers: Sequence[int], count: int) -> tuple[int, ...]:
    """1..`count` in the order of `numbers`; unknown and repeated numbers are dropped, missing ones appended."""
    given = dict.fromkeys(number for number in numbers if 1 <= number <= count)
    return (*given, *(number for number in range(1, count + 1) if number not in given))


def _paper_text(paper: Paper) -> str:
    words = f"{paper.title}. {paper.abstract}".split() if paper.abstract else paper.title.split()
    return " ".join(words[:_MAX_WORDS])


def _order_shape(count: int) -> Record[PaperOrder]:
    number = WholeNumber(1, count)
    reason = Record(_Reason, number=number, reason=LineShape("why", _MAX_REASON_CHARS))

    def order(reasons: tuple[_Reason, ...], order: tuple[int, ...]) -> PaperOrder:
        if not order:
            raise ValueError("the order names no number that was shown.")
        # Reversed, so that of two reasons for one paper the first is kept.
        reason_by_number = {given.number: given.reason for given in reversed(reasons) if given.reason}
        return PaperOrder(complete_order(order, count), reason_by_number)

    return Record(order, reasons=OptionalField(ListField(reason), ()), order=ListField(number))


def _parse_order(text: str, count: int) -> PaperOrder:
    """Parses an order such as `[3] > [1]`, or a list of bare numbers; digits in prose do not count.

    Raises:
        ReplyMismatch: there is no such order.
    """
    bare = without_reasoning(text)[0]
    numbers = tuple(map(int, _BRACKETED_NUMBER.findall(bare))) or tuple(_longest_list(bare))
    if not any(1 <= number <= count for number in numbers):
        raise ReplyMismatch("There is no order of paper numbers in the reply.")
    return PaperOrder(complete_order(numbers, count), {})


def _longest_list(text: str) -> Iterator[int]:
    number_lists = [match[0] for match in _NUMBER_LIST.finditer(text)]
    # A reply that is a single number, or one number a line, is an order, too.
    whole = [text] if not re.search(r"[^\W\d_]", text) else []
    best = max((_NUMBER.findall(piece) for piece in [*number_lists, *whole]), key=len, default=[])
    yield from map(int, best)
