"""A segment being built, the interface between writer and workers; and the description stored in a built segment.

The description is enough to list a segment again if every manifest is lost, and to say what was in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol
from zlib import crc32

from litterm.core.checksums import checksums_below, files_as_json, files_from_json
from litterm.core.json_fields import integer, items, mapping, number, text
from litterm.library.segments.schema import SCHEMA
from litterm.model.library import FileChecksum

DESCRIPTION = "segment.json"
"""Name of the file in a segment's folder."""


@dataclass(frozen=True, slots=True)
class BuiltSegment:
    """A finished segment folder, durable but not yet published."""

    rows: int
    documents: int
    average_length: float
    tokenizer: str
    embedder: str = ""
    """Name of the model that made the vectors; empty if there are none."""
    grouped: bool = False
    """Whether the vectors can be searched without comparing every one."""
    files: tuple[FileChecksum, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceSegment:
    """A published segment to be compacted."""

    folder: Path
    shadowed: tuple[int, ...] = ()
    full_texts: FileChecksum | None = None
    """Its index of full texts; `None` where there is none, or none that this litterm could continue with."""


class BuildJob(Protocol):
    """A segment being built: `_ChildJob` by a child process, `_NodeBuildJob` by a node of a cluster."""

    def done(self) -> bool:
        """Whether `result` would return at once; never blocks."""
        ...

    def result(self) -> BuiltSegment:
        """What was built.

        Raises:
            ChildFailed: the child died; the spool is still there.
            DiskFull: there was no room.
        """
        ...

    def cancel(self) -> None:
        """Stops the work; the folder is left as it is."""
        ...


@dataclass(frozen=True, slots=True)
class Description:
    """One segment as it was when it was made; which of its rows hold today is in the manifest alone."""

    built: BuiltSegment
    schema: int
    origins: tuple[tuple[str, int], ...]
    """Files and services its papers came from, with how many of each, the most first."""


def add_description(folder: Path, built: BuiltSegment, origins: Sequence[tuple[str, int]]) -> BuiltSegment:
    """Writes the description of `built` into `folder`, and returns `built` with the checksums of its files."""
    full = replace(built, files=checksums_below(folder, without=DESCRIPTION))
    _write(folder, Description(full, SCHEMA, tuple(origins)))
    return full


def migrate_description(folder: Path, schema: int) -> None:
    """Rewrites the description of a segment that has just been brought to another schema; not where it had none."""
    description = read_description(folder)
    if description is not None:
        files = checksums_below(folder, without=DESCRIPTION)
        _write(folder, replace(description, schema=schema, built=replace(description.built, files=files)))


def read_description(folder: Path) -> Description | None:
    """The description of the segment in `folder`; `None` if it is lost, damaged, or was never written."""
    try:
        # Its checksum is in a file of its own, not in the manifest: it is read when there is no manifest any more.
        body, _, crc = (folder / DESCRIPTION).read_bytes().rstrip().rpartition(b"\n")
        fields = mapping(json.loads(body)) if crc == _crc(body) else None
        return None if fields is None else _description(fields)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(folder: Path, description: Description) -> None:
    built = description.built
    fields = {
        "schema": description.schema,
        "rows": built.rows,
        "documents": built.documents,
        "average_length": built.average_length,
        "tokenizer": built.tokenizer,
        "embedder": built.embedder,
        "grouped": built.grouped,
        "files": files_as_json(built.files),
        "origins": description.origins,
    }
    body = json.dumps(fields).encode()
    # No sync here: the whole folder is synced before it is published.
    (folder / DESCRIPTION).write_bytes(body + b"\n" + _crc(body) + b"\n")


def read_built_segment(fields: Mapping[str, object]) -> BuiltSegment:
    """The built segment, from a description or from the answer of a child process."""
    return BuiltSegment(
        rows=integer(fields["rows"]),
        documents=integer(fields["documents"]),
        average_length=number(fields["average_length"]),
        tokenizer=text(fields["tokenizer"]),
        embedder=text(fields["embedder"]),
        grouped=bool(fields["grouped"]),
        files=files_from_json(mapping(fields["files"])),
    )


def _description(fields: Mapping[str, object]) -> Description:
    origins = tuple((text(name), integer(count)) for name, count in map(items, items(fields["origins"])))
    return Description(read_built_segment(fields), integer(fields["schema"]), origins)


def _crc(body: bytes) -> bytes:
    return f"{crc32(body):08x}".encode()
