"""Everything that asks services of papers: search, synchronise, fetch full texts, look up titles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import NotFound, Offline, SourceError, UsageError
from litterm.core.tasks import Task
from litterm.importers.file_walk import LEADS_OUT_MESSAGE
from litterm.interfaces import Records
from litterm.library.import_files import add, failed_file, take_all
from litterm.library.state.failures import id_of, is_from_file, mark_resolved
from litterm.model.citations.graph import Direction, ExternalList
from litterm.model.events import Notice
from litterm.model.library import Failure, ImportReport, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.services import FetchResult, NetworkState, RetryReport, Scope, Subscription, SyncReport
from litterm.services.add_by_id import is_id, obtain
from litterm.services.full_text import fetch
from litterm.services.sync import PaperSink, sync
from litterm.text.references.identity import paper_ids, scheme_of, title_key

if TYPE_CHECKING:
    from litterm.services.model_hub import ModelHub
    from litterm.services.registry import ServiceRegistry

_SYNCED_WHOLE = ("acl", "iclr")
"""Catalogues small enough to be fetched completely."""


class OnlineServices:
    """Requests to services, opened when first needed, and the library that they fill; nothing is connected before."""

    def __init__(
        self, services: Callable[[], ServiceRegistry], sink: Callable[[], PaperSink], records: Callable[[], Records]
    ) -> None:
        self._services = services
        self._registry: ServiceRegistry | None = None
        self._sink = sink
        self._records = records

    @property
    def network(self) -> NetworkState:
        """The outcome of the last request to any service; opens no connection."""
        return self._registry.network if self._registry is not None else NetworkState()

    def open_registry(self) -> ServiceRegistry:
        """The services themselves; connects to nothing."""
        if self._registry is None:
            self._registry = self._services()
        return self._registry

    @property
    def model_hub(self) -> ModelHub:
        """Where encoders are downloaded from; connects to nothing."""
        return self.open_registry().model_hub

    def held_papers(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers of the user's library with this id or alias; makes no request."""
        return self._records().find(keys)

    def named_papers(self, words: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per word, the papers of the user's library with this id or alias, else with this citation key."""
        from litterm.services.add_by_id import is_id

        held = self.held_papers(words)
        # What is an id is fetched, and is no key of a bibliography.
        keys = [word for word, ids in zip(words, held, strict=True) if not ids and not is_id(word)]
        by_key = dict(zip(keys, self._records().find_by_citation_key(keys), strict=True)) if keys else {}
        return tuple(ids or by_key.get(word, ()) for word, ids in zip(words, held, strict=True))

    def subscriptions(self) -> tuple[Subscription, ...]:
        """All subscriptions with their progress."""
        return self._sink().subscriptions.all()

    def unsubscribe(self, subscription: Subscription) -> bool:
        """Synchronises it no more; its papers stay. Whether there was such a subscription.

        Raises:
            LibraryError: it is being synchronised.
        """
        return self._sink().subscriptions.forget(subscription.source, subscription.scope)

    def sync(self, name: str, scope: Scope) -> Task[SyncReport]:
        """Imports everything of `scope` that is not in the library yet; `sync_all` includes it from now on.

        What failed of this source before, for a reason that may have passed, is tried again.

        Raises:
            UsageError: there is no such catalogue, or it needs a query.
            Offline: the network is switched off.
        """
        failed = [origin for origin, scheme in self._transient_failures() if scheme == name]
        report = yield from self._sync(name, scope)
        if not report.trouble:
            yield from self._retry_failures(failed)
        return report

    def sync_all(self) -> Task[tuple[SyncReport, ...]]:
        """Every subscription once more; trouble of one leaves the others going.

        Whatever failed before for a reason that may have passed is tried again.

        Raises:
            UsageError: nothing is subscribed.
            Offline: the network is switched off.
        """
        self.open_registry().refuse_offline("whatever is subscribed")
        reports: list[SyncReport] = []
        if not (subscribed := self.subscriptions()):
            raise UsageError("Nothing is subscribed yet; try `litterm sync acl` or `litterm sync arxiv QUERY`.")
        # Before the synchronisation: what fails during it is not tried twice.
        failed = [origin for origin, _ in self._transient_failures()]
        for subscription in subscribed:
            yield Notice(f"{subscription.source} {subscription.scope.query}".strip())
            reports.append((yield from self._sync(subscription.source, subscription.scope)))
        yield from self._retry_failures(failed)
        return tuple(reports)

    def _sync(self, name: str, scope: Scope) -> Task[SyncReport]:
        catalogues = self.open_registry().catalogues
        if name not in catalogues:
            raise UsageError(f"There is no source “{name}”; there are {', '.join(catalogues)}.")
        if not scope.query and name not in _SYNCED_WHOLE:
            raise UsageError(f"Say what to look for: `litterm sync {name} QUERY`.")
        # Before anything else is reported or looked up: part of the answer may still be in the cache.
        self.open_registry().refuse_offline(name)
        return (yield from sync(self._sink(), catalogues[name], scope))

    def _transient_failures(self) -> list[tuple[str, str]]:
        """Origin and scheme of every paper that failed for a reason that may have passed."""
        failed = (failure.origin for failure in self._sink().failures.all() if failure.transient)
        return [(origin, scheme_of(known)) for origin in failed if (known := id_of(origin)) is not None]

    def _retry_failures(self, origins: Sequence[str]) -> Task[None]:
        mark_resolved(self._sink().failures, self._records())
        failed_origins = {item.origin for item in self._sink().failures.all()}
        if to_retry := [origin for origin in origins if origin in failed_origins]:
            results = (yield from self.retry(to_retry)).obtained
            good = sum(item.outcome in ("full text", "abstract only") for item in results)
            yield Notice(f"{len(to_retry):,} that had failed were retried; {good:,} came.")

    def fetch(self, ids: Sequence[PaperId]) -> Task[tuple[FetchResult, ...]]:
        """The full texts of papers of the library, by the first legal way that leads to each; one result a paper.

        Raises:
            UnknownPaper: one of them is not in the library.
            Offline: the network is switched off.
        """
        from litterm.services.full_text import fetch

        return (yield from fetch(self._sink(), self._records(), self.open_registry(), ids))

    def obtain(self, words: Sequence[str]) -> Task[tuple[FetchResult, ...]]:
        """Adds the records of ids and addresses to the library; one result a word.

        Raises:
            Offline: the network is switched off, and something has to be asked for.
        """
        from litterm.services.add_by_id import obtain

        return (yield from obtain(self._sink(), self._records(), self.open_registry(), words))

    def bring(self, words: Sequence[str]) -> Task[tuple[FetchResult, ...]]:
        """The full texts of papers by id or address; those that are not in the library are looked up first.

        Raises:
            Offline: the network is switched off.
        """
        stored = [ids[0] if len(ids) == 1 else None for ids in self.named_papers(words)]
        missing = [word for word, paper_id in zip(words, stored, strict=True) if paper_id is None]
        looked_up = (yield from self.obtain(missing)) if missing else ()
        new_ids = {item.asked: item.paper_id for item in looked_up}
        ids = [item or new_ids[word] for word, item in zip(words, stored, strict=True)]
        to_fetch = tuple(dict.fromkeys(item for item in ids if item is not None))
        fetched = (yield from self.fetch(to_fetch)) if to_fetch else ()
        return (*(item for item in looked_up if item.paper_id is None), *fetched)

    def retry(self, only: Collection[str] = ()) -> Task[RetryReport]:
        """Another try at everything that failed, or with `only` at these origins: files, ids, full texts.

        Raises:
            Offline: everything that failed has to be asked for, and the network is switched off.
        """
        return (yield from _retry_failures(self._sink(), self._records(), self.open_registry, only))

    def find(self, name: str, query: str, *, limit: int = 20) -> Task[tuple[Parsed, ...]]:
        """Live search in the service `name`; nothing is stored.

        Raises:
            UsageError: no such service can be searched.
            SourceError: it could not be asked.
            Offline: the network is switched off.
        """
        finders = self.open_registry().finders
        if name not in finders:
            raise UsageError(f"There is no service “{name}” to search; there are {', '.join(finders)}.")
        return (yield from finders[name].find(query, limit=limit))

    def keep(self, papers: Sequence[Parsed]) -> Task[ImportReport]:
        """Papers of a live search into the library."""
        sink = self._sink()
        return (yield from take_all(sink.writer(), sink.failures, iter(tuple(papers))))

    def fetch_list(self, paper: Paper, direction: Direction, *, limit: int = 500) -> Task[ExternalList]:
        """What `paper` cites, or what cites it, from the first service that knows; for `Citations.store_list`.

        Raises:
            NotFound: no service knows.
            SourceError: none could be asked.
            Offline: the network is switched off.
        """
        trouble: SourceError = NotFound(f"No service is known to list the {direction} of {paper.id}.")
        for lister in self.open_registry().listers:
            if not lister.serves(paper):
                continue
            try:
                works = yield from lister.list_works(paper, direction, limit=limit)
            except SourceError as error:
                # What may pass is worth telling before what will not.
                trouble = trouble if trouble.transient else error
                yield Notice(str(error))
            else:
                if works.works:
                    return works
        raise trouble


_SERVICE_NAMES = ("s2", "openalex")
"""Asked in this order."""
_MAX_RESULTS = 5
"""Of what a service finds for a title."""


@dataclass(frozen=True, slots=True)
class TitleLookupOnline:
    """Asks services for exactly one title at a time."""

    services: Callable[[], OnlineServices]
    records: Records

    def find(self, title: str, until: int | None) -> Task[Paper | None]:
        """The paper with this title, from `until` or earlier, added to the library; `None` if no service has it."""
        for name in _SERVICE_NAMES:
            try:
                results = yield from self.services().find(name, title, limit=_MAX_RESULTS)
            except Offline:
                return None
            except SourceError as error:
                yield Notice(str(error))
                continue
            # Services find something for any title; one that a model made up must lead to nothing.
            same_titles = [result for result in results if title_key(result.paper.title) == title_key(title)]
            fitting = [result for result in same_titles if until is None or 0 < (result.paper.year or 0) <= until]
            if fitting:
                # Stored before it is returned: the caller reads the paper from the library.
                yield from self.services().keep(fitting[:1])
                known = next(filter(None, self.records.find(paper_ids(fitting[0].paper))), ())
                return self.records.by_id(known[:1])[0] if known else None
        return None


@dataclass(slots=True)
class _RetryPlan:
    """Failures by the way in which they are tried again."""

    files: list[Path] = field(default_factory=list)
    texts: list[PaperId] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    wanted: set[str] = field(default_factory=set)
    """Those of the ids whose full text is wanted, too."""
    left: int = 0


def _retry_failures(
    sink: PaperSink, records: Records, services: Callable[[], ServiceRegistry], only: Collection[str] = ()
) -> Task[RetryReport]:
    """Another try at every failure, or with `only` at those of these origins; what is fixed leaves the list.

    What the library holds by now leaves it first. Failures inside a file of a service, which is gone, are left to the
    next synchronisation.

    Raises:
        Offline: everything that failed has to be asked for, and the network is switched off.
    """
    mark_resolved(sink.failures, records)
    failures = [item for item in sink.failures.all() if not only or item.origin in only]
    plan = _plan_retry(failures, records, services)
    report = ImportReport()
    if plan.files:
        report = yield from add(sink.writer(), sink.reader.with_attached_files(), sink.failures, plan.files)
    try:
        looked_up = (yield from obtain(sink, records, services(), plan.ids)) if plan.ids else ()
        looked_up_ids = [item.paper_id for item in looked_up if item.asked in plan.wanted and item.paper_id is not None]
        texts = tuple(dict.fromkeys((*plan.texts, *looked_up_ids)))
        fetched = (yield from fetch(sink, records, services(), texts)) if texts else ()
    except Offline as error:
        if not plan.files:
            raise
        yield Notice(str(error))
        return RetryReport(report, left=plan.left + len(plan.texts) + len(plan.ids))
    obtained: tuple[FetchResult, ...] = (*fetched, *(item for item in looked_up if item.paper_id not in looked_up_ids))
    return RetryReport(report, obtained, plan.left)


def _plan_retry(failures: Sequence[Failure], records: Records, services: Callable[[], ServiceRegistry]) -> _RetryPlan:
    plan, files = _RetryPlan(), dict[Path, None]()
    for failure in failures:
        origin, path = failure.origin, failed_file(failure.origin)
        if failure.cause == LEADS_OUT_MESSAGE:
            # To retry everything is not to name this one.
            plan.left += 1
        elif path is not None and path.exists():
            files[path] = None
        elif "://" not in origin and is_from_file(origin) and scheme_of(origin) in services().catalogues:
            plan.left += 1
        elif (paper_id := id_of(origin)) is not None and (stored_ids := records.find([paper_id])[0]):
            plan.texts.append(stored_ids[0])
        elif is_id(origin):
            plan.ids.append(origin)
            plan.wanted |= {origin} if failure.missing == "text" else set()
        elif path is not None:
            files[path] = None
        else:
            plan.left += 1
    plan.files = list(files)
    return plan
