"""Finds the name that stands right before a citation mark: `SNLI` in `trained on the SNLI corpus [3]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from litterm.text.tokens import FUNCTION_WORDS, SENTENCE_WORDS, fold, words

if TYPE_CHECKING:
    from litterm.model.document import Span
    from litterm.model.paper import Paper

NameForm = Literal["mixed", "capitals", "words", "word"]
"""How a name is written: `SQuAD` and `GPT-2`; `BLEU`; `Penn Treebank`; `Adam`."""
MAX_NAME_WORDS = 4
"""Words of a name, parts of compounds counted one by one, at most."""
GENERIC_WORDS = frozenset(
    "benchmark benchmarks corpora corpus data dataset datasets metric model models paper set sets task the".split()
)
"""Words that may stand around a name without changing what is meant: "the SNLI corpus"."""
_MIN_CHARS = 3
_TAIL_CHARS = 120
"""Characters before a mark in which its name is looked for."""
_TOKEN = re.compile(r"[^\W_]+(?:[-+][^\W_]+)*\+*")
_NUMBER = re.compile(r"\d{1,3}")
_ROMAN = re.compile(r"[IVX]+")
_RAISED = re.compile(r"[⁰¹²³⁴-⁹]+")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_INTRODUCING = (
    r"\b(?:[Pp]resent|[Ii]ntroduc|[Pp]ropos|[Rr]eleas|[Cc]all|[Nn]am|[Dd]ubb)(?:e|es|ed|ing|s)?"
    r"(?:\W{1,3}(?!(?:about|by|for|from|in|of|on|that|to|using|with)\b)[\w-]+){0,4}?"
)
"""A verb with which a paper introduces a name, and what may stand between them: `we introduce a new data set,`."""
_BRACKETS = {"[": "]", "(": ")"}
_NO_NAMES = (
    FUNCTION_WORDS
    | SENTENCE_WORDS
    | frozenset(
        "al algorithm algorithms appendix assumption chapter corollary definition eg eq eqn equation equations eqs et"
        " example fig figs figure figures footnote ie lemma line note proposition ref refs sec section sections tab"
        " table tables theorem vol january february march april may june july august september october november"
        " december".split()
    )
)
"""Folded words that are written with a capital letter, or in capitals, and are no names."""


def name_before_mark(text: str, mark: Span) -> str:
    """The name right before the mark of a single work in `text`; empty where there is none.

    A name is coined (`SQuAD`), in capitals (`BLEU`) or of words that begin with them (`Penn Treebank`). Generic words
    and an opening bracket may stand between it and the mark, and nothing else.
    """
    before = _before_single_mark(text, mark)
    tail = before[-_TAIL_CHARS:]
    tokens = list(_TOKEN.finditer(tail))
    if not tokens or tokens[-1].end() != len(tail):
        return ""
    last = len(tokens)
    while last > 1 and tokens[last - 1].group() in GENERIC_WORDS and _are_neighbours(tail, tokens, last - 1):
        last -= 1
    first = last
    while first > 0 and _may_be_in_name(tokens[first - 1].group()):
        first -= 1
        if not _are_neighbours(tail, tokens, first):
            break
    # The first word of a sentence begins with a capital letter, whatever it is.
    if first == 0 and len(tail) == len(before) and _has_one_capital(tokens[0].group()):
        first = 1
    name = tail[tokens[first].start() : tokens[last - 1].end()] if first < last else ""
    return name if len(name) >= _MIN_CHARS and len(words(name)) <= MAX_NAME_WORDS else ""


def name_form(name: str) -> NameForm:
    """How `name` is written."""
    if " " in name:
        return "words"
    if _has_one_capital(name):
        return "word"
    return "capitals" if name.isalpha() and name.isupper() else "mixed"


def is_of_authors(name: str, paper: Paper) -> bool:
    """Whether a word of `name` is a name of an author of `paper`: "Kim [3]" names nothing else."""
    of_authors = {
        part for author in paper.authors for part in words(f"{author.family} {author.given} {author.surname}")
    }
    return not of_authors.isdisjoint(words(name))


def introduces_name(paper: Paper, name: str) -> bool:
    """Whether `paper` says that the name is its own: `SQuAD: ...`, `... (SQuAD)`, `We present SQuAD`."""
    written = re.escape(name)
    return (
        re.match(rf"{written}\s*[:–—]", paper.title) is not None
        or f"({name})" in f"{paper.title} {paper.abstract}"
        or re.search(rf"{_INTRODUCING}\W{{1,3}}{written}(?![\w-])", paper.abstract) is not None
    )


def _before_single_mark(text: str, mark: Span) -> str:
    """The text before a mark that is in brackets or raised and cites one work; empty where it is of another kind."""
    before, inside, after = text[: mark.start].rstrip(), text[mark.start : mark.end].strip(), text[mark.end :].lstrip()
    if _RAISED.fullmatch(inside):
        return before
    if inside[:1] in _BRACKETS and inside[-1:] == _BRACKETS[inside[0]]:
        inside = inside[1:-1].strip()
    elif before[-1:] in _BRACKETS and after[:1] == _BRACKETS[before[-1]]:
        before = before[:-1].rstrip()
    else:
        return ""
    # A year alone belongs to a name that is part of the sentence: "Smith (2010)".
    is_single = _NUMBER.fullmatch(inside) or (_LETTERS.search(inside) and ";" not in inside)
    return before if is_single else ""


def _are_neighbours(text: str, tokens: list[re.Match[str]], second: int) -> bool:
    """Whether nothing but a blank parts the token at `second` from the one before it."""
    return second > 0 and text[tokens[second - 1].end() : tokens[second].start()] in (" ", "\u00a0")


def _may_be_in_name(token: str) -> bool:
    if fold(token) in _NO_NAMES or token.isdigit() or not any(map(str.isupper, token)):
        # Coined without a capital letter: word2vec.
        return bool(re.fullmatch(r"[a-z]{2,}\d[a-z]{2,}", token))
    if _ROMAN.fullmatch(token):
        return False
    # "BERT-based", "to-English" and "LSTMs" are no names.
    first, *others = token.split("-")
    return not (
        any(len(part) > 1 and part.islower() for part in others)
        or (len(first) > 1 and first in _NO_NAMES)
        or (token.endswith("s") and token[:-1].isupper())
    )


def _has_one_capital(token: str) -> bool:
    """Whether `token` is an ordinary word with a capital letter."""
    return token[0].isupper() and token[1:].isalpha() and token[1:].islower()
