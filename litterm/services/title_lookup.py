"""Looks up papers by title in services; those whose title is the same come into the library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import Offline, SourceError
from litterm.model.events import Notice
from litterm.text.references.identity import paper_ids, title_key

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Records
    from litterm.model.paper import Paper
    from litterm.services.online import OnlineServices

_SERVICES = ("s2", "openalex")
"""Asked in this order."""
_LOOKED_AT = 5
"""Of what a service finds for a title."""


@dataclass(frozen=True, slots=True)
class TitleLookupOnline:
    """Asks services for exactly one title at a time."""

    sources: Callable[[], OnlineServices]
    records: Records

    def find(self, title: str, until: int | None) -> Task[Paper | None]:
        """The paper with this title, not of a later year than `until`, now in the library; `None` if nobody has it."""
        for name in _SERVICES:
            try:
                results = yield from self.sources().find(name, title, limit=_LOOKED_AT)
            except Offline:
                return None
            except SourceError as error:
                yield Notice(str(error))
                continue
            # Services find something for any title; one that a model made up must lead to nothing.
            same = [result for result in results if title_key(result.paper.title) == title_key(title)]
            fitting = [result for result in same if until is None or 0 < (result.paper.year or 0) <= until]
            if fitting:
                # Stored before it is named: whoever asked reads the paper from the library.
                yield from self.sources().keep(fitting[:1])
                known = next(filter(None, self.records.find(paper_ids(fitting[0].paper))), ())
                return self.records.by_id(known[:1])[0] if known else None
        return None
