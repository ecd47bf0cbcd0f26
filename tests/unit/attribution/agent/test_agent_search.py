"""What the agent looks up: results of the library and of services in one list, within the bounds of the excerpt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from graphs import TITLES, citations, citing, small_library
from libraries import by, paper, record, store

from litterm.attribution.agent.search import AgentSearch, is_within_bounds
from litterm.core.errors import LibraryError, ServiceDown
from litterm.core.tasks import Task, run
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.model.attribution.agent import AgentHit
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.citations.graph import Direction, ExternalList, ListedWork
from litterm.model.document import Reference
from litterm.model.events import Event, Notice
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Query, RankedPaper, Ranking
from litterm.search.lexical import LexicalSearcher

A, B, C, D = (PaperId(f"acl:{key}") for key in "ABCD")
ANY = CandidateBounds()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> DuckLibrary:
    """A cited by B and C, B by C; D cites A and is later; two papers share a key."""
    root = tmp_path_factory.mktemp("library")
    late = citing("D", ["They began with lengths [1]."], "A")
    store(root, [*small_library(), late, record("acl:TWIN", "One twin"), record("local:TWIN", "Another twin")])
    run(citations(root).update())
    return DuckLibrary(root)


@dataclass
class Services:
    """Services with these results by name; a service that is missing is down. `texts` are the ids fetched."""

    results: dict[str, list[Paper]] = field(default_factory=dict)
    lists: dict[str, list[Reference]] = field(default_factory=dict)
    queries: list[tuple[str, str, int]] = field(default_factory=list)
    fetched: list[PaperId] = field(default_factory=list)

    def find(self, name: str, query: str, *, limit: int) -> Task[tuple[Parsed, ...]]:
        yield from ()
        self.queries.append((name, query, limit))
        if name not in self.results:
            raise ServiceDown(f"{name} is down.")
        return tuple(map(Parsed, self.results[name]))

    def fetch(self, ids: Sequence[PaperId]) -> Task[tuple[object, ...]]:
        yield from ()
        self.fetched += ids
        raise ServiceDown("No text there.")

    def fetch_list(self, paper: Paper, direction: Direction) -> Task[ExternalList]:
        yield from ()
        if paper.id not in self.lists:
            raise ServiceDown("No list there.")
        return ExternalList(paper.id, "semantic-scholar", direction, tuple(map(ListedWork, self.lists[paper.id])))


def lookup_of(library: DuckLibrary, services: Services | None = None, **parts: Any) -> AgentSearch:
    searcher = parts.pop("searcher", None) or LexicalSearcher(library, IndexFolder())
    return AgentSearch(library, searcher, citations(library.root, library).graph, services, **parts)  # type: ignore[arg-type]


@dataclass
class Ranked:
    """A search whose results are these papers with these scores."""

    rows: Sequence[tuple[Paper, float | None]]
    queries: list[tuple[Query, int]] = field(default_factory=list)

    def search(self, query: Query, *, k: int) -> Task[Ranking]:
        yield from ()
        self.queries.append((query, k))
        papers = tuple(RankedPaper(rank, held, score, "x") for rank, (held, score) in enumerate(self.rows, 1))
        return Ranking(query, papers[:k], len(papers), "x")


def ids(hits: Sequence[AgentHit]) -> list[str]:
    return [hit.paper.id.partition(":")[2] for hit in hits]


# -- result lists ------------------------------------------------------------------------------------------------------


def test_ten_papers_are_listed_of_thirty_looked_at(library: DuckLibrary) -> None:
    ranked = Ranked([(paper(f"N{number}", f"Work number {number}"), 1.0) for number in range(40)])
    found = run(lookup_of(library, searcher=ranked).search("q", CandidateBounds(2011), by_citations=False))
    assert ids(found.hits) == [f"N{number}" for number in range(10)]
    assert [(query.filters.years[0].last, k) for query, k in ranked.queries] == [(2011, 30)]
    assert (found.troubles, found.sent) == ((), "")


def test_by_citations_what_is_a_third_as_relevant_counts(library: DuckLibrary) -> None:
    rows = [
        (paper("A", TITLES["A"]), 1.0),
        (paper("N", "New"), 3.0),
        (paper("O", "Off"), 0.99),
        (paper("P", "Q"), None),
    ]
    ranked = Ranked(rows)
    found = run(lookup_of(library, searcher=ranked).search("q", ANY, by_citations=True))
    assert ids(found.hits) == ["A", "N"]
    assert [(query.filters.years, k) for query, k in ranked.queries] == [((), 100)]
    assert ids(run(lookup_of(library, searcher=ranked).search("q", ANY, by_citations=False)).hits) == list("ANOP")


def test_the_most_cited_come_first_by_the_whole_literature_and_then_the_library(library: DuckLibrary) -> None:
    counts = {B: 70, C: 0}
    ranked = Ranked([(held, 1.0) for held in library.by_id([D, C, B, A])])
    lookup = lookup_of(library, searcher=ranked, world=lambda keys, _year: [counts.get(key) for key in keys])
    found = run(lookup.search("q", ANY, by_citations=True))
    assert ids(found.hits) == ["B", "C", "A", "D"]
    assert [(hit.service_count, hit.cited) for hit in found.hits] == [(70, 1), (0, 0), (None, 3), (None, 0)]


@pytest.mark.parametrize(("year", "counted"), [(None, 9999), (2010, 2010)])
def test_citations_are_counted_up_to_the_citing_year_without_the_citing_paper(
    library: DuckLibrary, year: int | None, counted: int
) -> None:
    years: list[int] = []

    def world(keys: Sequence[PaperId], until: int) -> list[int | None]:
        years.append(until)
        return [None] * len(keys)

    lookup = lookup_of(library, world=world)
    (hit,) = lookup.with_counts(library.by_id([A]), CandidateBounds(year, exclude=(B,)))
    assert (hit.cited, years) == (2 if year is None else 1, [counted])


def test_results_of_services_take_turns_with_those_of_the_library(library: DuckLibrary) -> None:
    services = Services(
        {
            "s2": [paper("arxiv:1", "One elsewhere", year=2001), paper("s2:b", TITLES["B"], aliases=(B,))],
            "openalex": [paper("arxiv:2", "Two elsewhere", year=2020), paper("arxiv:3", "Three elsewhere")],
        }
    )
    events: list[Event] = []
    lookup = lookup_of(library, services)
    task = lookup.search(
        "phrase tables alignment", CandidateBounds(2010), by_citations=False, online_query="sent words"
    )
    found = run(task, events.append)
    # arxiv:2 is later than the excerpt, and B is the library's own.
    assert ids(found.hits[:3]) in (["B", "1", "A"], ["B", "1", "C"])
    assert [hit.service for hit in found.hits if hit.paper.id.startswith("arxiv")] == ["s2", "openalex"]
    assert sum(hit.paper.id == B for hit in found.hits) == 1 and "2" not in ids(found.hits)
    assert found.troubles == ("arxiv could not be searched: arxiv is down.",)
    assert found.sent == "sent words"
    assert services.queries == [(name, "sent words", 30) for name in ("s2", "arxiv", "openalex")]
    assert Notice("Sent to s2, arxiv, openalex: “sent words”") in events


def test_by_citations_a_paper_of_the_library_stays_before_its_other_records(library: DuckLibrary) -> None:
    twin = paper("arxiv:9", TITLES["B"], year=2005, authors=by("Writer, B"))
    services = Services({"s2": [twin]})
    found = run(lookup_of(library, services).search("phrase tables", ANY, by_citations=True, online_query="x"))
    assert "9" not in ids(found.hits) and "B" in ids(found.hits)


def test_without_words_to_send_no_service_is_asked(library: DuckLibrary) -> None:
    services = Services()
    found = run(lookup_of(library, services).search("phrase tables", ANY, by_citations=False))
    assert (services.queries, found.troubles, found.sent) == ([], (), "")
    alone = run(lookup_of(library).search("phrase tables", ANY, by_citations=False, online_query="x"))
    assert alone.sent == ""


def test_a_library_that_cannot_be_searched_is_reported_beside_what_services_have(library: DuckLibrary) -> None:
    class Broken:
        def search(self, query: Query, *, k: int) -> Task[Ranking]:
            yield from ()
            raise LibraryError("It is on fire.")

    services = Services({"s2": [paper("arxiv:1", "One")], "arxiv": [], "openalex": []})
    found = run(lookup_of(library, services, searcher=Broken()).search("q", ANY, by_citations=False, online_query="x"))
    assert (ids(found.hits), found.troubles) == (["1"], ("The library could not be searched: It is on fire.",))


# -- single papers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "bounds", "meant"),
    [
        ("acl:A", ANY, "acl:A"),
        ("a", ANY, "acl:A"),
        ("local:TWIN", ANY, "local:TWIN"),
        ("TWIN", ANY, None),
        ("nothing", ANY, None),
        ("acl:D", CandidateBounds(2012), "acl:D"),
        ("acl:D", CandidateBounds(2011), None),
        ("acl:D", CandidateBounds(exclude=(D,)), None),
    ],
)
def test_a_key_names_a_paper_within_the_bounds_or_none(
    library: DuckLibrary, key: str, bounds: CandidateBounds, meant: str | None
) -> None:
    named = lookup_of(library).find_library_paper(key, bounds)
    assert (named and named.id) == meant


def test_a_paper_without_a_year_is_within_any_year() -> None:
    assert is_within_bounds(paper("N"), CandidateBounds(1990))
    assert is_within_bounds(paper("N", year=1990), CandidateBounds(1990))
    assert not is_within_bounds(paper("N", year=1991), CandidateBounds(1990))
    assert is_within_bounds(paper("N", year=1991), ANY)


def test_a_text_is_fetched_where_it_may_be_and_is_missing(library: DuckLibrary) -> None:
    services, events = Services(), list[Event]()
    lookup = lookup_of(library, services)
    here, without = (AgentHit(held) for held in library.by_id([B, PaperId("local:TWIN")]))
    assert run(lookup.document(here)) is not None
    assert services.fetched == []
    assert run(lookup.document(without), events.append) is None
    assert (services.fetched, events) == (["local:TWIN"], [Notice("No text there.")])
    assert run(lookup.document(AgentHit(paper("arxiv:1"), service="s2"))) is None
    assert services.fetched == ["local:TWIN"]
    assert run(lookup_of(library).document(without)) is None


# -- references --------------------------------------------------------------------------------------------------------


def test_references_are_those_of_the_text_with_the_librarys_papers_by_entry(library: DuckLibrary) -> None:
    entries, targets = run(lookup_of(library, Services()).references(AgentHit(library.by_id([C])[0]), ANY))
    assert [entry.index for entry in entries] == [0, 1]
    assert {number: target.id for number, target in targets.items()} == {0: A, 1: B}
    _, targets = run(lookup_of(library).references(AgentHit(library.by_id([C])[0]), CandidateBounds(2004)))
    assert {number: target.id for number, target in targets.items()} == {0: A}


def test_without_a_text_the_list_of_a_service_is_numbered_anew(library: DuckLibrary) -> None:
    listed = [
        Reference(7, "Unknown."),
        Reference(9, "Known.", ids=(PaperId("doi:10.1/x"), A)),
        Reference(3, "D.", ids=(D,)),
    ]
    twin = AgentHit(library.by_id([PaperId("local:TWIN")])[0])
    lookup = lookup_of(library, Services(lists={"local:TWIN": listed}))
    entries, targets = run(lookup.references(twin, CandidateBounds(2011)))
    assert [(entry.index, entry.text) for entry in entries] == [(0, "Unknown."), (1, "Known."), (2, "D.")]
    assert {number: target.id for number, target in targets.items()} == {1: A}


def test_where_nobody_knows_the_references_there_are_none(library: DuckLibrary) -> None:
    twin, events = AgentHit(library.by_id([PaperId("local:TWIN")])[0]), list[Event]()
    assert run(lookup_of(library).references(twin, ANY)) == ((), {})
    assert run(lookup_of(library, Services()).references(twin, ANY), events.append) == ((), {})
    assert Notice("No list there.") in events


def test_the_supporting_sentence_is_of_the_text_where_there_is_one(library: DuckLibrary) -> None:
    (with_text,) = library.by_id([B])
    lookup = lookup_of(library)
    assert lookup.find_support({"sentenc": 1.0, "pair": 1.0}, with_text) == "We start from sentence pairs [1]."
    alone = paper("N", abstract="Pairs of sentences.")
    assert lookup.find_support({"sentenc": 1.0, "pair": 1.0}, alone) == "Pairs of sentences."
