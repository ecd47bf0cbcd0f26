"""Records of PubMed Central by number, as its articles state them: with their text where that is open."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.core.errors import BadInput, Malformed, NotFound
from litterm.core.tasks import Task
from litterm.importers.byte_sources import memory_content
from litterm.importers.jats.article import read_jats
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId
from litterm.services.ncbi.entrez import Entrez
from litterm.text.references.identity import paper_ids

_AT_ONCE = 25
"""Articles of one request: about 5 MB."""


class PmcRecords:
    """Fits `IdLookup`."""

    name = "pmc"
    schemes = ("pmc",)

    def __init__(self, entrez: Entrez) -> None:
        self._entrez = entrez

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order; articles come back in another order, and some not at all."""
        records: dict[PaperId, Parsed] = {}
        for start in range(0, len(ids), _AT_ONCE):
            numbers = [paper_id.partition(":")[2].removeprefix("PMC") for paper_id in ids[start : start + _AT_ONCE]]
            try:
                answer = yield from self._entrez.fetch("pmc", numbers, keep=False)
                items = tuple(read_jats(memory_content(answer.url, answer.body)))
            except NotFound:
                continue
            except BadInput as error:
                if "no article" in str(error):
                    continue
                raise Malformed(f"PubMed Central answered with XML that cannot be read: {error}") from error
            for item in items:
                if isinstance(item, Parsed):
                    records |= dict.fromkeys(paper_ids(item.paper), item)
        return tuple(records.get(paper_id) or Failure(paper_id, "PubMed Central does not have it.") for paper_id in ids)
