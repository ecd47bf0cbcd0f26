"""PMC's converter: DOI, PMID, PMC id and manuscript number of one article, each from another.

Its documentation: https://pmc.ncbi.nlm.nih.gov/tools/id-converter-api/.
"""

from __future__ import annotations

from collections.abc import Sequence

from litterm.core.errors import RequestFaulty, SourceError
from litterm.core.tasks import Task
from litterm.interfaces.services import IdLookup
from litterm.model.events import Notice
from litterm.model.library import Parsed
from litterm.model.paper import PaperId
from litterm.model.services import ArticleIds
from litterm.services.http.client import HttpClient
from litterm.services.http.messages import Request, ServiceResponse
from litterm.services.json_access import Record, decode_json, record, records, require_fields, text
from litterm.text.references.identity import make_id, paper_ids, scheme_of

BASE = "https://pmc.ncbi.nlm.nih.gov/tools/idconv/api/v1/articles/"
_HOST = "pmc.ncbi.nlm.nih.gov"
_ID_TYPES = {"doi": "doi", "pmid": "pmid", "pmc": "pmcid", "mid": "mid"}
"""The service's name for each scheme; one request holds ids of one kind."""
_RETURNED_SCHEMES = {"pmid": "pmid", "pmcid": "pmc", "doi": "doi"}
_BATCH_SIZE = 200


class PmcIdConverter:
    """Ids of one article, each from another, as PubMed Central knows them."""

    def __init__(self, client: HttpClient, instead: IdLookup, *, base: str = BASE) -> None:
        """`instead` is asked where the converter cannot be: it lives on a host that checks for browsers at times."""
        self._client = client
        self._instead = instead
        self._base = base

    def convert(self, ids: Sequence[PaperId]) -> Task[tuple[ArticleIds, ...]]:
        """One result an id, in order; ids of other schemes have no siblings here."""
        converted: dict[PaperId, ArticleIds] = {}
        for scheme, kind in _ID_TYPES.items():
            # Mixed kinds in one request are refused.
            scheme_ids = [paper_id for paper_id in dict.fromkeys(ids) if scheme_of(paper_id) == scheme]
            for start in range(0, len(scheme_ids), _BATCH_SIZE):
                batch_ids = scheme_ids[start : start + _BATCH_SIZE]
                try:
                    converted |= yield from self._convert_batch(kind, batch_ids)
                except SourceError as error:
                    # Manuscript numbers: no other service knows them.
                    if scheme not in self._instead.schemes:
                        raise
                    yield Notice(str(error))
                    converted |= yield from self._look_up(batch_ids)
        return tuple(converted.get(paper_id, ArticleIds()) for paper_id in ids)

    def _look_up(self, ids: Sequence[PaperId]) -> Task[dict[PaperId, ArticleIds]]:
        """The contents of their records, which say nothing of an embargo."""
        results = yield from self._instead.lookup(ids)
        found_items = (
            (paper_id, item) for paper_id, item in zip(ids, results, strict=True) if isinstance(item, Parsed)
        )
        return {
            paper_id: ArticleIds(tuple(alias for alias in paper_ids(item.paper) if _is_here(alias)))
            for paper_id, item in found_items
        }

    def _convert_batch(self, kind: str, ids: Sequence[PaperId]) -> Task[dict[PaperId, ArticleIds]]:
        keys = [paper_id.partition(":")[2] for paper_id in ids]
        params = (("ids", ",".join(keys)), ("idtype", kind), ("format", "json"), ("tool", "litterm"))
        contact = self._client.settings.contact
        secret = (("email", contact),) if contact else ()
        answer = yield from self._client.get(Request(self._base, params, secret_params=secret), _check)
        rows = {
            text(row.get("requested-id")).casefold(): row
            for row in records(record(decode_json(answer, _HOST)).get("records"))
        }
        return {paper_id: _siblings(rows.get(key.casefold(), {})) for paper_id, key in zip(ids, keys, strict=True)}


def _is_here(paper_id: PaperId) -> bool:
    return scheme_of(paper_id) in _RETURNED_SCHEMES.values()


def _check(answer: ServiceResponse) -> None:
    fields = require_fields(answer, _HOST, "records", "status")
    if text(fields.get("status")) == "error":
        raise RequestFaulty(f"PMC's converter reports an error inside its answer: {text(fields.get('message'))[:160]}")


def _siblings(row: Record) -> ArticleIds:
    """Flags come as words or as truth values, numbers as text or as numbers."""
    if not row or text(row.get("status")) == "error":
        return ArticleIds()
    ids = (make_id(scheme, text(row.get(name))) for name, scheme in _RETURNED_SCHEMES.items())
    live = row.get("live")
    waiting = live is False or (isinstance(live, str) and live.lower() == "false")
    return ArticleIds(
        tuple(paper_id for paper_id in ids if paper_id is not None), text(row.get("release-date")) if waiting else ""
    )
