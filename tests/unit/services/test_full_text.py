"""Full texts by every legal way, and records by id and address."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from fakes_web_server import Page, WebServer, as_json, nothing_known, page, ranged
from pdfs import column, make_pdf

from litterm.build import build_engine
from litterm.core import errors
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.render.services import outcome_sentence
from litterm.services import full_text as fetching
from litterm.services.add_by_id import ids_in

TITLE = "Zebra crossings of the northern plains"
BODY = "We watched zebras cross the northern plains for years. Most zebras crossed at night. Rain made them wait."
JATS = f"""<article><front><article-meta><article-id pub-id-type="pmc">PMC7029759</article-id>
<title-group><article-title>{TITLE}</article-title></title-group></article-meta></front>
<body><sec><title>Results</title><p>{BODY}</p></sec></body></article>"""


@pytest.fixture
def engine(home: Path, server: WebServer) -> Engine:
    return build_engine(from_home(home))


def pdf_of(title: str) -> bytes:
    """One page: a title, a heading and some sentences, each in the size readers expect."""
    texts = [*column(72, 720, [title], size=17, font="bold"), *column(72, 660, ["1 Results"], size=12, font="bold")]
    lines = [f"{BODY}" for _ in range(8)]
    return make_pdf([[*texts, *column(72, 640, lines)]], title=title)


def add(engine: Engine, folder: Path, *rows: dict[str, object]) -> tuple[PaperId, ...]:
    path = folder / "papers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return run(engine.add([path])).first_ids


def cloud(server: WebServer, text: str, number: str = "PMC7029759") -> None:
    listing = f"<ListBucketResult><CommonPrefixes><Prefix>{number}.1/</Prefix></CommonPrefixes></ListBucketResult>"
    server.on("/pmc-cloud/", page(listing))
    md5 = hashlib.md5(text.encode()).hexdigest()
    told = {"version": 1, "license_code": "CC BY", "xml_url": f"s3://pmc-oa-opendata/a/a.xml?md5={md5}"}
    server.on(f"/pmc-cloud/metadata/{number}.1.json", as_json(told))
    server.on("/pmc-cloud/a/a.xml", page(text))


def test_structured_text_comes_first_and_keeps_its_licence(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    (paper_id,) = add(engine, tmp_path, {"id": "pmc:PMC7029759", "title": TITLE})
    cloud(server, JATS)
    (got,) = run(engine.services.fetch([paper_id]))
    assert (got.outcome, got.via, got.licence) == ("full text", "pmc-cloud", "CC BY")
    document = run(engine.read(paper_id))
    assert "Most zebras crossed at night." in [sentence.text for sentence in document.sentences]
    assert (document.paper_id, document.licence) == (paper_id, "CC BY")
    (again,) = run(engine.services.fetch([paper_id]))
    assert again.via == "library"


def test_a_pdf_of_the_anthology_becomes_the_text_of_that_paper(
    engine: Engine, server: WebServer, tmp_path: Path
) -> None:
    (paper_id,) = add(engine, tmp_path, {"id": "acl:P18-1001", "title": TITLE, "year": 2018})
    server.on("/acl/site/P18-1001.pdf", ranged(pdf_of(TITLE)))
    (got,) = run(engine.services.fetch([paper_id]))
    assert (got.outcome, got.via, got.licence) == ("full text", "acl", "CC BY 4.0")
    assert engine.status().papers == 1 and engine.status().documents == 1


def page_of(title: str, number: str, sentences: int) -> str:
    """As arXiv makes one of a source."""
    body = "".join(f"<div class='ltx_para'><p class='ltx_p'>Zebra {n} crossed.</p></div>" for n in range(sentences))
    return (
        f"<!DOCTYPE html><html><body><div id='watermark-tr'>arXiv:{number}v2 [cs.CL] 2 Jan 2024</div>"
        '<a id="license-tr">License: CC BY-SA 4.0</a><article class="ltx_document">'
        f"<h1 class='ltx_title ltx_title_document'>{title}</h1><section class='ltx_section'>"
        f"<h2 class='ltx_title'>Results</h2>{body}</section></article></body></html>"
    )


def test_the_page_of_arxiv_comes_before_any_pdf(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    (paper_id,) = add(engine, tmp_path, {"id": "acl:P18-1001", "title": TITLE, "arxiv": "1801.00001", "year": 2018})
    server.on("/arxiv/html/1801.00001", page(page_of(TITLE, "1801.00001", 20)))
    (got,) = run(engine.services.fetch([paper_id]))
    assert (got.outcome, got.via, got.licence, got.version) == ("full text", "arxiv-html", "CC BY-SA 4.0", "preprint")
    assert outcome_sentence(got) == "The full text is here by arXiv, preprint, CC BY-SA 4.0."
    document = run(engine.read(paper_id))
    assert (document.paper_id, document.origin) == (paper_id, "html")
    assert document.sentences[-1].text == "Zebra 19 crossed."


def test_a_page_converted_by_half_leads_to_the_pdf(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    (paper_id,) = add(engine, tmp_path, {"arxiv": "1801.00001", "title": TITLE})
    server.on("/arxiv/html/1801.00001", page(page_of(TITLE, "1801.00001", 2)))
    server.on("/arxiv/pdf/1801.00001", ranged(pdf_of(TITLE)))
    (got,) = run(engine.services.fetch([paper_id]))
    assert (got.outcome, got.via) == ("full text", "arxiv")
    assert run(engine.read(paper_id)).origin == "pdf"


def test_the_text_of_another_paper_is_not_taken(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    (paper_id,) = add(engine, tmp_path, {"id": "acl:P18-1001", "title": "Quantum chromodynamics for beginners"})
    server.on("/acl/site/P18-1001.pdf", ranged(pdf_of(TITLE)))
    (got,) = run(engine.services.fetch([paper_id]))
    assert got.outcome == "failed" and "another paper" in got.why
    assert engine.status().documents == 0


def test_every_outcome_has_its_word(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"doi": "10.1000/closed", "title": "Closed paper"},
        {"doi": "10.1000/abstract", "title": "Paper with abstract", "abstract": "Yes."},
        {"title": "Paper without any ids at all", "authors": ["A B"], "year": 2001},
        {"doi": "10.1000/busy", "title": "Busy paper"},
    ]
    ids = add(engine, tmp_path, *rows)
    server.on("*", page("", 404))
    server.on("/s2/paper/DOI%3A10.1000%2Fclosed", as_json({"openAccessPdf": None}))
    server.on("/s2/paper/DOI%3A10.1000%2Fbusy", page("", 503, retry_after="9999"))
    got = run(engine.services.fetch(ids))
    assert [each.outcome for each in got] == ["not open", "abstract only", "not open", "failed"]
    assert got[3].transient and "asks to be left alone" in got[3].why
    assert "does not have it" in got[2].why
    (failure,) = engine.failures()
    assert (failure.origin, failure.transient) == ("doi:10.1000/busy", True)
    server.on("/s2/paper/DOI%3A10.1000%2Fbusy", as_json({"openAccessPdf": {"url": f"{server.url}/x.pdf"}}))
    server.on("/x.pdf", ranged(pdf_of("Busy paper")))
    (mended,) = run(engine.services.fetch([PaperId("doi:10.1000/busy")]))
    assert mended.outcome == "full text" and engine.failures() == ()


def test_what_failed_before_a_stop_is_kept(
    engine: Engine, server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_MAX_PENDING_TEXTS", 1)
    rows: list[dict[str, object]] = [
        {"doi": "10.1000/busy", "title": "Busy paper"},
        {"id": "pmc:PMC7029759", "title": TITLE},
        {"doi": "10.1000/later", "title": "A paper that is not reached"},
    ]
    ids = add(engine, tmp_path, *rows)
    server.on("*", page("", 404))
    server.on("/s2/paper/DOI%3A10.1000%2Fbusy", page("", 503, retry_after="9999"))
    cloud(server, JATS)
    task = engine.services.fetch(ids)
    for event in task:
        if event == Progress("full texts", 2, 3):
            break
    task.close()
    assert [failure.origin for failure in engine.failures()] == ["doi:10.1000/busy"]
    assert engine.paper("PMC7029759").full_text


WORK = {"DOI": "10.1000/new", "title": ["A new paper"], "abstract": "<jats:p>About it.</jats:p>"}


def test_records_come_by_id_and_address(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    add(engine, tmp_path, {"id": "acl:P18-1001", "title": TITLE})
    server.on("*", page("", 404))
    server.on("/europepmc/search", as_json({"hitCount": 0, "resultList": {"result": []}}))
    server.on("/s2/paper/batch", nothing_known)
    server.on("/crossref/works/10.1000%2Fnew", as_json({"message": WORK}))
    words = ["https://doi.org/10.1000/NEW", "P18-1001", "what is this", "10.1000/none"]
    known, held, odd, none = run(engine.services.obtain(words))
    assert (known.outcome, known.paper_id, known.via) == ("abstract only", "doi:10.1000/new", "crossref")
    assert (held.paper_id, held.via) == ("acl:P18-1001", "library")
    assert odd.outcome == none.outcome == "not found" and "neither an id" in odd.why
    assert none.why == "Not known to Europe PMC, Semantic Scholar, Crossref or OpenAlex."
    assert engine.paper("10.1000/new").abstract == "About it."


def test_an_article_of_pmc_comes_with_its_text(engine: Engine, server: WebServer) -> None:
    server.on("/ncbi/efetch.fcgi", page(f"<pmc-articleset>{JATS}</pmc-articleset>"))
    server.on("*", page("", 404))
    server.on("/s2/paper/batch", nothing_known)
    (got,) = run(engine.services.obtain(["PMC 7029759"]))
    assert (got.outcome, got.paper_id, got.via) == ("full text", "pmc:PMC7029759", "pmc")
    assert engine.status().documents == 1


def test_a_service_in_trouble_is_no_unknown_paper(engine: Engine, server: WebServer) -> None:
    server.on("*", page("", 503, retry_after="9999"))
    (got,) = run(engine.services.obtain(["10.1000/new"]))
    assert (got.outcome, got.transient) == ("failed", True)
    assert [each.origin for each in engine.failures()] == ["10.1000/new"]


def test_what_a_service_keeps_for_its_members_is_no_unknown_paper(engine: Engine, server: WebServer) -> None:
    (got,) = run(engine.services.obtain(["https://openreview.net/forum?id=abc_D12"]))
    assert (got.outcome, got.transient) == ("failed", False) and "OPENREVIEW_USERNAME" in got.why
    assert server.asked == []


def test_what_is_here_needs_no_network(home: Path, server: WebServer, tmp_path: Path) -> None:
    offline = build_engine(replace(from_home(home), offline=True))
    add(offline, tmp_path, {"id": "acl:P18-1001", "title": TITLE})
    (held,) = run(offline.services.obtain(["acl:P18-1001"]))
    assert held.via == "library"
    with pytest.raises(errors.Offline):
        run(offline.services.obtain(["10.1000/new"]))
    with pytest.raises(errors.Offline):
        run(offline.services.fetch([PaperId("acl:P18-1001")]))
    assert server.asked == []


def test_live_search_stores_nothing_until_asked(engine: Engine, server: WebServer) -> None:
    rows = [{"paperId": "a" * 40, "corpusId": 5, "title": "Found online", "externalIds": {"DOI": "10.1000/f"}}]
    server.on("/s2/paper/search", as_json({"total": 1, "data": rows}))
    found = run(engine.services.find("s2", "zebra"))
    assert [each.paper.title for each in found] == ["Found online"]
    assert engine.status().papers == 0
    assert run(engine.services.keep(found)).added == 1


def test_references_of_a_service_join_the_citation_graph(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    citing, cited = add(
        engine, tmp_path, {"doi": "10.1000/citing", "title": "Citing"}, {"doi": "10.1000/cited", "title": "Cited paper"}
    )
    rows = [
        {"contexts": ["As X showed."], "citedPaper": {"title": "Cited paper", "externalIds": {"DOI": "10.1000/cited"}}}
    ]
    server.on("/s2/paper/DOI%3A10.1000%2Fciting/references", as_json({"data": rows}))
    listed = run(engine.services.fetch_list(engine.paper(citing), "references"))
    engine.citations.store_list(listed)
    graph = run(engine.citations.update())
    assert [edge.cited for edge in graph.references([citing])[0]] == [cited]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("# mine\n10.1000/a, P18-1001\narXiv:1706.03762\n10.1000/a\n", ("10.1000/a", "P18-1001", "arXiv:1706.03762")),
        (
            "TY  - JOUR\nTI  - T\nDO  - 10.1000/x\nUR  - https://a.b/c\nER  - \nTY  - JOUR\nC2  - PMC123\nER  - \n",
            ("10.1000/x", "PMC123"),
        ),
        ("PMC 7029759\nPMID: 12 ; 10.1/a;b;  10.1/c\n", ("PMC:7029759", "PMID:12", "10.1/a;b", "10.1/c")),
        ("doi: 10.1000/x\n\ufeffarXiv 1706.03762\n", ("doi:10.1000/x", "arXiv:1706.03762")),
        ("", ()),
    ],
)
def test_lists_of_ids(text: str, ids: tuple[str, ...]) -> None:
    assert ids_in(text) == ids


def converts(server: WebServer, asked: str, **row: object) -> None:
    server.on("/idconv", as_json({"status": "ok", "records": [{"requested-id": asked, **row}]}))


@pytest.mark.parametrize("own", [{"doi": "10.1000/z"}, {"id": "pmid:123"}])
def test_a_record_that_does_not_know_its_pmc_id_still_leads_to_the_text(
    engine: Engine, server: WebServer, tmp_path: Path, own: dict[str, object]
) -> None:
    (paper_id,) = add(engine, tmp_path, {**own, "title": TITLE})
    converts(server, paper_id.partition(":")[2], pmcid="PMC7029759", pmid=123, doi="10.1000/Z")
    cloud(server, JATS)
    (got,) = run(engine.services.fetch([paper_id]))
    assert (got.outcome, got.via, got.paper_id) == ("full text", "pmc-cloud", paper_id)
    held = engine.paper("PMC7029759")
    assert held.id == paper_id and {"doi:10.1000/z", "pmid:123"} <= {held.id, *held.aliases}


def test_a_text_under_embargo_is_not_open_until_its_day(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    (paper_id,) = add(engine, tmp_path, {"doi": "10.1000/z", "title": TITLE})
    converts(server, "10.1000/z", pmcid="PMC7029759", live="false", **{"release-date": "2027-03-01"})
    server.on("*", page("", 404))
    (got,) = run(engine.services.fetch([paper_id]))
    assert (got.outcome, got.transient) == ("not open", False)
    assert got.why == "Its text is under embargo at PubMed Central until 2027-03-01."


def test_a_converter_in_trouble_stops_nobody(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    (paper_id,) = add(engine, tmp_path, {"doi": "10.1000/z", "title": TITLE})
    server.on("/idconv", page("<html>Just a moment...</html>", 403, content_type="text/html"))
    server.on("/s2/paper/DOI%3A10.1000%2Fz", as_json({"openAccessPdf": {"url": f"{server.url}/x.pdf"}}))
    server.on("/x.pdf", ranged(pdf_of(TITLE)))
    (got,) = run(engine.services.fetch([paper_id]))
    assert got.outcome == "full text"


def test_the_number_of_a_manuscript_leads_to_its_paper(engine: Engine, server: WebServer) -> None:
    rows = [
        {"requested-id": "NIHMS311352", "pmcid": "PMC3159421", "pmid": "21653522"},
        {"requested-id": "EMS48932", "status": "error", "errmsg": "Identifier not found"},
    ]
    record = {"id": "21653522", "source": "MED", "pmid": "21653522", "pmcid": "PMC3159421", "title": "By manuscript"}
    server.on("/idconv", as_json({"records": rows}))
    server.on("/europepmc/search", as_json({"hitCount": 1, "resultList": {"result": [record]}}))
    server.on("/s2/paper/batch", nothing_known)
    found, unknown = run(engine.services.obtain(["nihms311352", "EMS48932"]))
    assert (found.paper_id, found.title) == ("pmc:PMC3159421", "By manuscript")
    assert unknown.outcome == "not found" and "manuscript" in unknown.why
    server.on("/idconv", page("", 503, retry_after="9999"))
    (failed,) = run(engine.services.obtain(["NIHMS555"]))
    assert (failed.outcome, failed.transient) == ("failed", True)


def test_a_page_that_is_no_pdf_leads_to_the_next_route(engine: Engine, server: WebServer, tmp_path: Path) -> None:
    (paper_id,) = add(engine, tmp_path, {"id": "acl:P18-1001", "title": TITLE, "arxiv": "1801.00001"})
    server.on("*", page("", 404))
    server.on("/acl/site/P18-1001.pdf", Page(b"<html>moved</html>"))
    server.on("/arxiv/pdf/1801.00001", ranged(pdf_of(TITLE)))
    (got,) = run(engine.services.fetch([paper_id]))
    assert (got.outcome, got.via) == ("full text", "arxiv")
