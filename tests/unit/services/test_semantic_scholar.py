"""Semantic Scholar, as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes_web_server import Asked, Page, WebServer, as_json, ranged, sample

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import run
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import Scope
from litterm.services.http.client import HttpClient
from litterm.services.semantic_scholar import SemanticScholar

PAPER = Paper(PaperId("acl:N18-3011"), "Construction of the Literature Graph", aliases=(PaperId("doi:10.1/x y"),))


@pytest.fixture
def service(client: HttpClient, server: WebServer, no_key: ApiKey) -> SemanticScholar:
    return SemanticScholar(client, lambda: no_key, base=server.url)


@pytest.fixture(scope="session")
def samples(shared: Path) -> Path:
    return shared / "data" / "api-samples" / "semantic-scholar"


def work(number: int, **more: object) -> dict[str, object]:
    return {"paperId": f"{number:040x}", "corpusId": number, "title": f"Paper {number}", **more}


def test_a_whole_record(service: SemanticScholar, server: WebServer, samples: Path) -> None:
    server.on("/paper/batch", sample(samples / "paper_batch_with_null.json"))
    ids = [PaperId(each) for each in ("arxiv:0000.00000", "s2:470667", "acl:A", "pmc:PMC2323736")]
    nothing, found, *_ = run(service.lookup(ids))
    assert nothing == Failure("arxiv:0000.00000", "Semantic Scholar does not know it.")
    assert isinstance(found, Parsed)
    paper = found.paper
    assert paper.title == "How Much Should We Trust Differences-in-Differences Estimates?"
    assert paper.id == "doi:10.2139/ssrn.288970"
    assert "s2:470667" in paper.aliases and "s2:c31c87c591a25c64fbaa82e8ac6a81831b6ac7ce" in paper.aliases
    assert paper.authors[0].family == "Bertrand"
    assert paper.abstract.startswith("Most Difference-in-Difference")
    assert paper.provenance.format == "s2"
    (asked,) = server.asked
    assert asked.json == {"ids": ["ARXIV:0000.00000", "CorpusId:470667", "ACL:A", "PMCID:2323736"]}


def test_search_asks_without_hyphens_and_ends_where_the_pages_end(
    service: SemanticScholar, server: WebServer, samples: Path
) -> None:
    server.on("/paper/search", sample(samples / "paper_search_page1.json"), sample(samples / "paper_search_page2.json"))
    found = run(service.find("pre-trained models", limit=150, years=YearRange(2019, None)))
    assert len(found) == 150
    first, second = server.asked
    assert first.one("query") == "pre trained models"
    assert first.one("year") == "2019-"
    assert (first.one("offset"), second.one("offset"), second.one("limit")) == ("0", "100", "50")


def test_nothing_found_is_an_answer(service: SemanticScholar, server: WebServer, samples: Path) -> None:
    server.on("/paper/search", sample(samples / "paper_search_empty.json"))
    assert run(service.find("zzz", limit=5)) == ()


@pytest.mark.parametrize(
    ("name", "status", "kind"),
    [
        ("error_400_bad_field", 400, errors.RequestFaulty),
        ("error_403_forbidden", 403, errors.AuthRequired),
        ("error_404_paper", 404, errors.NotFound),
        ("error_429", 429, errors.RateLimited),
    ],
)
def test_every_recorded_error(
    service: SemanticScholar, server: WebServer, samples: Path, name: str, status: int, kind: type[errors.SourceError]
) -> None:
    server.on("/paper/search", sample(samples / f"{name}.json", status))
    with pytest.raises(kind):
        run(service.find("x", limit=5))


def test_a_collection_is_walked_to_its_end_and_again_from_any_step(
    service: SemanticScholar, server: WebServer, samples: Path, tmp_path: Path
) -> None:
    server.on(
        "/paper/search/bulk",
        sample(samples / "paper_search_bulk_page1.json"),
        sample(samples / "paper_search_bulk_last_page.json"),
    )
    scope = Scope(query="turing")
    first = run(service.next_batch(scope, "", tmp_path))
    assert not first.done and first.items
    last = run(service.next_batch(scope, first.cursor, tmp_path))
    assert last.done and last.seen == len(first.items) + len(last.items)
    assert server.asked[1].one("token")


def test_a_limit_ends_a_collection(service: SemanticScholar, server: WebServer, tmp_path: Path) -> None:
    server.on("/paper/search/bulk", as_json({"total": 9, "token": "t", "data": [work(n) for n in range(1, 8)]}))
    batch = run(service.next_batch(Scope(query="x", limit=3), "", tmp_path))
    assert (len(batch.items), batch.done) == (3, True)
    assert run(service.expected_size(Scope(query="x", limit=3), "")).papers == 3


def test_a_page_that_is_empty_in_the_middle_is_no_end(
    service: SemanticScholar, server: WebServer, tmp_path: Path
) -> None:
    server.on("/paper/search/bulk", as_json({"total": 9, "token": "t", "data": []}))
    with pytest.raises(errors.ServiceDown, match="nothing after 0 of 9"):
        run(service.next_batch(Scope("x"), "", tmp_path))


def test_references_with_their_sentences_and_without_withheld_ones(service: SemanticScholar, server: WebServer) -> None:
    cited = work(7, externalIds={"CorpusId": 7, "ACL": "P18-1001"}, authors=[{"name": "Ada B. Lovelace"}], year=2018)
    rows = [
        {"contexts": ["As shown by [3]."], "citedPaper": cited},
        {"citedPaper": {"paperId": None, "title": None}},
    ]
    server.on("/paper/DOI%3A10.1%2Fx%20y/references", as_json({"offset": 0, "data": rows}))
    listed = run(service.list_works(PAPER, "references", limit=10))
    (only,) = listed.works
    assert only.contexts == ("As shown by [3].",)
    assert only.reference.ids == ("acl:P18-1001", "s2:7")
    assert (only.reference.families, only.reference.year) == (("Lovelace",), 2018)


def test_references_a_publisher_withholds_altogether(service: SemanticScholar, server: WebServer) -> None:
    server.on("/paper/DOI%3A10.1%2Fx%20y/references", as_json({"offset": 0, "data": None}))
    assert run(service.list_works(PAPER, "references", limit=10)).works == ()


FOUND = "/paper/649def34f8be52c8b66281af98ae884c09aef38b"


def matching(title: str, year: int) -> dict[str, object]:
    best = {"paperId": FOUND.rpartition("/")[2], "title": title, "year": year, "matchScore": 174.2}
    return {"data": [best]}


def test_a_paper_it_knows_under_no_id_is_found_by_its_title(service: SemanticScholar, server: WebServer) -> None:
    paper = Paper(PaperId("iclr:abc_D12"), "Construction of the Literature Graph", year=2018)
    server.on("/paper/search/match", as_json(matching("Construction of the literature graph.", 2018)))
    server.on(f"{FOUND}/citations", as_json({"data": [{"contexts": ["So."], "citingPaper": work(3)}], "next": 1}))
    listed = run(service.list_works(paper, "citations", limit=1))
    assert [each.reference.title for each in listed.works] == ["Paper 3"]
    assert server.asked[0].one("query") == "Construction of the Literature Graph"


def test_ids_it_does_not_know_are_passed_over(service: SemanticScholar, server: WebServer, samples: Path) -> None:
    paper = Paper(PaperId("acl:N18-3011"), PAPER.title, aliases=(PaperId("doi:10.1/x"),), year=2018)
    unknown = sample(samples / "error_404_paper.json", 404)
    server.on("/paper/DOI%3A10.1%2Fx/references", unknown)
    server.on("/paper/ACL%3AN18-3011/references", as_json({"data": [{"citedPaper": work(1)}]}))
    assert len(run(service.list_works(paper, "references", limit=10)).works) == 1


@pytest.mark.parametrize(
    "answer",
    [
        as_json(matching("Destruction of the Literature Graph", 2018)),
        as_json(matching(PAPER.title, 2011)),
        as_json({"data": []}),
    ],
)
def test_another_paper_under_a_like_title_is_not_taken(
    service: SemanticScholar, server: WebServer, answer: Page
) -> None:
    server.on("/paper/search/match", answer)
    with pytest.raises(errors.NotFound, match="nor its title"):
        run(service.list_works(Paper(PaperId("local:1"), PAPER.title, year=2018), "references", limit=5))


def test_no_title_like_it(service: SemanticScholar, server: WebServer, samples: Path) -> None:
    server.on("/paper/search/match", sample(samples / "error_404_title_match.json", 404))
    with pytest.raises(errors.NotFound, match="Title match not found"):
        run(service.list_works(Paper(PaperId("local:1"), PAPER.title), "references", limit=5))
    assert not service.serves(Paper(PaperId("local:1"), "Preface"))


def test_a_list_that_takes_too_long_is_asked_for_in_smaller_pieces(service: SemanticScholar, server: WebServer) -> None:
    def citations(asked: Asked) -> Page:
        if int(asked.one("limit")) > 50:
            return as_json({"message": "Endpoint request timed out"}, 504)
        return as_json({"data": [{"citingPaper": work(2)}]})

    server.on("/paper/DOI%3A10.1%2Fx%20y/citations", citations)
    assert len(run(service.list_works(PAPER, "citations", limit=100)).works) == 1


@pytest.mark.parametrize("name", ["error_404_doi", "error_404_paper"])
def test_an_unknown_id_in_its_own_words(service: SemanticScholar, server: WebServer, samples: Path, name: str) -> None:
    server.on("/paper/search", sample(samples / f"{name}.json", 404))
    with pytest.raises(errors.NotFound, match="It says: Paper with id"):
        run(service.find("x", limit=1))


@pytest.mark.parametrize("answer", [{"total": 0, "offset": 0}, {"total": 0, "data": None}])
def test_an_answer_without_papers_is_none(service: SemanticScholar, server: WebServer, answer: object) -> None:
    server.on("/paper/search", as_json(answer))
    assert run(service.find("x", limit=1)) == ()


def test_recorded_citations_are_walked_page_by_page(service: SemanticScholar, server: WebServer, samples: Path) -> None:
    path = "/paper/DOI%3A10.1%2Fx%20y/citations"
    server.on(path, sample(samples / "paper_citations_page1.json"), sample(samples / "paper_citations_last_page.json"))
    listed = run(service.list_works(PAPER, "citations", limit=1000))
    assert len(listed.works) > 100
    assert [each.reference.index for each in listed.works] == list(range(len(listed.works)))


def test_an_open_pdf_is_fetched_with_its_licence(service: SemanticScholar, server: WebServer, tmp_path: Path) -> None:
    pdf = {"url": f"{server.url}/open.pdf", "license": "CCBY"}
    server.on("/paper/DOI%3A10.1%2Fx%20y", as_json({"paperId": "ab", "openAccessPdf": pdf}))
    server.on("/open.pdf", ranged(b"%PDF-1.5 text"))
    got = run(service.fetch(PAPER, tmp_path))
    assert got.path.read_bytes() == b"%PDF-1.5 text"
    assert (got.kind, got.licence) == ("pdf", "CCBY")


def test_no_open_pdf_is_said(service: SemanticScholar, server: WebServer, tmp_path: Path) -> None:
    server.on("/paper/DOI%3A10.1%2Fx%20y", as_json({"paperId": "ab", "openAccessPdf": {"url": ""}}))
    with pytest.raises(errors.NotOpen):
        run(service.fetch(PAPER, tmp_path))


def test_the_key_goes_into_the_header(client: HttpClient, server: WebServer) -> None:
    server.on("/paper/search", as_json({"data": []}))
    run(SemanticScholar(client, lambda: ApiKey("abc", "S2_API_KEY"), base=server.url).find("x", limit=1))
    assert server.asked[0].headers["x-api-key"] == "abc"


@pytest.mark.online
def test_the_real_service(tmp_path: Path, no_key: ApiKey) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        found = run(SemanticScholar(client, lambda: no_key).find("attention is all you need", limit=5))
    assert any("Attention" in each.paper.title for each in found)
