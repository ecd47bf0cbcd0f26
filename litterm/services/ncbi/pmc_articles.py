"""One article of PubMed Central by its number, as JATS or PDF.

PMC Cloud has open articles with licence and checksum, BioC those of which nothing else is open, and the harvest
interface is asked where both fail. Documentation: https://pmc.ncbi.nlm.nih.gov/tools/pmcaws/. Article pages of the PMC
web site are never fetched: that is not allowed. The harvest's walk through everything that is open is not used: ten
articles a page and no query are no way to a library of one's own; `services.ncbi.pmc` walks through what matches one.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput, Malformed, NotFound, NotOpen, RequestFaulty, SourceError
from litterm.core.tasks import Task
from litterm.importers.xml.tree import parse_tree, strip_namespaces
from litterm.model.paper import Paper
from litterm.model.services import OpenText, TextKind
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import (
    MEGABYTE,
    TEXT_TIMEOUT_S,
    Request,
    ServiceResponse,
    hashed_file,
    quote_path,
    quote_segment,
)
from litterm.services.json_access import decode_json, integer, record, text
from litterm.services.ncbi.entrez import ARTICLE, BODY
from litterm.text.references.identity import key_in

CLOUD = "https://pmc-oa-opendata.s3.amazonaws.com"
BIOC = "https://www.ncbi.nlm.nih.gov/research/bionlp/RESTful/pmcoa.cgi"
_HOST = "pmc-oa-opendata.s3.amazonaws.com"
_MAX_FILE_BYTES = 200 * MEGABYTE
_NUMBER = re.compile(r"PMC\d{1,9}")
BASE = "https://pmc.ncbi.nlm.nih.gov/api/oai/v1/mh/"
_MAX_ANSWER_BYTES = 64 * MEGABYTE
_MISSING_CODES = frozenset(("idDoesNotExist", "noRecordsMatch"))
_NOT_OPEN_CODE = "cannotDisseminateFormat"
"""The error for an article of which only the front matter is open."""


@dataclass(frozen=True, slots=True)
class _Version:
    number: int
    manuscript: bool
    scanned: bool
    retracted: bool
    licence: str
    xml: str
    pdf: str


class PmcCloud:
    """Fits `TextRoute`."""

    name = "pmc-cloud"

    def __init__(self, client: HttpClient, *, base: str = CLOUD) -> None:
        self._client = client
        self._base = base

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` is in PMC."""
        return bool(_pmc(paper))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The version of record before a manuscript, the newest first; JATS before PDF.

        Raises:
            NotOpen: it is not in the open data set.
        """
        number = _pmc(paper)
        best = yield from self._best_version(number)
        if best.xml and not best.scanned:
            return (yield from self._file(best.xml, hashed_file(folder, number, ".xml"), "jats", best))
        if best.pdf:
            return (yield from self._file(best.pdf, hashed_file(folder, number, ".pdf"), "pdf", best))
        raise NotOpen(f"PMC Cloud holds no text of {number}.")

    def _best_version(self, number: str) -> Task[_Version]:
        names = yield from self._versions(number)
        versions = []
        for name in names:
            try:
                versions.append((yield from self._describe(name)))
            except SourceError as error:
                if error.transient:
                    raise
        if not versions:
            raise NotOpen(f"{number or 'The paper'} is not in PMC's open data set.")
        # A higher number need not be the better text: it may be the author's manuscript.
        return min(versions, key=lambda version: (version.manuscript, version.scanned, -version.number))

    def _versions(self, number: str) -> Task[tuple[str, ...]]:
        if not number:
            raise NotFound("The paper has no PMC id.")
        # With the dot: PMC702 is the beginning of other numbers as well.
        params = (("list-type", "2"), ("delimiter", "/"), ("prefix", f"{number}."))
        answer = yield from self._client.get(Request(f"{self._base}/", params, expect="xml"), _listing)
        names = (prefix.text or "" for prefix in _listing(answer).iterfind("CommonPrefixes/Prefix"))
        return tuple(name.strip("/") for name in names if name)

    def _describe(self, name: str) -> Task[_Version]:
        answer = yield from self._client.get(Request(f"{self._base}/metadata/{quote_path(name)}.json"))
        fields = record(decode_json(answer, _HOST))
        return _Version(
            integer(fields.get("version")) or 0,
            fields.get("is_manuscript") is True,
            fields.get("is_historical_ocr") is True,
            fields.get("is_retracted") is True,
            text(fields.get("license_code")),
            text(fields.get("xml_url")),
            text(fields.get("pdf_url")),
        )

    def _file(self, address: str, path: Path, kind: TextKind, version: _Version) -> Task[OpenText]:
        parts = urlsplit(address)
        request = Request(
            f"{self._base}{parts.path}",
            expect="xml" if kind == "jats" else "pdf",
            read_s=TEXT_TIMEOUT_S,
            most_bytes=_MAX_FILE_BYTES,
            keep=False,
        )
        checksum = parse_qs(parts.query).get("md5", [""])[0].lower()

        def check(answer: ServiceResponse) -> None:
            # Against accidents on the way and not against people: MD5 is good enough for that.
            if checksum and hashlib.md5(answer.body, usedforsecurity=False).hexdigest() != checksum:
                raise Malformed("PMC Cloud sent a file whose checksum is not the promised one.")

        answer = yield from self._client.get(request, check)
        path.write_bytes(answer.body)
        stage = "accepted" if version.manuscript else "published"
        return OpenText(path, kind, answer.url, version.licence, stage, version.retracted)


class BiocPmc:
    """Open articles cut into passages; formulas and tables suffer, so it comes last. Fits `TextRoute`."""

    name = "bioc"

    def __init__(self, client: HttpClient, *, base: str = BIOC) -> None:
        self._client = client
        self._base = base

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has a PMC or PubMed id."""
        return bool(_pmc(paper) or key_in(paper, "pmid"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The article as BioC JSON.

        Raises:
            NotOpen: it is not among the open ones.
        """
        number = _pmc(paper) or key_in(paper, "pmid")
        if not number:
            raise NotFound(f"{paper.id} has no PMC or PubMed id.")
        url = f"{self._base}/BioC_json/{quote_segment(number)}/unicode"
        answer = yield from self._client.get(
            Request(url, expect="any", read_s=TEXT_TIMEOUT_S, most_bytes=_MAX_FILE_BYTES), _check_refusal
        )
        path = hashed_file(folder, number, ".bioc.json")
        path.write_bytes(answer.body)
        return OpenText(path, "bioc", answer.url)


def _listing(answer: ServiceResponse) -> Element:
    try:
        root = parse_tree(answer.body)
    except BadInput as error:
        raise Malformed("PMC Cloud answered with XML that cannot be read.") from error
    strip_namespaces(root)
    if root.tag != "ListBucketResult":
        raise Malformed("PMC Cloud did not answer with a list of files.")
    return root


def _check_refusal(answer: ServiceResponse) -> None:
    start = answer.body[:400].lstrip()
    # Said with status 200.
    if start.startswith(b"[Error]") or b"No result can be found" in start:
        raise NotOpen("The article is not among the open ones of BioC.")
    if not start.startswith((b"[{", b"{", b"[ {", b"[\n")):
        raise Malformed("BioC did not answer with an article.")


def _pmc(paper: Paper) -> str:
    key = key_in(paper, "pmc")
    return key if _NUMBER.fullmatch(key) else ""


class PmcOai:
    """Fits `TextRoute`."""

    name = "pmc-oai"

    def __init__(self, client: HttpClient, *, base: str = BASE) -> None:
        self._client = client
        self._base = base

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` is in PMC."""
        return bool(key_in(paper, "pmc"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The article as JATS, in the envelope of the harvest.

        Raises:
            NotOpen: its text is not open.
            NotFound: there is none.
        """
        number = key_in(paper, "pmc").removeprefix("PMC")
        if not number:
            raise NotFound(f"{paper.id} has no PMC id.")
        # The number alone: with its letters no article is found.
        identifier = ("identifier", f"oai:pubmedcentral.nih.gov:{number}")
        params = (("verb", "GetRecord"), identifier, ("metadataPrefix", "pmc"))
        request = Request(
            self._base, params, expect="xml", read_s=TEXT_TIMEOUT_S, most_bytes=_MAX_ANSWER_BYTES, keep=False
        )
        answer = yield from self._client.get(request, _check)
        if not BODY.search(answer.body):
            raise NotOpen(f"The publisher of PMC{number} does not allow its text to be fetched.")
        path = hashed_file(folder, number, ".oai.xml")
        path.write_bytes(answer.body)
        return OpenText(path, "jats", answer.url)


def _check(answer: ServiceResponse) -> None:
    """Errors come with status 200."""
    if ARTICLE.search(answer.body):
        return
    try:
        root = parse_tree(answer.body)
    except BadInput as error:
        raise Malformed("PMC's harvest interface answered with XML that cannot be read.") from error
    strip_namespaces(root)
    element = next(root.iter("error"), None)
    if element is None:
        raise Malformed("PMC's harvest interface answered without an article.")
    code, message = element.get("code", ""), " ".join((element.text or "").split())[:160]
    if code in _MISSING_CODES:
        raise NotFound(f"PMC has no such article: {message or code}")
    if code == _NOT_OPEN_CODE:
        raise NotOpen(f"PMC may not give its text: {message or code}")
    raise RequestFaulty(f"PMC's harvest interface does not accept this request: {message or code}")
