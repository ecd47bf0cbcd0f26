"""Files that are parsed elsewhere come in their order, and their ends count what came late."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from libraries import record

from litterm.importers.deferred import DeferredRecords, Step, in_file_order
from litterm.model.library import Failure, FileEnd, FileProgress, FileStart, Parsed


class Late(DeferredRecords):
    """Records that are there when they have been waited for."""

    def __init__(self, *records: Parsed | Failure, size: int = 1) -> None:
        self.size = size
        self.waited = False
        self._records = records

    def ready(self, timeout_s: float) -> bool:
        was, self.waited = self.waited, self.waited or bool(timeout_s)
        return was

    def records(self) -> Iterable[Parsed | Failure]:
        return self._records


def test_records_come_in_order_and_are_counted_by_every_file_around_them() -> None:
    first, second = record("A", "One"), record("B", "Two")
    failure = Failure("x.zip!b", "It is broken.")
    steps: list[Step] = [
        FileStart("x.zip", "1", 9),
        FileStart("x.zip!a", "2", 4),
        Late(first),
        FileEnd("x.zip!a", "2", 0, 0),
        FileProgress("x.zip", 4, 9),
        FileStart("x.zip!b", "3", 5),
        Late(failure, second),
        FileEnd("x.zip!b", "3", 0, 0),
        FileEnd("x.zip", "1", 0, 0),
    ]
    assert [item for item in in_file_order(steps, "x.zip") if not isinstance(item, FileProgress)] == [
        FileStart("x.zip", "1", 9),
        FileStart("x.zip!a", "2", 4),
        first,
        FileEnd("x.zip!a", "2", 1, 0),
        FileStart("x.zip!b", "3", 5),
        failure,
        second,
        FileEnd("x.zip!b", "3", 1, 1),
        FileEnd("x.zip", "1", 2, 1),
    ]


def test_no_more_is_read_ahead_than_memory_allows() -> None:
    begun = []

    def steps() -> Iterator[Step]:
        for n in range(10):
            late = Late(record(str(n), f"Paper {n}"), size=50 * 2**20)
            begun.append(late)
            yield late

    papers = (item for item in in_file_order(steps(), "x") if isinstance(item, Parsed))
    next(papers)
    assert len(begun) == 3
    assert len(list(papers)) == 9
