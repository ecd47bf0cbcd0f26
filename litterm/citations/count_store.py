"""How often services count papers as cited, in the library's `state.db`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Final

from litterm.citations.earlier_files import EarlierCounts
from litterm.citations.store import PAPER_SQL, batches, count_change, paper_numbers, read_value, temporary_folder
from litterm.core.errors import LibraryError, ReadOnly, StateBusy
from litterm.core.json_fields import integer, items
from litterm.library.lock import WriteLock
from litterm.library.state.connection import WRITE_WAIT_S, StateDatabase
from litterm.model.citations.citation_counts import CountAnswer, CountSource

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

    from litterm.model.paper import PaperId

_LOCK_FILE: Final = "counts.lock"
_BATCH_COUNTS: Final = 5_000


class CountStore:
    """Counts that services gave, per paper and service, of the library in `root`; durable, safe from any thread."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "citations"
        self._state = StateDatabase(root)
        self._earlier = EarlierCounts(root / "counts")
        self._stand_in: StateDatabase | None = None
        """The counts in the file of an earlier version, where they cannot be moved into the database."""
        self._lock = Lock()
        self._numbers: tuple[object, dict[CountSource, dict[PaperId, int]]] = (None, {})
        """By the version of the counts, what `numbers` gives."""

    def version(self) -> object:
        """A value that changes when a count is stored."""
        state = self._readable()
        return id(state), read_value(state, "counts")

    def answers(self, ids: Sequence[PaperId]) -> list[dict[CountSource, CountAnswer]]:
        """Per paper, its newest count by each service."""
        sql = f"SELECT service, day, count, by_year FROM citation_count WHERE paper = {PAPER_SQL}"
        state = self._readable()
        # As in `read_value`: most commands of somebody without a library show what the starter library has.
        if not state.path.exists():
            return [{} for _ in ids]
        with state.read() as connection:
            return [
                {row[0]: _count_answer(paper_id, row) for row in connection.execute(sql, (paper_id,))}
                for paper_id in ids
            ]

    def numbers(self, source: CountSource) -> Mapping[PaperId, int]:
        """Every count of one service, by paper; read again only when a count was stored."""
        version = self.version()
        known_version, numbers = self._numbers
        if known_version != version:
            numbers = {}
            sql = "SELECT service, id, count FROM citation_count JOIN citation_paper ON number = paper"
            with self._readable().read() as connection:
                for service, paper, count in connection.execute(f"{sql} WHERE count IS NOT NULL"):
                    numbers.setdefault(service, {})[paper] = count
            self._numbers = (version, numbers)
        return numbers.get(source, {})

    def put(self, answers: Iterable[CountAnswer]) -> None:
        """Stores answers durably, all or none.

        Raises:
            DiskFull: they could not be written.
        """
        self._move_earlier_file()
        with self._state.write() as connection:
            _store_counts(connection, answers)

    @contextmanager
    def lock_for_writing(self) -> Iterator[None]:
        """Holds the right to fetch counts.

        Raises:
            LibraryError: another litterm has it.
        """
        lock = WriteLock(self._folder / _LOCK_FILE)
        if not lock.try_acquire():
            raise LibraryError("Another litterm is fetching citation counts; wait for it, or stop it.")
        try:
            yield
        finally:
            lock.release()

    def _readable(self) -> StateDatabase:
        if not self._earlier.exist():
            return self._state
        with self._lock:
            try:
                # A reader does not wait for who writes.
                self._move_earlier_file(wait_s=0.0)
                return self._state
            except (ReadOnly, StateBusy):
                if self._stand_in is None:
                    state = StateDatabase(temporary_folder())
                    with state.write() as connection:
                        _store_counts(connection, self._earlier.answers())
                    self._stand_in = state
                return self._stand_in

    def _move_earlier_file(self, wait_s: float = WRITE_WAIT_S) -> None:
        """Moves the counts of an earlier version into the database; killed, it is done again."""
        if self._earlier.exist():
            with self._state.write(wait_s) as connection:
                # Another process may have moved them meanwhile.
                if self._earlier.exist():
                    _store_counts(connection, self._earlier.answers())
            self._earlier.remove()


def _store_counts(connection: Connection, answers: Iterable[CountAnswer]) -> None:
    for batch in batches(answers, _BATCH_COUNTS):
        numbers = paper_numbers(connection, {answer.paper for answer in batch})
        rows = (
            (numbers[answer.paper], answer.source, answer.date, answer.count, json.dumps(answer.by_year))
            for answer in batch
        )
        connection.executemany("INSERT OR REPLACE INTO citation_count VALUES (?, ?, ?, ?, ?)", rows)
    count_change(connection, "counts")


def _count_answer(paper: PaperId, row: tuple[CountSource, str, int | None, str]) -> CountAnswer:
    source, day, count, by_year = row
    years = tuple((integer(year), integer(number)) for year, number in map(items, items(json.loads(by_year))))
    return CountAnswer(paper, source, day, count, years)
