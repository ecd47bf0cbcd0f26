"""JSON Lines of papers: one object a line, with the fields listed in `rows`; fields of a wrong form are named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import BinaryIO, Final

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import Content, check_values, check_whole, is_damaged, memory_content
from litterm.importers.encoding import UTF_16_MARKS, decode_text
from litterm.importers.jsonl.people import is_named
from litterm.importers.jsonl.rows import JsonRow, parse_row
from litterm.model.library import Failure, Parsed
from litterm.text.documents.hyphens import HyphenStatistics

_MAX_LINE_BYTES: Final = 32 * 2**20
"""Bytes of one row; the longest full text at hand has 0.3 MB."""
_MAX_WIDE_BYTES: Final = 256 * 2**20
_MAX_REMEMBERED_LINES: Final = 100_000
"""With their digests, some 10 MB."""
_BOM: Final = b"\xef\xbb\xbf"
_LINE_FIELDS: Final = frozenset(
    """id title abstract tldr year date venue type decision status journal booktitle volume issue pages publisher
    address language bibkey article_number edition series isbn issn thesis institution note exported_on doi arxiv pmid
    pmcid s2 anthology_id openreview url pdf_url licence""".split()
)
"""Text, or a number."""
_PEOPLE_FIELDS: Final = frozenset(("authors", "editors"))
_LIST_FIELDS: Final = frozenset(
    "keywords aliases urls files venue_keys unverified_ids accession_numbers databases collections".split()
)
_CHOICE_FIELDS: Final = frozenset(("has_more_authors", "has_more_editors", "is_title_certain", "plain", "mine"))
_TEXT_FIELDS: Final = ("text", "sentences", "paragraphs")


def read_jsonl(content: Content, hyphens: HyphenStatistics) -> Iterator[Parsed | Failure]:
    """Every row of a file; a bad line, or a bad field of one, is a failure of its own, named by its number from 1.

    Raises:
        BadInput: the packed data ends too early; the rows before the end were yielded.
    """
    content = _as_utf8(content)
    is_told = False
    with content.open() as stream:
        for number, line in _unrepeated(_lines(stream)):
            if not line.strip():
                continue
            for item in _parse_line(line, number, content.origin, hyphens):
                if isinstance(item, Parsed) and item.remark:
                    # Once a file: each line is decoded by itself.
                    yield replace(item, remark="") if is_told else item
                    is_told = True
                else:
                    yield item
        check_whole(stream)


def _as_utf8(content: Content) -> Content:
    """`content`, whose lines can be cut at their ends: in UTF-16 a line feed is two bytes."""
    if content.head()[:2] not in UTF_16_MARKS:
        return content
    return memory_content(content.origin, decode_text(content.read(_MAX_WIDE_BYTES)).text.encode("utf-8", "replace"))


def _parse_line(line: bytes, number: int, origin: str, hyphens: HyphenStatistics) -> Iterator[Parsed | Failure]:
    """The paper of a line, then what of it could not be read."""
    try:
        row, remark = _row(line)
        parsed = parse_row(row, origin, hyphens)
        yield replace(parsed, remark=f"Line {number}: {remark}") if remark else parsed
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


def _unrepeated(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """`lines` without those that say again, byte for byte, what one of the last says: each would be read in full."""
    seen: set[bytes] = set()
    last = b""
    for number, line in lines:
        # Without a digest, as most are repeated at once.
        if line == last:
            continue
        last = line
        digest = blake2b(line, digest_size=16).digest()
        if digest in seen:
            continue
        if len(seen) >= _MAX_REMEMBERED_LINES:
            seen.clear()
        seen.add(digest)
        yield number, line


def _row(line: bytes) -> tuple[JsonRow, str]:
    """The fields of a line, and what had to be guessed to read it."""
    if len(line) >= _MAX_LINE_BYTES:
        raise BadInput(f"A line of more than {_MAX_LINE_BYTES // 2**20} MB, too long for a paper.")
    # Before it is parsed: an empty list takes sixty times the memory of its two characters.
    check_values(line)
    try:
        text, remark = line.decode("utf-8"), ""
    except UnicodeDecodeError:
        guessed = decode_text(line)
        text, remark = guessed.text, guessed.remark
    try:
        decoded: object = json.loads(text)
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
    is_plain = decoded.get("plain") is True
    return JsonRow({str(key): value for key, value in decoded.items()}, is_plain), remark


def faults_of(row: Mapping[str, object]) -> str:
    """The fields that could not be read, as one sentence; empty where all could."""
    faults = list(dict.fromkeys(_faults(row)))
    if not faults:
        return ""
    return f"Read without {', '.join(faults[:3])}{' and more' if len(faults) > 3 else ''}."


def _faults(row: Mapping[str, object]) -> Iterator[str]:
    for name, value in row.items():
        # Exports write every field, empty where there is nothing.
        if value is None or value in ("", [], {}):
            continue
        expected = _expected_kind(name, value)
        if expected:
            yield f"“{name}” ({_kind_name(value)}, should be {expected})"
        elif name in _PEOPLE_FIELDS and isinstance(value, list) and not all(map(_is_person, value)):
            yield f"some of “{name}” (not names)"
        elif name == "sections" and isinstance(value, list):
            yield from _section_faults(value)


def _expected_kind(name: str, value: object) -> str:
    """What the field should hold; empty where `value` is of that kind."""
    # For Python a truth value is a number.
    is_line = isinstance(value, str | int | float) and not isinstance(value, bool)
    if name in _LINE_FIELDS:
        return "" if is_line else "text or a number"
    if name in _PEOPLE_FIELDS:
        return "" if isinstance(value, str | list) else "a list of names"
    if name in _LIST_FIELDS:
        return "" if isinstance(value, str | list) else "a list"
    if name in _CHOICE_FIELDS:
        return "" if isinstance(value, bool) else "true or false"
    return "a list" if name in ("sections", "references") and not isinstance(value, list) else ""


def _is_person(value: object) -> bool:
    if isinstance(value, list):
        # Family name, given name and suffix.
        return bool(value) and all(isinstance(part, str) for part in value) and bool(value[0])
    return isinstance(value, str) or (isinstance(value, dict) and is_named(value))


def _section_faults(sections: list[object]) -> Iterator[str]:
    for number, section in enumerate(sections, 1):
        fields = section if isinstance(section, dict) else {}
        if not isinstance(section, dict) or not any(name in fields for name in (*_TEXT_FIELDS, "title", "heading")):
            yield f"section {number} (neither title nor text)"
        elif not isinstance(fields.get("text", ""), str):
            yield f"the text of section {number} ({_kind_name(fields['text'])})"
        elif not all(isinstance(fields.get(name, []), list) for name in _TEXT_FIELDS[1:]):
            yield f"the sentences of section {number} (should be a list)"


def _kind_name(value: object) -> str:
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (str, "text"),
        (int, "a number"),
        (float, "a number"),
        (list, "a list"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "an object")
