"""The JSON of backups."""

from __future__ import annotations

from typing import TypedDict


class BackupContentsData(TypedDict):
    """What a backup holds; `bytes` before packing, by part of the data."""

    made: str
    litterm: str
    papers: int
    files: int
    bytes: dict[str, int]


class BackupData(BackupContentsData):
    """The answer of `backup`."""

    file: str
    bytes_on_disk: int


class RestoreData(BackupContentsData):
    """The answer of `restore`."""

    library: str
    notices: list[str]
