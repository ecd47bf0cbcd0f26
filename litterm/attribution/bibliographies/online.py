"""Services asked for the entries that the library does not have: by id where there is one, else by title."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from litterm.attribution.bibliographies.check import match_of, outcome_of
from litterm.attribution.bibliographies.coverage import KnownVenues
from litterm.core.errors import SourceError
from litterm.core.tasks import Task
from litterm.model.attribution.bibliography import CheckedEntry
from litterm.model.events import Progress
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.services import service_name
from litterm.text.references.identity import paper_ids, scheme_of

if TYPE_CHECKING:
    from litterm.interfaces.services import Finder
    from litterm.services.registry import ServiceRegistry

_LOOKUP_SCHEMES: Final = ("doi", "arxiv", "pmid", "pmc", "acl")
_MAX_RESULTS: Final = 5
_MAX_FAILURES: Final = 3
"""Requests that may fail before a service is left alone for this check."""


@dataclass(frozen=True, slots=True)
class OnlineRecords:
    """Records of services; what they answer is cached by their client, and nothing is stored in the library."""

    registry: Callable[[], ServiceRegistry]

    def complete(self, checked: Sequence[CheckedEntry]) -> Task[tuple[tuple[CheckedEntry, ...], tuple[str, ...]]]:
        """`checked`, those without a record held against what services know; and what could not be asked.

        Raises:
            Offline: the network is switched off.
        """
        registry = self.registry()
        registry.refuse_offline("services")
        asked = _Services(registry)
        absent = [item for item in checked if item.record is None]
        completed: dict[int, CheckedEntry] = {}
        for number, item in enumerate(absent):
            yield Progress("services", number, len(absent))
            completed[id(item)] = (yield from asked.ask(item)) or item
        return tuple(completed.get(id(item), item) for item in checked), asked.notices()


class _Services:
    """The services of one check; one that fails again and again is left alone."""

    def __init__(self, registry: ServiceRegistry) -> None:
        self._registry = registry
        self._failures: dict[str, list[str]] = defaultdict(list)

    def ask(self, item: CheckedEntry) -> Task[CheckedEntry | None]:
        """The outcome from the first service that has the work, by id and then by title; `None` where none has."""
        for paper_id in paper_ids(item.entry.paper):
            if scheme_of(paper_id) in _LOOKUP_SCHEMES:
                outcome = yield from self._ask_by_id(item, paper_id)
                if outcome is not None:
                    return outcome
        for finder in self._registry.bibliographies if item.entry.paper.title else ():
            outcome = yield from self._ask_by_title(item, finder)
            if outcome is not None:
                return outcome
        return None

    def notices(self) -> tuple[str, ...]:
        """What could not be asked, a sentence a service."""
        return tuple(reasons[0] for reasons in self._failures.values() if reasons)

    def _ask_by_id(self, item: CheckedEntry, paper_id: PaperId) -> Task[CheckedEntry | None]:
        for lookup in self._registry.lookups:
            if scheme_of(paper_id) not in lookup.schemes or self._is_given_up(lookup.name):
                continue
            try:
                (answer,) = yield from lookup.lookup([paper_id])
            except SourceError as error:
                self._failures[lookup.name].append(str(error))
                continue
            if isinstance(answer, Parsed):
                return _outcome(item, [answer.paper], lookup.name)
        return None

    def _ask_by_title(self, item: CheckedEntry, finder: Finder) -> Task[CheckedEntry | None]:
        if self._is_given_up(finder.name):
            return None
        try:
            found = yield from finder.find(item.entry.paper.title, limit=_MAX_RESULTS)
        except SourceError as error:
            self._failures[finder.name].append(str(error))
            return None
        return _outcome(item, [answer.paper for answer in found], finder.name)

    def _is_given_up(self, name: str) -> bool:
        return len(self._failures[name]) >= _MAX_FAILURES


def _outcome(item: CheckedEntry, papers: Sequence[Paper], source: str) -> CheckedEntry | None:
    matches = [match for paper in papers if (match := match_of(item.entry, paper, _NO_VENUES)) is not None]
    if not matches:
        return None
    best = min(matches, key=lambda match: match.rank)
    others = [match.record for match in matches if match is not best]
    return outcome_of(
        item.entry, best.record, best.anchors, best.differences, others=others, source=service_name(source)
    )


_NO_VENUES: Final = KnownVenues()
