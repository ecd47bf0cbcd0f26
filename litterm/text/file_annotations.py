"""Highlights and notes of the files of a paper: each once, and the sentences that they cover."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.model.document import Document
    from litterm.model.paper import FileAnnotation, Paper

_MIN_SIMILARITY: Final = 92.0
"""Minimum similarity in percent of marked words and text: parses differ in formulas, ligatures and hyphens."""
_MIN_SIMILAR_LETTERS: Final = 30
"""Shorter words must be there as they are: by chance they are like others."""
_MIN_LETTERS: Final = 2
_NEAR_PAGES: Final = 1
"""A sentence that begins on one page is marked on the next, too."""
_NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class LocatedAnnotation:
    """An annotation, and the sentences of a document that it covers."""

    annotation: FileAnnotation
    sentences: tuple[int, ...] = ()
    """Ascending; empty where it marks no words, or they were not clearly found."""


def annotations_of(paper: Paper) -> tuple[FileAnnotation, ...]:
    """The annotations of all files of `paper`, page by page; one that several files hold is there once.

    A reference manager keeps copies of what it has read in a file, with other names of pages: the words decide.
    """
    found: dict[tuple[str, str], FileAnnotation] = {}
    for annotation in _all_annotations(paper):
        key = _key(annotation)
        earlier = found.get(key)
        if earlier is None or len(annotation.comment) > len(earlier.comment):
            found[key] = annotation
    return tuple(sorted(found.values(), key=lambda annotation: _page_order(annotation.page)))


def annotations_with_files(paper: Paper) -> list[tuple[FileAnnotation, str]]:
    """The annotations of `paper`, each with the path of a file that holds it; empty where a database does."""
    files: dict[tuple[str, str], str] = {}
    for annotated in paper.imprint.annotated_files:
        for annotation in annotated.annotations if annotated.file else ():
            files.setdefault(_key(annotation), annotated.file)
    return [(annotation, files.get(_key(annotation), "")) for annotation in annotations_of(paper)]


def without_annotations(paper: Paper) -> Paper:
    """`paper` without what is annotated in its files."""
    if not paper.imprint.annotated_files:
        return paper
    return replace(paper, imprint=replace(paper.imprint, annotated_files=()))


def locate(paper: Paper, document: Document | None) -> tuple[LocatedAnnotation, ...]:
    """The annotations of `paper` with their sentences of `document`: in reading order, those not located last."""
    annotations = annotations_of(paper)
    if document is None or not annotations:
        return tuple(map(LocatedAnnotation, annotations))
    text = _SearchedText.of(document)
    located = [LocatedAnnotation(annotation, text.sentences_of(annotation)) for annotation in annotations]
    return tuple(sorted(located, key=lambda one: one.sentences[:1] or (len(document.sentences),)))


def annotation_line(annotation: FileAnnotation) -> str:
    """An annotation in one line: place, colour, marked words, comment (`p. 3, yellow: “moss grows” – why?`)."""
    place, words = annotation_place(annotation), annotation.quote
    said = " – ".join(filter(None, (f"“{words}”" if words else "", "; ".join(annotation.comment.splitlines()))))
    return f"{place}: {said}" if place and said else place or said


def annotation_place(annotation: FileAnnotation) -> str:
    """Page, colour and, where it is no highlight, kind: `p. 3, yellow, underline`."""
    page = f"p. {annotation.page}" if annotation.page else ""
    kind = "" if annotation.kind == "highlight" and (annotation.quote or annotation.colour) else annotation.kind
    return ", ".join(filter(None, (page, annotation.colour, kind)))


def _all_annotations(paper: Paper) -> Iterator[FileAnnotation]:
    # Each source keeps its own; in the record as a whole they are together.
    for annotated in paper.imprint.annotated_files:
        yield from annotated.annotations


def _key(annotation: FileAnnotation) -> tuple[str, str]:
    """What tells two annotations apart: the marked words, or where there are none what is said of the page."""
    quote = _letters(annotation.quote)
    if quote:
        return quote, annotation.kind if annotation.kind in ("underline", "strikeout") else ""
    return "", f"{annotation.page}\n{_letters(annotation.comment)}\n{annotation.kind if not annotation.comment else ''}"


def _page_order(page: str) -> tuple[int, str]:
    number = _NUMBER.search(page)
    # Roman numerals and the like come first, as the pages that bear them do.
    return (int(number[0][:9]), page) if number else (0, page)


def _letters(text: str) -> str:
    """Letters and figures alone: parses differ in blanks, hyphens and quotation marks."""
    return "".join(
        character for character in fold(unicodedata.normalize("NFKC", text)).casefold() if character.isalnum()
    )


@dataclass(frozen=True, slots=True)
class _SearchedText:
    """The letters of all sentences of a document in a row."""

    letters: str
    starts: tuple[int, ...]
    """Where each sentence begins in `letters`."""
    pages: tuple[int | None, ...]

    @classmethod
    def of(cls, document: Document) -> _SearchedText:
        pieces, starts, length = [], [], 0
        for sentence in document.sentences:
            pieces.append(_letters(sentence.text))
            starts.append(length)
            length += len(pieces[-1])
        return cls("".join(pieces), tuple(starts), tuple(sentence.page for sentence in document.sentences))

    def sentences_of(self, annotation: FileAnnotation) -> tuple[int, ...]:
        """The sentences that the marked words are of; none where they stand in several places, or in none."""
        sought = _letters(annotation.quote)
        if len(sought) < _MIN_LETTERS:
            return ()
        page = int(annotation.page) if annotation.page.isdecimal() and len(annotation.page) < 6 else None
        places = list(self._equal(sought)) or list(self._similar(sought, page))
        if len(places) > 1:
            near = [place for place in places if self._is_near(self._covered(*place), page)]
            exact = [place for place in near if page in {self.pages[index] for index in self._covered(*place)}]
            places = exact if len(exact) == 1 else near
        # A highlight beside a wrong sentence is worse than one that is not located.
        return self._covered(*places[0]) if len(places) == 1 else ()

    def _equal(self, sought: str) -> Iterator[tuple[int, int]]:
        start = self.letters.find(sought)
        # The third decides nothing that the second does not, unless pages do.
        for _ in range(200):
            if start < 0:
                return
            yield start, start + len(sought)
            start = self.letters.find(sought, start + 1)

    def _similar(self, sought: str, page: int | None) -> Iterator[tuple[int, int]]:
        if len(sought) < _MIN_SIMILAR_LETTERS:
            return
        # Imported when needed: nearly all highlights are of the text as it was read.
        from rapidfuzz import fuzz

        # A text without pages is searched as a whole.
        near = [index for index in range(len(self.starts)) if self._is_near((index,), page)]
        if not near:
            return
        begin, end = self.starts[near[0]], self._end(near[-1])
        aligned = fuzz.partial_ratio_alignment(sought, self.letters[begin:end], score_cutoff=_MIN_SIMILARITY)
        if aligned is None or aligned.src_end - aligned.src_start < len(sought):
            return
        place = begin + aligned.dest_start, begin + aligned.dest_end
        # “An accuracy of 81.2” and “an accuracy of 83.1” are similar, and different results.
        if _NUMBER.findall(self.letters[slice(*place)]) == _NUMBER.findall(sought):
            yield place

    def _covered(self, start: int, end: int) -> tuple[int, ...]:
        """The sentences with a letter between `start` and `end`."""
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, end - 1) - 1
        return tuple(index for index in range(first, last + 1) if self._end(index) > self.starts[index])

    def _end(self, index: int) -> int:
        return self.starts[index + 1] if index + 1 < len(self.starts) else len(self.letters)

    def _is_near(self, indexes: Sequence[int], page: int | None) -> bool:
        pages = [self.pages[index] for index in indexes]
        return page is None or any(number is None or abs(number - page) <= _NEAR_PAGES for number in pages)
