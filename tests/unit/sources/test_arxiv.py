"""arXiv, as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes_web_server import WebServer, page, ranged, sample

from litterm import errors
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.sources import Scope
from litterm.sources.arxiv import Arxiv
from litterm.sources.door import Door
from litterm.tasks import run

QUERY = "/api/query"
FEED = """<feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://a9.com/-/spec/opensearch/1.1/">
<title>q</title><o:totalResults>{total}</o:totalResults>{entries}</feed>"""
ENTRY = """<entry><id>http://arxiv.org/abs/2001.{n:05d}v2</id><title>Paper
  {n}</title><published>2020-01-02T00:00:00Z</published><summary>About {n}.</summary>
  <author><name>Ada Lovelace</name></author></entry>"""


@pytest.fixture
def arxiv(door: Door, server: WebServer) -> Arxiv:
    return Arxiv(door, base=server.url)


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
    first = run(arxiv.batch(scope, "", tmp_path))
    assert (len(first.items), first.done, first.seen) == (100, False, 100)
    last = run(arxiv.batch(scope, first.cursor, tmp_path))
    assert (len(last.items), last.done, last.seen) == (30, True, 130)
    assert [each.one("start") for each in server.asked] == ["0", "100"]
    assert server.asked[0].one("sortOrder") == "ascending"


def test_an_empty_page_in_the_middle_is_asked_for_again(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on(QUERY, page(feed(range(0), 130)), page(feed(range(100), 130)))
    assert len(run(arxiv.batch(Scope(query="x"), "", tmp_path)).items) == 100


def test_a_page_that_stays_empty_is_no_end(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on(QUERY, page(feed(range(0), 130)))
    with pytest.raises(errors.Malformed, match="try again"):
        run(arxiv.batch(Scope(query="x"), "", tmp_path))


def test_too_fast_for_arxiv(arxiv: Arxiv, server: WebServer) -> None:
    server.on(QUERY, page("Rate exceeded.", 429, content_type="text/plain"))
    with pytest.raises(errors.RateLimited):
        run(arxiv.find("x", limit=1))


def test_the_pdf(arxiv: Arxiv, server: WebServer, tmp_path: Path) -> None:
    server.on("/pdf/hep-th/9901001", ranged(b"%PDF-1.2 old"))
    paper = Paper(PaperId("doi:10.1/x"), "T", aliases=(PaperId("arxiv:hep-th/9901001"),))
    assert arxiv.serves(paper) and not arxiv.serves(Paper(PaperId("doi:10.1/x"), "T"))
    got = run(arxiv.fetch(paper, tmp_path))
    assert got.path.parent == tmp_path and got.path.read_bytes() == b"%PDF-1.2 old"


@pytest.mark.online
def test_the_real_service(tmp_path: Path) -> None:
    from web_doors import opened

    with opened(tmp_path) as door:
        (found,) = run(Arxiv(door).lookup([PaperId("arxiv:1706.03762")]))
    assert isinstance(found, Parsed) and found.paper.title == "Attention Is All You Need"
