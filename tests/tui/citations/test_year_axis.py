"""The years of references and of citing papers, as one line of columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from litterm.tui.citations.references import MAX_YEARS, year_axis
from litterm.tui.widgets.glyphs import ASCII, UNICODE


def test_each_year_is_a_column_and_the_fullest_the_highest() -> None:
    years = [2019, None, 2020, 2020, *[2022] * 4, 2019]
    assert year_axis(years, UNICODE) == "2019 ▄▄ █ 2022"
    assert year_axis(years, ASCII) == "2019 == @ 2022"


def test_one_paper_beside_hundreds_is_seen() -> None:
    assert year_axis([2000, 2001, *[2002] * 500], UNICODE) == "2000 ▁▁█ 2002"


def test_two_years_need_no_picture() -> None:
    assert year_axis([2019, 2020, 2020, None], UNICODE) == ""
    assert year_axis([], UNICODE) == ""


def test_old_papers_are_counted_in_words() -> None:
    axis = year_axis([1890, 1891, 2000, 2001], UNICODE)
    assert axis.startswith(f"{2001 - MAX_YEARS + 1} ") and axis.endswith("██ 2001 (2 earlier)")


@given(st.lists(st.one_of(st.none(), st.integers(1400, 2100)), max_size=60))
def test_every_line_fits_and_has_a_column_for_each_year_with_papers(years: list[int | None]) -> None:
    axis = year_axis(years, UNICODE)
    known = {year for year in years if year is not None}
    columns = sum(axis.count(level) for level in UNICODE.levels)
    assert len(axis) <= MAX_YEARS + 28
    assert columns == (0 if len(known) < 3 else sum(year > max(known) - MAX_YEARS for year in known))
