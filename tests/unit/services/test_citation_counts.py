"""How often papers are cited, as four services say it: in batches, by whatever id each knows."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes_web_server import Asked, Page, WebServer, as_json, sample

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import run
from litterm.model.paper import Paper, PaperId
from litterm.services.crossref import Crossref
from litterm.services.europepmc import EuropePmc
from litterm.services.http.client import HttpClient
from litterm.services.openalex import OpenAlex
from litterm.services.semantic_scholar import SemanticScholar

TODAY = "2027-01-15"
"""Of the clock of the tests."""


def paper(*ids: str) -> Paper:
    first, *others = map(PaperId, ids)
    return Paper(first, f"A paper called {first}", aliases=tuple(others))


@pytest.fixture(scope="session")
def samples(shared: Path) -> Path:
    return shared / "data" / "api-samples"


def test_semantic_scholar_tries_the_next_id_of_what_it_does_not_know(
    client: HttpClient, server: WebServer, no_key: ApiKey
) -> None:
    def answer(asked: Asked) -> Page:
        known = {"DOI:10.1/a": 7, "ACL:P18-1": 3}
        assert isinstance(asked.json, dict)
        return as_json(
            [{"paperId": "x", "citationCount": known[each]} if each in known else None for each in asked.json["ids"]]
        )

    server.on("/paper/batch", answer)
    counter = SemanticScholar(client, lambda: no_key, base=server.url)
    papers = [paper("doi:10.1/a"), paper("acl:P18-1", "doi:10.1/unknown"), paper("doi:10.1/nobody"), paper("local:x")]
    told = run(counter.fetch_counts(papers))
    assert [each and (each.source, each.count, each.date) for each in told] == [
        ("s2", 7, TODAY),
        ("s2", 3, TODAY),
        None,
        None,
    ]
    assert [len(each.json["ids"]) for each in server.asked] == [3, 1]  # type: ignore[index,call-overload]
    assert not counter.can_count(papers[-1])


def test_openalex_tells_them_by_year(client: HttpClient, server: WebServer, no_key: ApiKey) -> None:
    works = [
        {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1/A",
            "cited_by_count": 9,
            "counts_by_year": [{"year": 2024, "cited_by_count": 5}, {"year": 2022, "cited_by_count": 3}],
        },
        {"id": "W2", "doi": "https://doi.org/10.48550/arxiv.1706.03762", "cited_by_count": 4},
        # The same work once more, as a record that few cite.
        {"id": "W3", "doi": "https://doi.org/10.1/a", "cited_by_count": 1},
    ]
    pmids = [{"id": "W4", "doi": None, "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/77"}, "cited_by_count": 2}]

    def answer(asked: Asked) -> Page:
        rows = pmids if asked.one("filter").startswith("ids.pmid:") else works
        # The service names a cursor on the last page, too; asking for that page would be one request too many.
        return as_json({"results": rows, "meta": {"count": len(rows), "next_cursor": "empty"}})

    server.on("/works", answer)
    counter = OpenAlex(client, lambda: no_key, base=server.url)
    told = run(
        counter.fetch_counts([paper("doi:10.1/a"), paper("arxiv:1706.03762"), paper("pmid:77"), paper("doi:10.1/z")])
    )
    assert [each and each.count for each in told] == [9, 4, 2, None]
    assert told[0] is not None and told[0].by_year == ((2022, 3), (2024, 5))
    assert [each.one("filter") for each in server.asked] == [
        "doi:10.1/a|10.1/z|10.48550/arxiv.1706.03762",
        "ids.pmid:77",
    ]


def test_an_id_that_would_break_a_filter_is_not_asked_about(client: HttpClient, no_key: ApiKey) -> None:
    strange = paper("doi:10.1/a,b|c")
    assert not OpenAlex(client, lambda: no_key).can_count(strange)
    assert not Crossref(client).can_count(strange)
    assert run(Crossref(client).fetch_counts([strange])) == (None,)


def test_europe_pmc_is_asked_about_what_it_indexes(client: HttpClient, server: WebServer) -> None:
    rows = [{"pmid": "1", "pmcid": "PMC9", "citedByCount": 12}, {"pmid": "2", "citedByCount": 0}]
    server.on("/search", as_json({"hitCount": 2, "resultList": {"result": rows}}))
    counter = EuropePmc(client, base=server.url)
    told = run(
        counter.fetch_counts([paper("pmid:1"), paper("pmc:PMC9"), paper("doi:10.1/a", "pmid:2"), paper("pmid:3")])
    )
    assert [each and each.count for each in told] == [12, 12, 0, None]
    assert "PMCID:PMC9" in server.asked[0].one("query")
    assert not counter.can_count(paper("doi:10.1/a"))


def test_crossref_is_asked_about_many_dois_at_once(client: HttpClient, server: WebServer) -> None:
    items = [{"DOI": "10.1/A", "is-referenced-by-count": 5}]
    server.on("/works", as_json({"message": {"items": items}}))
    told = run(Crossref(client, base=server.url).fetch_counts([paper("doi:10.1/a"), paper("doi:10.1/b")]))
    assert [each and each.count for each in told] == [5, None]
    assert server.asked[0].one("filter") == "doi:10.1/a,doi:10.1/b"
    assert server.asked[0].one("rows") == "2"


def test_recorded_answers_are_counted(client: HttpClient, server: WebServer, no_key: ApiKey, samples: Path) -> None:
    server.on("/works", sample(samples / "openalex" / "works_title_search_2.json"))
    server.on("/search", sample(samples / "europepmc" / "search_cancer.json"))
    (alex,) = run(OpenAlex(client, lambda: no_key, base=server.url).fetch_counts([paper("arxiv:2312.07559")]))
    assert alex is not None and alex.count == 27 and alex.by_year[-1] == (2025, 12)
    (europe,) = run(EuropePmc(client, base=server.url).fetch_counts([paper("pmid:39709209")]))
    assert europe is not None and europe.count == 0


def test_an_answer_of_another_kind_is_no_count(client: HttpClient, server: WebServer) -> None:
    server.on("/works", as_json({"message": {"DOI": "10.1/a"}}))
    with pytest.raises(errors.Malformed):
        run(Crossref(client, base=server.url).fetch_counts([paper("doi:10.1/a")]))
