"""Which files have been imported, by content: a second import skips them, and one that was interrupted continues."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from litterm.core.durable_files import key_after, new_key
from litterm.core.json_fields import integer, mapping, text
from litterm.library.state.connection import StateDatabase
from litterm.library.state.row_codec import encode_json

EARLIER_LOG_FILE = "imported.jsonl"
"""Of a library before version 2."""
_ADD_FILE = "INSERT INTO imported_file (sha256, publication, papers, complete, origin) VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class FileRead:
    """How far a file has been imported."""

    sha256: str
    origin: str
    papers: int
    """Records stored so far, from the start of the file."""
    complete: bool


class ImportLog:
    """The imported files, as far as a manifest vouches for them; for the holder of the write lock only."""

    def __init__(self, state: StateDatabase, publication: str) -> None:
        """`publication` is the last one that counts, of the newest manifest; empty for none."""
        self._state = state
        self._publication = publication
        self._files: dict[str, FileRead] = {}
        with state.read() as connection:
            rows = connection.execute("SELECT * FROM imported_file ORDER BY publication").fetchall()
        for sha256, key, papers, complete, origin in rows:
            if key <= publication:
                self._files[sha256] = FileRead(sha256, json.loads(origin), papers, bool(complete))
        if rows and rows[-1][1] > publication:
            # Written but never published: those records are in no segment, and their files must be read again.
            with state.write() as connection:
                connection.execute("DELETE FROM imported_file WHERE publication > ?", (publication,))

    def is_known(self, sha256: str) -> bool:
        """Whether the whole file is in the library."""
        file = self._files.get(sha256)
        return file is not None and file.complete

    def stored_count(self, sha256: str) -> int:
        """How many of the file's records are in the library, from its start."""
        file = self._files.get(sha256)
        return file.papers if file is not None else 0

    def append(self, files: Sequence[FileRead]) -> str:
        """Writes `files` durably; returns the publication that the manifest has to name for them to count."""
        # Also where the clock has been set back, it comes after the one before.
        key = max(new_key(), key_after(self._publication))
        # Two files of the same bytes are one.
        distinct = {file.sha256: file for file in files}.values()
        rows = [(file.sha256, key, file.papers, int(file.complete), encode_json(file.origin)) for file in distinct]
        with self._state.write() as connection:
            for file in files:
                # All but the newest row of the file, which holds until the manifest is published.
                connection.execute(
                    "DELETE FROM imported_file WHERE sha256 = ?1"
                    " AND publication < (SELECT max(publication) FROM imported_file WHERE sha256 = ?1)",
                    (file.sha256,),
                )
            connection.executemany(_ADD_FILE, rows)
        return key

    def confirm(self, files: Iterable[FileRead], publication: str) -> None:
        """Makes what `append` wrote valid, once the manifest that names `publication` is published."""
        self._files |= {file.sha256: file for file in files}
        self._publication = publication


def move_earlier_log(state: StateDatabase, valid_bytes: int) -> str:
    """Copies the log of an earlier version, of which `valid_bytes` count; returns the publication to name for it.

    The caller names it in a manifest, and then sets the file aside. Until then the rows do not count.
    """
    try:
        lines = (state.root / EARLIER_LOG_FILE).read_bytes()[:valid_bytes].splitlines()
    except OSError:
        return ""
    files = {file.sha256: file for line in lines if (file := _parse(line)) is not None}
    return ImportLog(state, "").append(tuple(files.values()))


def _parse(line: bytes) -> FileRead | None:
    """The file that a line describes; `None` for a damaged line, whose file is then read once more."""
    try:
        fields = mapping(json.loads(line))
        return FileRead(
            text(fields["sha256"]), text(fields["origin"]), integer(fields["papers"]), fields["complete"] is True
        )
    except (ValueError, KeyError, TypeError):
        return None
