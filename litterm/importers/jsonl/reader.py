"""JSON Lines of papers: one object a line, with the fields listed in `rows`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO, Final

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import Content, check_values, check_whole, is_damaged
from litterm.importers.jsonl.row_faults import faults_of
from litterm.importers.jsonl.rows import JsonRow, parse_row
from litterm.model.library import Failure, Parsed
from litterm.text.documents.hyphens import HyphenStatistics

_MAX_LINE_BYTES: Final = 32 * 2**20
"""Bytes of one row; the longest full text at hand has 0.3 MB."""
_BOM: Final = b"\xef\xbb\xbf"


def read_jsonl(content: Content, hyphens: HyphenStatistics) -> Iterator[Parsed | Failure]:
    """Every row of a file; a bad line, or a bad field of one, is a failure of its own, named by its number from 1.

    Raises:
        BadInput: the packed data ends too early; the rows before the end were yielded.
    """
    with content.open() as stream:
        for number, line in _lines(stream):
            if line.strip():
                yield from _parse_line(line, number, content.origin, hyphens)
        check_whole(stream)


def _parse_line(line: bytes, number: int, origin: str, hyphens: HyphenStatistics) -> Iterator[Parsed | Failure]:
    """The paper of a line, then what of it could not be read."""
    try:
        row = _row(line)
        yield parse_row(row, origin, hyphens)
    except BadInput as error:
        yield Failure(f"{origin}:{number}", str(error))
        return
    if faults := faults_of(row.values):
        yield Failure(f"{origin}:{number}", faults, missing="fields")


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Number and bytes of every line; one that is too long is cut, and so fails by itself."""
    number = 0
    while line := stream.readline(_MAX_LINE_BYTES):
        number += 1
        if not line.endswith(b"\n") and is_damaged(stream):
            # Cut off in the middle: the file's own failure says so.
            return
        # Windows' editors put one there.
        yield number, line.removeprefix(_BOM) if number == 1 else line
        # The rest of a line too long is skipped, not read as rows of its own.
        while len(line) == _MAX_LINE_BYTES and not line.endswith(b"\n"):
            line = stream.readline(_MAX_LINE_BYTES)


def _row(line: bytes) -> JsonRow:
    if len(line) >= _MAX_LINE_BYTES:
        raise BadInput(f"A line of more than {_MAX_LINE_BYTES // 2**20} MB, too long for a paper.")
    # Before it is parsed: an empty list takes sixty times the memory of its two characters.
    check_values(line)
    try:
        decoded: object = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"Not UTF-8: byte {error.start + 1} of the line is invalid.") from error
    except RecursionError as error:
        raise BadInput("Nested too deeply to be a paper.") from error
    except json.JSONDecodeError as error:
        raise BadInput(
            f"Not valid JSON: {error.msg.lower().removesuffix(' starting at')}, at character {error.colno}."
        ) from error
    except ValueError as error:
        # Nothing else is left: Python refuses numbers that would take it too long.
        raise BadInput("Not a paper: a number with thousands of digits.") from error
    if not isinstance(decoded, dict):
        raise BadInput("Not a JSON object.")
    return JsonRow({str(key): value for key, value in decoded.items()})
