"""Highlights and notes that a viewer has written into a PDF, and where they are on the page."""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject

from litterm.importers.pdf.fonts import DAMAGE, dictionary
from litterm.model.paper import FileAnnotationKind
from litterm.text.clean import clean_line

MAX_COMMENT_CHARS: Final = 10_000
_MAX_ENTRIES: Final = 20_000
"""Of one page, links and form fields included; what follows is not looked at."""
_MAX_BOXES: Final = 1_000
"""Of one annotation: some twenty pages of lines."""
_MAX_AUTHOR_CHARS: Final = 200
_MARKUP_KINDS: Final[Mapping[str, FileAnnotationKind]] = {
    "/Highlight": "highlight",
    "/Underline": "underline",
    "/Squiggly": "underline",
    "/StrikeOut": "strikeout",
}
"""Of what marks words."""
_NOTE_KINDS: Final[Mapping[str, FileAnnotationKind]] = {
    "/Text": "note",
    "/FreeText": "text",
    **dict.fromkeys(("/Square", "/Circle", "/Polygon", "/PolyLine", "/Line", "/Ink", "/Caret", "/Stamp"), "drawing"),
}
"""Of what says something only by its comment."""
_HIDDEN: Final = 2
_DATE: Final = re.compile(r"(?:D:)?(\d{4})(0[1-9]|1[0-2])([0-2]\d|3[01])")
_TAG: Final = re.compile(r"<[^<>]{0,500}>")
Box = tuple[float, float, float, float]
"""Left, bottom, right, top, where the words of the page are counted from."""


@dataclass(frozen=True, slots=True)
class PlacedAnnotation:
    """An annotation as the file has it, before its words are known."""

    kind: FileAnnotationKind
    boxes: tuple[Box, ...]
    """Of what marks words; none for notes."""
    comment: str = ""
    colour: str = ""
    author: str = ""
    changed: str = ""
    number: int = 0
    """Of the object in the file; 0 where it has none."""
    answers: int = 0
    """Number of the annotation that it replies to; 0 if to none."""


def placed_annotations(page: DictionaryObject, origin: tuple[float, float]) -> tuple[PlacedAnnotation, ...]:
    """The annotations of `page`, as drawn from its corner `origin`; replies are joined to what they reply to.

    What is damaged is left out: it costs no other annotation, and no text.
    """
    try:
        entries = page.get("/Annots")
        entries = entries.get_object() if isinstance(entries, IndirectObject) else entries
        listed = list(entries)[:_MAX_ENTRIES] if isinstance(entries, ArrayObject) else []
    except DAMAGE:
        return ()
    found: list[PlacedAnnotation] = []
    seen: set[int] = set()
    for entry in listed:
        number = entry.idnum if isinstance(entry, IndirectObject) else 0
        # Some files list an annotation twice.
        if number and number in seen:
            continue
        seen.add(number)
        try:
            annotation = _placed(dictionary(entry), number, origin)
        except DAMAGE:
            continue
        if annotation is not None:
            found.append(annotation)
    return tuple(_with_replies(found))


def turned_upright(annotation: PlacedAnnotation, angle: int, width: float, height: float) -> PlacedAnnotation:
    """`annotation` on a page whose writing runs at `angle`, as its words are turned; `width`, `height` after that."""
    match angle:
        case 90:
            boxes = tuple((y0, height - x1, y1, height - x0) for x0, y0, x1, y1 in annotation.boxes)
        case 180:
            boxes = tuple((width - x1, height - y1, width - x0, height - y0) for x0, y0, x1, y1 in annotation.boxes)
        case 270:
            boxes = tuple((width - y1, x0, width - y0, x1) for x0, y0, x1, y1 in annotation.boxes)
        case _:
            return annotation
    return replace(annotation, boxes=boxes)


def _placed(fields: DictionaryObject | None, number: int, origin: tuple[float, float]) -> PlacedAnnotation | None:
    """The annotation, or `None` for a link, a form field, a pop-up or what is hidden."""
    if fields is None or _flags(fields) & _HIDDEN:
        return None
    subtype = str(fields.get("/Subtype", ""))
    kind = _MARKUP_KINDS.get(subtype) or _NOTE_KINDS.get(subtype)
    # A state such as “accepted” is a reply without words of its own.
    if kind is None or "/StateModel" in fields:
        return None
    answers = fields.get("/IRT") if "/IRT" not in fields else fields.raw_get("/IRT")
    comment = _text(fields, "/Contents") or _TAG.sub(" ", _text(fields, "/RC"))
    return PlacedAnnotation(
        kind,
        tuple(_boxes(fields, origin)) if subtype in _MARKUP_KINDS else (),
        _clean(comment),
        _colour(fields),
        clean_line(_text(fields, "/T"))[:_MAX_AUTHOR_CHARS],
        _date(_text(fields, "/M") or _text(fields, "/CreationDate")),
        number,
        answers.idnum if isinstance(answers, IndirectObject) else 0,
    )


