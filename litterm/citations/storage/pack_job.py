"""The job `citations` of a child: packs a file of resolved lists, which may be larger than memory should hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from litterm.citations.graph import list_rank
from litterm.citations.storage.codec import list_from
from litterm.citations.storage.log_state import LISTS_FILE, PACK_FILE, LogState, Slot
from litterm.citations.storage.packed_lists import log_check, write_packed
from litterm.core.durable_files import translate_write_errors
from litterm.core.json_fields import mapping, text, texts
from litterm.model.citations.graph import ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId

_HEAD_END = b',"known":'
"""Stands in no text: quotes in texts have a backslash before them."""


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """Packs the file in the folder of `request`; a file with a line that cannot be read is not packed."""
    return {"lists": pack_lists(Path(text(request["folder"])))}


def pack_lists(folder: Path) -> int:
    """How many lists are packed; 0 where a line cannot be read."""
    path = folder / PACK_FILE
    with (folder / LISTS_FILE).open("rb") as log:
        scanned = _scan(log)
        if scanned is None:
            return 0
        state, places, segments = scanned
        ordered = sorted(places, key=lambda slot: list_rank(places[slot][0]))
        # Beside it and renamed: readers have the old pack mapped, and writing into it would change their arrays.
        fresh = path.with_name(f"{PACK_FILE}.{os.getpid()}")
        with translate_write_errors(fresh):
            try:
                # Not synced to disk: a pack lost in a crash is noticed by its check and made again.
                write_packed(fresh, _read(log, ordered, places, segments), state, log_check(log, state.size))
                fresh.replace(path)
            finally:
                fresh.unlink(missing_ok=True)
    return len(ordered)


_Places = dict[Slot, tuple[ReferenceListHead, int, int]]
"""Head, first byte, and length of the line of each list."""


def _scan(log: BinaryIO) -> tuple[LogState, _Places, dict[Slot, frozenset[str]]] | None:
    """The end of the file and the position of each list; `None` where a line cannot be read."""
    state = LogState()
    places: _Places = {}
    segments_by_slot: dict[Slot, frozenset[str]] = {}
    for line in log:
        # Somebody is writing it, or was killed while doing so; the next pack has it.
        if not line.endswith(b"\n"):
            break
        try:
            # Only the head is parsed: the edges of all lists together are what memory should not hold.
            beginning = line.partition(_HEAD_END)[0]
            fields = mapping(json.loads(line if beginning == line else beginning + b"}}")) if line.strip() else {}
            if "list" in fields:
                head = _head(mapping(fields["list"]))
                places[head.slot] = (head, state.size, len(line))
                segments_by_slot[head.slot] = state.against
            elif "drop" in fields:
                paper, source, direction = texts(fields["drop"])
                places.pop((PaperId(paper), source, direction), None)  # type: ignore[arg-type]
            elif "against" in fields:
                state = replace(state, against=frozenset(texts(fields["against"])))
            elif "settled" in fields:
                segments = frozenset(texts(fields["settled"]))
                state = replace(state, against=segments, settled=segments)
                segments_by_slot = dict.fromkeys(places, segments)
        except (ValueError, KeyError, TypeError):
            # A pack must stand for all bytes before its end, so a line that is skipped would be lost to readers for
            # good.
            return None
        state = replace(state, size=state.size + len(line))
    # Without the line's end, as readers count.
    live = sum(length - 1 for _, _, length in places.values())
    return replace(state, live=live), places, segments_by_slot


def _head(fields: Mapping[str, object]) -> ReferenceListHead:
    return list_from({**fields, "known": False, "edges": [], "wants": []}).head


def _read(
    log: BinaryIO, ordered: list[Slot], places: _Places, segments: Mapping[Slot, frozenset[str]]
) -> Iterator[tuple[ResolvedList, int]]:
    for slot in ordered:
        _, first, length = places[slot]
        log.seek(first)
        resolved = list_from(mapping(mapping(json.loads(log.read(length)))["list"]))
        yield replace(resolved, segments=segments[slot]), length - 1
