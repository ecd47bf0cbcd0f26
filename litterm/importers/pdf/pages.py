"""PDF bytes to pages of placed words. Only this module, `annotations`, `fonts` and `content_stream` import pypdf."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError
from pypdf.generic import ContentStream, DictionaryObject, StreamObject

from litterm.core.errors import BadInput
from litterm.importers.pdf.annotations import PlacedAnnotation, placed_annotations, turned_upright
from litterm.importers.pdf.content_stream import StreamInterpreter, Word
from litterm.importers.pdf.decryption import prepare_for
from litterm.importers.pdf.fonts import DAMAGE, Fonts, dictionary

# Dozens of warnings a file are no news to the user: what matters ends as a failure.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)
_TRAILER_BYTES: Final = 2048
"""Where readers look for the end of a file."""
_OBJECT: Final = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b")
_REFERENCE: Final = re.compile(rb"\b(\d{1,9})\s+\d{1,5}\s+R\b")
_ID_NAME: Final = re.compile(r"doi|arxiv", re.IGNORECASE)
_PACKET_ID: Final = re.compile(
    r"\b(?:prism|pdfx|crossmark|dc|jav):(?:doi|identifier|WPS-ARTICLEDOI)"
    r"(?:\s{0,9}=\s{0,9}[\"']([^\"'<>]{1,300})|\s{0,9}>\s{0,99}(?:<[^<>]{1,300}>\s{0,99}){0,4}([^<>]{1,300}))",
    re.IGNORECASE,
)
_MAX_PACKET_BYTES: Final = 1 << 20
_TABLE_MARKS: Final = (b"xref", b"trailer", b"/XRef")
"""What is written only when all objects are."""
_MAX_DICTIONARY_BYTES: Final = 4096
# Nothing is at 0, so that pypdf looks for the objects themselves.
_END: Final = b"\nstartxref\n0\n%%EOF\n"


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page: its words in the order they are drawn, x from the left and y from the bottom."""

    number: int
    """From 1."""
    width: float
    height: float
    words: tuple[Word, ...]
    marginal: str = ""
    """Text written across the direction of the rest, such as an arXiv stamp."""
    annotations: tuple[PlacedAnnotation, ...] = ()


@dataclass(frozen=True, slots=True)
class PdfPages:
    """What a file holds, before anybody asks what it means."""

    pages: tuple[PdfPage, ...]
    info_title: str = ""
    """Title of the document information; often missing or the name of a print job."""
    info_ids: tuple[str, ...] = ()
    """Texts of the metadata in which publishers put the id of a paper."""
    glyphs: int = 0
    unreadable: int = 0
    """Glyphs in fonts that do not say which characters they show."""


def read_pages(content: bytes, max_pages: int = 1000) -> PdfPages:
    """Every page of a PDF.

    Raises:
        BadInput: it is encrypted, has too many pages or is damaged beyond reading.
    """
    _check_disguise(content)
    prepare_for(content)
    try:
        return _read(content, max_pages)
    except DependencyError as error:
        raise BadInput(
            "The PDF is encrypted in a way that needs the package “cryptography”; install it, and add the file again."
        ) from error
    except DAMAGE as error:
        fault = error
    # Only now: looking for what is missing reads the whole file once more, and nearly all files have their end.
    repaired = repair_end(content)
    try:
        if repaired is not None:
            return _read(repaired, max_pages)
    except DAMAGE as error:
        fault = error
    raise BadInput(f"The PDF is damaged: {_first_line(fault)}.") from fault


def _read(content: bytes, max_pages: int) -> PdfPages:
    reader = PdfReader(BytesIO(content))
    # Many files are encrypted only against changes, with an empty password.
    if reader.is_encrypted and not reader.decrypt(""):
        raise BadInput(
            "The PDF is encrypted and needs a password; save a copy without one in a PDF viewer, and add the copy."
        )
    count = len(reader.pages)
    if count > max_pages:
        raise BadInput(f"The PDF has {count:,} pages; more than {max_pages:,} are not read.")
    drawings = [_draw(reader, index, fonts) for fonts in (Fonts(),) for index in range(count)]
    return PdfPages(
        tuple(page for page, _ in drawings),
        _info_title(reader),
        tuple(_info_ids(reader)),
        sum(drawing.glyphs for _, drawing in drawings),
        sum(drawing.unreadable for _, drawing in drawings),
    )


def _check_disguise(content: bytes) -> None:
    head = content[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if b"%PDF-" in content[:1024]:
        return
    if head[:1] == b"<":
        kind = "an HTML page" if b"<html" in head.lower() or b"<!doctype html" in head.lower() else "XML"
        raise BadInput(f"The file is {kind}, not a PDF.")
    raise BadInput("The file is not a PDF." if content else "The file is empty.")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:120].rstrip(".") if lines else type(error).__name__


