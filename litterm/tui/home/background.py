"""`!`: everything that goes on in the background, in a list that follows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.jobs import Jobs
from litterm.tui.home.actions import HomeActions
from litterm.tui.home.rows import HomeRow, Thing, listed, row
from litterm.tui.library.import_ import ImportController
from litterm.tui.textual_compat import ActionTarget


class Background(ActionTarget):
    """Shows the list; what can be done about its rows is done by others."""

    def __init__(
        self, stage: WorkbenchContext, adding: ImportController, errands: HomeActions, sync: Callable[[], None]
    ) -> None:
        """`sync` brings all subscriptions up to date."""
        self._stage = stage
        self._adding = adding
        self._errands = errands
        self._sync = sync
        self._dialog: Jobs | None = None
        stage.work.hearers.append(self._heard)

    def action_open(self) -> None:
        """What runs, what came of ids, what failed and what is kept in step."""
        errands = self._errands
        self._dialog = Jobs(
            self._stage.glyphs,
            rows=self._rows,
            summary=self._summary,
            drop=errands.drop,
            again=errands.again,
            sync=self._sync,
        )
        self._stage.open(self._dialog, errands.enter)

    def _heard(self) -> None:
        if self._dialog is not None and self._dialog in self._stage.dialogs:
            self._dialog.renew()

    def _rows(self) -> Sequence[HomeRow]:
        stage, ledger = self._stage, self._adding.ledger
        told = {each.asked for each in ledger.all} | {each.paper_id for each in ledger.all}
        kept = stage.attempt(stage.engine.sources.subscriptions) or ()
        queued = listed(stage.queue.rows, kept)
        things: list[Thing] = [*stage.work.told, *(job for job in queued if job.state != "done")]
        things += [each for each in stage.attempt(stage.engine.failures) or () if each.origin not in told]
        things += ledger.all
        things += kept
        # What is over comes after what may wait for the user.
        things += [job for job in queued if job.state == "done"]
        return [row(each, stage.glyphs) for each in things]

    def _summary(self) -> str:
        """How many of the ids asked for came to what, and how many failures there are."""
        stage = self._stage
        outcomes = Counter(each.outcome for each in self._adding.ledger.all)
        told = [f"{count:,} {outcome}" for outcome, count in outcomes.most_common()]
        asked = f"{sum(outcomes.values()):,} asked for: {', '.join(told)}." if told else ""
        failed = len(stage.attempt(stage.engine.failures) or ())
        kept = f"{failed:,} failed; kept until tried again or dismissed." if failed else ""
        unfinished = any(not each.complete for each in stage.attempt(stage.engine.sources.subscriptions) or ())
        busy = asked or kept or unfinished or stage.work.told or stage.queue.rows
        quiet = "" if busy else "Nothing runs and nothing failed."
        return " ".join(part for part in (asked, kept, quiet) if part)
