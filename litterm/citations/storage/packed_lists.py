"""Resolved lists as arrays in one mapped file: what cites one paper is found without reading the rest.

`graph.pack` holds what the first bytes of `lists.jsonl` say. It is derived: one that is missing, damaged, of another
format or made from other lines is left aside, and made again when the graph is brought up to date.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, cast, get_args
from zlib import crc32

import numpy as np
import numpy.typing as npt

from litterm.citations.storage.log_state import PACK_FILE, LogState, Slot
from litterm.library.index.array_file import read_pack, write_pack
from litterm.library.index.sorted_strings import SortedStrings, pack_strings
from litterm.model.citations.graph import Direction, Edge, EdgeSource, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

PACK_FORMAT: Final = 1
_NO_YEAR: Final = np.iinfo(np.int32).min
"""Instead of a year that is not known."""
_CHECKED_BYTES: Final = 4096
"""Bytes at the beginning and at the end of the lines, by which a pack recognises its file."""
_SOURCES: Final[tuple[EdgeSource, ...]] = get_args(EdgeSource)
_DIRECTIONS: Final[tuple[Direction, ...]] = get_args(Direction)
_REFERENCES: Final = _DIRECTIONS.index("references")
IntArray = npt.NDArray[np.integer[Any]]


class PackedLists:
    """The lists of a pack, in the order in which they count; read-only and shared by threads."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """`arrays` as `list_arrays` names them."""
        self._arrays = cast("Mapping[str, IntArray]", arrays)
        self._papers = SortedStrings.from_arrays(arrays, "paper")
        self._keys = SortedStrings.from_arrays(arrays, "key")
        header = json.loads(arrays["state"].tobytes())
        # A `ValueError` like any other damage: `open_packed` passes over the pack, and the lines are read.
        if header["format"] != PACK_FORMAT:
            raise ValueError("graph.pack is of another format")
        self._sets = [frozenset(keys) for keys in header["sets"]]
        settled = header["settled"]
        self.state = LogState(
            header["size"],
            frozenset(header["against"]),
            None if settled is None else frozenset(settled),
            header["live"],
        )
        self.check: int = header["check"]

    def __len__(self) -> int:
        return len(self._arrays["list_paper"])

    @property
    def segment_sets(self) -> frozenset[frozenset[str]]:
        """The sets of segments that lists were resolved against."""
        return frozenset(self._sets)

    def number(self, paper: PaperId) -> int:
        """The number of a paper that is in some list; -1 for one that is in none."""
        return self._papers.find(paper)

    def head(self, index: int) -> ReferenceListHead:
        """The head of the list at `index`."""
        arrays = self._arrays
        return ReferenceListHead(
            self._paper(arrays["list_paper"][index]),
            self._keys.at(index),
            _year(arrays["list_year"][index]),
            _SOURCES[arrays["list_source"][index]],
            _DIRECTIONS[arrays["list_direction"][index]],
        )

    def segments(self, index: int) -> frozenset[str]:
        """The segments that the list at `index` was resolved against."""
        return self._sets[int(self._arrays["list_segments"][index])]

    def length(self, index: int) -> int:
        """Bytes of the line of the list at `index`, without its end."""
        return int(self._arrays["list_length"][index])

    def resolved_list(self, index: int) -> ResolvedList:
        """The list at `index` as it was stored."""
        head = self.head(index)
        first, past = self._span("edge_start", index)
        unresolved_hashes = self._slice("want", index)
        return ResolvedList(
            head,
            bool(self._arrays["list_known"][index]),
            tuple(self._edge(edge, head) for edge in range(first, past)),
            frozenset(unresolved_hashes.tolist()),
            self.segments(index),
        )

    def list_with_sentences(self, index: int) -> ResolvedList:
        """The list at `index` as far as its citing sentences are read by it: of a paper's own, without edges."""
        if self._arrays["list_direction"][index] != _REFERENCES:
            # The edges have the years of the citing papers.
            return self.resolved_list(index)
        # Reading edges and unresolved hashes of hundreds of lists would map most of the file.
        return ResolvedList(self.head(index), bool(self._arrays["list_known"][index]), (), frozenset())

    def is_known(self, index: int) -> bool:
        """Whether the list at `index` is a reference list that the paper really has."""
        return bool(self._arrays["list_known"][index]) and self._arrays["list_direction"][index] == _REFERENCES

    def lists_of(self, paper: PaperId) -> list[int]:
        """The lists that are the paper's own, whatever their source and direction."""
        number = self.number(paper)
        return self._slice("own", number).tolist() if number >= 0 else []

    def find(self, slot: Slot) -> int:
        """The list kept under `slot`; -1 if there is none."""
        for index in self.lists_of(slot[0]):
            if self.head(index).slot == slot:
                return index
        return -1

    def citing_lists(self, paper: PaperId) -> list[int]:
        """The lists in which `paper` cites, its own first of all that count alike."""
        number = self.number(paper)
        if number < 0:
            return []
        own_lists = [index for index in self.lists_of(paper) if self._arrays["list_direction"][index] == _REFERENCES]
        return sorted({*own_lists, *self._lists_with(self._slice("citing", number))})

    def edges_of(self, paper: PaperId, *, cited: bool) -> Iterator[tuple[int, Edge]]:
        """Every edge in which `paper` cites, or is `cited`, with its list, in the order of the lists."""
        number = self.number(paper)
        if number < 0:
            return
        edges = self._slice("cited" if cited else "citing", number)
        for index, number_of_edge in zip(self._lists_with(edges), edges.tolist(), strict=True):
            edge = self._edge(number_of_edge, self.head(index))
            if edge.citing != edge.cited:
                yield index, edge

    def neighbours(self, index: int) -> Iterator[PaperId]:
        """The papers whose edges the list at `index` may change: its own, and the other end of each edge."""
        first, past = self._span("edge_start", index)
        yield self._paper(self._arrays["list_paper"][index])
        yield from map(self._paper, self._arrays["edge_other"][first:past].tolist())

    def lists_containing(self, paper: PaperId) -> set[int]:
        """Every list that contains `paper`."""
        number = self.number(paper)
        if number < 0:
            return set()
        indices = {*self._slice("own", number).tolist()}
        return indices.union(
            self._lists_with(self._slice("cited", number)), self._lists_with(self._slice("citing", number))
        )

    def counts(self) -> dict[PaperId, int]:
        """Every paper that is cited, with how many papers cite it."""
        counts = self._arrays["count"]
        return {self._paper(number): int(counts[number]) for number in map(int, np.flatnonzero(counts))}

    def service_lists(self) -> list[int]:
        """The lists that services gave."""
        return list(map(int, np.flatnonzero(self._arrays["list_source"] != _SOURCES.index("text"))))

    def lists_affected_by(self, hashes: Collection[int]) -> list[int]:
        """The lists that want one of `hashes`."""
        matches = np.isin(self._arrays["want"], np.fromiter(hashes, np.uint32, len(hashes)))
        places = np.flatnonzero(matches)
        return list(map(int, np.unique(np.searchsorted(self._arrays["want_start"], places, side="right") - 1)))

    def _lists_with(self, edges: IntArray) -> list[int]:
        return list(map(int, np.searchsorted(self._arrays["edge_start"], edges, side="right") - 1))

    def _edge(self, edge: int, head: ReferenceListHead) -> Edge:
        arrays = self._arrays
        ends = (head.paper, self._paper(arrays["edge_other"][edge]))
        citing, cited = ends if head.direction == "references" else ends[::-1]
        entries = tuple(self._slice("entry", edge).tolist())
        return Edge(
            citing, cited, int(arrays["edge_count"][edge]), _year(arrays["edge_year"][edge]), head.source, entries
        )

    def _paper(self, number: int) -> PaperId:
        return PaperId(self._papers.at(number))

    def _span(self, starts: str, index: int) -> tuple[int, int]:
        first, past = self._arrays[starts][index : index + 2].tolist()
        return first, past

    def _slice(self, name: str, index: int) -> IntArray:
        first, past = self._span(f"{name}_start", index)
        return self._arrays[name][first:past]


