"""How much later papers use the names that a paper coined, up to a year."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from libraries import record, store

from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.search.open_index import LiveRows
from litterm.search.searchable import SearchableLibrary
from litterm.search.signals.name_uses import NameUses


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRows]:
    root: Path = tmp_path_factory.mktemp("library")
    store(
        root,
        [
            record("A", "Zork: a parser", year=2015),
            record("B", "Better parsing", abstract="We build on Zork.", year=2016),
            record("C", "Zork for speech", year=2018),
            record("D", "Attention in reading", year=2010),
            record("E", "Attention: all one needs", year=2017),
            record("F", "Undated Zork"),
        ],
    )
    yield SearchableLibrary(DuckLibrary(root), IndexFolder()).current_state().live


def uses(live: LiveRows, name: str, year: int | None, until: int) -> float:
    return float(NameUses(live).best_growth([{name}], [year], until=until)[0])


def test_later_uses_count_up_to_the_year(live: LiveRows) -> None:
    assert uses(live, "zork", 2015, 2018) == pytest.approx(math.log(3))
    assert uses(live, "zork", 2015, 2017) == pytest.approx(math.log(2))
    assert uses(live, "zork", 2015, 2015) == 0


def test_a_word_that_was_there_before_is_no_coined_name(live: LiveRows) -> None:
    assert uses(live, "attention", 2017, 2020) == 0


def test_without_a_name_or_a_year_nothing_counts(live: LiveRows) -> None:
    assert uses(live, "zork", None, 2020) == 0
    assert uses(live, "unheard", 2015, 2020) == 0
    assert uses(live, "z", 2015, 2020) == 0
    assert NameUses(live).best_growth([set()], [2015], until=2020).tolist() == [0]


def test_uses_are_counted_between_years(live: LiveRows) -> None:
    found = NameUses(live)
    assert [
        found.count_between("zork", after, until) for after, until in ((2015, 2018), (2015, 2016), (2018, 2030))
    ] == [
        2,
        1,
        0,
    ]
    assert found.count_between("z", 2000, 2020) == 0


@pytest.mark.parametrize("name", ["zork", "attention", "unheard", "z"])
def test_counts_of_many_years_are_those_of_each_year(live: LiveRows, name: str) -> None:
    uses, years, until = NameUses(live), range(2008, 2024), 2018
    later, soon = uses.count_after_each(name, years, within_years=2, until=until)
    assert later.tolist() == [uses.count_between(name, year, until) for year in years]
    assert soon.tolist() == [uses.count_between(name, year, min(year + 2, until)) for year in years]
