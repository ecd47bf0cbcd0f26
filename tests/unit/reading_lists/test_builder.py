"""A topic becomes a list: what is in it, in which order, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import record, store
from reading_lists import TOPIC, engine_over, library

from litterm import build_engine
from litterm.citations.graph import Graph
from litterm.core.errors import AsksTooMuch, UsageError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.citations.graph import Edge, ReferenceListHead, ResolvedList
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.reading_lists.builder import ListBuilder


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with engine_over(tmp_path_factory.mktemp("home")) as found:
        yield found


def ids(found: ReadingList) -> list[str]:
    return [entry.paper.id.removeprefix("acl:") for entry in found.entries]


def test_a_list_is_about_its_topic_and_no_longer_than_asked(engine: Engine) -> None:
    found = run(engine.reading_list(TOPIC, n=6))
    assert len(found.entries) == 6
    assert not any(name.startswith("O") for name in ids(found))


def test_other_queries_bring_papers_that_the_topic_does_not_find(engine: Engine) -> None:
    request = ListRequest(TOPIC, 20, queries=("speech synthesis voice",))
    assert "O1" not in ids(run(engine.reading_lists.build(ListRequest(TOPIC, 20))))
    assert "O1" in ids(run(engine.reading_lists.build(request)))
    made = run(engine.reading_lists.make(request))
    assert engine.reading_lists.open(made.id).request.queries == request.queries
    with pytest.raises(AsksTooMuch, match="with 10 other queries, and may be with 9"):
        run(engine.reading_lists.build(ListRequest(TOPIC, 20, queries=("voice",) * 10)))


def test_nothing_is_newer_than_the_year(engine: Engine) -> None:
    found = run(engine.reading_list(TOPIC, n=10, until=2017))
    assert found.entries
    assert max(entry.paper.year or 0 for entry in found.entries) <= 2017
    assert "N1" in ids(run(engine.reading_list(TOPIC, n=20)))


def test_the_overview_comes_first_and_the_newest_work_last(engine: Engine) -> None:
    found = run(engine.reading_list(TOPIC, n=10, until=2021))
    assert ids(found)[0] == "S1"
    assert found.entries[0].why[0] == "survey"
    stages = [entry.stage for entry in found.entries]
    rank = {"overview": 0, "foundation": 1, "method": 2, "recent": 3}
    assert [rank[stage] for stage in stages] == sorted(rank[stage] for stage in stages)
    assert stages[-1] == "recent"


def test_a_sentence_asks_for_the_same_papers_as_its_topic(engine: Engine) -> None:
    asked = run(engine.reading_list("Please give me a reading list about neural parsing.", n=8))
    plain = run(engine.reading_list(TOPIC, n=8))
    assert len(set(ids(asked)) & set(ids(plain))) >= 7


def test_every_keyword_is_covered_and_told(engine: Engine) -> None:
    found = run(engine.reading_list("neural parsing, speech synthesis", n=6))
    assert {"O", "S"} & {name[0] for name in ids(found)} == {"O", "S"}
    assert any("covers speech synthesis" in why for entry in found.entries for why in entry.why)


def test_a_topic_without_a_word_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="topic"):
        run(engine.reading_list(" ?! "))


def test_the_same_request_gives_the_same_list(engine: Engine) -> None:
    one, two = (run(engine.reading_list(TOPIC, n=12)) for _ in range(2))
    assert ids(one) == ids(two)


def test_sections_hold_every_paper_once(engine: Engine) -> None:
    found = run(engine.reading_list(TOPIC, n=10, sections=True))
    assert 2 <= len({section.name for section in found.sections}) <= 5
    assert sorted(ids(found)) == sorted(set(ids(found)))
    assert len(found.entries) == 10


@pytest.fixture
def cited_builder(engine: Engine) -> Callable[..., ListBuilder]:
    """The builder over a graph in which the first of each pair cites the second."""

    def make(*edges: tuple[str, str]) -> ListBuilder:
        lists = [
            ResolvedList(
                ReferenceListHead(PaperId(f"acl:{citing}"), f"doc-{citing}", 2022),
                True,
                tuple(
                    Edge(PaperId(f"acl:{one}"), PaperId(f"acl:{two}"), 1, 2022) for one, two in edges if one == citing
                ),
                frozenset(),
            )
            for citing in dict.fromkeys(citing for citing, _ in edges)
        ]
        builder = engine.reading_lists.builder()
        return replace(builder, search=replace(builder.search, graph=lambda: Graph(lists)))

    return make


def test_what_many_cite_is_read_before_those_that_cite_it(cited_builder: Callable[..., ListBuilder]) -> None:
    edges = [(citing, "M4") for citing in ("M1", "M2", "M3", "R1", "R2")]
    found = run(cited_builder(*edges).build(ListRequest(TOPIC, 11)))
    entry = next(each for each in found.entries if each.paper.id == "acl:M4")
    assert entry.stage == "foundation"
    assert any(why.startswith("cited by 5 of these") for why in entry.why)
    order = ids(found)
    assert all(order.index("M4") < order.index(citing) for citing, _ in edges)
    assert ("acl:R1", "acl:M4") in found.links


def test_what_a_foundation_builds_on_comes_before_it(cited_builder: Callable[..., ListBuilder]) -> None:
    edges = [*((citing, "M4") for citing in ("M1", "M2", "R1", "R2")), ("M4", "M3")]
    found = run(cited_builder(*edges).build(ListRequest(TOPIC, 11)))
    order = ids(found)
    assert order.index("M3") < order.index("M4") < order.index("M1")
    assert next(entry for entry in found.entries if entry.paper.id == "acl:M3").stage == "foundation"


def test_new_work_that_older_work_cites_comes_before_it(cited_builder: Callable[..., ListBuilder]) -> None:
    # R1 is of the last year, M1 five years older: a preprint is cited before it is published.
    found = run(cited_builder(("M1", "R1"), ("M2", "M1")).build(ListRequest(TOPIC, 11, until=2021)))
    order = ids(found)
    assert order.index("R1") < order.index("M1") < order.index("M2")
    assert next(entry for entry in found.entries if entry.paper.id == "acl:R1").stage != "recent"


def test_whatever_cites_whatever_the_cited_paper_comes_first(cited_builder: Callable[..., ListBuilder]) -> None:
    names = ["M4", "R2", "F1", "M1", "R1", "F2", "M3", "R3", "M2"]
    edges = [(one, two) for at, one in enumerate(names) for two in names[at + 1 :] if (at + len(two) + ord(two[1])) % 3]
    found = run(cited_builder(*edges).build(ListRequest(TOPIC, 11, until=2021)))
    order = ids(found)
    assert set(names) <= set(order)
    assert all(order.index(cited) < order.index(citing) for citing, cited in edges)


def test_citations_after_the_year_do_not_count(cited_builder: Callable[..., ListBuilder]) -> None:
    late = [(citing, "M4") for citing in ("M1", "M2", "M3")]
    plain = run(cited_builder().build(ListRequest(TOPIC, 5, until=2017)))
    cited = run(cited_builder(*late).build(ListRequest(TOPIC, 5, until=2017)))
    assert set(ids(cited)) == set(ids(plain))


def test_an_empty_library_is_answered_from_the_starter_papers(tmp_path: Path) -> None:
    from litterm import build_engine
    from litterm.core.settings import from_home

    found = run(build_engine(from_home(tmp_path)).reading_list("machine translation", n=5))
    assert found.entries
    assert all(entry.paper.id.startswith("starter:") for entry in found.entries)


def test_only_a_survey_of_the_topic_itself_opens_a_list(tmp_path: Path) -> None:
    from libraries import by, record, store

    from litterm import build_engine
    from litterm.core.settings import from_home

    home, aside = from_home(tmp_path), "Parsers of Tables: A Survey"
    titles = ["Neural Parsing of Speech", aside, "Neural Parsing: A Survey", "Deep Neural Parsing"]
    papers = [
        record(f"P{at}", title, year=2010 + at, authors=by(f"Name{at}, X"), abstract="Neural parsing.")
        for at, title in enumerate(titles)
    ]
    store(home.library, papers)
    found = run(build_engine(home).reading_list(TOPIC, n=4))
    assert [entry.paper.title for entry in found.entries if entry.stage == "overview"] == ["Neural Parsing: A Survey"]
    assert found.entries[0].paper.title == "Neural Parsing: A Survey"
    assert next(entry for entry in found.entries if entry.paper.title == aside).why[0] == "survey"


def test_the_first_and_the_last_to_appear_are_told(engine: Engine) -> None:
    found = run(engine.reading_list(TOPIC, n=11))
    told = {entry.paper.id: entry.why for entry in found.entries}
    assert "the earliest of the list" in told[PaperId("acl:F1")]
    assert "the newest of the list" in told[PaperId("acl:N1")]


def test_one_thing_is_told_of_a_part_of_the_list_only(engine: Engine) -> None:
    found = run(engine.reading_list(TOPIC, n=11))
    told = [why for entry in found.entries for why in entry.why]
    assert told.count("later papers use its words") <= 4
    assert told.count("by authors who wrote much on this") <= 4


def test_the_short_paper_of_a_tutorial_is_called_one_whatever_its_title(tmp_path: Path) -> None:
    from libraries import by, record, store

    from litterm import build_engine
    from litterm.core.settings import from_home
    from litterm.model.paper import PublicationDetails

    home, held = from_home(tmp_path), PublicationDetails(booktitle="Proceedings of A: Tutorial Abstracts")
    titles = ["Neural Parsing of Speech", "Recent Advances in Neural Parsing", "Deep Neural Parsing"]
    papers = [
        record(
            f"P{at}",
            title,
            year=2010 + at,
            authors=by(f"Name{at}, X"),
            imprint=held if at == 1 else PublicationDetails(),
        )
        for at, title in enumerate(titles)
    ]
    store(home.library, papers)
    found = run(build_engine(home).reading_list(TOPIC, n=3))
    assert found.entries[0].paper.title == titles[1]
    assert found.entries[0].why[0] == "tutorial"
    assert not any("tutorial" in entry.why for entry in found.entries[1:])


def test_a_keyword_that_most_titles_hold_is_not_told_of_each(engine: Engine) -> None:
    found = run(engine.reading_list("neural parsing, networks", n=10))
    told = [why for entry in found.entries for why in entry.why]
    assert "covers networks" in told
    assert not any("covers neural parsing" in why for why in told)


def test_without_another_reason_the_place_in_the_search_is_given(engine: Engine) -> None:
    found = run(engine.reading_list("neural parsing, networks", n=20))
    places = [int(why.split()[1]) for entry in found.entries for why in entry.why if why.startswith("no. ")]
    assert places
    assert len(places) == len(set(places))


def test_the_paper_of_a_name_in_the_topic_is_a_candidate_and_says_so(tmp_path: Path) -> None:
    snli = record("D15-1075", "A large annotated corpus for learning language inference", year=2015)
    home = from_home(tmp_path)
    store(home.library, [*library(), snli])
    engine = build_engine(home)
    assert not _named(run(engine.reading_list(TOPIC, n=20)))
    assert _named(run(engine.reading_list(f"{TOPIC}, SNLI", n=20))) == [
        (snli.paper.id, "the name SNLI is used for this paper")
    ]
    engine.known_names.hide(snli.paper, "SNLI")
    assert not _named(run(engine.reading_list(f"{TOPIC}, SNLI", n=20)))


def _named(listed: ReadingList) -> list[tuple[str, str]]:
    return [(entry.paper.id, why) for entry in listed.entries for why in entry.why if why.startswith("the name")]