def open_packed(folder: Path, log: BinaryIO) -> PackedLists | None:
    """The pack in `folder`, where it was made from the first bytes of `log`."""
    try:
        pack = PackedLists(read_pack(folder / PACK_FILE))
        return pack if pack.check == log_check(log, pack.state.size) else None
    # Whatever bytes that are not those written may bring: the pack is derived, and its lines are still there.
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def write_packed(path: Path, lists: Iterable[tuple[ResolvedList, int]], state: LogState, check: int) -> None:
    """Writes the pack of `lists`, each with the length of its line, in the order in which they count."""
    write_pack(path, list_arrays(lists, state, check))


def log_check(log: BinaryIO, size: int) -> int:
    """A checksum that identifies the first `size` bytes of `log`; -1 if it is shorter."""
    log.seek(0)
    first = log.read(min(_CHECKED_BYTES, size))
    log.seek(max(0, size - _CHECKED_BYTES))
    last = log.read(min(_CHECKED_BYTES, size))
    # Two ends instead of the whole, which would read what mapping avoids; the log only grows, or is another file.
    return crc32(last, crc32(first)) if len(last) == min(_CHECKED_BYTES, size) else -1


def list_arrays(
    lists: Iterable[tuple[ResolvedList, int]], state: LogState, check: int
) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of `PackedLists`; each list is read once and let go."""
    numbers: dict[PaperId, int] = {}
    sets: dict[frozenset[str], int] = {}
    columns = {
        name: array("q")
        for name in (*_LIST_COLUMNS, *_EDGE_COLUMNS, "entry", "entry_end", "want", "want_end", "edge_end")
    }
    keys: list[str] = []
    for resolved, length in lists:
        head = resolved.head
        keys.append(head.key)
        _append(
            columns,
            list_paper=numbers.setdefault(head.paper, len(numbers)),
            list_year=_NO_YEAR if head.year is None else head.year,
            list_source=_SOURCES.index(head.source),
            list_direction=_DIRECTIONS.index(head.direction),
            list_known=resolved.known,
            list_segments=sets.setdefault(resolved.segments, len(sets)),
            list_length=length,
        )
        for edge in resolved.edges:
            other = edge.cited if head.direction == "references" else edge.citing
            _append(
                columns,
                edge_other=numbers.setdefault(other, len(numbers)),
                edge_count=edge.count,
                edge_year=_NO_YEAR if edge.year is None else edge.year,
            )
            columns["entry"].extend(edge.entries)
            columns["entry_end"].append(len(columns["entry"]))
        columns["edge_end"].append(len(columns["edge_other"]))
        columns["want"].extend(sorted(resolved.unresolved_hashes))
        columns["want_end"].append(len(columns["want"]))
    arrays = _by_paper(_in_order(columns, numbers), len(numbers))
    arrays["paper"], arrays["paper_at"] = pack_strings(sorted(numbers))
    arrays["key"], arrays["key_at"] = pack_strings(keys)
    arrays["state"] = np.frombuffer(json.dumps(_header(state, check, sets)).encode(), np.uint8)
    return arrays


def _header(state: LogState, check: int, sets: Iterable[frozenset[str]]) -> dict[str, object]:
    return {
        "size": state.size,
        "against": sorted(state.against),
        "settled": None if state.settled is None else sorted(state.settled),
        "live": state.live,
        "check": check,
        "sets": [sorted(segments) for segments in sets],
        "format": PACK_FORMAT,
    }


_LIST_COLUMNS: Final = {
    "list_paper": np.int32,
    "list_year": np.int32,
    "list_source": np.uint8,
    "list_direction": np.uint8,
    "list_known": np.uint8,
    "list_segments": np.int32,
    "list_length": np.int32,
}
_EDGE_COLUMNS: Final = {"edge_other": np.int32, "edge_count": np.int32, "edge_year": np.int32}


def _append(columns: Mapping[str, array[int]], **values: int) -> None:
    for name, value in values.items():
        columns[name].append(value)


def _in_order(columns: Mapping[str, array[int]], numbers: Mapping[PaperId, int]) -> dict[str, npt.NDArray[np.generic]]:
    """The columns in their types, with papers numbered in the order of their ids."""
    place = np.empty(len(numbers), np.int32)
    place[[numbers[paper] for paper in sorted(numbers)]] = np.arange(len(numbers), dtype=np.int32)
    arrays: dict[str, npt.NDArray[np.generic]] = {
        name: np.frombuffer(columns[name], np.int64).astype(kind) if columns[name] else np.empty(0, kind)
        for name, kind in {**_LIST_COLUMNS, **_EDGE_COLUMNS, "entry": np.int32, "want": np.uint32}.items()
    }
    for name in ("list_paper", "edge_other"):
        arrays[name] = place[cast("IntArray", arrays[name])]
    for name in ("edge", "entry", "want"):
        arrays[f"{name}_start"] = np.array([0, *columns[f"{name}_end"]], np.int64)
    return arrays


def _by_paper(arrays: dict[str, npt.NDArray[np.generic]], papers: int) -> dict[str, npt.NDArray[np.generic]]:
    """`arrays` with, per paper, its own lists, the edges in which it cites and is cited, and how many cite it."""
    list_arrays = cast("dict[str, IntArray]", arrays)
    lists = np.repeat(np.arange(len(list_arrays["list_paper"])), np.diff(list_arrays["edge_start"]))
    owner, other = list_arrays["list_paper"][lists], list_arrays["edge_other"]
    forward = list_arrays["list_direction"][lists] == _REFERENCES
    citing, cited = np.where(forward, owner, other), np.where(forward, other, owner)
    for name, column in (("own", list_arrays["list_paper"]), ("citing", citing), ("cited", cited)):
        arrays[name] = np.argsort(column, kind="stable").astype(np.int32)
        arrays[f"{name}_start"] = np.searchsorted(np.sort(column), np.arange(papers + 1)).astype(np.int64)
    pairs = (
        np.unique(np.stack([cited, citing])[:, citing != cited], axis=1) if len(citing) else np.empty((2, 0), np.int64)
    )
    arrays["count"] = np.bincount(pairs[0].astype(np.int64), minlength=papers).astype(np.int32)
    return arrays


def _year(stored: int) -> int | None:
    return None if stored == _NO_YEAR else int(stored)
