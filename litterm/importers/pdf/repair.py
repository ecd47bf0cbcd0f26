"""Repairs PDF files without an end, as broken downloads and some programs leave them, where that is safe."""

from __future__ import annotations

import re
from typing import Final

_TRAILER_BYTES: Final = 2048
"""Where readers look for the end of a file."""
_OBJECT: Final = re.compile(rb"(\d{1,9})\s+(\d{1,5})\s+obj\b")
_REFERENCE: Final = re.compile(rb"\b(\d{1,9})\s+\d{1,5}\s+R\b")
_TABLE_MARKS: Final = (b"xref", b"trailer", b"/XRef")
"""What is written only when all objects are."""
_MAX_DICTIONARY_BYTES: Final = 4096
# Nothing is at 0, so that pypdf looks for the objects themselves.
_END: Final = b"\nstartxref\n0\n%%EOF\n"


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
