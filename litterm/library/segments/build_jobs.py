"""A segment being built from spooled lines, in this process or in a child: the interface between writer and workers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from litterm.model.library import FileChecksum


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
