"""A check of all files of a library, read to their end: what is damaged, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from litterm.core.checksums import faults, mark_damaged, marked
from litterm.core.errors import LibraryError
from litterm.library.journal import FileJournal
from litterm.library.segments.manifest import DATABASE, as_segments, listed
from litterm.library.segments.repair.damage import aside, confirmed
from litterm.library.segments.segment import INDEX_FOLDER

_ANEW = "any `litterm add` rebuilds it"
_SHOWN = 160
"""Characters of a damaged line."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is damaged."""

    what: str
    """`index`, `papers`, `list`, `journal` or `set aside`."""
    why: str
    """One sentence without a full stop."""
    remedy: str


def library_faults(root: Path) -> Iterator[Fault]:
    """All damage in `root`; takes as long as reading the library. What is found is noted for the next import."""
    yield from list_faults(root)
    yield from index_faults(root)
    for damage in aside(root):
        yield Fault("set aside", f"{damage.folder} holds a damaged part of the library", damage.remedy)
    yield from journal_faults(root)


def list_faults(root: Path) -> Iterator[Fault]:
    """What is wrong with the list of the segments, and with the papers in them."""
    try:
        manifest, why = listed(root)
    except LibraryError as error:
        yield Fault("list", str(error).rstrip("."), _ANEW)
        return
    if why:
        yield Fault("list", f"the list of the segments in {root} is damaged: {why}", _ANEW)
    for damage in confirmed(as_segments(root, manifest), full=True):
        yield Fault("papers", str(damage).rstrip("."), f"`litterm add` sets it aside; {damage.remedy}")


def index_faults(root: Path) -> Iterator[Fault]:
    """Files of an index that are damaged."""
    try:
        segments = as_segments(root, listed(root)[0])
    except LibraryError:
        return
    for segment in segments:
        damaged = faults(segment.folder, [file for file in segment.files if file.name != DATABASE], full=True)
        if damaged:
            mark_damaged(segment.folder, marked(segment.folder) | damaged)
            details = ", ".join(f"{name.removeprefix(f'{INDEX_FOLDER}/')} {fault}" for name, fault in damaged.items())
            yield Fault("index", f"the index in {segment.folder / INDEX_FOLDER} is damaged ({details})", _ANEW)


def journal_faults(root: Path) -> Iterator[Fault]:
    """Lines of what the user wrote that are left out."""
    for path in sorted(root.rglob("journal.jsonl")):
        for line in FileJournal(path.parent).damaged():
            shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
            yield Fault(
                "journal",
                f"a line of {path} is damaged and left out: {shown}",
                f"redo what it says, then remove {path.with_name('damaged.txt')}",
            )
