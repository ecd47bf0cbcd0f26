"""Full texts of arXiv: the page made of a paper's source, and under which licence it may be read.

Papers without a source, and most old ones, have no such page; ar5iv has many of these.
"""

from __future__ import annotations

from pathlib import Path

from litterm.core.errors import BadInput, Challenged, Malformed, NotFound, Offline, SourceError
from litterm.core.tasks import Task
from litterm.importers.xml.tree import parse_tree, strip_namespaces
from litterm.model.paper import Paper
from litterm.model.services import OpenText
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import MEGABYTE, TEXT_TIMEOUT_S, Request, ServiceResponse, hashed_file, quote_path
from litterm.text.references.identity import key_in

HTML = "https://arxiv.org/html"
AR5IV = "https://ar5iv.labs.arxiv.org/html"
OAI = "https://oaipmh.arxiv.org/oai"
_MAX_PAGE_BYTES = 32 * MEGABYTE
_PAPER_MARKER = b"ltx_document"
"""What the pages of papers have and no other page of arXiv."""
_LICENCE_MARKER = b'id="license-tr"'


class ArxivLicences:
    """The licence of a paper on arXiv, which only its OAI record states."""

    def __init__(self, client: HttpClient, *, base: str = OAI) -> None:
        self._client = client
        self._base = base

    def fetch_licence(self, number: str) -> Task[str]:
        """The licence's address for the paper's newest version; empty if unknown."""
        identifier = ("identifier", f"oai:arXiv.org:{number}")
        params = (("verb", "GetRecord"), identifier, ("metadataPrefix", "arXivRaw"))
        try:
            answer = yield from self._client.get(Request(self._base, params, expect="xml"))
            root = parse_tree(answer.body)
        except Offline:
            raise
        except (SourceError, BadInput):
            # A text without a stated licence is better than none.
            return ""
        strip_namespaces(root)
        licence = next(root.iter("license"), None)
        return (licence.text or "").strip() if licence is not None else ""


class ArxivHtml:
    """Fits `TextRoute`."""

    name = "arxiv-html"

    def __init__(self, client: HttpClient, licences: ArxivLicences, *, html: str = HTML, ar5iv: str = AR5IV) -> None:
        self._client = client
        self._licences = licences
        self._places = (html, ar5iv)

    def serves(self, paper: Paper) -> bool:
        """Whether `paper` has an arXiv id."""
        return bool(key_in(paper, "arxiv"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The page of the newest version.

        Raises:
            NotFound: there is none: the authors sent no source, or it could not be converted.
        """
        number = key_in(paper, "arxiv")
        if not number:
            raise NotFound(f"{paper.id} has no arXiv id.")
        for place in self._places:
            url = f"{place}/{quote_path(number)}"
            request = Request(url, expect="html", read_s=TEXT_TIMEOUT_S, most_bytes=_MAX_PAGE_BYTES, keep=False)
            try:
                answer = yield from self._client.get(request, _check)
            # The next place may have it: ar5iv converted most older papers.
            except (NotFound, Malformed):
                continue
            path = hashed_file(folder, number, ".html")
            path.write_bytes(answer.body)
            # Only where the page does not state it: each further request to arXiv takes three seconds.
            licence = "" if _LICENCE_MARKER in answer.body else (yield from self._licences.fetch_licence(number))
            return OpenText(path, "html", answer.url, licence, version="preprint")
        raise NotFound("arXiv has no web page of its text.")


def _check(answer: ServiceResponse) -> None:
    if _PAPER_MARKER not in answer.body:
        # A part of the network code, which is loaded by now.
        from litterm.services.http.error_mapping import is_challenge

        if is_challenge(answer.body):
            raise Challenged("arXiv currently accepts only browsers.")
        raise Malformed("arXiv answered with a page that holds no paper.")
