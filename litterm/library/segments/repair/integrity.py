"""Checks all files of a library, read to their end: what is damaged, and how to repair it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from litterm.core.checksums import find_faults, mark_damaged, read_damage
from litterm.core.errors import LibraryError
from litterm.library.journal import FileJournal
from litterm.library.segments.manifest import DATABASE, as_segments, read_manifest_with_fault
from litterm.library.segments.repair.damage import confirm_damage, segments_set_aside
from litterm.library.segments.segment import INDEX_FOLDER
from litterm.library.state.earlier_files import EARLIER_FOLDER

_REBUILD_REMEDY = "any `litterm add` rebuilds it"
_MAX_CHARS_SHOWN = 160
"""Characters of a damaged line."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is damaged."""

    kind: str
    """`index`, `papers`, `list`, `journal` or `set aside`."""
    cause: str
    """One sentence without a full stop."""
    remedy: str


def library_faults(root: Path) -> Iterator[Fault]:
    """All damage in `root`; takes as long as reading the library. What is found is noted for the next import."""
    yield from list_faults(root)
    yield from index_faults(root)
    for damage in segments_set_aside(root):
        yield Fault("set aside", f"{damage.folder} holds a damaged part of the library", damage.remedy)
    yield from journal_faults(root)


def list_faults(root: Path) -> Iterator[Fault]:
    """What is wrong with the list of the segments, and with the papers in them."""
    try:
        manifest, fault = read_manifest_with_fault(root)
    except LibraryError as error:
        yield Fault("list", str(error).rstrip("."), _REBUILD_REMEDY)
        return
    if fault:
        yield Fault("list", f"the list of the segments in {root} is damaged: {fault}", _REBUILD_REMEDY)
    for damage in confirm_damage(as_segments(root, manifest), full=True):
        yield Fault("papers", str(damage).rstrip("."), f"`litterm add` sets it aside; {damage.remedy}")


def index_faults(root: Path) -> Iterator[Fault]:
    """Files of an index that are damaged."""
    try:
        segments = as_segments(root, read_manifest_with_fault(root)[0])
    except LibraryError:
        return
    for segment in segments:
        damaged = find_faults(segment.folder, [file for file in segment.files if file.name != DATABASE], full=True)
        if damaged:
            mark_damaged(segment.folder, read_damage(segment.folder) | damaged)
            details = ", ".join(f"{name.removeprefix(f'{INDEX_FOLDER}/')} {fault}" for name, fault in damaged.items())
            yield Fault(
                "index", f"the index in {segment.folder / INDEX_FOLDER} is damaged ({details})", _REBUILD_REMEDY
            )


def journal_faults(root: Path) -> Iterator[Fault]:
    """Damaged lines of the journal, which are skipped."""
    for path in sorted(root.rglob("journal.jsonl")):
        # Nothing reads what has moved into the database, and what was damaged in it cannot be redone.
        if EARLIER_FOLDER in path.relative_to(root).parts:
            continue
        for line in FileJournal(path.parent).damaged_lines():
            shown = line if len(line) <= _MAX_CHARS_SHOWN else f"{line[:_MAX_CHARS_SHOWN]}..."
            yield Fault(
                "journal",
                f"a line of {path} is damaged and left out: {shown}",
                f"redo what it says, then remove {path.with_name('damaged.txt')}",
            )
