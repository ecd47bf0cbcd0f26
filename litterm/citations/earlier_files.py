"""Citations as earlier versions stored them: `citations/lists.jsonl` with files of sentences, and `counts.jsonl`.

They are only read, to be moved into the database, and removed when that is done. `lists.jsonl` has a line for each
resolved list; the last line of each paper, source and direction is valid. `graph.pack` holds the same as arrays, and is
not read. Sentences are lines of JSON in a file for each list, in folders by a hash or, before that, all in one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from litterm.core.durable_files import remove_tree
from litterm.core.json_fields import integer, integer_or_none, items, mapping, text, texts
from litterm.model.citations.citation_counts import COUNT_SOURCES, CountAnswer
from litterm.model.citations.graph import Direction, Edge, EdgeSource, ListSlot, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

_LISTS_FILE, _UNREAD_FILE, _SENTENCES_FOLDER, _COUNTS_FILE = "lists.jsonl", "unread", "citances", "counts.jsonl"
_OTHER_FILES = ("graph.pack", _UNREAD_FILE)
_HEAD_END = b',"known":'
"""Stands in no text: quotes in texts have a backslash before them."""
_SHARD_DIGITS = 2


@dataclass(slots=True)
class EarlierLists:
    """The lists in a file: where each is, as all of them together may be larger than memory should hold."""

    path: Path
    settled: frozenset[str] | None = None
    """Segments with which every list was up to date; `None` also if a line could not be read."""
    _places: dict[ListSlot, tuple[int, int]] = field(default_factory=dict)
    """First byte and length of the line of each list."""
    _segments: dict[ListSlot, frozenset[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._places)

    def resolved(self) -> Iterator[ResolvedList]:
        """The lists, in the order of the file."""
        with self.path.open("rb") as file:
            for slot, (first, length) in self._places.items():
                file.seek(first)
                try:
                    resolved = _list_from(mapping(mapping(json.loads(file.read(length)))["list"]))
                except (ValueError, KeyError, TypeError):
                    # Damaged behind its head: it is missing, and is made again.
                    self.settled = None
                    continue
                yield replace(resolved, segments=self._segments[slot])

    def take(self, fields: Mapping[str, object], first: int, length: int, against: frozenset[str]) -> frozenset[str]:
        """Notes what a line says; returns the segments that lists are resolved against from there on."""
        if "list" in fields:
            slot = _head_from(mapping(fields["list"])).slot
            # Removed first: lists are in the order of their last lines.
            self._places.pop(slot, None)
            self._places[slot], self._segments[slot] = (first, length), against
        elif "drop" in fields:
            paper, source, direction = texts(fields["drop"])
            self._places.pop((PaperId(paper), cast(EdgeSource, source), cast(Direction, direction)), None)
        elif "against" in fields:
            return frozenset(texts(fields["against"]))
        elif "settled" in fields:
            self.settled = frozenset(texts(fields["settled"]))
            self._segments = dict.fromkeys(self._places, self.settled)
            return self.settled
        return against


class EarlierFiles:
    """The citation graph of an earlier version in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _LISTS_FILE

    def has_lists(self) -> bool:
        """Whether the lists are still here."""
        return self._path.exists()

    def unread(self) -> int:
        """The number of lists that were not read yet."""
        try:
            return int((self._folder / _UNREAD_FILE).read_bytes())
        except (OSError, ValueError):
            return 0

    def lists(self) -> EarlierLists:
        """The lists, without those whose lines cannot be read."""
        lists, against, first, is_damaged = EarlierLists(self._path), frozenset[str](), 0, False
        with self._path.open("rb") as file:
            for line in file:
                try:
                    # Only the head is parsed here: edges are nearly all of it.
                    beginning = line.partition(_HEAD_END)[0]
                    fields = mapping(json.loads(line if beginning == line else beginning + b"}}"))
                    against = lists.take(fields, first, len(line), against)
                except (ValueError, KeyError, TypeError):
                    is_damaged = is_damaged or bool(line.strip())
                first += len(line)
        if is_damaged:
            # It may have held any list, so that all are compared with the library once more.
            lists.settled = None
        return lists

    def sentences(self, head: ReferenceListHead) -> bytes:
        """The citing sentences of a list as lines of JSON; empty where there are none."""
        name = hashlib.sha256("\n".join(head.slot).encode()).hexdigest()[:24]
        folder = self._folder / _SENTENCES_FOLDER
        for path in (folder / name[:_SHARD_DIGITS] / f"{name}.jsonl", folder / f"{name}.jsonl"):
            try:
                return path.read_bytes()
            except OSError:
                continue
        return b""

    def remove(self) -> None:
        """Removes the files, the lists first."""
        self._path.unlink(missing_ok=True)
        for name in _OTHER_FILES:
            (self._folder / name).unlink(missing_ok=True)
        if (self._folder / _SENTENCES_FOLDER).exists():
            remove_tree(self._folder / _SENTENCES_FOLDER)


class EarlierCounts:
    """The citation counts of an earlier version in `folder`: a line for each answer, the last of which is valid."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _COUNTS_FILE

    def exist(self) -> bool:
        """Whether the counts are still here."""
        return self._path.exists()

    def answers(self) -> Iterator[CountAnswer]:
        """The answers in the order in which they came; a line that cannot be read is left out."""
        with self._path.open("rb") as file:
            yield from filter(None, map(_count_answer, file))

    def remove(self) -> None:
        """Removes the file."""
        self._path.unlink(missing_ok=True)


def earlier_paths(root: Path) -> tuple[Path, ...]:
    """Lists and counts of an earlier version that are still in the library in `root`."""
    paths = (root / "citations" / _LISTS_FILE, root / "counts" / _COUNTS_FILE)
    return tuple(path for path in paths if path.exists())


def _head_from(fields: Mapping[str, object]) -> ReferenceListHead:
    return ReferenceListHead(
        paper=PaperId(text(fields["paper"])),
        key=text(fields["key"]),
        year=integer_or_none(fields["year"]),
        source=cast(EdgeSource, text(fields["source"])),
        direction=cast(Direction, text(fields["direction"])),
    )


def _list_from(fields: Mapping[str, object]) -> ResolvedList:
    head = _head_from(fields)
    edges = tuple(_edge_from(items(edge), head) for edge in items(fields["edges"]))
    return ResolvedList(head, fields["known"] is True, edges, frozenset(map(integer, items(fields["wants"]))))


def _edge_from(fields: list[object], head: ReferenceListHead) -> Edge:
    other, count, entries, year = fields
    ends = (head.paper, PaperId(text(other)))
    citing, cited = ends if head.direction == "references" else ends[::-1]
    return Edge(citing, cited, integer(count), integer_or_none(year), head.source, tuple(map(integer, items(entries))))


def _count_answer(line: bytes) -> CountAnswer | None:
    try:
        paper, source, date, count, by_year = items(json.loads(line))
        if source not in COUNT_SOURCES or len(text(date)) != len("2026-01-01") or not text(date)[:4].isdecimal():
            return None
        years = tuple((integer(year), integer(number)) for year, number in map(items, items(by_year)))
        return CountAnswer(PaperId(text(paper)), source, text(date), integer_or_none(count), years)
    except (ValueError, TypeError, RecursionError):
        return None
