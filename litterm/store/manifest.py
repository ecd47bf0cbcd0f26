"""Which segments make up the library: one small immutable file per publication, and `CURRENT` that names the newest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from litterm.errors import LibraryError, LibraryTooNew
from litterm.model.library import Segment
from litterm.store.disk import replace_file, sync_folder
from litterm.store.fields import items, mapping, number, text, whole
from litterm.store.schema import SCHEMA

DATABASE = "papers.duckdb"
"""Inside a segment."""
_CURRENT = "CURRENT"
_KEPT = 8
"""Manifests left on disk: a reader may still be between `CURRENT` and the file it names."""
_TRIES = 3
_REMEDY = "Nothing was touched: restore it from a copy, or begin anew elsewhere with --home."


@dataclass(frozen=True, slots=True)
class Entry:
    """One segment as the manifest lists it."""

    key: str
    count: int
    """Rows, shadowed ones included."""
    shadowed: tuple[int, ...] = ()
    """Ascending."""
    documents: int = 0
    size: int = 0
    """Bytes on disk."""
    average_length: float = 0.0
    """What its index weights were made with."""
    tokenizer: str = ""
    embedder: str = ""
    """What its vectors were made with; empty where an older litterm wrote it."""
    grouped: bool = False
    """Whether its vectors can be searched without comparing every one."""

    @property
    def live(self) -> int:
        """Rows that are not shadowed."""
        return self.count - len(self.shadowed)


@dataclass(frozen=True, slots=True)
class Retired:
    """A segment no longer listed, kept a while for readers that still look at it."""

    key: str
    at: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The library at one moment."""

    generation: int = 0
    schema: int = SCHEMA
    """Of all its segments."""
    segments: tuple[Entry, ...] = ()
    papers: int = 0
    documents: int = 0
    """Papers with a full text."""
    doubtful: int = 0
    """Pairs of papers recorded as perhaps being one."""
    by_source: tuple[tuple[str, int], ...] = ()
    """Papers per scheme of their id, the largest first."""
    average_length: float | None = None
    """That of the first segment, kept so that all later ones are weighted alike; `None` while there is none."""
    ledger_bytes: int = 0
    """How much of the ledger of imported files holds as of this publication."""
    retired: tuple[Retired, ...] = ()


def published(root: Path) -> Manifest:
    """The newest manifest; an empty one where no library is.

    Raises:
        LibraryTooNew: written by a newer litterm.
        LibraryError: it cannot be read.
    """
    name = ""
    for _ in range(_TRIES):
        try:
            name = _newest(root)
            if not name:
                return Manifest()
            told = json.loads((root / _file_name(int(name))).read_bytes())
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            raise LibraryError(f"The library's manifest in {root} cannot be read: {error}. {_REMEDY}") from error
        return _parse(told, root)
    raise LibraryError(f"The library in {root} names manifest {name}, which is missing. {_REMEDY}")


def _newest(root: Path) -> str:
    """What `CURRENT` names; where it was lost, the last manifest, which is whole when it is there at all.

    Taken for an empty library, one without `CURRENT` would be swept away by the next writer.
    """
    try:
        name = (root / _CURRENT).read_bytes().decode("ascii", "replace").strip()
    except FileNotFoundError:
        name = ""
    if name.isdecimal():
        return name
    numbers = (path.stem.removeprefix("manifest-") for path in root.glob("manifest-*.json"))
    return max((number for number in numbers if number.isdecimal()), key=int, default="")


def publish(root: Path, manifest: Manifest) -> None:
    """Makes `manifest` the newest; all or nothing."""
    name = _file_name(manifest.generation)
    replace_file(root / name, json.dumps(_as_json(manifest), separators=(",", ":")).encode())
    replace_file(root / _CURRENT, f"{manifest.generation}\n".encode())
    for path in root.glob("manifest-*.json"):
        number = path.stem.removeprefix("manifest-")
        if number.isdigit() and int(number) <= manifest.generation - _KEPT:
            path.unlink(missing_ok=True)
    sync_folder(root)


