"""Finds the reference list of a PDF and splits it into entries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from litterm.importers.pdf.dehyphenate import WordCounts, clean_text, join_lines
from litterm.importers.pdf.lines import Line
from litterm.model.document import Reference
from litterm.text.references.parser import read_reference

_NUMBERED = re.compile(r"\s*[\[(]?(\d{1,3})(?:[\]).]|(?=\s+[A-Z“\"]))")
_BRACKETED_NUMBER = re.compile(r"\s*(?:\[\d{1,3}\]|\(\d{1,3}\)|\d{1,3}[.)])\s")
_BRACKETED = re.compile(r"\s*\[[^\]\s]{2,20}\]\s")
_HAS_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_MAX_ENTRY_CHARS = 1_500


def split_references(lines: Sequence[Line], words: WordCounts) -> tuple[Reference, ...]:
    """The entries of the list whose lines these are, with the fields each tells."""
    if not lines:
        return ()
    starts = _starts(lines)
    entries: list[Reference] = []
    for begin, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        text = join_lines(lines[begin:end], words).text
        if not 8 < len(text) <= _MAX_ENTRY_CHARS:
            continue
        fields = read_reference(text)
        entries.append(
            Reference(
                index=len(entries),
                text=text,
                label=fields.label,
                title=fields.title,
                families=fields.families,
                year=fields.year,
                ids=fields.ids,
            )
        )
    return tuple(entries)


def _starts(lines: Sequence[Line]) -> list[int]:
    # The surest sign first; each gives nothing where the list is not set that way.
    for starts in (
        _starts_by_number(lines),
        _starts_by_bracket(lines),
        _starts_by_outdent(lines),
        _starts_by_gap(lines),
    ):
        if starts:
            return starts
    return [0]


def _starts_by_number(lines: Sequence[Line]) -> list[int]:
    """Lines that begin with 1, 2, 3, ...; a number may be missed, but not many."""
    starts: list[int] = []
    expected = 1
    for index, line in enumerate(lines):
        match = _NUMBERED.match(line.text)
        if match and expected <= int(match[1]) <= expected + 2:
            starts.append(index)
            expected = int(match[1]) + 1
    # Of two entries the first begins the list, and both numbers are set apart as such.
    is_pair = (
        len(starts) == 2 and starts[0] == 0 and all(_BRACKETED_NUMBER.match(lines[index].text) for index in starts)
    )
    is_list = len(starts) >= 3 and starts[0] < 4
    return starts if (is_pair or is_list) and len(starts) >= 0.7 * (expected - 1) else []


def _starts_by_bracket(lines: Sequence[Line]) -> list[int]:
    starts = [index for index, line in enumerate(lines) if _BRACKETED.match(line.text)]
    return starts if len(starts) >= 3 and starts[0] == 0 and len(starts) * 8 >= len(lines) else []


def _starts_by_outdent(lines: Sequence[Line]) -> list[int]:
    """The first line of an entry hangs out to the left of the others, in every column."""
    lefts = _lefts(lines)
    starts = [0] if lines else []
    for index, line in enumerate(lines):
        left_edge = lefts[index]
        if index and line.x0 - left_edge < 0.35 * line.size:
            starts.append(index)
    share = len(starts) / max(1, len(lines))
    return starts if 0.12 <= share <= 0.72 and _are_mostly_dated(lines, starts) else []


def _lefts(lines: Sequence[Line]) -> list[float]:
    """For each line the left edge of its column: the smallest x that several lines of its page share nearby."""
    lefts: list[float] = []
    by_page: dict[int, Counter[int]] = {}
    for line in lines:
        by_page.setdefault(line.page, Counter())[round(line.x0)] += 1
    for line in lines:
        candidates = [
            x for x, count in by_page[line.page].items() if count > 1 and 0 <= line.x0 - x + 1 < 5 * line.size
        ]
        lefts.append(float(min(candidates)) if candidates else line.x0)
    return lefts


def _starts_by_gap(lines: Sequence[Line]) -> list[int]:
    steps = sorted(a.y - b.y for a, b in pairwise(lines) if a.page == b.page and a.y > b.y)
    if not steps:
        return []
    usual = steps[len(steps) // 4]
    starts = [0]
    for index in range(1, len(lines)):
        previous, line = lines[index - 1], lines[index]
        step = previous.y - line.y
        ended = clean_text(previous.text).endswith((".", ")", "]")) and _HAS_YEAR.search(previous.text) is not None
        if (step > 1.2 * usual if step > 0 else ended) and line.text[:1].isupper():
            starts.append(index)
    return starts if len(starts) > 2 and _are_mostly_dated(lines, starts) else []


def _are_mostly_dated(lines: Sequence[Line], starts: Sequence[int]) -> bool:
    """Entries name a year: a split that bodies many without is wrong."""
    pairs = list(zip(starts, [*starts[1:], len(lines)], strict=True))
    dated = sum(1 for begin, end in pairs if any(_HAS_YEAR.search(line.text) for line in lines[begin:end]))
    return dated >= 0.6 * len(pairs)
