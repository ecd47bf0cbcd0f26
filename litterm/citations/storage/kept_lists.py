"""The lists stored in `lists.jsonl` and its pack, and the segments they were resolved against."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from litterm.citations.storage.codec import list_from
from litterm.citations.storage.log_state import LogState, Slot
from litterm.core.json_fields import mapping, texts
from litterm.model.citations.graph import ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.citations.storage.packed_lists import PackedLists


class KeptLists:
    """The stored lists when the files were last read; never changed afterwards."""

    def __init__(self, inode: int = 0, base: PackedLists | None = None) -> None:
        """`base` holds the first lines of the file with the number `inode`."""
        self.inode = inode
        self.base = base
        self.state = LogState() if base is None else base.state
        self.damaged = False
        """Whether a line could not be read, so that a list is missing."""
        self.fresh: dict[Slot, ResolvedList] = {}
        """Lists that are not in the base in this version."""
        self.hidden: set[int] = set()
        """Lists of the base that were replaced or dropped."""
        self._lengths: dict[Slot, int] = {}
        self._base_segments: frozenset[str] | None = None
        """Segments that all lists of the base were resolved against; `None` where each has its own set."""

    def __len__(self) -> int:
        return len(self.fresh) + (0 if self.base is None else len(self.base) - len(self.hidden))

    def lists(self) -> tuple[ResolvedList, ...]:
        """All lists, one for each paper, source and direction, by paper."""
        lists = {
            **self.fresh,
            **{resolved.head.slot: resolved for resolved in map(self._of_base, self._visible_indices())},
        }
        return tuple(lists[slot] for slot in sorted(lists))

    def heads(self) -> Iterator[ReferenceListHead]:
        """The heads of all lists, in no order."""
        yield from (resolved.head for resolved in self.fresh.values())
        if self.base is not None:
            yield from map(self.base.head, self._visible_indices())

    def head(self, slot: Slot) -> ReferenceListHead | None:
        """The head of the list kept under `slot`; `None` where there is none."""
        if slot in self.fresh:
            return self.fresh[slot].head
        index = -1 if self.base is None else self.base.find(slot)
        return None if self.base is None or index < 0 or index in self.hidden else self.base.head(index)

    def missing(self, heads: Sequence[ReferenceListHead]) -> Iterator[ReferenceListHead]:
        """Those of `heads` that are not stored, or not in this version."""
        stored: Callable[[Slot], ReferenceListHead | None] = self.head
        if len(heads) > len(self):
            # Looking up each of 100,000 lists takes half a second, going through few stored ones nothing.
            stored = {head.slot: head for head in self.heads()}.get
        return (head for head in heads if stored(head.slot) != head)

    def of_papers(self, papers: Collection[PaperId]) -> Iterator[ReferenceListHead]:
        """The heads of the lists that are these papers' own."""
        paper_ids = set(papers)
        yield from (resolved.head for resolved in self.fresh.values() if resolved.head.paper in paper_ids)
        if self.base is not None:
            for paper in papers:
                yield from (self.base.head(index) for index in self.base.lists_of(paper) if index not in self.hidden)

    def with_papers(self, papers: Collection[PaperId]) -> Iterator[ReferenceListHead]:
        """The heads of the lists that contain one of these papers."""
        if not papers:
            return
        for resolved in self.fresh.values():
            if any(edge.citing in papers or edge.cited in papers for edge in resolved.edges):
                yield resolved.head
        if self.base is not None:
            indices = {index for paper in papers for index in self.base.lists_containing(paper)} - self.hidden
            yield from map(self.base.head, sorted(indices))

    def segments(self, slot: Slot) -> frozenset[str]:
        """The segments that the list kept under `slot` was resolved against."""
        if slot in self.fresh:
            return self.fresh[slot].segments
        return self._segments(self.base.find(slot)) if self.base is not None else frozenset()

    def is_settled(self, segments: frozenset[str]) -> bool:
        """Whether every list was resolved against these segments."""
        return not self.damaged and self.state.settled == segments and self.segment_sets() <= {segments}

    def service_lists(self) -> Iterator[ReferenceListHead]:
        """The heads of the lists that services gave."""
        yield from (resolved.head for resolved in self.fresh.values() if resolved.head.source != "text")
        if self.base is not None:
            yield from (self.base.head(index) for index in self.base.service_lists() if index not in self.hidden)

    def segment_sets(self) -> set[frozenset[str]]:
        """The sets of segments that lists were resolved against."""
        sets = {resolved.segments for resolved in self.fresh.values()}
        if self.base is not None and len(self.hidden) < len(self.base):
            sets |= set(self.base.segment_sets) if self._base_segments is None else {self._base_segments}
        return sets

    def lists_affected_by(
        self, hashes: Collection[int], resolved_segments: frozenset[str]
    ) -> Iterator[ReferenceListHead]:
        """The heads of the lists that were resolved against these segments and want one of `hashes`."""
        for resolved in self.fresh.values():
            if resolved.segments == resolved_segments and not resolved.unresolved_hashes.isdisjoint(hashes):
                yield resolved.head
        if self.base is not None and hashes:
            for index in self.base.lists_affected_by(hashes):
                if index not in self.hidden and self._segments(index) == resolved_segments:
                    yield self.base.head(index)

    def read_on(self, file: BinaryIO) -> KeptLists:
        """These lists with those written since; this object does not change."""
        file.seek(self.state.size)
        content = file.read()
        # Another process may be writing the last line: what has no end yet is read the next time.
        return self._with_lines(content[: content.rfind(b"\n") + 1])

    def is_current(self, status: os.stat_result) -> bool:
        """Whether nothing was written since."""
        return status.st_ino == self.inode and status.st_size == self.state.size

    def is_continued_by(self, status: os.stat_result) -> bool:
        """Whether the file is the one it was, perhaps longer."""
        return status.st_ino == self.inode and status.st_size >= self.state.size

    def _visible_indices(self) -> Iterator[int]:
        return (index for index in range(0 if self.base is None else len(self.base)) if index not in self.hidden)

    def _of_base(self, index: int) -> ResolvedList:
        assert self.base is not None
        return replace(self.base.resolved_list(index), segments=self._segments(index))

    def _segments(self, index: int) -> frozenset[str]:
        assert self.base is not None
        return self.base.segments(index) if self._base_segments is None else self._base_segments

    def _with_lines(self, content: bytes) -> KeptLists:
        # A copy, because a graph in another thread may still be reading this one.
        kept_lists = KeptLists(self.inode, self.base)
        kept_lists.damaged, kept_lists._base_segments = self.damaged, self._base_segments
        kept_lists.fresh, kept_lists.hidden, kept_lists._lengths = (
            dict(self.fresh),
            set(self.hidden),
            dict(self._lengths),
        )
        kept_lists.state = replace(self.state, size=self.state.size + len(content))
        for line in content.splitlines():
            try:
                kept_lists._take(mapping(json.loads(line)), len(line))
            except (ValueError, KeyError, TypeError):
                # Of a newer litterm, or torn: the list is missing then and is made again.
                kept_lists.damaged = kept_lists.damaged or bool(line)
        return kept_lists

    def _take(self, fields: Mapping[str, object], length: int) -> None:
        if "list" in fields:
            resolved = replace(list_from(mapping(fields["list"])), segments=self.state.against)
            slot = resolved.head.slot
            self._forget(slot)
            self.fresh[slot], self._lengths[slot] = resolved, length
            self.state = replace(self.state, live=self.state.live + length)
        elif "drop" in fields:
            paper, source, direction = texts(fields["drop"])
            self._forget((PaperId(paper), source, direction))  # type: ignore[arg-type]
        elif "against" in fields:
            self.state = replace(self.state, against=frozenset(texts(fields["against"])))
        elif "settled" in fields:
            segments = frozenset(texts(fields["settled"]))
            self.state = replace(self.state, against=segments, settled=segments)
            self.fresh = {slot: replace(resolved_list, segments=segments) for slot, resolved_list in self.fresh.items()}
            # One set for the whole base: rewriting each of 100,000 lists for it would undo what mapping saves.
            self._base_segments = segments

    def _forget(self, slot: Slot) -> None:
        self.fresh.pop(slot, None)
        forgotten_bytes = self._lengths.pop(slot, 0)
        index = -1 if self.base is None else self.base.find(slot)
        if self.base is not None and index >= 0 and index not in self.hidden:
            self.hidden.add(index)
            forgotten_bytes = self.base.length(index)
        self.state = replace(self.state, live=self.state.live - forgotten_bytes)
