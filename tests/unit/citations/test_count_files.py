"""Answers of services on disk: the last of each counts, whatever happened to the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.citations.storage import count_files
from litterm.citations.storage.count_files import FileCounts
from litterm.core.errors import LibraryError
from litterm.model.citations.citation_counts import CountAnswer, PaperCounts, ServiceCount
from litterm.model.paper import PaperId

P, Q = PaperId("acl:P18-1"), PaperId("doi:10.1/é")


def answer(paper: PaperId = P, count: int | None = 5, source: str = "s2", date: str = "2026-11-23") -> CountAnswer:
    return CountAnswer(paper, source, date, count, ((2024, 2), (2025, 3)))  # type: ignore[arg-type]


def test_the_last_answer_of_each_service_holds(tmp_path: Path) -> None:
    counts = FileCounts(tmp_path / "counts")
    assert counts.counts_of(P) == {}
    counts.keep([answer(), answer(Q, 9, "crossref")])
    before = counts.version()
    counts.keep([answer(count=6), answer(count=None, source="openalex")])
    assert counts.version() != before
    for each in (counts, FileCounts(tmp_path / "counts")):
        assert {source: told.count for source, told in each.counts_of(P).items()} == {"s2": 6, "openalex": None}
        assert each.counts_of(Q)["crossref"].by_year == ((2024, 2), (2025, 3))
        assert each.numbers("s2") == {P: 6}
        assert each.numbers("openalex") == {}


def test_a_torn_or_foreign_line_costs_itself_only(tmp_path: Path) -> None:
    counts = FileCounts(tmp_path)
    counts.keep([answer()])
    with (tmp_path / "counts.jsonl").open("ab") as file:
        file.write(b'["acl:P18-1","scopus","2026-11-23",7,[]]\n["acl:P18-1","s2","soon",7,[]]\n{"a":1}\n["acl:P1')
    fresh = FileCounts(tmp_path)
    assert fresh.numbers("s2") == {P: 5}
    fresh.keep([answer(Q, 1)])
    assert FileCounts(tmp_path).numbers("s2") == {P: 5, Q: 1}


def test_a_file_of_mostly_replaced_lines_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_files, "SMALL_FILE_BYTES", 100)
    counts = FileCounts(tmp_path)
    with counts.lock_for_writing():
        for count in range(20):
            counts.keep([answer(count=count)])
        assert len((tmp_path / "counts.jsonl").read_bytes().splitlines()) == 20
    assert len((tmp_path / "counts.jsonl").read_bytes().splitlines()) == 1
    assert counts.numbers("s2") == FileCounts(tmp_path).numbers("s2") == {P: 19}


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    one, other = FileCounts(tmp_path).lock_for_writing(), FileCounts(tmp_path).lock_for_writing()
    with one, pytest.raises(LibraryError, match="is fetching citation counts"):
        other.__enter__()
    with FileCounts(tmp_path).lock_for_writing():
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
