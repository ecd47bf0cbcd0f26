"""An id never chooses where something is written, nor what is asked beyond its own place in an address."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest
from http_clients import opened
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.core import errors
from litterm.core.settings.secrets import ApiKey
from litterm.core.tasks import Task, run
from litterm.importers.ids import recognize_id
from litterm.interfaces.services import TextRoute
from litterm.model.paper import SCHEMES, Paper, PaperId
from litterm.services.acl import AclAnthology
from litterm.services.arxiv import Arxiv, ArxivHtml, ArxivLicences
from litterm.services.europepmc import EuropePmc
from litterm.services.http import download as downloads
from litterm.services.http.client import HttpClient
from litterm.services.http.download import Downloaded
from litterm.services.http.messages import Request, ServiceResponse, hashed_file, quote_path, quote_segment
from litterm.services.ncbi.entrez import Entrez
from litterm.services.ncbi.pmc import PubMedCentral
from litterm.services.ncbi.pmc_articles import BiocPmc, PmcCloud, PmcOai
from litterm.services.openalex import OpenAlex
from litterm.services.openreview import OpenReview, OpenReviewLogin
from litterm.services.semantic_scholar import SemanticScholar
from litterm.services.unpaywall import Unpaywall
from litterm.text.references.identity import make_id, scheme_of

HOSTILE = [
    "../../victim",
    "..",
    ".",
    "/etc/passwd",
    "a/../../b",
    "P18-1001/../../x",
    "PMC1/../../x",
    "10.1000/../../x",
    "10.1000/x?api_key=1&y#z",
    "2101.00001/../../x",
    "x\\..\\y",
    "x\x00y",
    "a\nb",
    "\ud800",
    "\u202e",
    "%2e%2e%2f",
    "con",
    "~root",
    "x" * 5000,
    "",
]
KEYS = st.one_of(
    st.sampled_from(HOSTILE), st.text(alphabet="./\\%?&#:~ab1\x00\u202e", max_size=12), st.text(max_size=40)
)
ARTICLE = "<article><front/><body><p>x</p></body></article>"


def answer_with(key: str, request: Request) -> bytes:
    """What fits every service at once, with `key` for each of its ids."""
    if request.expect == "xml":
        return f"<OAI-PMH><pmc-articleset>{ARTICLE}</pmc-articleset></OAI-PMH>".encode()
    if request.expect in ("html", "any"):
        return b'[{"ltx_document": 1}]'
    copy = {"url_for_pdf": "https://host.example/a.pdf", "pdf_url": "https://host.example/a.pdf"}
    row = {"pmcid": key, "pmid": key, "id": key, "source": key, "doi": key, "isOpenAccess": "Y", "license": "cc by"}
    body = {
        "is_oa": True,
        "paperId": key,
        "id": f"https://openalex.org/{key}",
        "openAccessPdf": {"url": "https://host.example/a.pdf"},
        "best_oa_location": copy,
        "hitCount": 1,
        "resultList": {"result": [row]},
    }
    return json.dumps(body).encode()


@dataclass
class RecordingClient:
    """Answers whatever is asked, and remembers it."""

    key: str
    client: HttpClient
    asked: list[str] = field(default_factory=list)

    @property
    def settings(self) -> object:
        return self.client.settings

    def get(
        self, request: Request, check: Callable[[ServiceResponse], object] = lambda _answer: None
    ) -> Task[ServiceResponse]:
        self.asked.append(str(httpx.URL(request.url)))
        answer = ServiceResponse(request.url, 200, answer_with(self.key, request))
        check(answer)
        yield from ()
        return answer

    def downloaded(self, _door: object, request: Request, path: Path) -> Task[Downloaded]:
        self.asked.append(str(httpx.URL(request.url)))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%PDF-1.4")
        yield from ()
        return Downloaded(path, request.url)


def routes(client: HttpClient) -> tuple[TextRoute, ...]:
    """Every connector that writes a file for an id."""

    def no_key() -> ApiKey:
        return ApiKey("none", "none")

    licences, entrez = ArxivLicences(client), Entrez(client, no_key)
    return (
        AclAnthology(client),
        Arxiv(client, licences),
        ArxivHtml(client, licences),
        OpenReview(client, OpenReviewLogin, newest=lambda: 2025),
        PubMedCentral(entrez),
        PmcCloud(client),
        BiocPmc(client),
        PmcOai(client),
        EuropePmc(client),
        SemanticScholar(client, no_key),
        OpenAlex(client, no_key),
        Unpaywall(client, "me@uni.example"),
    )


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpClient]:
    with opened(tmp_path_factory.mktemp("http")) as client:
        yield client


@settings(deadline=None, max_examples=60)
@given(key=KEYS)
def test_no_connector_writes_or_asks_where_an_id_says(client: HttpClient, key: str) -> None:
    ids = [PaperId(f"{scheme}:{key}") for scheme in SCHEMES if key]
    paper = Paper(PaperId("local:1"), "A paper of some length and title", aliases=tuple(ids))
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name) / "a" / "b" / "here"
        folder.mkdir(parents=True)
        own = RecordingClient(key, client)
        patch.setattr(downloads, "download", own.downloaded)
        for route in routes(own):  # type: ignore[arg-type]
            try:
                if route.serves(paper):
                    text = run(route.fetch(paper, folder))
                    assert text.path.parent == folder
            except errors.SourceError:
                continue
        written = [path for path in Path(name).rglob("*") if path.is_file()]
        assert all(path.parent == folder for path in written)
        for url in own.asked:
            parts = urlsplit(url)
            assert not {".", ".."} & set(parts.path.split("/"))
            assert not parts.fragment
            assert "api_key" not in parts.query.split("&")


def test_the_test_reaches_every_connector(client: HttpClient, tmp_path: Path) -> None:
    keys = {"acl": "P18-1001", "iclr": "abcdEF", "pmc": "PMC1", "pmid": "1", "doi": "10.1000/x", "arxiv": "2101.00001"}
    paper = Paper(PaperId("s2:1"), "A paper", aliases=tuple(PaperId(f"{each}:{keys[each]}") for each in keys))
    wrote = set()
    with pytest.MonkeyPatch.context() as patch:
        own = RecordingClient("PMC1", client)
        patch.setattr(downloads, "download", own.downloaded)
        for route in routes(own):  # type: ignore[arg-type]
            assert route.serves(paper)
            try:
                run(route.fetch(paper, tmp_path))
            except errors.SourceError:
                continue
            wrote.add(route.name)
    # The page of arXiv and the listing of the cloud are richer than what is answered here.
    assert len(wrote) >= len(routes(client)) - 2


@given(key=KEYS)
def test_a_key_stays_in_its_place_of_an_address(key: str) -> None:
    for made in (quote_path(key), quote_segment(key)):
        parts = urlsplit(str(httpx.URL(f"https://host.example/base/{made}")))
        assert parts.path.startswith("/base/")
        assert not {".", ".."} & set(parts.path.split("/"))
        assert (parts.netloc, parts.query, parts.fragment) == ("host.example", "", "")
    assert "/" not in quote_segment(key)
    if key.isprintable():
        assert unquote(quote_segment(key)) == key


@given(key=KEYS)
def test_a_file_is_named_by_a_hash(key: str) -> None:
    folder = Path("/somewhere/of/ours")
    path = hashed_file(folder, key, ".pdf")
    assert path.parent == folder
    assert path.name.removesuffix(".pdf").isalnum()
    assert recognize_id(path.name.removesuffix(".pdf")) is None


@given(scheme=st.sampled_from(["acl", "iclr", "pmc", "pmid", "s2"]), key=KEYS)
def test_ids_are_checked_where_they_come_in(scheme: str, key: str) -> None:
    for made in (make_id(scheme, key), recognize_id(f"{scheme}:{key}")):
        if made is not None and scheme_of(made) == scheme:
            bare = made.partition(":")[2]
            assert bare.isascii()
            assert not set("/\\ \0\n%?#&") & set(bare)
            assert not bare.startswith(".")
            assert ".." not in bare


@pytest.mark.parametrize(
    "written",
    (
        "acl:P18-1001 acl:2020.acl-main.12 iclr:rJ4km2R5t7 pmc:PMC7029759 pmid:123 s2:12 arxiv:2101.00001"
        " arxiv:cs/0101001 doi:10.1002/(sici)1097-4571(199009)41:6<391::aid-asi1>3.0.co;2-9"
    ).split(),
)
def test_true_ids_stay_as_they_are(written: str) -> None:
    assert recognize_id(written) == written
