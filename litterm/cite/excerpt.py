"""Reading an excerpt: which mark is meant, and which words around it tell of the paper it stands for."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from litterm.cite.marks import FORMS, Mark, find_marks, loose_names
from litterm.errors import UsageError
from litterm.model.citation import Excerpt, WeightedWord
from litterm.model.document import Span
from litterm.text.function_words import FUNCTION_WORDS, QUESTION_WORDS
from litterm.text.tokens import words

LONGEST = 200_000
"""Characters; more is refused: a draft is not an excerpt."""

# Measured on citing sentences of ACL papers (dev): R@1 8.3 -> 10.2 over plain BM25, R@10 21.5 -> 23.8.
_FAR_WEIGHT, _NEAR_WEIGHT, _DECAY_WORDS = 0.15, 0.85, 20.0
_CAPITAL_FACTOR = 1.5
# Beyond this many words a word weighs .15 and a page of them would drown the sentence that cites.
_REACH_WORDS = 120
_WORD = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad]|[-.'’](?=[^\W_]))*")
_BOILERPLATE = re.compile(r"https?://[^\s<>]{1,2000}|\\[a-zA-Z]{1,40}\*?|\[AUTHOR\]")
_SENTENCE_END = re.compile(r"[.!?:]['\")\]]?\s+$|^\s*$|[(\[\"“]$")
_DROPPED = FUNCTION_WORDS | QUESTION_WORDS | frozenset({"et", "al", "eg", "ie", "cf", "see"})
_FEW_WORDS = 4
_COINED_REACH, _COINED_SHOWN, _MARK_SHOWN = 15, 4, 40


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the running text and how many words lie between it and the mark."""

    text: str
    distance: int
    emphatic: bool
    """Capitalised inside a sentence, or with two capitals: likely a name of something."""


def read_excerpt(text: str, mark: int = 0) -> Excerpt:
    """`text` with its marks found, one chosen, and the words around it weighted.

    `mark` counts the marks in order of preference: `[CITATION]` first, then `[?]` and empty `\\cite{}`, then
    `\\cite{key}`, `(Author, Year)` and `[12]`; equal forms in reading order. Without any mark the end of the
    text is meant. Names of authors, other citations, LaTeX commands, links and function words are left out.

    Raises:
        UsageError: the text is blank or too long, or there is no such mark.
    """
    if not text.strip():
        raise UsageError("The excerpt is empty; paste the sentence that cites, with [CITATION] where the citation is.")
    if len(text) > LONGEST:
        raise UsageError(f"The excerpt has {len(text):,} characters; paste only the sentences around the citation.")
    marks = find_marks(text)
    chosen = _chosen(marks, mark)
    around = _running_words(text, marks, chosen)
    return Excerpt(
        text=text,
        marks=tuple(found.span for found in marks),
        chosen=chosen,
        words=tuple(_weighted(around)),
        lint=_lint(text, marks, chosen, around),
    )


def _chosen(marks: Sequence[Mark], mark: int) -> int:
    preferred = sorted(range(len(marks)), key=lambda index: (FORMS.index(marks[index].form), index))
    if not marks and mark == 0:
        return -1
    if not 0 <= mark < len(marks):
        raise UsageError(f"There is no mark {mark + 1}; the excerpt has {len(marks)}.")
    return preferred[mark]


def _running_words(text: str, marks: Sequence[Mark], chosen: int) -> list[_Word]:
    place = marks[chosen].span if chosen >= 0 else Span(len(text), len(text))
    bare = _blanked(text, (*(mark.span for mark in marks), *loose_names(text), *_boilerplate(text)))
    matches = list(_WORD.finditer(bare))
    before = sum(match.end() <= place.start for match in matches)
    return [
        _Word(match.group(), before - 1 - number if number < before else number - before, _is_emphatic(bare, match))
        for number, match in enumerate(matches)
        if before - _REACH_WORDS <= number < before + _REACH_WORDS
    ]


def _boilerplate(text: str) -> Iterable[Span]:
    return (Span(*match.span()) for match in _BOILERPLATE.finditer(text))


def _blanked(text: str, spans: Iterable[Span]) -> str:
    """`text` with blanks in place of `spans`, so that positions stay true."""
    characters = list(text)
    for span in spans:
        characters[span.start : span.end] = " " * (span.end - span.start)
    return "".join(characters)


def _is_emphatic(text: str, match: re.Match[str]) -> bool:
    word = match.group()
    if sum(character.isupper() for character in word) >= 2:
        return True
    return word[0].isupper() and not _SENTENCE_END.search(text[max(0, match.start() - 8) : match.start()])


def _weighted(around: Sequence[_Word]) -> Iterable[WeightedWord]:
    for word in around:
        near = _FAR_WEIGHT + _NEAR_WEIGHT * math.exp(-word.distance / _DECAY_WORDS)
        weight = near * (_CAPITAL_FACTOR if word.emphatic else 1.0)
        for folded in words(word.text):
            if folded not in _DROPPED:
                yield WeightedWord(folded, weight)


def _lint(text: str, marks: Sequence[Mark], chosen: int, around: Sequence[_Word]) -> str:
    said = [_which_mark(text, marks, chosen)]
    coined = [word.text for word in around if word.distance < _COINED_REACH and _looks_coined(word.text)]
    if coined:
        said.append("coined names near it: " + ", ".join(list(dict.fromkeys(coined))[:_COINED_SHOWN]))
    content = {folded for word in around for folded in words(word.text)} - _DROPPED
    if not content:
        said.append("no word to search for")
    elif len(content) < _FEW_WORDS:
        said.append("very few words to go by")
    return " · ".join(said)


def _which_mark(text: str, marks: Sequence[Mark], chosen: int) -> str:
    if not marks:
        return "no mark: the end of the text is meant"
    if len(marks) == 1:
        return "one mark"
    span = marks[chosen].span
    alike = [other for other in marks if text[other.span.start : other.span.end] == text[span.start : span.end]]
    which = f" number {alike.index(marks[chosen]) + 1}" if len(alike) > 1 else ""
    return f"{len(marks)} marks, {' '.join(text[span.start : span.end].split())[:_MARK_SHOWN]}{which} is meant"


def _looks_coined(word: str) -> bool:
    inner = any(character.isupper() for character in word[1:])
    return len(word) > 2 and word[0].isalpha() and (inner or any(character.isdigit() for character in word))