def _flags(fields: DictionaryObject) -> int:
    flags = fields.get("/F", 0)
    return flags if isinstance(flags, int) else 0


def _text(fields: DictionaryObject, name: str) -> str:
    value = fields.get(name, "")
    value = value.get_object() if isinstance(value, IndirectObject) else value
    if isinstance(value, bytes):
        # Neither in the encoding of PDF nor in a Unicode one.
        return value[:MAX_COMMENT_CHARS].decode("latin-1")
    return str(value)[: 4 * MAX_COMMENT_CHARS] if isinstance(value, str) else ""


def _clean(text: str) -> str:
    """A comment in lines, without control characters."""
    return "\n".join(filter(None, map(clean_line, text.splitlines())))[:MAX_COMMENT_CHARS].rstrip()


def _date(stated: str) -> str:
    match = _DATE.match(stated)
    return f"{match[1]}-{match[2]}-{match[3]}" if match else ""


def _colour(fields: DictionaryObject) -> str:
    """The name of the colour; empty where none is stated."""
    value = fields.get("/C")
    value = value.get_object() if isinstance(value, IndirectObject) else value
    parts = _numbers(value, 4) if isinstance(value, ArrayObject) else []
    parts = [min(1.0, max(0.0, part)) for part in parts]
    if len(parts) == 4:
        key = 1 - parts[3]
        parts = [(1 - part) * key for part in parts[:3]]
    if len(parts) == 1:
        parts = parts * 3
    return colour_name(parts[0], parts[1], parts[2]) if len(parts) == 3 else ""


def colour_name(red: float, green: float, blue: float) -> str:
    """What a colour of parts in [0, 1] is called."""
    hue, saturation, value = colorsys.rgb_to_hsv(red, green, blue)
    if value < 0.15:
        return "black"
    if saturation < 0.12:
        return "white" if value > 0.95 else "grey"
    degrees = 360 * hue
    limits = ((15, "red"), (43, "orange"), (70, "yellow"), (165, "green"), (250, "blue"), (285, "purple"))
    named = next((name for limit, name in limits if degrees < limit), "")
    return named or ("magenta" if degrees < 345 else "red")


def _numbers(value: ArrayObject, most: int) -> list[float]:
    """At most `most` numbers of a list; none where anything else is among them."""
    numbers: list[float] = []
    for part in value[:most]:
        part = part.get_object() if isinstance(part, IndirectObject) else part
        if not isinstance(part, (int, float)) or not math.isfinite(part):
            return []
        numbers.append(float(part))
    return numbers


def _boxes(fields: DictionaryObject, origin: tuple[float, float]) -> Iterator[Box]:
    """A box for each four points; the whole rectangle where there are none."""
    value = fields.get("/QuadPoints")
    value = value.get_object() if isinstance(value, IndirectObject) else value
    points = _numbers(value, 8 * _MAX_BOXES) if isinstance(value, ArrayObject) else []
    if len(points) < 8:
        rectangle = fields.get("/Rect")
        rectangle = rectangle.get_object() if isinstance(rectangle, IndirectObject) else rectangle
        corners = _numbers(rectangle, 4) if isinstance(rectangle, ArrayObject) else []
        points = corners + corners if len(corners) == 4 else []
    left, bottom = origin
    for start in range(0, len(points) - 7, 8):
        xs, ys = points[start : start + 8 : 2], points[start + 1 : start + 8 : 2]
        yield min(xs) - left, min(ys) - bottom, max(xs) - left, max(ys) - bottom


def _with_replies(found: Sequence[PlacedAnnotation]) -> Iterator[PlacedAnnotation]:
    """Those that reply to none, each with the replies to it as lines of its comment."""
    by_number = {annotation.number: annotation for annotation in found if annotation.number}
    replies: dict[int, list[PlacedAnnotation]] = {}
    roots = []
    for annotation in found:
        root = _root(annotation, by_number)
        if root is annotation:
            roots.append(annotation)
        else:
            replies.setdefault(root.number, []).append(annotation)
    for annotation in roots:
        lines = [annotation.comment, *(_reply_line(reply) for reply in replies.get(annotation.number, ()))]
        comment = "\n".join(filter(None, lines))[:MAX_COMMENT_CHARS].rstrip()
        yield replace(annotation, comment=comment)


def _root(annotation: PlacedAnnotation, by_number: Mapping[int, PlacedAnnotation]) -> PlacedAnnotation:
    """What the thread of `annotation` began with; itself where the thread leads nowhere, or in a circle."""
    current, passed = annotation, {annotation.number}
    while current.answers in by_number:
        current = by_number[current.answers]
        if current.number in passed:
            return annotation
        passed.add(current.number)
    return current


def _reply_line(reply: PlacedAnnotation) -> str:
    if not reply.comment:
        return ""
    return f"{reply.author}: {reply.comment}" if reply.author else reply.comment
