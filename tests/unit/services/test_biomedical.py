"""PubMed, PubMed Central and Europe PMC, as recorded and as their contract says."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from fakes_web_server import Asked, Page, WebServer, as_json, page, sample

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import run
from litterm.model.events import Event, Notice
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import YearRange
from litterm.model.services import ArticleIds, Scope
from litterm.services.europepmc import EuropePmc
from litterm.services.http.client import HttpClient
from litterm.services.ncbi.entrez import Entrez, PmcRecords, PubMed
from litterm.services.ncbi.id_converter import PmcIdConverter
from litterm.services.ncbi.pmc import PubMedCentral
from litterm.services.ncbi.pmc_articles import BiocPmc, PmcCloud, PmcOai

PAPER = Paper(PaperId("pmc:PMC7029759"), "T", aliases=(PaperId("pmid:32117569"), PaperId("doi:10.1/x")))
JATS = "<pmc-articleset><article><front/><body><p>Text.</p></body></article></pmc-articleset>"


@pytest.fixture(scope="session")
def samples(shared: Path) -> Path:
    return shared / "data" / "api-samples"


@pytest.fixture
def entrez(client: HttpClient, server: WebServer, no_key: ApiKey) -> Entrez:
    return Entrez(client, lambda: no_key, base=server.url)


@pytest.fixture
def europe(client: HttpClient, server: WebServer) -> EuropePmc:
    return EuropePmc(client, base=server.url)


def found(*numbers: int, total: int) -> dict[str, object]:
    return {"esearchresult": {"count": str(total), "idlist": [str(number) for number in numbers]}}


# -- E-utilities -------------------------------------------------------------------------------------------------------


def test_a_walk_through_open_articles_gives_files(entrez: Entrez, server: WebServer, tmp_path: Path) -> None:
    server.on("/esearch.fcgi", as_json(found(*range(25), total=30)), as_json(found(*range(25, 30), total=30)))
    server.on("/efetch.fcgi", page(JATS))
    pmc, scope = PubMedCentral(entrez), Scope("hypoxia[title]", YearRange(2019, 2021))
    first = run(pmc.next_batch(scope, "", tmp_path))
    last = run(pmc.next_batch(scope, first.cursor, tmp_path))
    assert (first.done, first.seen, last.done, last.seen) == (False, 25, True, 30)
    assert first.files[0] != last.files[0] and first.files[0].read_text() == JATS
    asked = server.asked[0]
    assert asked.one("term") == '(hypoxia[title]) AND 2019:2021[pubdate] AND ("open access"[filter])'
    assert (asked.one("tool"), asked.one("email")) == ("litterm", "me@uni.example")
    assert server.asked_for("/esearch.fcgi")[1].one("retstart") == "25"


def test_how_much_is_to_come(entrez: Entrez, server: WebServer) -> None:
    server.on("/esearch.fcgi", as_json(found(total=224_107)))
    whole = run(PubMedCentral(entrez).expected_size(Scope("asthma"), ""))
    assert whole.papers == 224_107 and whole.bytes > 10 << 30
    assert run(PubMedCentral(entrez).expected_size(Scope("asthma", limit=50), "")).papers == 50


def test_a_backend_that_fails_inside_a_good_answer(entrez: Entrez, server: WebServer) -> None:
    server.on(
        "/esearch.fcgi", as_json({"esearchresult": {"ERROR": "Search Backend failed: HTTP request returned 502"}})
    )
    with pytest.raises(errors.ServiceDown) as raised:
        run(PubMedCentral(entrez).expected_size(Scope("x"), ""))
    assert raised.value.transient and len(server.asked) == 4


def test_live_search_lists_the_best_first(entrez: Entrez, server: WebServer, shared: Path) -> None:
    answer = shared / "data" / "jats" / "pubmed"
    record = next(path for path in sorted(answer.glob("*.xml")) if b"<PubmedArticleSet" in path.read_bytes()[:2000])
    number = re.search(rb"<PMID[^>]*>(\d+)<", record.read_bytes())
    assert number is not None
    server.on("/esearch.fcgi", as_json(found(int(number[1]), total=1)))
    server.on("/efetch.fcgi", sample(record))
    (paper,) = run(PubMed(entrez).find("zebra crossings", limit=1, years=YearRange(2019, None)))
    assert paper.paper.title
    asked = server.asked_for("/esearch.fcgi")[0]
    assert (asked.one("sort"), asked.one("term")) == ("relevance", "(zebra crossings) AND 2019:3000[dp]")


def test_words_that_nothing_is_known_under_are_named(entrez: Entrez, server: WebServer) -> None:
    unknown = {"phrasesnotfound": ["zzzqqq"], "fieldsnotfound": []}
    server.on("/esearch.fcgi", as_json({"esearchresult": {"count": "0", "idlist": [], "errorlist": unknown}}))
    told: list[Event] = []
    assert run(PubMedCentral(entrez).expected_size(Scope("zzzqqq"), ""), told.append).papers == 0
    assert [event.text for event in told if isinstance(event, Notice)] == ["NCBI knows nothing under “zzzqqq”."]


def test_an_outage_in_html_is_no_empty_result(entrez: Entrez, server: WebServer) -> None:
    server.on("/esearch.fcgi", page("<html><body>We are sorry</body></html>"))
    with pytest.raises(errors.Malformed, match="web page"):
        run(PubMedCentral(entrez).expected_size(Scope("x"), ""))


def test_the_recorded_refusal_shows_neither_address_nor_key(entrez: Entrez, server: WebServer, samples: Path) -> None:
    server.on("/esearch.fcgi", sample(samples / "ncbi-eutils" / "error_429_rate_limit.json", 429))
    with pytest.raises(errors.RateLimited) as raised:
        run(PubMedCentral(entrez).expected_size(Scope("x"), ""))
    assert "192.0.2.1" not in str(raised.value)


def test_a_bad_key_is_told_without_showing_it(client: HttpClient, server: WebServer) -> None:
    entrez = Entrez(client, lambda: ApiKey("sec-ret-1", "NCBI_API_KEY"), base=server.url)
    server.on("/esearch.fcgi", as_json({"error": "API key invalid", "api-key": "sec-ret-1"}, 400))
    with pytest.raises(errors.AuthRequired, match="key") as raised:
        run(PubMedCentral(entrez).expected_size(Scope("x"), ""))
    assert "sec-ret-1" not in str(raised.value)
    assert server.asked[0].one("api_key") == "sec-ret-1"


def test_an_article_without_a_body_is_not_open(entrez: Entrez, server: WebServer, tmp_path: Path) -> None:
    closed = "<pmc-articleset><article><!-- not allowed --><front/></article></pmc-articleset>"
    server.on("/efetch.fcgi", page(closed), page("<pmc-articleset/>"), page(JATS))
    pmc = PubMedCentral(entrez)
    with pytest.raises(errors.NotOpen):
        run(pmc.fetch(PAPER, tmp_path))
    other = Paper(PaperId("pmc:PMC1"), "T")
    with pytest.raises(errors.NotFound):
        run(pmc.fetch(other, tmp_path))
    assert run(pmc.fetch(Paper(PaperId("pmc:PMC2"), "T"), tmp_path)).path.read_text() == JATS
    assert [each.one("id") for each in server.asked] == ["7029759", "1", "2"]


def flagged(name: str, body: str = "") -> str:
    note = f"<custom-meta><meta-name>{name}</meta-name><meta-value>yes</meta-value></custom-meta>"
    front = f"<front><article-meta><custom-meta-group>{note}</custom-meta-group></article-meta></front>"
    return f"<pmc-articleset><article>{front}{body}</article></pmc-articleset>"


def test_what_pmc_notes_of_an_article(entrez: Entrez, server: WebServer, tmp_path: Path) -> None:
    server.on("/efetch.fcgi", page(flagged("pmc-status-embargo")))
    with pytest.raises(errors.NotOpen, match="held back for now"):
        run(PubMedCentral(entrez).fetch(PAPER, tmp_path))
    server.on("/efetch.fcgi", page(flagged("pmc-prop-manuscript", "<body><p>Text.</p></body>")))
    assert run(PubMedCentral(entrez).fetch(Paper(PaperId("pmc:PMC3"), "T"), tmp_path)).version == "accepted"


def test_recorded_pubmed_records(entrez: Entrez, server: WebServer, shared: Path) -> None:
    files = sorted((shared / "data" / "jats" / "pubmed").glob("*.xml"))
    answer = next(path for path in files if b"<PubmedArticleSet" in path.read_bytes()[:2000])
    server.on("/efetch.fcgi", sample(answer))
    from litterm.importers.byte_sources import memory_content
    from litterm.importers.pubmed import read_pubmed

    (known, *_) = [each for each in read_pubmed(memory_content("x", answer.read_bytes())) if isinstance(each, Parsed)]
    pmid = next(each for each in (known.paper.id, *known.paper.aliases) if each.startswith("pmid:"))
    first, second = run(PubMed(entrez).lookup([PaperId("pmid:1"), pmid]))
    assert first == Failure("pmid:1", "PubMed does not have it.")
    assert isinstance(second, Parsed) and second.paper.title == known.paper.title


def test_records_of_pmc_by_number_with_their_text(entrez: Entrez, server: WebServer, shared: Path) -> None:
    articles = {name: (shared / "data" / "jats" / f"{name}.xml").read_bytes() for name in ("PMC5947103", "PMC5501036")}
    found = [re.search(rb"<article[ >].*</article>", xml, re.S) for xml in reversed(articles.values())]
    whole = b"".join(match.group() for match in found if match is not None)
    server.on("/efetch.fcgi", page(b"<pmc-articleset>" + whole + b"</pmc-articleset>"))
    ids = [PaperId(f"pmc:{name}") for name in ("PMC5947103", "PMC404", "PMC5501036")]
    first, missing, last = run(PmcRecords(entrez).lookup(ids))
    assert missing == Failure("pmc:PMC404", "PubMed Central does not have it.")
    assert isinstance(first, Parsed) and isinstance(last, Parsed)
    assert first.document is not None and first.paper.title and first.paper.title != last.paper.title
    assert server.asked[0].one("id") == "5947103,404,5501036"


@pytest.mark.parametrize("answer", ["<pmc-articleset/>", "<ERROR>No items found</ERROR>"])
def test_an_unknown_number_of_pmc(entrez: Entrez, server: WebServer, answer: str) -> None:
    server.on("/efetch.fcgi", page(answer))
    (found,) = run(PmcRecords(entrez).lookup([PaperId("pmc:PMC404")]))
    assert isinstance(found, Failure) and not found.transient


# -- The converter of ids ----------------------------------------------------------------------------------------------


@pytest.fixture
def converter(client: HttpClient, server: WebServer) -> PmcIdConverter:
    return PmcIdConverter(client, EuropePmc(client, base=f"{server.url}/europe"), base=f"{server.url}/convert")


def test_an_id_is_converted_to_its_siblings(converter: PmcIdConverter, server: WebServer) -> None:
    rows = [
        {"requested-id": "10.1/X", "pmcid": "PMC7029759", "pmid": 32117569, "doi": "10.1/X"},
        {"requested-id": "10.2/y", "status": "error", "errmsg": "Identifier not found in PMC"},
    ]
    server.on("/convert", as_json({"status": "ok", "warnings": ["no email"], "records": rows}))
    first, second = run(converter.convert([PaperId("doi:10.1/x"), PaperId("doi:10.2/y")]))
    assert first == ArticleIds(("pmid:32117569", "pmc:PMC7029759", "doi:10.1/x"))
    assert second == ArticleIds()
    (asked,) = server.asked
    assert (asked.one("idtype"), asked.one("ids")) == ("doi", "10.1/x,10.2/y")
    assert (asked.one("tool"), asked.one("email")) == ("litterm", "me@uni.example")


def test_every_kind_of_id_is_asked_for_apart(converter: PmcIdConverter, server: WebServer) -> None:
    def convert(asked: Asked) -> Page:
        keys = asked.one("ids").split(",")
        return as_json({"records": [{"requested-id": key, "pmid": "7"} for key in reversed(keys)]})

    server.on("/convert", convert)
    many = [PaperId(f"pmid:{n}") for n in range(1, 302)]
    ids = [PaperId("mid:NIHMS311352"), *many, PaperId("pmc:PMC5"), PaperId("acl:P18-1001")]
    found = run(converter.convert(ids))
    assert [each.ids for each in found] == [("pmid:7",)] * 303 + [()]
    asked = [(each.one("idtype"), len(each.one("ids").split(","))) for each in server.asked]
    assert asked == [("pmid", 200), ("pmid", 101), ("pmcid", 1), ("mid", 1)]


@pytest.mark.parametrize("live", ["false", False])
def test_a_text_that_is_held_back_says_until_when(converter: PmcIdConverter, server: WebServer, live: object) -> None:
    row = {"requested-id": "PMC5", "pmcid": "PMC5", "pmid": "9", "live": live, "release-date": "2027-03-01"}
    server.on("/convert", as_json({"records": [row]}))
    (found,) = run(converter.convert([PaperId("pmc:PMC5")]))
    assert found == ArticleIds(("pmid:9", "pmc:PMC5"), "2027-03-01")


def test_a_request_the_converter_does_not_take(converter: PmcIdConverter, server: WebServer) -> None:
    refusal = {"status": "error", "message": "Invalid idtype"}
    server.on("/convert", as_json(refusal, 400), as_json(refusal))
    for _ in range(2):
        with pytest.raises(errors.RequestFaulty, match="Invalid idtype"):
            run(converter.convert([PaperId("mid:NIHMS555")]))


def test_behind_a_browser_check_europe_pmc_is_asked_instead(converter: PmcIdConverter, server: WebServer) -> None:
    server.on("/convert", page("<html>Just a moment...</html>", 403, content_type="text/html"))
    row = {"id": "9", "source": "MED", "pmid": "9", "pmcid": "PMC5", "doi": "10.1000/x", "title": "T"}
    server.on("/europe/search", as_json({"resultList": {"result": [row]}}), as_json({"resultList": {"result": []}}))
    told: list[Event] = []
    first, second = run(converter.convert([PaperId("doi:10.1000/x"), PaperId("doi:10.1000/y")]), told.append)
    assert set(first.ids) == {"pmid:9", "pmc:PMC5", "doi:10.1000/x"}
    assert second == ArticleIds()
    assert any("browsers" in event.text for event in told if isinstance(event, Notice))


# -- PMC Cloud and BioC ------------------------------------------------------------------------------------------------


def listing(*names: str) -> str:
    prefixes = "".join(f"<CommonPrefixes><Prefix>{name}/</Prefix></CommonPrefixes>" for name in names)
    return f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{prefixes}</ListBucketResult>'


def described(
    number: int, *, manuscript: bool = False, body: bytes = b"", licence: str | None = "CC BY", retracted: bool = False
) -> object:
    address = f"s3://pmc-oa-opendata/PMC7029759.{number}/a.xml?md5={hashlib.md5(body).hexdigest()}"
    return {
        "version": number,
        "is_manuscript": manuscript,
        "license_code": licence,
        "is_retracted": retracted,
        "xml_url": address,
        "pdf_url": None,
    }


def test_the_version_of_record_comes_before_a_newer_manuscript(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    server.on("/", page(listing("PMC7029759.1", "PMC7029759.2", "PMC7029759.10")))
    server.on("/metadata/PMC7029759.1.json", as_json(described(1)))
    server.on("/metadata/PMC7029759.2.json", as_json(described(2, body=JATS.encode())))
    server.on("/metadata/PMC7029759.10.json", as_json(described(10, manuscript=True)))
    server.on("/PMC7029759.2/a.xml", page(JATS))
    got = run(PmcCloud(client, base=server.url).fetch(PAPER, tmp_path))
    assert (got.kind, got.licence, got.version) == ("jats", "CC BY", "published")
    assert got.path.read_text() == JATS
    assert server.asked[0].one("prefix") == "PMC7029759."


def test_a_retracted_article_without_a_licence_code(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    server.on("/", page(listing("PMC7029759.1")))
    server.on("/metadata/PMC7029759.1.json", as_json(described(1, body=JATS.encode(), licence=None, retracted=True)))
    server.on("/PMC7029759.1/a.xml", page(JATS))
    got = run(PmcCloud(client, base=server.url).fetch(PAPER, tmp_path))
    assert (got.licence, got.retracted) == ("", True)


@pytest.mark.parametrize(("code", "status"), [("NoSuchKey", 404), ("AccessDenied", 403)])
def test_a_version_that_is_not_described(
    client: HttpClient, server: WebServer, tmp_path: Path, code: str, status: int
) -> None:
    server.on("/", page(listing("PMC7029759.1")))
    refusal = f"<Error><Code>{code}</Code></Error>"
    server.on("/metadata/PMC7029759.1.json", page(refusal, status, content_type="application/xml"))
    with pytest.raises(errors.NotOpen):
        run(PmcCloud(client, base=server.url).fetch(PAPER, tmp_path))


def test_a_wrong_checksum_is_not_stored(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    server.on("/", page(listing("PMC7029759.1")))
    server.on("/metadata/PMC7029759.1.json", as_json(described(1, body=b"other", licence=None)))
    server.on("/PMC7029759.1/a.xml", page(JATS))
    with pytest.raises(errors.Malformed, match="checksum"):
        run(PmcCloud(client, base=server.url).fetch(PAPER, tmp_path))
    assert not list(tmp_path.glob("*.xml"))


def test_an_empty_listing_is_not_open(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    server.on("/", page(listing()))
    with pytest.raises(errors.NotOpen):
        run(PmcCloud(client, base=server.url).fetch(PAPER, tmp_path))


def test_bioc_comes_as_a_list_and_its_refusal_as_text(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    path = "/BioC_json/PMC7029759/unicode"
    server.on(path, page("[Error] : No result can be found. <br>"), as_json([{"documents": []}]))
    bioc = BiocPmc(client, base=server.url)
    with pytest.raises(errors.NotOpen):
        run(bioc.fetch(PAPER, tmp_path))
    assert json.loads(run(bioc.fetch(PAPER, tmp_path)).path.read_text()) == [{"documents": []}]


# -- PMC's harvest interface -------------------------------------------------------------------------------------------


def oai(inner: str) -> Page:
    return page(f'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">{inner}</OAI-PMH>')


def harvested(body: str) -> Page:
    article = f'<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.4/"><front/>{body}</article>'
    return oai(f"<GetRecord><record><metadata>{article}</metadata></record></GetRecord>")


def test_an_article_of_the_harvest_in_a_namespace_of_its_own(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    server.on("/", harvested("<body><p>Text.</p></body>"))
    got = run(PmcOai(client, base=f"{server.url}/").fetch(PAPER, tmp_path))
    assert got.kind == "jats" and b"<p>Text.</p>" in got.path.read_bytes()
    (asked,) = server.asked
    assert (asked.one("identifier"), asked.one("metadataPrefix")) == ("oai:pubmedcentral.nih.gov:7029759", "pmc")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (oai('<error code="idDoesNotExist">No such record</error>'), errors.NotFound),
        (oai('<error code="noRecordsMatch"/>'), errors.NotFound),
        (oai('<error code="cannotDisseminateFormat">front only</error>'), errors.NotOpen),
        (oai('<error code="badResumptionToken">expired</error>'), errors.RequestFaulty),
        (oai("<GetRecord/>"), errors.Malformed),
        (page("<OAI-PMH><GetRe"), errors.Malformed),
        (harvested(""), errors.NotOpen),
        (page("<html>Checking your browser: turnstile</html>", 403, content_type="text/html"), errors.Challenged),
    ],
)
def test_refusals_of_the_harvest(
    client: HttpClient, server: WebServer, tmp_path: Path, answer: Page, kind: type[errors.SourceError]
) -> None:
    server.on("/", answer)
    with pytest.raises(kind):
        run(PmcOai(client, base=f"{server.url}/").fetch(PAPER, tmp_path))


# -- Europe PMC --------------------------------------------------------------------------------------------------------


def test_a_recorded_search_with_abstracts(europe: EuropePmc, server: WebServer, samples: Path) -> None:
    server.on("/search", sample(samples / "europepmc" / "search_cancer_core.json"))
    papers = [each.paper for each in run(europe.find("lung cancer", limit=5, years=YearRange(2024, None)))]
    assert len(papers) == 5
    assert papers[0].title == (
        "Abscopal response in a patient with fibrolamellar hepatocellular carcinoma following radiotherapy"
    )
    assert papers[0].authors[0].given == "Jonathan D"
    assert papers[0].imprint.journal == "Lancet (London, England)"
    assert {"pmid:39709209", "doi:10.1016/s0140-6736(24)02600-x"} <= {papers[0].id, *papers[0].aliases}
    assert server.asked[0].one("query") == "(lung cancer) AND PUB_YEAR:[2024 TO 2999]"


def test_nothing_found_is_an_answer(europe: EuropePmc, server: WebServer, samples: Path) -> None:
    server.on("/search", sample(samples / "europepmc" / "search_no_results.json"))
    assert run(europe.find("zzz", limit=5)) == ()
    (missing,) = run(europe.lookup([PaperId("pmid:9")]))
    assert missing == Failure("pmid:9", "Europe PMC does not have it.")


def test_pages_are_walked_to_the_last(europe: EuropePmc, server: WebServer, samples: Path) -> None:
    def search(asked: Asked) -> Page:
        number = {"*": 0, "A": 1, "B": 2}[asked.one("cursorMark")]
        size = int(asked.one("pageSize"))
        rows = [{"id": f"{number}{n}", "source": "MED", "pmid": f"{number}{n:03}1", "title": "T"} for n in range(size)]
        following = {"nextCursorMark": "AB"[number]} if number < 2 else {"nextCursorMark": "B"}
        return as_json({"hitCount": 250, **following, "resultList": {"result": rows}})

    server.on("/search", search)
    assert len(run(europe.find("x", limit=1000))) == 300
    assert [each.one("cursorMark") for each in server.asked] == ["*", "A", "B"]


def test_an_error_inside_a_good_answer(europe: EuropePmc, server: WebServer) -> None:
    server.on("/search", as_json({"errCode": 404, "errMsg": "Invalid page size provided."}))
    with pytest.raises(errors.RequestFaulty, match="Invalid page size"):
        run(europe.find("x", limit=5))


@pytest.mark.parametrize(
    ("more", "shown"),
    [
        ({"pubTypeList": {"pubType": ["Retracted Publication"]}}, "retracted"),
        ({"commentCorrectionList": {"commentCorrection": [{"type": "Retraction in"}]}}, "retracted"),
        ({"commentCorrectionList": {"commentCorrection": [{"type": "Expression of concern in"}]}}, "concern"),
        ({"commentCorrectionList": {"commentCorrection": [{"type": "Erratum in"}]}}, "corrected"),
        ({"commentCorrectionList": {"commentCorrection": [{"type": "Erratum for"}]}}, ""),
    ],
)
def test_what_was_later_published_about_it(
    europe: EuropePmc, server: WebServer, more: dict[str, object], shown: str
) -> None:
    server.on("/search", as_json(one_record(**more)))
    (found,) = run(europe.lookup([PaperId("pmid:32117569")]))
    assert isinstance(found, Parsed) and found.paper.retraction == shown


def one_record(**more: object) -> dict[str, object]:
    row = {"id": "32117569", "source": "MED", "pmid": "32117569", "pmcid": "PMC7029759", "title": "T.", **more}
    return {"hitCount": 1, "resultList": {"result": [row]}}


def test_only_what_the_record_calls_open_is_asked_for(europe: EuropePmc, server: WebServer, tmp_path: Path) -> None:
    server.on("/search", as_json(one_record(isOpenAccess="N")))
    with pytest.raises(errors.NotOpen):
        run(europe.fetch(PAPER, tmp_path))
    assert server.asked_for("/PMC7029759/fullTextXML") == []


def test_an_open_text_and_a_service_that_fails_on_it(europe: EuropePmc, server: WebServer, tmp_path: Path) -> None:
    server.on("/search", as_json(one_record(isOpenAccess="Y", license="cc by")))
    server.on("/PMC7029759/fullTextXML", *[page("", 500)] * 4, page("<article><body/></article>"))
    with pytest.raises(errors.ServiceDown):
        run(europe.fetch(PAPER, tmp_path))
    got = run(europe.fetch(PAPER, tmp_path))
    assert (got.kind, got.licence) == ("jats", "cc by")


def test_references_matched_and_unmatched(europe: EuropePmc, server: WebServer) -> None:
    server.on("/search", as_json(one_record()))
    rows = [
        {"id": "123", "source": "MED", "title": "Cited.", "authorString": "Smith J, van Dijk AB.", "pubYear": 2010},
        {"title": "A book", "match": "N"},
    ]
    server.on("/MED/32117569/references", as_json({"hitCount": 2, "referenceList": {"reference": rows}}))
    first, second = (each.reference for each in run(europe.list_works(PAPER, "references", limit=10)).works)
    assert (first.title, first.families, first.year, first.ids) == ("Cited", ("Smith", "van Dijk"), 2010, ("pmid:123",))
    assert (second.title, second.ids) == ("A book", ())


@pytest.mark.online
def test_the_real_europe_pmc_and_pmc_cloud(tmp_path: Path) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        (found,) = run(EuropePmc(client).lookup([PaperId("pmc:PMC7029759")]))
        assert isinstance(found, Parsed)
        assert run(PmcCloud(client).fetch(found.paper, tmp_path)).kind == "jats"


@pytest.mark.online
def test_the_real_e_utilities(tmp_path: Path, no_key: ApiKey) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        entrez = Entrez(client, lambda: no_key)
        assert run(PubMedCentral(entrez).expected_size(Scope("hypoxia[title]"), "")).papers > 100
        (found,) = run(PubMed(entrez).lookup([PaperId("pmid:32117569")]))
        assert isinstance(found, Parsed) and found.paper.title
        assert run(PubMedCentral(entrez).fetch(PAPER, tmp_path)).kind == "jats"


@pytest.mark.online
def test_the_real_bioc(tmp_path: Path) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        assert run(BiocPmc(client).fetch(PAPER, tmp_path)).kind == "bioc"


@pytest.mark.online
def test_the_real_converter_and_harvest(tmp_path: Path) -> None:
    from http_clients import opened

    with opened(tmp_path) as client:
        (found,) = run(PmcIdConverter(client, EuropePmc(client)).convert([PaperId("pmid:32117569")]))
        assert "pmc:PMC7029759" in found.ids
        assert run(PmcOai(client).fetch(PAPER, tmp_path)).kind == "jats"
