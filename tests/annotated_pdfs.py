"""Writes annotations into PDFs, as viewers do: at the end of the file, which keeps its pages."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    IndirectObject,
    NameObject,
    PdfObject,
    create_string_object,
)

YELLOW = (1.0, 0.83, 0.0)

Entry = Mapping[str, object]
"""An annotation: names of its dictionary without the slash; numbers, texts, names (`/Text`), lists, and the place of
another annotation among those of the file (`"IRT": 0`)."""


def quad(x0: float, y0: float, x1: float, y1: float) -> list[float]:
    """Four points in the order in which viewers write them."""
    return [x0, y1, x1, y1, x0, y0, x1, y0]


def highlight(*quads: Sequence[float], page: int = 1, comment: str = "", **entries: object) -> dict[str, object]:
    """A yellow highlight over `quads`."""
    points = [number for one in quads for number in one]
    said = {"Contents": comment} if comment else {}
    return {"page": page, "Subtype": "/Highlight", "QuadPoints": points, "C": list(YELLOW), **said, **entries}


def annotated(pdf: bytes, *entries: Entry, rotate: int = 0, password: str | None = None) -> bytes:
    """`pdf` with annotations, each on its `page` (from 1)."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf)))
    references: list[IndirectObject] = []
    for entry in entries:
        fields = DictionaryObject({NameObject("/Type"): NameObject("/Annot")})
        for name, value in entry.items():
            if name not in ("page", "IRT"):
                fields[NameObject(f"/{name}")] = _object(value)
        references.append(writer._add_object(fields))
    for entry, reference in zip(entries, references, strict=True):
        if isinstance(place := entry.get("IRT"), int):
            reference.get_object()[NameObject("/IRT")] = references[place]
        page = writer.pages[int(str(entry.get("page", 1))) - 1]
        page.setdefault(NameObject("/Annots"), ArrayObject()).append(reference)
    for page in writer.pages if rotate else ():
        page.rotate(rotate)
    if password is not None:
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def _object(value: object) -> PdfObject:
    if isinstance(value, str):
        return NameObject(value) if value.startswith("/") else create_string_object(value)
    if isinstance(value, (int, float)):
        return FloatObject(value)
    if isinstance(value, PdfObject):
        return value
    assert isinstance(value, list)
    return ArrayObject(_object(part) for part in value)
