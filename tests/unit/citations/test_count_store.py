"""Answers of services in the database: the last of each is valid, also of those in the file of an earlier version."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from graphs import run_read_only

from litterm.citations.count_store import CountStore
from litterm.core.errors import LibraryError
from litterm.library.state.connection import StateDatabase
from litterm.model.citations.citation_counts import CountAnswer, PaperCounts, ServiceCount
from litterm.model.paper import PaperId

P, Q = PaperId("acl:P18-1"), PaperId("doi:10.1/é")


def answer(paper: PaperId = P, count: int | None = 5, source: str = "s2", date: str = "2026-11-23") -> CountAnswer:
    return CountAnswer(paper, source, date, count, ((2024, 2), (2025, 3)))  # type: ignore[arg-type]


def numbers(store: CountStore, *papers: PaperId) -> list[dict[str, int | None]]:
    return [{source: stored.count for source, stored in answers.items()} for answers in store.answers(papers)]


def test_where_nothing_was_stored_no_count_costs_the_import_of_sqlite(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from litterm.citations.count_store import CountStore
print(CountStore(Path(sys.argv[1])).answers(["acl:P18-1", "acl:P18-2"]), "sqlite3" in sys.modules)
"""
    argv = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout == "[{}, {}] False\n"
    assert not list(tmp_path.iterdir())


def test_the_last_answer_of_each_service_is_valid(tmp_path: Path) -> None:
    counts = CountStore(tmp_path)
    assert (numbers(counts, P), dict(counts.numbers("s2"))) == ([{}], {})
    counts.put([answer(), answer(Q, 9, "crossref")])
    before = counts.version()
    counts.put([answer(count=6), answer(count=None, source="openalex")])
    assert counts.version() != before
    for store in (counts, CountStore(tmp_path)):
        assert numbers(store, P, Q) == [{"s2": 6, "openalex": None}, {"crossref": 9}]
        assert store.answers([Q])[0]["crossref"] == answer(Q, 9, "crossref")
        assert store.numbers("s2") == {P: 6}
        assert store.numbers("openalex") == {}


LINES = (
    b'["acl:P18-1","s2","2026-11-23",4,[]]\n["doi:10.1/\xc3\xa9","openalex","2026-11-24",null,[]]\n'
    b'["acl:P18-1","s2","2026-11-23",5,[[2024,2],[2025,3]]]\n["acl:P18-1","scopus","2026-11-23",7,[]]\n'
    b'["acl:P18-1","s2","soon",7,[]]\n{"a":1}\n["acl:P1'
)
"""As version 1.0 wrote them, with lines of a newer version, damaged ones, and a last one that was cut off."""


def earlier_file(root: Path) -> Path:
    path = root / "counts" / "counts.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(LINES)
    return path


def test_counts_of_an_earlier_version_are_moved_by_the_first_who_needs_them(tmp_path: Path) -> None:
    path = earlier_file(tmp_path)
    assert CountStore(tmp_path).answers([P, Q]) == [
        {"s2": answer()},
        {"openalex": CountAnswer(Q, "openalex", "2026-11-24", None)},
    ]
    assert not path.exists()
    CountStore(tmp_path).put([answer(Q, 1)])
    assert CountStore(tmp_path).numbers("s2") == {P: 5, Q: 1}


def test_counts_of_an_earlier_version_come_before_newer_ones(tmp_path: Path) -> None:
    earlier_file(tmp_path)
    counts = CountStore(tmp_path)
    counts.put([answer(count=8)])
    assert counts.numbers("s2") == {P: 8}


def test_a_move_that_was_killed_before_the_file_was_removed_is_repeated(tmp_path: Path) -> None:
    path = earlier_file(tmp_path)
    CountStore(tmp_path).numbers("s2")
    path.write_bytes(LINES)
    assert CountStore(tmp_path).numbers("s2") == {P: 5}
    assert not path.exists()


def test_a_reader_does_not_wait_for_who_writes_to_move_counts(tmp_path: Path) -> None:
    path = earlier_file(tmp_path)
    counts = CountStore(tmp_path)
    with StateDatabase(tmp_path).write():
        assert counts.numbers("s2") == {P: 5}
        assert path.exists()
    assert counts.numbers("s2") == {P: 5}
    assert not path.exists()


def test_a_read_only_library_is_read_from_the_file(tmp_path: Path) -> None:
    path = earlier_file(tmp_path)
    printed = run_read_only(
        tmp_path,
        """
        from litterm.citations.count_store import CountStore
        print(CountStore(Path(sys.argv[1])).numbers("s2"))
        """,
    )
    assert printed == "{'acl:P18-1': 5}\n"
    assert path.exists()


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    one, other = CountStore(tmp_path).lock_for_writing(), CountStore(tmp_path).lock_for_writing()
    with one, pytest.raises(LibraryError, match="is fetching citation counts"):
        other.__enter__()
    with CountStore(tmp_path).lock_for_writing():
        pass


@pytest.mark.parametrize(
    ("count", "year", "until"),
    [
        (ServiceCount("s2", 9, "2026-11-23"), 2026, 9),
        (ServiceCount("s2", 9, "2026-11-23"), 2025, None),
        (ServiceCount("openalex", 9, "2026-11-23", ((2022, 3), (2024, 5))), 2023, 4),
        (ServiceCount("openalex", 9, "2026-11-23", ((2022, 3), (2024, 5))), 2021, 1),
        # One citation is older than the years told: when it was made is not known.
        (ServiceCount("openalex", 9, "2026-11-23", ((2022, 3), (2024, 5))), 2020, None),
        (ServiceCount("openalex", 8, "2026-11-23", ((2022, 3), (2024, 5))), 2010, 0),
        (ServiceCount("openalex", 0, "2026-11-23"), 2010, 0),
    ],
)
def test_citations_up_to_a_year(count: ServiceCount, year: int, until: int | None) -> None:
    assert count.until(year) == until


def test_the_largest_count_is_of_one_counter() -> None:
    assert PaperCounts(3, (ServiceCount("s2", 7, "2026-11-23"), ServiceCount("crossref", 5, "2026-11-23"))).largest == 7
    assert PaperCounts(3).largest == 3
