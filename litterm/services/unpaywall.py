"""Unpaywall: the address of an open copy, by DOI. It requires an e-mail address.

Its documentation: https://unpaywall.org/products/api.
"""

from __future__ import annotations

from pathlib import Path

from litterm.core.errors import AuthRequired, NotFound, NotOpen, RequestFaulty
from litterm.core.tasks import Task
from litterm.model.paper import Paper
from litterm.model.services import OpenText
from litterm.services.http.client import HttpClient
from litterm.services.http.download import open_pdf
from litterm.services.http.messages import Request, ServiceResponse, quote_segment
from litterm.services.json_access import Record, record, records, require_fields, text
from litterm.text.references.identity import key_in

NAME = "unpaywall"
BASE = "https://api.unpaywall.org/v2"
_HOST = "api.unpaywall.org"


def _day(location: Record) -> str:
    return text(location.get("oa_date"))[:10]


class Unpaywall:
    """Fits `TextRoute`."""

    name = NAME

    def __init__(self, client: HttpClient, email: str, *, base: str = BASE) -> None:
        """Without an `email` it serves nothing."""
        self._client = client
        self._email = email
        self._base = base

    def serves(self, paper: Paper) -> bool:
        """Whether there is a DOI to ask for, and an address to ask with."""
        return bool(self._email and key_in(paper, "doi"))

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The first open copy that is a PDF.

        Raises:
            NotOpen: there is none.
        """
        fields = yield from self.record_of(key_in(paper, "doi"))
        stated = (record(fields.get("best_oa_location")), *records(fields.get("oa_locations")))
        # The best copy may be a landing page: then another has the PDF.
        copies = [location for location in stated if location]
        copy = next((location for location in copies if text(location.get("url_for_pdf"))), None)
        if copy is None:
            held_back = records(fields.get("oa_locations_embargoed"))
            later = next((day for location in held_back if (day := _day(location))), "")
            raise NotOpen(f"Unpaywall knows of no open PDF of it{f' before {later}' if later else ''}.")
        url, licence, version = (text(copy.get(name)) for name in ("url_for_pdf", "license", "version"))
        return (yield from open_pdf(self._client, url, folder / "unpaywall.pdf", licence=licence, version=version))

    def record_of(self, doi: str) -> Task[Record]:
        """The record of a DOI."""
        if not doi:
            raise NotFound("The paper has no DOI to ask Unpaywall for.")
        request = Request(f"{self._base}/{quote_segment(doi)}", secret_params=(("email", self._email),))
        try:
            return _fitting((yield from self._client.get(request, _fitting)))
        except RequestFaulty as error:
            if error.status != 422:
                raise
            text_ = "Unpaywall does not accept this e-mail address; set `contact` to one of your own."
            raise AuthRequired(text_, status=422) from error


def _fitting(answer: ServiceResponse) -> Record:
    return require_fields(answer, _HOST, "is_oa", "best_oa_location", "oa_locations", "doi")
