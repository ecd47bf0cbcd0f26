"""Services asked for the entries that the library does not have: by id where there is one, else by title."""

from __future__ import annotations

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
from litterm.model.paper import Paper
from litterm.text.references.identity import paper_ids, scheme_of

if TYPE_CHECKING:
    from litterm.services.registry import ServiceRegistry

_LOOKUP_SCHEMES: Final = ("doi", "arxiv", "pmid", "pmc", "acl")
_FINDERS: Final = ("dblp", "s2", "openalex", "crossref", "arxiv")
"""Asked by title, in this order, until one has the work."""
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
        failures: dict[str, list[str]] = {}
        absent = [item for item in checked if item.record is None]
        completed: dict[int, CheckedEntry] = {}
        for number, item in enumerate(absent):
            yield Progress("services", number, len(absent))
            completed[id(item)] = yield from _ask(registry, item, failures)
        notices = tuple(f"{name}: {reasons[0]}" for name, reasons in failures.items())
        return tuple(completed.get(id(item), item) for item in checked), notices


def _ask(registry: ServiceRegistry, item: CheckedEntry, failures: dict[str, list[str]]) -> Task[CheckedEntry]:
    """The outcome from the first service that has the work; `item` as it is where none has."""
    stated = [one for one in paper_ids(item.entry.paper) if scheme_of(one) in _LOOKUP_SCHEMES]
    for paper_id in stated:
        for lookup in registry.lookups:
            if scheme_of(paper_id) not in lookup.schemes or _is_given_up(failures, lookup.name):
                continue
            try:
                (answer,) = yield from lookup.lookup([paper_id])
            except SourceError as error:
                failures.setdefault(lookup.name, []).append(str(error))
                continue
            if isinstance(answer, Parsed):
                outcome = _outcome(item, [answer.paper], lookup.name)
                if outcome is not None:
                    return outcome
                break
    for name in _FINDERS:
        finder = registry.finders.get(name)
        if finder is None or not item.entry.paper.title or _is_given_up(failures, finder.name):
            continue
        try:
            found = yield from finder.find(item.entry.paper.title, limit=_MAX_RESULTS)
        except SourceError as error:
            failures.setdefault(finder.name, []).append(str(error))
            continue
        outcome = _outcome(item, [answer.paper for answer in found], finder.name)
        if outcome is not None:
            return outcome
    return item


def _is_given_up(failures: dict[str, list[str]], name: str) -> bool:
    return len(failures.get(name, ())) >= _MAX_FAILURES


def _outcome(item: CheckedEntry, papers: Sequence[Paper], source: str) -> CheckedEntry | None:
    matches = [match for paper in papers if (match := match_of(item.entry, paper, _NO_VENUES)) is not None]
    if not matches:
        return None
    best = min(matches, key=lambda match: match.rank)
    others = [match.record for match in matches if match is not best]
    return outcome_of(item.entry, best.record, best.anchors, best.differences, others=others, source=source)


_NO_VENUES: Final = KnownVenues()
