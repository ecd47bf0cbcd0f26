"""Reads tables that litterm wrote as CSV and a spreadsheet may have saved since."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from litterm.core.errors import BadInput

# Written before a cell that a spreadsheet would take for a formula; the wide signs count there, too.
_ESCAPED_FORMULA = re.compile(r"'(?=\s*[=+\-@\uff1d\uff0b\uff0d\uff20])")
# Excel tells the separator in a line of its own before the header.
_PREAMBLE = re.compile(r"\s*(?:sep=.\s+)?", re.IGNORECASE)


def read_rows(content: bytes, name: str) -> Iterator[list[str]]:
    """The rows of a table, the header first; `name` is what it is called in errors.

    Any of comma, semicolon and tab separates; UTF-8, UTF-16 and the Western code page are understood.

    Raises:
        BadInput: it is no table.
    """
    text = _PREAMBLE.sub("", _decode(content).replace("\0", ""), count=1)
    # Excel separates by semicolons where the comma is for decimals.
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    except csv.Error as error:
        raise BadInput(f"{name}: the table cannot be read ({error}).") from error


def clean_value(value: str) -> str:
    """`value` with blanks squeezed, and without the apostrophe that keeps a spreadsheet from acting on it."""
    return " ".join(_ESCAPED_FORMULA.sub("", value.strip(), count=1).split())


def _decode(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # What Excel writes on Western Windows when it is asked for CSV.
        return content.decode("cp1252", "replace")
