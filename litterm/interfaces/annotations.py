"""Interfaces of what is kept on disk of the user's work: journal, session file and matrices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.model.matrix import MatrixCell, MatrixId, MatrixRecord, MatrixRequest, Spent


class Journal(Protocol):
    """The append-only file of the user's decisions, tags, notes and marks; a torn last line is ignored."""

    def append(self, kind: str, body: Mapping[str, object]) -> None:
        """One durable line.

        Raises:
            DiskFull: it could not be written; nothing earlier is lost.
        """
        ...

    def entries(self, since: object = None) -> Iterator[tuple[str, str, Mapping[str, object]]]:
        """Time (UTC, ISO 8601), kind and body of every line, oldest first.

        With `since`, an earlier answer of `version()`, only lines appended after it; a line may then
        come twice in two successive readings but is never left out.
        """
        ...

    def version(self) -> object:
        """A token that differs whenever anybody has appended; cheap (one stat)."""
        ...


class SessionFile(Protocol):
    """The one small file that brings a session back; the last writer wins."""

    def load(self) -> Mapping[str, object]:
        """What was saved last; empty if nothing was, or if it cannot be read."""
        ...

    def save(self, body: Mapping[str, object]) -> None:
        """Replaces the file at once, so that a crash leaves the old one.

        Raises:
            DiskFull: it could not be written.
        """
        ...


class Lease(Protocol):
    """A right that is held until it is given back, or the process ends."""

    def release(self) -> None:
        """Gives it back; harmless when it is not held."""
        ...


class MatrixStore(Protocol):
    """Evidence matrices; every line is durable when its call returns, whatever kills the process later."""

    def begin(self, request: MatrixRequest) -> MatrixId:
        """A new matrix without cells."""
        ...

    def ids(self) -> tuple[MatrixId, ...]:
        """Of every matrix, the newest first; cheap."""
        ...

    def all(self) -> tuple[MatrixRecord, ...]:
        """Every matrix, the newest first; reads each."""
        ...

    def open(self, matrix_id: MatrixId) -> MatrixRecord:
        """The matrix as it is now.

        Raises:
            UnknownMatrix: there is none with this id.
        """
        ...

    def lease(self, matrix_id: MatrixId) -> Lease | None:
        """The right to compute its cells; `None` while somebody else has it."""
        ...

    def holder(self, matrix_id: MatrixId) -> str:
        """Who computes its cells now, as far as is known."""
        ...

    def add_hypothesis(self, matrix_id: MatrixId, hypothesis: str) -> None:
        """One more column."""
        ...

    def begin_run(self, matrix_id: MatrixId, version: str) -> None:
        """Cells put from now on are of a new run of this version of litterm."""
        ...

    def charge(self, matrix_id: MatrixId, spent: Spent) -> None:
        """What the run under way has paid since the last time, whether or not a cell comes of it."""
        ...

    def put(self, matrix_id: MatrixId, cell: MatrixCell) -> None:
        """One cell, in place of an earlier one of the same paper and hypothesis."""
        ...

    def end_run(self, matrix_id: MatrixId, *, done: bool) -> None:
        """The run has come to its end, or was stopped."""
        ...

    def remove(self, matrix_id: MatrixId) -> None:
        """Deletes a matrix.

        Raises:
            UnknownMatrix: there is none with this id.
            LibraryError: another litterm is filling it.
        """
        ...
