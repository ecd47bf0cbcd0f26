"""The dialog of jobs (`!`): what runs, waits or failed, results of ids, and subscriptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from litterm.render.services import subscription_title
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.jobs import JobsDialog
from litterm.tui.home.actions import HomeActions
from litterm.tui.home.rows import HomeItem, HomeRow, group_failures, home_row, jobs_with_own_row
from litterm.tui.library.import_ import ImportController
from litterm.tui.platform.textual_compat import ActionTarget


class JobListController(ActionTarget):
    """Opens the dialog and gives it its rows."""

    def __init__(
        self, context: WorkbenchContext, imports: ImportController, home_actions: HomeActions, sync: Callable[[], None]
    ) -> None:
        """`sync` brings all subscriptions up to date."""
        self._context = context
        self._imports = imports
        self._home_actions = home_actions
        self._sync = sync
        self._dialog: JobsDialog | None = None
        context.work.listeners.append(self._on_jobs_changed)

    def action_open(self) -> None:
        """Open the dialog."""
        home_actions = self._home_actions
        self._dialog = JobsDialog(
            self._context.glyphs,
            rows=self._rows,
            summary=self._summary,
            drop=home_actions.drop,
            retry=home_actions.retry,
            sync=self._sync,
        )
        self._context.open(self._dialog, home_actions.enter)

    def _on_jobs_changed(self) -> None:
        if self._dialog is not None and self._dialog in self._context.dialogs:
            self._dialog.refresh_rows()

    def _rows(self) -> Sequence[HomeRow]:
        context, fetch_log = self._context, self._imports.fetch_log
        # What came of an id this session has a row of its own, which also tells how it failed.
        fetched_ids = {result.asked for result in fetch_log.all} | {result.paper_id for result in fetch_log.all}
        running = {job.what for job in context.work.announced_jobs}
        every = context.attempt(context.engine.sources.subscriptions) or ()
        # One that is being brought up to date has the row of its job.
        subscriptions = tuple(
            subscription
            for subscription in every
            if subscription.complete or f"sync {subscription_title(subscription)}" not in running
        )
        queued = jobs_with_own_row(context.queue.rows, subscriptions)
        items: list[HomeItem] = [*context.work.announced_jobs, *(job for job in queued if job.state != "done")]
        failures = context.attempt(context.engine.failures) or ()
        items += group_failures([failure for failure in failures if failure.origin not in fetched_ids])
        items += fetch_log.all
        items += subscriptions
        # What is over comes after what may wait for the user.
        items += [job for job in queued if job.state == "done"]
        return [home_row(result, context.glyphs) for result in items]

    def _summary(self) -> str:
        """How many of the ids asked for came to what, and how many failures there are."""
        context = self._context
        outcomes = Counter(result.outcome for result in self._imports.fetch_log.all)
        parts = [f"{count:,} {outcome}" for outcome, count in outcomes.most_common()]
        fetched = f"{sum(outcomes.values()):,} asked for: {', '.join(parts)}." if parts else ""
        failures = context.attempt(context.engine.failures) or ()
        in_part = sum(result.missing == "fields" for result in failures)
        counts = (f"{len(failures) - in_part:,} failed", f"{in_part:,} read in part")
        failed = ", ".join(count for count in counts if not count.startswith("0 "))
        failed_words = f"{failed}; kept until tried again or dismissed." if failed else ""
        unfinished = any(not result.complete for result in context.attempt(context.engine.sources.subscriptions) or ())
        busy = fetched or failed_words or unfinished or context.work.announced_jobs or context.queue.rows
        quiet = "" if busy else "No jobs running, and nothing failed."
        return " ".join(part for part in (fetched, failed_words, quiet) if part)
