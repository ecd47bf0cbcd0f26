"""What Zotero's notes and annotations say, as text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Final

from litterm.model.paper import FileAnnotation, FileAnnotationKind
from litterm.text.clean import clean_line, script_text

MAX_NOTE_CHARS: Final = 60_000
"""Of all notes of one item; a library keeps less, and reports what is cut."""
_TAG: Final = re.compile(r"<(?:[!?][^<>]*|/?([A-Za-z][\w-]{0,30})[^<>]*)>")
_SCRIPT: Final = re.compile(r"<(su[bp])>([^<>]{1,40})</\1>", re.IGNORECASE)
_COMMENT_TAG: Final = re.compile(r"</?(?:b|i|sub|sup)>", re.IGNORECASE)
"""All that a comment may hold; anything else in brackets is text."""
_BLOCK_TAGS: Final = frozenset(
    "address article blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre section table td th tr ul".split()
)
_COLOURS: Final = {
    "#ffd400": "yellow",
    "#ff6666": "red",
    "#5fb236": "green",
    "#2ea8e5": "blue",
    "#a28ae5": "purple",
    "#e56eee": "magenta",
    "#f19837": "orange",
    "#aaaaaa": "grey",
}
_ANNOTATION_KINDS: Final[Mapping[int, FileAnnotationKind]] = {
    2: "note",
    3: "image",
    4: "drawing",
    5: "underline",
    6: "text",
}
"""All others are highlights."""


def note_text(markup: str) -> str:
    """The text of a note in HTML, a line for each paragraph, list item or row."""
    markup = _with_scripts(markup[:MAX_NOTE_CHARS].replace("\r", "\n"))
    text = html.unescape(_TAG.sub(_replacement, markup))
    lines = (clean_line(line) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _with_scripts(markup: str) -> str:
    return _SCRIPT.sub(lambda match: script_text(match[1].lower(), match[2]), markup)


def _replacement(tag: re.Match[str]) -> str:
    return "\n" if (tag[1] or "").lower() in _BLOCK_TAGS else ""


def read_annotation(
    kind: int, marked_text: str, comment: str, colour: str, page_label: str, position: str
) -> FileAnnotation:
    """An annotation of a PDF, EPUB or web page; `position` is Zotero's JSON of where it is."""
    colour = clean_line(colour).lower()
    remark = _COMMENT_TAG.sub("", _with_scripts(comment))
    return FileAnnotation(
        _ANNOTATION_KINDS.get(kind, "highlight"),
        clean_line(page_label) or _page_of(position),
        clean_line(marked_text),
        "\n".join(filter(None, map(clean_line, remark.splitlines()))),
        _COLOURS.get(colour, colour),
    )


def _page_of(position: str) -> str:
    """The number of the page in a PDF, from 1; empty for other places."""
    try:
        place = json.loads(position)
    except (ValueError, RecursionError):
        return ""
    index = place.get("pageIndex") if isinstance(place, dict) else None
    return str(index + 1) if isinstance(index, int) and 0 <= index < 1_000_000 else ""
