"""What was backed up, and what was restored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class BackupPlaces:
    """Where the user's own data is on this machine."""

    config: Path
    """The settings file."""
    themes: Path
    library: Path
    servers: Path
    """Of each server of a group's library, a folder with what the user wrote about its papers."""


@dataclass(frozen=True, slots=True)
class BackupContents:
    """What a backup holds."""

    made: str
    """ISO 8601, in UTC."""
    litterm: str
    """The version that wrote it."""
    papers: int
    files: int
    bytes_by_part: tuple[tuple[str, int], ...]
    """Bytes before packing: of papers and full texts, of the rest of the library, and of the settings."""


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was written."""

    contents: BackupContents
    path: Path
    bytes_on_disk: int


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A backup that was restored."""

    contents: BackupContents
    library: Path
    notices: tuple[str, ...] = ()
    """What was left as it is, and which addresses the settings name."""
