"""`!`: everything that goes on in the background, in a list that follows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from litterm.render.subscription import title
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.jobs import Jobs
from litterm.tui.home.actions import HomeActions
from litterm.tui.home.failure_groups import grouped
from litterm.tui.home.rows import HomeRow, Thing, listed, row
from litterm.tui.library.import_ import ImportController
from litterm.tui.platform.textual_compat import ActionTarget


class Background(ActionTarget):
    """Shows the list; what can be done about its rows is done by others."""

    def __init__(
        self, context: WorkbenchContext, imports: ImportController, home_actions: HomeActions, sync: Callable[[], None]
    ) -> None:
        """`sync` brings all subscriptions up to date."""
        self._context = context
        self._imports = imports
        self._home_actions = home_actions
        self._sync = sync
        self._dialog: Jobs | None = None
        context.work.hearers.append(self._heard)

    def action_open(self) -> None:
        """What runs, what came of ids, what failed and what is kept in step."""
        home_actions = self._home_actions
        self._dialog = Jobs(
            self._context.glyphs,
            rows=self._rows,
            summary=self._summary,
            drop=home_actions.drop,
            again=home_actions.again,
            sync=self._sync,
        )
        self._context.open(self._dialog, home_actions.enter)

    def _heard(self) -> None:
        if self._dialog is not None and self._dialog in self._context.dialogs:
            self._dialog.renew()

    def _rows(self) -> Sequence[HomeRow]:
        context, ledger = self._context, self._imports.ledger
        told = {each.asked for each in ledger.all} | {each.paper_id for each in ledger.all}
        running = {job.what for job in context.work.told}
        subscriptions = context.attempt(context.engine.sources.subscriptions) or ()
        # One that is being brought up to date has the row of its job.
        kept = tuple(each for each in subscriptions if each.complete or f"sync {title(each)}" not in running)
        queued = listed(context.queue.rows, kept)
        things: list[Thing] = [*context.work.told, *(job for job in queued if job.state != "done")]
        failures = context.attempt(context.engine.failures) or ()
        things += grouped([failure for failure in failures if failure.origin not in told])
        things += ledger.all
        things += kept
        # What is over comes after what may wait for the user.
        things += [job for job in queued if job.state == "done"]
        return [row(each, context.glyphs) for each in things]

    def _summary(self) -> str:
        """How many of the ids asked for came to what, and how many failures there are."""
        context = self._context
        outcomes = Counter(each.outcome for each in self._imports.ledger.all)
        told = [f"{count:,} {outcome}" for outcome, count in outcomes.most_common()]
        asked = f"{sum(outcomes.values()):,} asked for: {', '.join(told)}." if told else ""
        failures = context.attempt(context.engine.failures) or ()
        in_part = sum(each.missing == "fields" for each in failures)
        counts = (f"{len(failures) - in_part:,} failed", f"{in_part:,} read in part")
        said = ", ".join(count for count in counts if not count.startswith("0 "))
        kept = f"{said}; kept until tried again or dismissed." if said else ""
        unfinished = any(not each.complete for each in context.attempt(context.engine.sources.subscriptions) or ())
        busy = asked or kept or unfinished or context.work.told or context.queue.rows
        quiet = "" if busy else "No jobs running, and nothing failed."
        return " ".join(part for part in (asked, kept, quiet) if part)
