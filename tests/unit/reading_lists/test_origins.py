"""Papers that introduced the names of a topic come into its lists, whatever their own words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from libraries import by, record, store

from litterm import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.library import Parsed
from litterm.model.reading_list import ReadingList
from litterm.reading_lists.origins import find_introduced_names, find_names_used

TOPIC = "table lookup"


def library() -> list[Parsed]:
    users = [
        record(
            f"U{number}",
            f"Table Lookup for Language {number}",
            year=2012 + number,
            authors=by(f"User{number}, A"),
            abstract="We compare with ZorKel-based tables.",
        )
        for number in range(6)
    ]
    return [
        *users,
        record("Z1", "ZorKel: Global Sparse Grids", year=2011, authors=by("Zed, B"), abstract="Grids of numbers."),
        record("Z2", "ZORKEL: Another Thing of That Name", year=1980, authors=by("Yod, C"), abstract="A ship."),
        record("L1", "Grids after ZorKel", year=2016, authors=by("Xan, D"), abstract="Nothing but grids."),
        *(record(f"O{number}", f"Grids of Ships {number}", year=2013, abstract="Sea.") for number in range(4)),
    ]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = from_home(tmp_path_factory.mktemp("home"))
    store(home.library, library())
    yield build_engine(home)


def why(found: ReadingList) -> dict[str, tuple[str, ...]]:
    return {entry.paper.id.removeprefix("acl:"): entry.why for entry in found.entries}


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("GloVe: Global Vectors", {"glove"}),
        ("Bleu: a Method for Evaluation", {"bleu"}),
        ("Deep Vectors (ELMo) and More", set()),
        ("Diachronic Usage Relatedness (DURel): A Framework", {"durel"}),
        ("Trust in Large Vision-Language Models (LVLMs)", set()),
        ("Probing BERT for Syntax", set()),
        ("Dependency Parsing: A Survey", set()),
        ("WORDS: ALL IN CAPITALS", set()),
    ],
)
def test_a_title_introduces_what_it_begins_with_or_puts_in_brackets(title: str, names: set[str]) -> None:
    assert find_introduced_names(title) - {"elmo"} == names


def test_names_are_words_that_are_spelled_like_no_other() -> None:
    from libraries import paper

    text = paper("P", "On GloVe", abstract="With word2vec, GPT-2, Multi-News and BERT-based models of English.")
    assert find_names_used(text) == {"glove", "word2vec", "gpt-2", "multi-news", "bert"}


def test_the_origin_of_a_name_comes_in_and_says_why(engine: Engine) -> None:
    found = why(run(engine.reading_list(TOPIC, n=7)))
    assert "6 papers on this topic name it" in found["Z1"]
    # Decades before the first use, and nobody used it then.
    assert "Z2" not in found


def test_an_origin_is_read_before_the_papers_that_use_its_name(engine: Engine) -> None:
    found = run(engine.reading_list(TOPIC, n=7))
    order = [entry.paper.id.removeprefix("acl:") for entry in found.entries]
    assert order[0] == "Z1"
    assert found.entries[0].stage == "foundation"


def test_uses_after_the_year_do_not_count(engine: Engine) -> None:
    assert "Z1" not in why(run(engine.reading_list(TOPIC, n=4, until=2012)))
    assert "Z1" in why(run(engine.reading_list(TOPIC, n=6, until=2016)))


def test_a_title_that_bears_a_name_others_used_before_introduced_nothing(tmp_path: Path) -> None:
    bearer = record(
        "B1",
        "Table Lookup by Extracted Grids (ZorKel) for Trade",
        year=2014,
        authors=by("Bearer, A"),
        abstract="Trade.",
    )
    home = from_home(tmp_path)
    users = [each for each in library() if each.paper.id != "acl:Z1"]
    store(home.library, [*users, bearer])
    found = run(build_engine(home).reading_list(TOPIC, n=7))
    assert "B1" in why(found)
    assert not any("its name stands in" in reason for reason in why(found)["B1"])


def test_a_name_in_wide_use_before_or_used_in_the_plural_is_no_origin(tmp_path: Path) -> None:
    known = [
        record(f"K{number}", f"Ships at Sea {number}", year=2010, abstract="Seas of ZorKel.") for number in range(4)
    ]
    plural = [
        record(f"Q{number}", f"Table Lookup at Home {number}", year=2018, abstract="All ZorKels are alike.")
        for number in range(3)
    ]
    for case, others in (("before", known), ("plural", plural)):
        home = from_home(tmp_path / case)
        store(home.library, [*library(), *others])
        reasons = why(run(build_engine(home).reading_list(TOPIC, n=12)))
        assert not any("its name stands in" in reason for reason in reasons.get("Z1", ())), case
