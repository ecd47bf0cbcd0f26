"""Which files have been imported, by content: a second import skips them, and one that was interrupted continues."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from litterm.core.durable_files import translate_write_errors
from litterm.core.filesystem import sync_file
from litterm.core.json_fields import integer, mapping, text


@dataclass(frozen=True, slots=True)
class FileRead:
    """How far a file has been imported."""

    sha256: str
    origin: str
    papers: int
    """Records stored so far, from the start of the file."""
    complete: bool


class ImportLog:
    """An append-only file next to the manifest; only the length a manifest vouches for counts."""

    def __init__(self, path: Path, valid_bytes: int) -> None:
        """Cuts off what a killed writer did not publish; only the holder of the write lock may do this."""
        self._path = path
        self._files: dict[str, FileRead] = {}
        with translate_write_errors(path):
            path.touch()
            # Written but never published: those records are in no segment, and their files must be read again.
            if path.stat().st_size > valid_bytes:
                os.truncate(path, valid_bytes)
            content = path.read_bytes()
            # The manifest vouches for whole lines; this repairs a file that was cut by something else.
            if content and not content.endswith(b"\n"):
                with path.open("ab") as log_file:
                    log_file.write(b"\n")
        for line in content.splitlines():
            file = _parse(line)
            if file is not None:
                self._keep(file)

    def is_known(self, sha256: str) -> bool:
        """Whether the whole file is in the library."""
        file = self._files.get(sha256)
        return file is not None and file.complete

    def stored_count(self, sha256: str) -> int:
        """How many of the file's records are in the library, from its start."""
        file = self._files.get(sha256)
        return file.papers if file is not None else 0

    def append(self, files: Iterable[FileRead]) -> int:
        """Writes `files` durably; returns the length for the manifest."""
        lines = [json.dumps(asdict(file), ensure_ascii=False) + "\n" for file in files]
        with translate_write_errors(self._path), self._path.open("ab") as log_file:
            log_file.write("".join(lines).encode("utf-8", "backslashreplace"))
            log_file.flush()
            sync_file(log_file.fileno())
            return log_file.tell()

    def keep(self, files: Iterable[FileRead]) -> None:
        """Makes what `append` wrote valid, once the manifest is published."""
        for file in files:
            self._keep(file)

    def _keep(self, file: FileRead) -> None:
        self._files[file.sha256] = file


def _parse(line: bytes) -> FileRead | None:
    """The file that a line describes; `None` for a damaged line, whose file is then read once more."""
    try:
        fields = mapping(json.loads(line))
        return FileRead(
            text(fields["sha256"]), text(fields["origin"]), integer(fields["papers"]), fields["complete"] is True
        )
    except (ValueError, KeyError, TypeError):
        return None
