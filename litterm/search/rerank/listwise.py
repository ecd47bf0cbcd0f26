"""Prompts that ask a language model to order papers, and the reading of its order: no reply can lose a paper.

After the listwise rerank of LitSearch (section 5.2) and RankGPT: candidates numbered from 1, title and abstract cut at
300 words, one question for all. Numbers that were not shown and repetitions are dropped, and what is missing follows in
the order it had. A reply can only name numbers; its reasons are shown as the model's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.model.llm import ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.llm.json_shapes import LineShape, ListField, OptionalField, Record, WholeNumber
from litterm.text.llm.prompts import Data, listed, prompt
from litterm.text.llm.reply_json import without_reasoning
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.model.paper import Paper
    from litterm.model.search import Query

REASONS = 5
_WORDS = 300
_LONGEST_REASON = 200
_LONGEST_REQUEST = 4_000
_REPLY_TOKENS, _TOKENS_EACH = 2048, 8
_BRACKETED = re.compile(r"\[\s*(\d{1,4})\s*\]")
_LISTED = re.compile(r"\d{1,4}(?:\s*(?:>|,|;|\n|≻|->)\s*\d{1,4})+")
_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True)
class Order:
    """What a model said of the papers it was shown."""

    numbers: tuple[int, ...]
    """Every paper once, the best first; from 1."""
    reasons: Mapping[int, str]
    """By number; of some of the best."""


@dataclass(frozen=True, slots=True)
class _Reason:
    number: int
    reason: str


def about_papers(query: Query, papers: Sequence[Paper]) -> Question[Order]:
    """In which order `papers` answer `query`."""
    count = len(papers)
    rank_prompt = prompt(
        "rank-papers",
        request=Data("request", (free_text(query) or query.text)[:_LONGEST_REQUEST]),
        papers=Data("papers", listed([_shown(paper) for paper in papers])),
        count=count,
        reasons=min(REASONS, count),
    )
    # Room for the numbers of all papers beside that for reasons: a reply that is cut off is no order.
    most = _REPLY_TOKENS + _TOKENS_EACH * count
    form = ReplyForm("order", _shape(count), lambda text: _from_text(text, count))
    return Question(ModelRequest(rank_prompt.purpose, rank_prompt.messages, max_tokens=most), form)


def completed(numbers: Sequence[int], count: int) -> tuple[int, ...]:
    """1..`count` in the order of `numbers`: unknown and repeated ones dropped, missing ones after them as they were."""
    given = dict.fromkeys(number for number in numbers if 1 <= number <= count)
    return (*given, *(number for number in range(1, count + 1) if number not in given))


def _shown(paper: Paper) -> str:
    words = f"{paper.title}. {paper.abstract}".split() if paper.abstract else paper.title.split()
    return " ".join(words[:_WORDS])


def _shape(count: int) -> Record[Order]:
    number = WholeNumber(1, count)
    reason = Record(_Reason, number=number, reason=LineShape("why", _LONGEST_REASON))

    def order(reasons: tuple[_Reason, ...], order: tuple[int, ...]) -> Order:
        if not order:
            raise ValueError("the order names no number that was shown.")
        # Backwards, so that of two reasons for one paper the first stays.
        reason_by_number = {given.number: given.reason for given in reversed(reasons) if given.reason}
        return Order(completed(order, count), reason_by_number)

    return Record(order, reasons=OptionalField(ListField(reason), ()), order=ListField(number))


def _from_text(text: str, count: int) -> Order:
    """An order as in `[3] > [1]`, or a list of bare numbers; digits in mere prose are none.

    Raises:
        ReplyMismatch: there is no such order.
    """
    bare = without_reasoning(text)[0]
    numbers = tuple(map(int, _BRACKETED.findall(bare))) or tuple(_longest_list(bare))
    if not any(1 <= number <= count for number in numbers):
        raise ReplyMismatch("There is no order of paper numbers in the reply.")
    return Order(completed(numbers, count), {})


def _longest_list(text: str) -> Iterator[int]:
    number_lists = [match[0] for match in _LISTED.finditer(text)]
    # A reply that is a single number, or a list of one a line, is an order too.
    whole = [text] if not re.search(r"[^\W\d_]", text) else []
    best = max((_NUMBER.findall(piece) for piece in [*number_lists, *whole]), key=len, default=[])
    yield from map(int, best)
