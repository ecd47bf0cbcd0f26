"""What titles and ids tell of every record, whichever importer read it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litterm.importers.derived_fields import arxiv_month, fill_derived_fields
from litterm.model.paper import Paper, PaperId

PLAIN = Paper(PaperId("doi:10.9999/moss"), "Moss as a measure of rain", year=2012)


@pytest.mark.parametrize(
    ("key", "month"),
    [
        ("0704.0001", "2007-04"),
        ("2411.12345", "2024-11"),
        ("math/9901001", "1999-01"),
        ("hep-th/0502001", "2005-02"),
        ("math.AG/9112001", "1991-12"),
        ("1299.0001", ""),
        ("", ""),
    ],
)
def test_an_arxiv_id_tells_its_month(key: str, month: str) -> None:
    assert arxiv_month(key) == month


def test_a_year_is_taken_from_the_id_only_where_none_is_stated() -> None:
    undated = replace(PLAIN, year=None, aliases=(PaperId("arxiv:0706.1234"),))
    assert (fill_derived_fields(undated).year, fill_derived_fields(undated).date) == (2007, "2007-06")
    dated = replace(undated, year=2010)
    assert fill_derived_fields(dated) is dated


@pytest.mark.parametrize(
    ("stated", "told"), [("", "retracted"), ("corrected", "retracted"), ("removed: by law", "removed: by law")]
)
def test_a_mark_in_the_title_is_told_where_the_source_says_no_more(stated: str, told: str) -> None:
    marked = replace(PLAIN, title=f"RETRACTED: {PLAIN.title}", retraction=stated)
    filled = fill_derived_fields(marked)
    assert (filled.retraction, filled.title) == (told, marked.title)


def test_other_records_stay_as_they_are() -> None:
    assert fill_derived_fields(PLAIN) is PLAIN