def stamp(root: Path) -> tuple[int, int, int] | None:
    """Differs whenever something was published; `None` where no library is. One stat."""
    try:
        found = (root / _CURRENT).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def segment_folder(root: Path, key: str) -> Path:
    """Where a published segment lies."""
    return root / "segments" / key


def as_segments(root: Path, manifest: Manifest) -> tuple[Segment, ...]:
    """The listed segments as readers see them."""
    return tuple(
        Segment(entry.key, segment_folder(root, entry.key), entry.count, entry.shadowed) for entry in manifest.segments
    )


def _file_name(generation: int) -> str:
    return f"manifest-{generation}.json"


def _as_json(manifest: Manifest) -> dict[str, object]:
    return {
        "schema": manifest.schema,
        "generation": manifest.generation,
        "papers": manifest.papers,
        "documents": manifest.documents,
        "doubtful": manifest.doubtful,
        "by_source": dict(manifest.by_source),
        "average_length": manifest.average_length,
        "ledger_bytes": manifest.ledger_bytes,
        "segments": [
            {
                "key": entry.key,
                "count": entry.count,
                "shadowed": _runs(entry.shadowed),
                "documents": entry.documents,
                "size": entry.size,
                "average_length": entry.average_length,
                "tokenizer": entry.tokenizer,
                "embedder": entry.embedder,
                "grouped": entry.grouped,
            }
            for entry in manifest.segments
        ],
        "retired": [[each.key, each.at] for each in manifest.retired],
    }


def _parse(told: Mapping[str, object], root: Path) -> Manifest:
    try:
        schema = whole(told["schema"])
    except (KeyError, TypeError) as error:
        raise LibraryError(f"The library's manifest in {root} names no schema version. {_REMEDY}") from error
    if schema > SCHEMA:
        raise LibraryTooNew(
            f"The library in {root} was written by a newer litterm (schema {schema}, this one knows {SCHEMA}):"
            " update litterm; nothing was touched."
        )
    try:
        return _manifest(told)
    except (KeyError, TypeError, ValueError) as error:
        raise LibraryError(f"The library's manifest in {root} is damaged: {error!r}. {_REMEDY}") from error


def _manifest(told: Mapping[str, object]) -> Manifest:
    length = told["average_length"]
    return Manifest(
        generation=whole(told["generation"]),
        schema=whole(told["schema"]),
        segments=tuple(_entry(each) for each in items(told["segments"])),
        papers=whole(told["papers"]),
        documents=whole(told["documents"]),
        doubtful=whole(told["doubtful"]),
        by_source=tuple((name, whole(count)) for name, count in mapping(told["by_source"]).items()),
        average_length=None if length is None else number(length),
        ledger_bytes=whole(told["ledger_bytes"]),
        retired=tuple(Retired(text(key), number(at)) for key, at in map(items, items(told["retired"]))),
    )


def _entry(told: object) -> Entry:
    fields = mapping(told)
    return Entry(
        key=text(fields["key"]),
        count=whole(fields["count"]),
        shadowed=_unrolled(items(fields["shadowed"])),
        documents=whole(fields["documents"]),
        size=whole(fields["size"]),
        average_length=number(fields["average_length"]),
        tokenizer=text(fields["tokenizer"]),
        embedder=text(fields.get("embedder", "")),
        grouped=bool(fields.get("grouped", False)),
    )


def _runs(rows: tuple[int, ...]) -> list[list[int]]:
    """Ascending numbers as half-open ranges: a re-import shadows thousands of rows in a row."""
    if not rows:
        return []
    breaks = [place for place, (one, other) in enumerate(pairwise(rows), 1) if other != one + 1]
    edges = [0, *breaks, len(rows)]
    return [[rows[first], rows[past - 1] + 1] for first, past in pairwise(edges)]


def _unrolled(runs: Iterable[object]) -> tuple[int, ...]:
    return tuple(row for first, past in map(items, runs) for row in range(whole(first), whole(past)))
