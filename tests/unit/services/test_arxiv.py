"""arXiv, as recorded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from arxiv_server import submissions
from fakes_web_server import Page, WebServer, page, ranged, sample

from litterm.core import errors
from litterm.core.tasks import run
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import Scope
from litterm.services import arxiv as connector
from litterm.services.arxiv import Arxiv, ArxivHtml, ArxivLicences
from litterm.services.http.client import HttpClient

QUERY = "/api/query"
FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">
<title>q</title><o:totalResults>{total}</o:totalResults>{entries}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/2001.{n:05d}v2</id><title>Paper
  {n}</title><published>2020-01-02T00:00:00Z</published><summary>About {n}.</summary>
  <author><name>Ada Lovelace</name></author></entry>"""


@pytest.fixture
def arxiv(client: HttpClient, server: WebServer) -> Arxiv:
    return Arxiv(client, ArxivLicences(client, base=f"{server.url}/oai"), base=server.url)


@pytest.fixture
def html(client: HttpClient, server: WebServer) -> ArxivHtml:
    places = {"html": f"{server.url}/html", "ar5iv": f"{server.url}/ar5iv"}
    return ArxivHtml(client, ArxivLicences(client, base=f"{server.url}/oai"), **places)


@pytest.fixture(scope="session")
def samples(shared: Path) -> Path:
    return shared / "data" / "api-samples" / "arxiv"


def feed(numbers: range, total: int) -> str:
    return FEED.format(total=total, entries="".join(ENTRY.format(n=n) for n in numbers))


def test_a_recorded_search(arxiv: Arxiv, server: WebServer, samples: Path) -> None:
    server.on(QUERY, sample(samples / "q_testing_s0_m10.atom"))
    found = run(arxiv.find("software testing", limit=10, years=YearRange(2020, 2022)))
    assert len(found) == 10
    paper = found[0].paper
    assert (paper.id, paper.aliases) == ("doi:10.1109/icstw55395.2022.00035", ("arxiv:2202.12139",))
    assert paper.title.startswith("Testing Deep Learning Models")
    assert (paper.type, paper.date, paper.venue) == ("preprint", "2022-02-24", "arXiv")
    assert paper.authors and "cs.SE" in paper.keywords
    asked = server.asked[0]
    assert asked.one("search_query") == (
        "(all:software AND all:testing) AND submittedDate:[202001010000 TO 202212312359]"
    )


def test_its_own_language_is_passed_on(arxiv: Arxiv, server: WebServer) -> None:
    server.on(QUERY, page(feed(range(0), 0)))
    assert run(arxiv.find('ti:"bert" AND cat:cs.CL', limit=3)) == ()
    assert server.asked[0].one("search_query") == 'ti:"bert" AND cat:cs.CL'


def test_ids_come_back_in_the_order_asked_and_unknown_ones_are_told(
    arxiv: Arxiv, server: WebServer, samples: Path
) -> None:
    server.on(QUERY, sample(samples / "id_0808.05394_1707.08567_s0_m100.atom"))
    first, second = run(arxiv.lookup([PaperId("arxiv:0808.05394"), PaperId("arxiv:1707.08567")]))
    assert isinstance(first, Failure) and first.origin == "arxiv:0808.05394"
    assert isinstance(second, Parsed) and second.paper.id == "arxiv:1707.08567"
    assert server.asked[0].one("max_results") == "2"


def test_an_old_id_with_its_archive(arxiv: Arxiv, server: WebServer, samples: Path) -> None:
    server.on(QUERY, sample(samples / "id_quant-ph_0201082v1_s0_m100.atom"))
    (found,) = run(arxiv.lookup([PaperId("arxiv:quant-ph/0201082")]))
    assert isinstance(found, Parsed) and found.paper.id == "arxiv:quant-ph/0201082"


def test_an_error_dressed_as_a_paper(arxiv: Arxiv, server: WebServer, samples: Path) -> None:
    server.on(QUERY, sample(samples / "id_abc_s0_m100.atom"))
    with pytest.raises(errors.RequestFaulty, match="incorrect id format"):
        run(arxiv.lookup([PaperId("arxiv:abc")]))


