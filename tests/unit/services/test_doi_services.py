"""Crossref, OpenAlex and Unpaywall, as recorded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fakes_web_server import WebServer, as_json, page, ranged, sample

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import run
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.services.crossref import Crossref
from litterm.services.http.client import HttpClient
from litterm.services.openalex import OpenAlex, abstract_of
from litterm.services.unpaywall import Unpaywall

DOI = PaperId("doi:10.1/a(b)")
PAPER = Paper(DOI, "A paper")
AT = "/10.1%2Fa%28b%29"


@pytest.fixture(scope="session")
def samples(shared: Path) -> Path:
    return shared / "data" / "api-samples"


@pytest.fixture
def crossref(client: HttpClient, server: WebServer) -> Crossref:
    return Crossref(client, base=server.url)


@pytest.fixture
def openalex(client: HttpClient, server: WebServer, no_key: ApiKey) -> OpenAlex:
    return OpenAlex(client, lambda: no_key, base=server.url)


@pytest.fixture
def unpaywall(client: HttpClient, server: WebServer) -> Unpaywall:
    return Unpaywall(client, "me@uni.example", base=server.url)


# -- Crossref ----------------------------------------------------------------------------------------------------------


def test_a_recorded_journal_article(crossref: Crossref, server: WebServer, samples: Path) -> None:
    server.on(f"/works{AT}", sample(samples / "crossref" / "work_by_doi_journal.json"))
    (found,) = run(crossref.lookup([DOI]))
    assert isinstance(found, Parsed)
    paper = found.paper
    assert paper.id.startswith("doi:10.1038/")
    assert paper.abstract.startswith("Large language models (LLMs) have shown")
    assert (paper.type, paper.year, paper.imprint.journal) == ("article", 2024, "Nature Machine Intelligence")
    assert paper.authors[0].given and paper.authors[0].family


@pytest.mark.parametrize("name", ["work_by_doi_pnas", "work_by_doi_preprint"])
def test_every_recorded_work_is_read(crossref: Crossref, server: WebServer, samples: Path, name: str) -> None:
    server.on(f"/works{AT}", sample(samples / "crossref" / f"{name}.json"))
    (found,) = run(crossref.lookup([DOI]))
    assert isinstance(found, Parsed) and found.paper.title and found.paper.year


def test_an_unknown_doi_is_told_for_itself(crossref: Crossref, server: WebServer, samples: Path) -> None:
    server.on("*", sample(samples / "crossref" / "error_404_not_registered.txt", 404))
    server.on(f"/works{AT}", as_json({"message": {"DOI": "10.1/a(b)", "title": ["Known"]}}))
    first, second = run(crossref.lookup([PaperId("doi:10.1/none"), DOI]))
    assert isinstance(first, Failure) and first.origin == "doi:10.1/none"
    assert isinstance(second, Parsed)


def test_dates_may_be_hollow_and_titles_marked_up(crossref: Crossref, server: WebServer) -> None:
    work = {
        "DOI": "10.1/A(B)",
        "title": ["The <i>lac</i> operon"],
        "published": {"date-parts": [[None]]},
        "issued": {"date-parts": [[2019, 3]]},
        "updated-by": [{"type": "retraction"}],
        "author": [{"name": "A Consortium"}],
    }
    server.on(f"/works{AT}", as_json({"message": work}))
    (found,) = run(crossref.lookup([DOI]))
    assert isinstance(found, Parsed)
    assert (found.paper.title, found.paper.date, found.paper.retraction) == ("The lac operon", "2019-03", "retracted")


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ({"updated-by": [{"type": "retraction", "DOI": "10.1/NOTICE"}]}, "retracted: see doi:10.1/notice"),
        ({"updated-by": [{"type": "correction"}, {"type": "partial_retraction"}]}, "retracted"),
        ({"updated-by": [{"type": "expression_of_concern", "DOI": "10.1/e"}]}, "concern: see doi:10.1/e"),
        ({"updated-by": [{"type": "erratum"}]}, "corrected"),
        ({"title": ["RETRACTED: A study"]}, "retracted"),
        # A notice of retraction is sound itself.
        ({"update-to": [{"type": "retraction", "DOI": "10.1/b"}]}, ""),
        ({"updated-by": [{"type": "new_version"}]}, ""),
    ],
)
def test_what_was_later_published_about_a_work(
    crossref: Crossref, server: WebServer, told: dict[str, object], shown: str
) -> None:
    server.on(f"/works{AT}", as_json({"message": {"DOI": "10.1/a(b)", "title": ["T"], **told}}))
    (found,) = run(crossref.lookup([DOI]))
    assert isinstance(found, Parsed) and found.paper.retraction == shown


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("error_400_bad_filter", "This route does not support filter"),
        ("error_404_bad_cursor", "Cursor specified but it is invalid"),
    ],
)
def test_a_faulty_request_is_told_in_its_own_words(
    crossref: Crossref, server: WebServer, samples: Path, name: str, said: str
) -> None:
    server.on("*", sample(samples / "crossref" / f"{name}.json", 400))
    with pytest.raises(errors.RequestFaulty) as raised:
        run(crossref.lookup([DOI]))
    assert str(raised.value) == f"127.0.0.1 does not accept this request (status 400). It says: {said}"


def test_crossref_under_load_answers_with_a_page(crossref: Crossref, server: WebServer) -> None:
    server.on("*", page("<html><body>503 Service Temporarily Unavailable</body></html>", 503, content_type="text/html"))
    with pytest.raises(errors.ServiceDown) as raised:
        run(crossref.lookup([DOI]))
    assert raised.value.transient and "html" not in str(raised.value)
    server.on("*", page("Rate limit exceeded", 429))
    with pytest.raises(errors.RateLimited):
        run(crossref.lookup([PaperId("doi:10.1/other")]))


def test_deposited_references(crossref: Crossref, server: WebServer) -> None:
    rows = [
        {"key": "1", "DOI": "10.2/B", "article-title": "On <b>B</b>", "author": "Smith, J.", "year": "2010a"},
        {"key": "2", "unstructured": "Doe J. A book. 1999."},
        {"key": "3"},
    ]
    server.on(f"/works{AT}", as_json({"message": {"DOI": "10.1/a(b)", "title": ["T"], "reference": rows}}))
    listed = run(crossref.list_works(PAPER, "references", limit=10))
    first, second, third = (each.reference for each in listed.works)
    assert (first.title, first.families, first.year, first.ids) == ("On B", ("Smith",), 2010, ("doi:10.2/b",))
    assert second.text == "Doe J. A book. 1999."
    assert third.text == "reference 3, not described"


# -- OpenAlex ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 6))
def test_every_recorded_openalex_work_is_read(
    openalex: OpenAlex, server: WebServer, samples: Path, number: int
) -> None:
    server.on("/works/doi%3A10.1%2Fa%28b%29", sample(samples / "openalex" / f"work_{number}.json"))
    (found,) = run(openalex.lookup([DOI]))
    assert isinstance(found, Parsed) and found.paper.title and found.paper.authors


def test_search_in_openalex(openalex: OpenAlex, server: WebServer, samples: Path) -> None:
    server.on("/works", sample(samples / "openalex" / "works_title_search.json"))
    (found,) = run(openalex.find("copper, films", limit=7, years=YearRange(2010, 2020)))
    assert found.paper.id == "doi:10.1063/1.4938384"
    asked = server.asked[0]
    assert (asked.one("search"), asked.one("per_page")) == ("copper, films", "7")
    assert asked.one("filter") == "from_publication_date:2010-01-01,to_publication_date:2020-12-31"


def test_an_abstract_is_put_together_from_places() -> None:
    assert abstract_of({"Abstract": [0], "growing": [2], "Despite": [1], "interest": [3, 5], "and": [4]}) == (
        "Despite growing interest and interest"
    )
    assert abstract_of(None) == abstract_of([1]) == abstract_of({"x": None, "y": [-1, 10**9]}) == ""


def test_references_keep_the_order_of_the_list(openalex: OpenAlex, server: WebServer) -> None:
    names = ["https://openalex.org/W3", "https://openalex.org/W1", "https://openalex.org/W2"]
    server.on("/works/doi%3A10.1%2Fa%28b%29", as_json({"id": "https://openalex.org/W9", "referenced_works": names}))
    rows = [{"id": f"https://openalex.org/W{n}", "title": f"T{n}"} for n in (1, 3)]
    server.on("/works", as_json({"meta": {"next_cursor": None}, "results": rows}))
    listed = run(openalex.list_works(PAPER, "references", limit=10))
    assert [each.reference.title for each in listed.works] == ["T3", "T1"]
    assert server.asked_for("/works")[0].one("filter") == "openalex:W3|W1|W2"


def test_a_budget_that_is_used_up_is_not_tried_again(openalex: OpenAlex, server: WebServer) -> None:
    server.on("/works", as_json({"error": "Rate limit exceeded", "message": "daily budget exhausted"}, 429))
    with pytest.raises(errors.QuotaExhausted):
        run(openalex.find("x", limit=1))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "kind"), [(400, errors.RequestFaulty), (403, errors.AuthRequired), (500, errors.ServiceDown)]
)
def test_refusals_of_openalex(
    openalex: OpenAlex, server: WebServer, status: int, kind: type[errors.SourceError]
) -> None:
    told = {"error": "Invalid query parameters error.", "message": "nope is not a valid field"}
    server.on("/works", as_json(told, status))
    with pytest.raises(kind, match="nope is not"):
        run(openalex.find("x", limit=1))


def test_a_work_without_title_or_abstract_costs_only_itself(openalex: OpenAlex, server: WebServer) -> None:
    rows = [
        {"id": "https://openalex.org/W1", "title": None},
        {"id": "https://openalex.org/W2", "title": "T", "abstract_inverted_index": None, "is_retracted": True},
    ]
    server.on("/works", as_json({"meta": {"next_cursor": None}, "results": rows}))
    (found,) = run(openalex.find("x", limit=5))
    assert (found.paper.title, found.paper.abstract, found.paper.retraction) == ("T", "", "retracted")


def test_the_key_of_openalex_never_shows(client: HttpClient, server: WebServer) -> None:
    server.on("/works", page("bad api_key=sec-ret-1 given", 403))
    with pytest.raises(errors.AuthRequired) as raised:
        run(OpenAlex(client, lambda: ApiKey("sec-ret-1", "x"), base=server.url).find("x", limit=1))
    assert server.asked[0].one("api_key") == "sec-ret-1" and "sec-ret-1" not in str(raised.value)


def test_an_openalex_error_page_is_not_there(openalex: OpenAlex, server: WebServer, samples: Path) -> None:
    server.on("*", sample(samples / "openalex" / "error_404.html", 404))
    (found,) = run(openalex.lookup([DOI]))
    assert isinstance(found, Failure)


# -- Unpaywall ---------------------------------------------------------------------------------------------------------


def test_a_landing_page_is_no_open_pdf(unpaywall: Unpaywall, server: WebServer, samples: Path, tmp_path: Path) -> None:
    server.on(AT, sample(samples / "unpaywall" / "doi.json"))
    with pytest.raises(errors.NotOpen):
        run(unpaywall.fetch(PAPER, tmp_path))
    assert server.asked[0].one("email") == "me@uni.example"


def test_a_closed_paper(unpaywall: Unpaywall, server: WebServer, samples: Path, tmp_path: Path) -> None:
    server.on(AT, sample(samples / "unpaywall" / "doi_closed.json"))
    with pytest.raises(errors.NotOpen):
        run(unpaywall.fetch(PAPER, tmp_path))


def test_the_first_copy_that_is_a_pdf(unpaywall: Unpaywall, server: WebServer, tmp_path: Path) -> None:
    copies = [
        {"url_for_pdf": ""},
        {"url_for_pdf": f"{server.url}/b.pdf", "license": "cc-by", "version": "acceptedVersion"},
    ]
    server.on(AT, as_json({"best_oa_location": {"url_for_pdf": None, "url": "x"}, "oa_locations": copies}))
    server.on("/b.pdf", ranged(b"%PDF-1.4 open"))
    got = run(unpaywall.fetch(PAPER, tmp_path))
    assert (got.licence, got.version, got.path.read_bytes()) == ("cc-by", "acceptedVersion", b"%PDF-1.4 open")


def test_an_address_it_does_not_take_is_explained(unpaywall: Unpaywall, server: WebServer, tmp_path: Path) -> None:
    server.on(AT, page('{"error": true, "message": "Please use your own email"}', 422))
    with pytest.raises(errors.AuthRequired, match="contact"):
        run(unpaywall.fetch(PAPER, tmp_path))


def test_a_copy_that_will_be_open_is_told_with_its_day(unpaywall: Unpaywall, server: WebServer, tmp_path: Path) -> None:
    later = [{"url_for_pdf": "https://r.example/x.pdf", "oa_date": "2027-05-01"}]
    server.on(AT, as_json({"best_oa_location": None, "oa_locations": [], "oa_locations_embargoed": later}))
    with pytest.raises(errors.NotOpen, match="no open PDF of it before 2027-05-01"):
        run(unpaywall.fetch(PAPER, tmp_path))


def test_an_unknown_doi_is_not_there(unpaywall: Unpaywall, server: WebServer, tmp_path: Path) -> None:
    told = {"error": True, "HTTP_status_code": 404, "message": "'10.1/a(b)' isn't in Unpaywall."}
    server.on(AT, as_json(told, 404))
    with pytest.raises(errors.NotFound):
        run(unpaywall.fetch(PAPER, tmp_path))


def test_what_is_called_a_pdf_and_is_none(unpaywall: Unpaywall, server: WebServer, tmp_path: Path) -> None:
    server.on(AT, as_json({"best_oa_location": {"url_for_pdf": f"{server.url}/b.pdf"}, "oa_locations": []}))
    server.on("/b.pdf", page("<html>Please log in</html>"))
    with pytest.raises(errors.Malformed):
        run(unpaywall.fetch(PAPER, tmp_path))


def test_without_an_address_it_is_not_asked(client: HttpClient) -> None:
    assert not Unpaywall(client, "").serves(PAPER)


@pytest.mark.online
def test_the_real_crossref(tmp_path: Path) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        (found,) = run(Crossref(client).lookup([PaperId("doi:10.18653/v1/n18-3011")]))
    assert isinstance(found, Parsed) and "Literature Graph" in found.paper.title


@pytest.mark.online
def test_the_real_openalex(tmp_path: Path, no_key: ApiKey) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        (found,) = run(OpenAlex(client, lambda: no_key).lookup([PaperId("doi:10.7717/peerj.4375")]))
    assert isinstance(found, Parsed) and found.paper.year == 2018


@pytest.mark.online
def test_the_real_unpaywall(tmp_path: Path) -> None:
    from http_clients import opened

    email = os.environ.get("UNPAYWALL_EMAIL", "")
    if not email:
        pytest.skip("Unpaywall is asked with a real address only: set UNPAYWALL_EMAIL")
    with opened(tmp_path) as client:
        record = run(Unpaywall(client, email).record_of("10.7717/peerj.4375"))
    assert record["is_oa"] is True
