"""Highlights and notes of the files of a paper, as lines and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from litterm.render.locator import locator
from litterm.text.file_annotations import annotation_line, locate

if TYPE_CHECKING:
    from litterm.model.document import Document
    from litterm.model.paper import Paper
    from litterm.text.file_annotations import LocatedAnnotation


class AnnotationData(TypedDict):
    """A highlight or note in a file of a paper."""

    kind: str
    page: str
    quote: str
    comment: str
    colour: str
    author: str
    changed: str
    sentences: list[int]


NOT_LOCATED = "not found in the text"


def annotation_lines(paper: Paper, document: Document | None) -> list[tuple[str, str]]:
    """For each annotation what it says, and where in `document` its words are; the place is empty without words."""
    return [(annotation_line(one.annotation), place_words(one, document)) for one in locate(paper, document)]


def place_words(located: LocatedAnnotation, document: Document | None) -> str:
    """Where the words of an annotation begin in `document`; empty where nothing was looked for."""
    if document is None or not located.annotation.quote:
        return ""
    return locator(document, document.sentences[located.sentences[0]]) if located.sentences else NOT_LOCATED


def annotations_data(paper: Paper, document: Document | None) -> list[AnnotationData]:
    """Every annotation; `sentences` are indexes into `document`, empty where its words were not found there."""
    return [
        {
            "kind": one.annotation.kind,
            "page": one.annotation.page,
            "quote": one.annotation.quote,
            "comment": one.annotation.comment,
            "colour": one.annotation.colour,
            "author": one.annotation.author,
            "changed": one.annotation.changed,
            "sentences": list(one.sentences),
        }
        for one in locate(paper, document)
    ]