def _info_title(reader: PdfReader) -> str:
    try:
        info = reader.metadata
        return str(info.title or "").strip() if info else ""
    except DAMAGE:
        return ""


def _info_ids(reader: PdfReader) -> Iterator[str]:
    """The subject and what is named an id in the document information, then the ids of the XMP packet."""
    try:
        for name, value in (reader.metadata or {}).items():
            if name == "/Subject" or _ID_NAME.search(name):
                yield f"arXiv:{value}" if "arxiv" in name.lower() and "/" not in str(value) else str(value)
        root = dictionary(reader.trailer.get("/Root"))
        packet = root.get("/Metadata") if root is not None else None
        stream = packet.get_object() if packet is not None else None
        if isinstance(stream, StreamObject):
            text = stream.get_data()[:_MAX_PACKET_BYTES].decode("utf-8", "replace")
            yield from (match[1] or match[2] for match in _PACKET_ID.finditer(text))
    except DAMAGE:
        return


def _draw(reader: PdfReader, index: int, fonts: Fonts) -> tuple[PdfPage, StreamInterpreter]:
    page = reader.pages[index]
    drawing = StreamInterpreter(reader, fonts)
    left, bottom, width, height = _box(page)
    try:
        content = page.get("/Contents")
        resources = dictionary(page.get("/Resources"))
        if content is not None:
            # Counted from the corner of what is visible, which may lie far inside the sheet.
            base = (1.0, 0.0, 0.0, 1.0, -left, -bottom)
            stream = ContentStream(content.get_object(), reader, "bytes")
            drawing.draw(stream, resources if resources is not None else DictionaryObject(), base)
    except (*DAMAGE, BadInput):
        # One bad page costs its own text only, and what was drawn before the fault is kept.
        drawing.flush()
    angle = _main_angle(drawing.words)
    if angle in (90, 270):
        width, height = height, width
    placed = placed_annotations(page, (left, bottom))
    annotations = tuple(turned_upright(annotation, angle, width, height) for annotation in placed)
    words = tuple(_turn_upright(word, width, height) for word in drawing.words if word.angle == angle)
    marginal = " ".join(word.text for word in drawing.words if word.angle != angle)
    return PdfPage(index + 1, width, height, words, marginal, annotations), drawing


def _box(page: PageObject) -> tuple[float, float, float, float]:
    try:
        box = page.cropbox
        left, bottom, width, height = float(box.left), float(box.bottom), float(box.width), float(box.height)
    except DAMAGE:
        # A page without a size that can be read counts as US letter, as it does for most viewers.
        return 0.0, 0.0, 612.0, 792.0
    return (left, bottom, width, height) if width > 1 and height > 1 else (0.0, 0.0, 612.0, 792.0)


def _main_angle(words: Sequence[Word]) -> int:
    counts = {0: 0, 90: 0, 180: 0, 270: 0}
    for word in words:
        counts[word.angle] += len(word.text)
    return max(counts, key=lambda angle: (counts[angle], -angle))


def _turn_upright(word: Word, width: float, height: float) -> Word:
    """Places counted from the corner where the writing begins."""
    match word.angle:
        case 90:
            return word._replace(y=word.y + height)
        case 180:
            return word._replace(x0=word.x0 + width, x1=word.x1 + width, y=word.y + height)
        case 270:
            return word._replace(x0=word.x0 + width, x1=word.x1 + width)
        case _:
            return word


def repair_end(content: bytes) -> bytes | None:
    """`content` with the end it lacks; `None` if it has one, or lacks more than its end.

    In that case nobody could tell how much is missing, and a part must not pass for the paper.
    """
    closing = content.rfind(b"startxref")
    if closing >= len(content) - _TRAILER_BYTES and b"%%EOF" in content[closing:]:
        return None
    if _OBJECT.search(content, max(content.rfind(b"endobj"), 0)):
        return None
    last = content[max(content.rfind(b" obj"), 0) :]
    if not any(mark in last for mark in _TABLE_MARKS) and not _holds_all(content):
        return None
    return content + (b"" if b"/Root" in content else _trailer(content)) + _END


def _holds_all(content: bytes) -> bool:
    """Whether every object that is pointed at is there."""
    return set(_REFERENCE.findall(content)) <= {number for number, _ in _OBJECT.findall(content)}


def _trailer(content: bytes) -> bytes:
    """What names the catalogue, which is found by its type."""
    position = content.rfind(b"/Catalog")
    objects = list(_OBJECT.finditer(content, max(0, position - _MAX_DICTIONARY_BYTES), max(0, position)))
    return b"\ntrailer\n<</Root %s %s R>>" % objects[-1].groups() if objects else b""