def test_nothing_found_is_an_answer(arxiv: Arxiv, server: WebServer, samples: Path) -> None:
    server.on(QUERY, sample(samples / "id_0000.0000_s0_m100.atom"))
    assert run(arxiv.find("zzz", limit=5)) == ()


def test_a_walk_goes_on_where_it_was(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on(QUERY, page(feed(range(100), 130)), page(feed(range(100, 130), 130)))
    scope = Scope(query="cat:cs.CL")
    first = run(arxiv.next_batch(scope, "", tmp_path))
    assert (len(first.items), first.done, first.seen) == (100, False, 100)
    last = run(arxiv.next_batch(scope, first.cursor, tmp_path))
    assert (len(last.items), last.done, last.seen) == (30, True, 130)
    assert [each.one("start") for each in server.asked] == ["0", "100"]
    assert server.asked[0].one("sortOrder") == "ascending"


def walked(source: Arxiv, scope: Scope, folder: Path, cursor: str = "") -> tuple[list[str], str]:
    """The ids of a whole synchronisation, in order, and its last cursor."""
    found: list[str] = []
    while True:
        batch = run(source.next_batch(scope, cursor, folder))
        found += [item.paper.id for item in batch.items if isinstance(item, Parsed)]
        cursor = batch.cursor
        if batch.done:
            return found, cursor


def test_more_than_a_search_lists_is_reached_by_date(
    arxiv: Arxiv, server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "_MAX_REACHABLE", 300)
    server.on(QUERY, submissions(1001, wall=300))
    found, cursor = walked(arxiv, Scope("cat:cs.CL"), tmp_path)
    assert set(found) == {f"arxiv:2001.{n:05d}" for n in range(1001)}
    server.on(QUERY, submissions(1010, wall=300))
    shutil.rmtree(tmp_path / "web")
    more, _ = walked(arxiv, Scope("cat:cs.CL"), tmp_path, cursor)
    assert set(more) - set(found) == {f"arxiv:2001.{n:05d}" for n in range(1001, 1010)}


def test_a_limit_means_the_newest_and_later_what_is_newer(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on(QUERY, submissions(500, wall=30_000))
    scope = Scope("cat:cs.CL", limit=150)
    found, cursor = walked(arxiv, scope, tmp_path)
    assert found == [f"arxiv:2001.{n:05d}" for n in range(499, 349, -1)]
    shutil.rmtree(tmp_path / "web")
    assert walked(arxiv, scope, tmp_path, cursor)[0] == ["arxiv:2001.00498", "arxiv:2001.00499"]
    server.on(QUERY, submissions(504, wall=30_000))
    shutil.rmtree(tmp_path / "web")
    assert walked(arxiv, scope, tmp_path, cursor)[0][2:] == [f"arxiv:2001.{n:05d}" for n in range(500, 504)]


def test_an_empty_page_in_the_middle_is_asked_for_again(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on(QUERY, page(feed(range(0), 130)), page(feed(range(100), 130)))
    assert len(run(arxiv.next_batch(Scope(query="x"), "", tmp_path)).items) == 100


def test_a_page_that_stays_empty_is_no_end(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on(QUERY, page(feed(range(0), 130)))
    with pytest.raises(errors.Malformed, match="try again"):
        run(arxiv.next_batch(Scope(query="x"), "", tmp_path))


def test_too_fast_for_arxiv(arxiv: Arxiv, server: WebServer) -> None:
    server.on(QUERY, page("Rate exceeded.", 429, content_type="text/plain"))
    with pytest.raises(errors.RateLimited):
        run(arxiv.find("x", limit=1))


OLD = Paper(PaperId("doi:10.1/x"), "T", aliases=(PaperId("arxiv:hep-th/9901001"),))
OAI = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><GetRecord><record><metadata>
<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/"><id>hep-th/9901001</id><version version="v1"/>
<license>http://creativecommons.org/licenses/by-nc-sa/4.0/</license></arXivRaw></metadata></record></GetRecord></OAI-PMH>"""
UNKNOWN = """<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">
<error code="idDoesNotExist">Nothing matches</error></OAI-PMH>"""
PAGE = '<!DOCTYPE html><html><article class="ltx_document"><p>Text.</p></article></html>'
STATED = PAGE.replace("<html>", '<html><a id="license-tr">License: CC BY 4.0</a>')


def test_the_pdf_with_the_licence_of_the_archives_record(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on("/pdf/hep-th/9901001", ranged(b"%PDF-1.2 old"))
    server.on("/oai", page(OAI))
    assert arxiv.serves(OLD) and not arxiv.serves(Paper(PaperId("doi:10.1/x"), "T"))
    got = run(arxiv.fetch(OLD, tmp_path))
    assert got.path.parent == tmp_path and got.path.read_bytes() == b"%PDF-1.2 old"
    assert got.licence == "http://creativecommons.org/licenses/by-nc-sa/4.0/"
    (asked,) = server.asked_for("/oai")
    assert (asked.one("identifier"), asked.one("metadataPrefix")) == ("oai:arXiv.org:hep-th/9901001", "arXivRaw")


@pytest.mark.parametrize("answer", [page(UNKNOWN), page("<OAI-PMH>"), page("", 403), page("nothing")])
def test_without_a_stated_licence_the_text_still_comes(
    arxiv: Arxiv, server: WebServer, tmp_path: Path, answer: Page
) -> None:
    server.on("/pdf/hep-th/9901001", ranged(b"%PDF-1.2 old"))
    server.on("/oai", answer)
    assert run(arxiv.fetch(OLD, tmp_path)).licence == ""


def test_the_page_of_the_text_comes_before_what_others_made_of_it(
    html: ArxivHtml, server: WebServer, tmp_path: Path
) -> None:
    server.on("/html/hep-th/9901001", page(STATED))
    got = run(html.fetch(OLD, tmp_path))
    assert (got.kind, got.path.suffix, got.path.read_text()) == ("html", ".html", STATED)
    assert [each.path for each in server.asked] == ["/html/hep-th/9901001"], "a licence that is stated is not asked for"


@pytest.mark.parametrize("refusal", [page("<html>No HTML for this paper</html>", 404), page("<html>Other</html>")])
def test_where_arxiv_has_no_page_ar5iv_may_have_one(
    html: ArxivHtml, server: WebServer, tmp_path: Path, refusal: Page
) -> None:
    server.on("/html/hep-th/9901001", refusal)
    server.on("/ar5iv/hep-th/9901001", page(PAGE))
    server.on("/oai", page(OAI))
    got = run(html.fetch(OLD, tmp_path))
    assert got.url.endswith("/ar5iv/hep-th/9901001") and "by-nc-sa" in got.licence


def test_no_page_at_all_is_said(html: ArxivHtml, server: WebServer, tmp_path: Path) -> None:
    with pytest.raises(errors.NotFound, match="no web page"):
        run(html.fetch(OLD, tmp_path))
    assert html.serves(OLD) and not html.serves(Paper(PaperId("doi:10.1/x"), "T"))


@pytest.mark.parametrize("status", [200, 403])
def test_a_browser_check_is_no_missing_page(html: ArxivHtml, server: WebServer, tmp_path: Path, status: int) -> None:
    server.on("/html/hep-th/9901001", page("<html>Just a moment...</html>", status, content_type="text/html"))
    with pytest.raises(errors.Challenged):
        run(html.fetch(OLD, tmp_path))


@pytest.mark.online
def test_the_real_service(tmp_path: Path) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        licences = ArxivLicences(client)
        (found,) = run(Arxiv(client, licences).lookup([PaperId("arxiv:1706.03762")]))
        assert run(licences.fetch_licence("1706.03762")).startswith("http")
        recent = Paper(PaperId("arxiv:2310.06825"), "Mistral 7B")
        assert run(ArxivHtml(client, licences).fetch(recent, tmp_path)).kind == "html"
    assert isinstance(found, Parsed) and found.paper.title == "Attention Is All You Need"
