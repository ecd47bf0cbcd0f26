"""Answers of status 200 that are well formed and hold nothing of what was asked: trouble, and never “no papers”."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from fakes_web_server import Asked, Page, WebServer, as_json, page
from http_clients import WebClock

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import run
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import Scope
from litterm.services.acl import AclAnthology
from litterm.services.arxiv import Arxiv, ArxivLicences
from litterm.services.crossref import Crossref
from litterm.services.europepmc import EuropePmc
from litterm.services.http.client import HttpClient
from litterm.services.ncbi.entrez import Entrez, PmcRecords, PubMed
from litterm.services.ncbi.id_converter import PmcIdConverter
from litterm.services.ncbi.pmc import PubMedCentral
from litterm.services.ncbi.pmc_articles import PmcCloud
from litterm.services.openalex import OpenAlex
from litterm.services.openreview import OpenReview, OpenReviewLogin
from litterm.services.semantic_scholar import SemanticScholar
from litterm.services.unpaywall import Unpaywall

KNOWN = Paper(
    PaperId("pmc:PMC7"), "A title that is long enough to tell", aliases=(PaperId("doi:10.1/x"), PaperId("pmid:7"))
)
DOI = [PaperId("doi:10.1/x")]
Ask = Callable[[HttpClient, str, Path], Generator[object, None, object]]


def no_key() -> ApiKey:
    return ApiKey("none", "none")


def openreview(client: HttpClient, url: str, *, login: bool = False) -> OpenReview:
    told = OpenReviewLogin("me", "secret") if login else OpenReviewLogin()
    return OpenReview(client, lambda: told, newest=lambda: 2025, bases=(f"{url}/v1", f"{url}/v2", url, url))


def scholar(client: HttpClient, url: str) -> SemanticScholar:
    return SemanticScholar(client, no_key, base=url)


def entrez(client: HttpClient, url: str) -> Entrez:
    return Entrez(client, no_key, base=url)


def acl(client: HttpClient, url: str) -> AclAnthology:
    return AclAnthology(client, archive=f"{url}/archive", tree=f"{url}/tree", raw=f"{url}/raw", site=url)


def europe(client: HttpClient, url: str) -> EuropePmc:
    return EuropePmc(client, base=url)


ASKED: dict[str, Ask] = {
    "s2 search": lambda client, url, _: scholar(client, url).find("q", limit=5),
    "s2 all": lambda client, url, folder: scholar(client, url).next_batch(Scope("q"), "", folder),
    "s2 how many": lambda client, url, _: scholar(client, url).expected_size(Scope("q"), ""),
    "s2 ids": lambda client, url, _: scholar(client, url).lookup(DOI),
    "s2 citations": lambda client, url, _: scholar(client, url).list_works(KNOWN, "citations", limit=5),
    "s2 pdf": lambda client, url, folder: scholar(client, url).fetch(KNOWN, folder),
    "openreview copy": lambda client, url, folder: openreview(client, url).next_batch(Scope(), "", folder),
    "ncbi search": lambda client, url, _: PubMed(entrez(client, url)).find("q", limit=5),
    "ncbi ids": lambda client, url, _: PubMed(entrez(client, url)).lookup([PaperId("pmid:7")]),
    "pmc all": lambda client, url, folder: PubMedCentral(entrez(client, url)).next_batch(Scope("q"), "", folder),
    "pmc ids": lambda client, url, _: PmcRecords(entrez(client, url)).lookup([PaperId("pmc:PMC7")]),
    "pmc text": lambda client, url, folder: PubMedCentral(entrez(client, url)).fetch(KNOWN, folder),
    "pmc cloud": lambda client, url, folder: PmcCloud(client, base=url).fetch(KNOWN, folder),
    "converter": lambda client, url, _: PmcIdConverter(client, europe(client, f"{url}/e"), base=url).convert(
        [PaperId("mid:NIHMS1")]
    ),
    "europepmc search": lambda client, url, _: europe(client, url).find("q", limit=5),
    "europepmc ids": lambda client, url, _: europe(client, url).lookup(DOI),
    "europepmc text": lambda client, url, folder: europe(client, url).fetch(KNOWN, folder),
    "openalex search": lambda client, url, _: OpenAlex(client, no_key, base=url).find("q", limit=5),
    "openalex ids": lambda client, url, _: OpenAlex(client, no_key, base=url).lookup(DOI),
    "openalex citations": lambda client, url, _: OpenAlex(client, no_key, base=url).list_works(
        KNOWN, "citations", limit=5
    ),
    "crossref ids": lambda client, url, _: Crossref(client, base=url).lookup(DOI),
    "unpaywall": lambda client, url, folder: Unpaywall(client, "me@uni.example", base=url).fetch(KNOWN, folder),
    "arxiv search": lambda client, url, _: Arxiv(client, ArxivLicences(client, base=url), base=url).find("q", limit=5),
    "arxiv all": lambda client, url, folder: Arxiv(client, ArxivLicences(client, base=url), base=url).next_batch(
        Scope("q"), "", folder
    ),
    "arxiv ids": lambda client, url, _: Arxiv(client, ArxivLicences(client, base=url), base=url).lookup(
        [PaperId("arxiv:2001.00001")]
    ),
    "acl archive": lambda client, url, folder: acl(client, url).next_batch(Scope(), "", folder),
    "acl listing": lambda client, url, _: acl(client, url).expected_size(Scope(venues=("acl",)), ""),
}
"""What would say “nothing” of its own accord, were it to believe the answer."""
WRONG = {
    "message": as_json({"message": "nothing of what was asked"}),
    "empty object": as_json({}),
    "empty list": as_json([]),
    "null": as_json(None),
    "other xml": page('<?xml version="1.0"?><other/>'),
    "web page": page("<!DOCTYPE html><html><title>Sign in</title></html>"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("asked", ASKED)
def test_an_answer_to_something_else_is_no_answer(
    client: HttpClient, server: WebServer, tmp_path: Path, asked: str, wrong: str
) -> None:
    server.on("*", WRONG[wrong])
    for _ in range(2):
        before = len(server.asked)
        if asked == "acl listing":
            # Without a listing the whole archive comes, and is looked at.
            assert run(ASKED[asked](client, server.url, tmp_path)).bytes > 1_000_000  # type: ignore[attr-defined]
        else:
            with pytest.raises(errors.SourceError) as told:
                run(ASKED[asked](client, server.url, tmp_path))
            assert not isinstance(told.value, errors.NotOpen) and str(told.value)
        assert len(server.asked) > before, "it is not kept"


@pytest.mark.parametrize("wrong", [as_json({"message": "no"}), as_json({}), as_json([])])
def test_pages_of_openreview_without_notes_are_no_pages(
    client: HttpClient, server: WebServer, tmp_path: Path, wrong: Page
) -> None:
    server.on("/v2/login", as_json({"token": "t"}))
    server.on("*", wrong)
    with pytest.raises(errors.Malformed):
        run(openreview(client, server.url, login=True).next_batch(Scope(years=YearRange(2025, 2025)), "", tmp_path))


# -- pages that lead in a circle ---------------------------------------------------------------------------------------


def test_a_token_that_comes_back_ends_the_walk(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    row = {"paperId": "a" * 40, "corpusId": 1, "title": "One paper"}
    server.on("*", as_json({"total": 50, "token": "again", "data": [row]}))
    service = scholar(client, server.url)
    first = run(service.next_batch(Scope("q"), "", tmp_path))
    assert not first.done
    with pytest.raises(errors.ServiceDown, match="circle"):
        run(service.next_batch(Scope("q"), first.cursor, tmp_path))


def test_a_page_of_openreview_that_comes_back_ends_the_walk(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    rows = [{"id": f"n{at:04}", "forum": f"n{at:04}", "content": {"title": {"value": "T"}}} for at in range(1000)]
    server.on("/v2/login", as_json({"token": "t"}))
    server.on("*", as_json({"notes": rows}))
    service, scope = openreview(client, server.url, login=True), Scope(years=YearRange(2025, 2025))
    first = run(service.next_batch(scope, "", tmp_path))
    with pytest.raises(errors.ServiceDown, match="circle"):
        run(service.next_batch(scope, first.cursor, tmp_path))


def test_a_list_of_citations_that_comes_back_ends(client: HttpClient, server: WebServer) -> None:
    withheld = {"contexts": [], "citingPaper": {"paperId": None, "title": None}}
    server.on("*", as_json({"offset": 0, "next": 0, "data": [withheld]}))
    assert run(scholar(client, server.url).list_works(KNOWN, "citations", limit=5)).works == ()
    assert len(server.asked) == 1


# -- the Anthology -----------------------------------------------------------------------------------------------------


def test_an_archive_that_is_cut_off_is_fetched_again(
    client: HttpClient, server: WebServer, tmp_path: Path, clock: WebClock
) -> None:
    whole = gzip.compress(b"x" * 4000 + bytes(range(256)) * 40)
    server.on("/tree", as_json({"tree": [{"path": "2020.acl.xml", "sha": "a" * 40, "size": 10}]}))
    server.on("/archive", page(whole[: len(whole) // 2]), page(whole))
    with pytest.raises(errors.Unreachable, match="cut off"):
        run(acl(client, server.url).next_batch(Scope(), "", tmp_path))
    got = run(acl(client, server.url).next_batch(Scope(), "", tmp_path))
    assert got.done and got.files[0].read_bytes() == whole


def test_a_file_of_the_anthology_that_is_cut_off_is_asked_for_again(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    server.on("/tree", as_json({"tree": [{"path": "2020.acl.xml", "sha": "a" * 40, "size": 10}]}))
    whole = "<collection id='2020.acl'><volume/></collection>\n<!-- end -->\n"
    server.on("/raw/2020.acl.xml", page(whole[:30]), page(whole))
    got = run(acl(client, server.url).next_batch(Scope(venues=("acl",)), "", tmp_path))
    assert got.files[0].read_text() == whole


def test_a_batch_of_another_length_is_not_kept(client: HttpClient, server: WebServer) -> None:
    def answer(asked: Asked) -> Page:
        assert json.loads(asked.body)["ids"]
        return as_json([] if len(server.asked) == 1 else [None])

    server.on("*", answer)
    with pytest.raises(errors.Malformed):
        run(scholar(client, server.url).lookup(DOI))
    assert len(run(scholar(client, server.url).lookup(DOI))) == 1
