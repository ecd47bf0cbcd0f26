"""Synchronises (`:sync`) with collections of services, in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.model.annotations import UnfinishedJob
from litterm.model.events import Event, Notice
from litterm.model.services import CATALOGUES, Scope, Subscription, SyncReport, service_name
from litterm.render.services import subscription_title
from litterm.tui.citations.citation_counts import LANE as COUNTS
from litterm.tui.citations.citation_counts import CountsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.jobs.background_tasks import count_only
from litterm.tui.jobs.network_consent import NetworkConsent, recipient_words
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.messages import failure_counts

if TYPE_CHECKING:
    from litterm.annotations.saved_searches import SavedSearches

LANE = "sync"
_ALL_SUBSCRIPTIONS = "all"
_FOLDER = "folder"
_SOURCE_MEANINGS = {
    "acl": "the whole ACL Anthology",
    "iclr": "ICLR, from OpenReview",
    "pmc": "PubMed Central, by a query",
    "arxiv": "arXiv, by a query",
    "s2": "Semantic Scholar, by a query",
    COUNTS: "how often the papers of the library are cited",
    _FOLDER: "new and changed files of a folder, by itself the watched one",
    _ALL_SUBSCRIPTIONS: "everything you subscribed to",
}


@dataclass(frozen=True, slots=True)
class _SyncResult:
    """Reports of the synchronisations, and how many papers are new in saved searches."""

    reports: tuple[SyncReport, ...]
    new: int


class SyncController(ActionTarget):
    """Runs synchronisations in the background; a stopped one continues where it was."""

    def __init__(
        self,
        context: WorkbenchContext,
        consent: NetworkConsent,
        changed: Callable[[], None],
        counts: CountsController,
        import_folder: Callable[[str], None],
    ) -> None:
        self._context = context
        self._consent = consent
        self._on_change = changed
        self._counts = counts
        self._import_folder = import_folder
        context.queue.resumers[LANE] = self.resume

    def sync_source(self, typed: str) -> None:
        """`:sync acl`, `:sync arxiv QUERY`, `:sync folder`, `:sync all`."""
        name, _, query = typed.strip().partition(" ")
        if name == COUNTS:
            self._counts.count_shown()
            return
        if name == _FOLDER:
            self._import_folder(query.strip())
            return
        if name == _ALL_SUBSCRIPTIONS:
            self.action_all()
            return
        if self._consent.request(
            recipient_words(name), "what you look for there", retry=lambda: self.sync_source(typed)
        ):
            self._sync(name, Scope(query.strip()))

    def sync_subscription(self, subscription: Subscription) -> None:
        """Bring a subscription up to date, continuing where it stopped."""
        retry = partial(self.sync_subscription, subscription)
        if self._consent.request(recipient_words(subscription.source), "what you subscribed to", retry=retry):
            self._sync(subscription.source, subscription.scope)

    def _sync(self, name: str, scope: Scope) -> None:
        services = self._context.engine.services

        def task() -> Task[tuple[SyncReport, ...]]:
            return ((yield from services.sync(name, scope)),)

        description = f"sync {subscription_title(Subscription(name, scope))}"
        # A scope of several parts is kept by its subscription, which is listed as unfinished itself.
        saved = UnfinishedJob(LANE, description, (name, scope.query)) if scope == Scope(scope.query) else None
        self._start(description, task, saved)

    def action_all(self, *, quiet: bool = False) -> None:
        """Synchronise all subscriptions; with `quiet`, say nothing without network or subscriptions."""
        subscribed = self._context.attempt(self._context.engine.services.subscriptions) or ()
        if not subscribed:
            if not quiet:
                self._context.tell("No subscriptions yet: `:sync acl`, or `:sync arxiv QUERY`.")
            return
        recipient = ", ".join(dict.fromkeys(service_name(subscription.source) for subscription in subscribed))
        retry = None if quiet else self.action_all
        if self._consent.request(recipient, "will be sent what you subscribed to", retry=retry, quiet=quiet):
            self._start(
                "sync all",
                self._context.engine.services.sync_all,
                UnfinishedJob(LANE, "sync all", (_ALL_SUBSCRIPTIONS,)),
            )

    def at_start(self) -> None:
        """Synchronise at the start if the setting `sync_at_start` says so."""
        if self._context.settings.sync_at_start:
            self.action_all(quiet=True)

    def commands(self) -> tuple[Command, ...]:
        """The `:sync` commands."""
        names = (*(f"{name} " for name in CATALOGUES), COUNTS, _FOLDER, _ALL_SUBSCRIPTIONS)
        return (
            Command(
                "sync",
                "subscribe to a collection of a service",
                self.sync_source,
                "SOURCE [QUERY]",
                lambda: names,
                _SOURCE_MEANINGS,
            ),
            Command("sync", "update subscriptions", lambda _: self.action_all()),
        )

    def resume(self, job: UnfinishedJob) -> None:
        """Resume a synchronisation that an earlier session left unfinished."""
        self.sync_source(" ".join(job.args))

    def _start(self, what: str, task: Callable[[], Task[tuple[SyncReport, ...]]], saved: UnfinishedJob | None) -> None:
        context = self._context

        def sync_and_count() -> Task[_SyncResult]:
            reports = yield from count_only(task(), "sync ")
            # In the same job, as the notice at its end tells how many are new in the watches.
            return _SyncResult(reports, (yield from _count_news(context.engine.saved_searches)))

        row = context.queue.add(
            JobOrder(LANE, what, sync_and_count, self._on_synced, on_event=self._on_event, saved=saved)
        )
        if row is None:
            context.tell(f"{what} is already running; ! lists the jobs.")
        elif before := context.queue.waits_for(row):
            context.tell(f"{what} waits for “{before}”; ! lists both.")

    def _on_event(self, event: Event) -> None:
        """Shows the notice that says how many papers a synchronisation will bring."""
        if isinstance(event, Notice) and event.text.startswith("About "):
            self._context.tell(event.text)

    def _on_synced(self, result: _SyncResult) -> JobReport:
        reports = result.reports
        problems = [
            f"{subscription_title(report.subscription)}: {report.trouble}" for report in reports if report.trouble
        ]
        if problems:
            self._context.failed_group = LANE
            # Where nothing came in, the trouble leaves open whether anything is new.
            counts = f"{_count_words(reports)}. " if any(map(_has_changes, reports)) else ""
            sentence = f"{counts}{problems[0]}"
            self._context.tell(f"{sentence} What has been stored is kept; `.` continues.", warn=True)
        else:
            sentence = f"{_count_words(reports)}."
            new = f" {result.new:,} new in your watches; 0 shows them." if result.new else ""
            self._context.tell(f"{sentence}{new}", warn=any(report.report.failures for report in reports))
        # After trouble too: what came before it is stored.
        self._on_change()
        return JobReport(sentence, complete=not problems)


def _count_news(saved_searches: SavedSearches) -> Task[int]:
    """Counts the papers that are new in all watches together."""
    news = yield from saved_searches.news()
    return len({paper.id for new_papers in news for paper in new_papers.papers})


def _has_changes(sync_report: SyncReport) -> bool:
    """Whether a synchronisation added, merged or failed to read anything."""
    report = sync_report.report
    return bool(report.added or report.merged or report.failures)


def _count_words(reports: Sequence[SyncReport]) -> str:
    counts = (
        (sum(report.report.added for report in reports), "added"),
        (sum(report.report.merged for report in reports), "merged into existing papers"),
        *failure_counts([failure for report in reports for failure in report.report.failures]),
    )
    counts_text = ", ".join(f"{count:,} {noun}" for count, noun in counts if count) or "nothing new"
    return f"{', '.join(subscription_title(report.subscription) for report in reports)}: {counts_text}"
