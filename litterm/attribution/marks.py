"""Citation marks in an excerpt: where they are and of which form, and the author names around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from litterm.model.document import Span

MarkForm = Literal["masked", "open", "key", "author-year", "numeric"]
"""`[CITATION]` · `[?]`, `\\cite{}`, `\\cite{?}` · `\\cite{key}` · `(Author, Year)` · `[12]`."""

MARK_FORMS: tuple[MarkForm, ...] = ("masked", "open", "key", "author-year", "numeric")
"""In the order in which a mark is chosen when nobody says which."""


@dataclass(frozen=True, slots=True)
class CitationMark:
    """One citation mark; the names in `Smith and Jones (2010)` belong to it."""

    span: Span
    form: MarkForm


# Every repetition is bounded: the text is pasted, and may be hostile or a whole book.
_CAPITAL = "[A-ZÀ-ÖØ-ÞĀ-Ɏ]"
_NAME = rf"(?:(?:van|von|de|der|den|di|la|le|al)\s){{0,3}}{_CAPITAL}[^\W\d_]{{0,30}}(?:[-'’][^\W\d_]{{1,30}}){{0,3}}"
_NAMES = rf"{_NAME}(?:,\s{_NAME}){{0,6}}(?:,?\s(?:and|&|und|et)\s{_NAME})?"
_ET_AL = r",?\set\sal\b\.?"
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_CITE = r"\\[a-zA-Z]{0,12}cite[a-zA-Z]{0,12}\*?(?:\[[^\]{}]{0,200}\]){0,2}"
_NUMBER = r"[1-9]\d{0,2}"

_PATTERNS: dict[MarkForm, re.Pattern[str]] = {
    "masked": re.compile(
        r"\[\s?(?:CITATION|CITE|REF)\s?\d{0,3}\s?\]|\[?\bTARGETCIT\b\]?"
        # Each of several in one bracket: `[CITATION1, CITATION2]`.
        r"|(?:(?<=\[)|(?<=[,;])|(?<=[,;]\s))CITATION\s?\d{0,3}(?=\s?[,;\]])",
        re.IGNORECASE,
    ),
    "open": re.compile(rf"\[\s?\?\s?\]|\(\s?\?\s?\)|{_CITE}\{{[\s?,]{{0,20}}\}}"),
    "key": re.compile(rf"{_CITE}\{{[^{{}}]{{1,2000}}\}}"),
    "author-year": re.compile(rf"\b{_NAMES}(?:{_ET_AL})?\s?[(\[]{_YEAR}(?:[,;]\s?(?:{_YEAR}|[a-z]\b)){{0,5}}[)\]]"),
    "numeric": re.compile(rf"\[{_NUMBER}(?:\s?[,;–-]\s?{_NUMBER}){{0,30}}\]"),
}
_GROUP = re.compile(r"[(\[][^()\[\]]{3,600}[)\]]")
_AUTHOR_YEAR_IN_GROUP = re.compile(rf"\b{_NAMES}(?:{_ET_AL})?,?\s{_YEAR}(?:,\s?[a-z]\b){{0,5}}")
_LOOSE_NAMES = re.compile(
    rf"\[AUTHOR\](?:(?:,|,?\s(?:and|&))\s(?:\[AUTHOR\]|{_NAME})){{0,6}}(?:{_ET_AL})?"
    rf"|\b{_NAMES}(?:,?\s(?:and|&)\s\[AUTHOR\]|{_ET_AL})"
    rf"|\b{_CAPITAL}[a-z]{{1,30}}(?:,?\s(?:and|&)\s{_CAPITAL}[a-z]{{1,30}})?\s(?=\({_CAPITAL}\.)"
)


def find_marks(text: str) -> tuple[CitationMark, ...]:
    """Every citation mark of `text`, in reading order, without overlap.

    The parts of `(Smith et al., 2010; Jones, 2011)` are marks of their own.
    """
    marks: list[CitationMark] = []
    # One byte a character rather than a search through the marks: a page may hold thousands.
    covered = bytearray(len(text))
    # By preference, so that what a form claims no later one takes for its own: `\cite{?}` is open and no key.
    for form in MARK_FORMS:
        for span in _spans(text, form):
            if not any(covered[span.start : span.end]):
                covered[span.start : span.end] = b"\x01" * (span.end - span.start)
                marks.append(CitationMark(span, form))
    return tuple(sorted(marks, key=lambda mark: mark.span.start))


def loose_names(text: str) -> Iterator[Span]:
    """Author names that are beside a mark rather than in it: `Smith et al.`, `[AUTHOR] and Jones`."""
    return (Span(*match.span()) for match in _LOOSE_NAMES.finditer(text))


def _spans(text: str, form: MarkForm) -> Iterator[Span]:
    for match in _PATTERNS[form].finditer(text):
        yield Span(*match.span())
    if form == "author-year":
        for group in _GROUP.finditer(text):
            for part in _AUTHOR_YEAR_IN_GROUP.finditer(text, *group.span()):
                yield Span(*part.span())
