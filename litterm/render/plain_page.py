"""Pages of the documents as plain lines for a terminal: tables become entries, links their text, pictures nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import Literal

_INDENT = "    "
_LINK = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)")
_CODE_BLOCK = "```"
_LIST_MARKS = ("- ", *(f"{number}. " for number in range(1, 10)))
_Kind = Literal["code", "row", "heading", "text", "blank"]


def section(page: str, heading: str) -> str:
    """The part of `page` below the heading of this name, with it, to the next heading of the same level.

    Raises:
        LookupError: the page has no such heading.
    """
    lines = page.splitlines()
    start = next((number for number, line in enumerate(lines) if line.lstrip("#") == f" {heading}"), None)
    if start is None:
        raise LookupError(heading)
    level = lines[start].partition(" ")[0]
    following = (number for number in range(start + 1, len(lines)) if lines[number].startswith(f"{level} "))
    return "\n".join(lines[start : next(following, len(lines))])


def plain_lines(page: str, columns: int) -> list[str]:
    """The lines of a Markdown page, wrapped to `columns` cells; examples keep their lines."""
    made: list[str] = []
    for kind, text in _blocks(page):
        match kind:
            case "code":
                made.append(f"{_INDENT}{text}".rstrip())
            case "row":
                made.extend(_row_lines(text, columns))
            case "heading":
                made.append(_words(text.lstrip("#").strip()).upper())
            case "text":
                indent = "  " if text.startswith("- ") else ""
                made.extend(wrap(_words(text), columns, subsequent_indent=indent, break_long_words=False))
            case "blank" if made and made[-1]:
                made.append("")
    return made[:-1] if made and not made[-1] else made


def _blocks(page: str) -> Iterator[tuple[_Kind, str]]:
    """The lines of code, rows, headings, and the paragraphs and entries of lists, each on one line."""
    paragraph: list[str] = []
    is_code = False
    for line in (*page.splitlines(), ""):
        word = line.strip()
        if is_code and not word.startswith(_CODE_BLOCK):
            yield "code", line
            continue
        kind = _kind(word)
        if paragraph and (kind != "text" or word.startswith(_LIST_MARKS)):
            yield "text", " ".join(paragraph)
            paragraph.clear()
        if kind == "text":
            paragraph.append(word)
        elif kind == "code":
            is_code = not is_code
        else:
            yield kind, word


def _kind(line: str) -> _Kind:
    """Of a line outside of code; pictures, and HTML that folds a part of the page, are nothing."""
    if line.startswith(_CODE_BLOCK):
        return "code"
    if line.startswith("|"):
        return "row"
    if line.startswith("#"):
        return "heading"
    return "text" if line and not line.startswith(("![", "<")) else "blank"


def entry_lines(name: str, meaning: str, columns: int) -> Iterator[str]:
    """A name on a line of its own, and what it means below it."""
    yield name
    yield from wrap(meaning, columns, initial_indent=_INDENT, subsequent_indent=_INDENT, break_long_words=False)


def _row_lines(row: str, columns: int) -> Iterator[str]:
    """A row of a table as an entry; nothing for the line below the names of the columns."""
    # A bar in a cell is written `\|`.
    cells = [_words(cell.replace("\0", "|").strip()) for cell in row.strip("|").replace("\\|", "\0").split("|")]
    if all(set(cell) <= set("-: ") for cell in cells):
        return
    meaning = " · ".join(cell for cell in cells[1:] if cell)
    yield from entry_lines(cells[0], meaning, columns)


def _words(text: str) -> str:
    """`text` without marks of Markdown: links become their text, code what stands in it."""
    plain = _LINK.sub(r"\1", text)
    return plain.replace("`", "").replace("**", "")
