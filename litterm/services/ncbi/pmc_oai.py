"""PMC's harvest interface: one article by its number, where the other ways to it fail.

Its walk through everything that is open is not used: ten articles a page and no query are no way to a library of one's
own; `services.ncbi.pmc` walks through what matches one.
"""

from __future__ import annotations

from pathlib import Path

from litterm.core.errors import BadInput, Malformed, NotFound, NotOpen, RequestFaulty
from litterm.core.tasks import Task
from litterm.importers.xml.tree import parse_tree, strip_namespaces
from litterm.model.paper import Paper
from litterm.model.services import OpenText
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import MEGABYTE, TEXT_TIMEOUT_S, Request, ServiceResponse, hashed_file
from litterm.services.ncbi.entrez import ARTICLE, BODY
from litterm.text.references.identity import key_in

BASE = "https://pmc.ncbi.nlm.nih.gov/api/oai/v1/mh/"
_MAX_ANSWER_BYTES = 64 * MEGABYTE
_MISSING_CODES = frozenset(("idDoesNotExist", "noRecordsMatch"))
_NOT_OPEN_CODE = "cannotDisseminateFormat"
"""The error for an article of which only the front matter is open."""


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
