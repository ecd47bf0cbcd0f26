"""The dialog of jobs (`!`): what runs, waits or failed, results of ids, and subscriptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.render.services import subscription_title
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ListDialog
from litterm.tui.home.actions import HomeActions
from litterm.tui.home.rows import HomeItem, HomeRow, group_failures, home_row, jobs_with_own_row
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.library.import_ import ImportController
from litterm.tui.library.sync import SyncController
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

REDRAW_INTERVAL_S = 1.0
"""Seconds between updates, as remaining times count down without events."""


class JobsDialog(ListDialog[HomeItem]):
    """Answers with the item to open; other actions leave the list open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(textual_key(BY_ID["all.reject"].keys[0]), "drop", "stop, dismiss", id="jobs.drop"),
        Binding(textual_key(BY_ID["all.retry"].keys[0]), "again", "retry this", id="jobs.retry"),
        Binding(textual_key(BY_ID["home.sync"].keys[0]), "sync", "update all subscriptions", id="jobs.sync"),
    ]

    def __init__(
        self,
        glyphs: Glyphs,
        *,
        rows: Callable[[], Sequence[HomeRow]],
        summary: Callable[[], str],
        drop: Callable[[HomeItem], None],
        retry: Callable[[HomeItem], None],
        sync: Callable[[], None],
    ) -> None:
        """`rows` and `summary` are asked whenever something may have changed."""
        dot = f" {glyphs.dot} "
        keys = dot.join(("x stop, dismiss", ". retry", "+ sync", "enter open", "esc leave"))
        super().__init__("jobs and failures", keys, glyphs)
        self._rows = rows
        self._summary = summary
        self._drop = drop
        self._again = retry
        self._sync = sync
        self.job_rows: Sequence[HomeRow] = ()

    def on_mount(self) -> None:
        self.refresh_rows()
        self.set_interval(REDRAW_INTERVAL_S, self.refresh_rows)

    def resume(self) -> None:
        self.choices.focus()
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Show the current rows and summary."""
        if not self.is_attached:
            return
        before, lines = len(self.job_rows), self.choices.virtual_size.height
        self.job_rows = tuple(self._rows())
        self.choices.replace_choices([row.choice for row in self.job_rows])
        self.message.update(Content(self._summary()))
        # This runs every second: the screen is laid out only where the dialog's height changes.
        if len(self.job_rows) != before or self.choices.virtual_size.height != lines:
            self.choices.refresh(layout=True)

    @property
    def current(self) -> HomeItem | None:
        """The thing under the cursor."""
        return self.job_rows[self.choices.cursor].item if self.choices.cursor < len(self.job_rows) else None

    def action_drop(self) -> None:
        if self.current is not None:
            self._drop(self.current)
            self.refresh_rows()

    def action_again(self) -> None:
        if self.current is not None:
            self._again(self.current)
            self.refresh_rows()

    def action_sync(self) -> None:
        self._sync()
        self.refresh_rows()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(self.current)


class JobListController(ActionTarget):
    """Opens the dialog and gives it its rows."""

    def __init__(
        self, context: WorkbenchContext, imports: ImportController, home_actions: HomeActions, sync: SyncController
    ) -> None:
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
            sync=self._sync.action_all,
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
        every = context.attempt(context.engine.services.subscriptions) or ()
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
        unfinished = any(not result.complete for result in context.attempt(context.engine.services.subscriptions) or ())
        busy = fetched or failed_words or unfinished or context.work.announced_jobs or context.queue.rows
        quiet = "" if busy else "No jobs running, and nothing failed."
        return " ".join(part for part in (fetched, failed_words, quiet) if part)
