"""What runs in the background, what is kept in step, what came of each id, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from litterm.model.library import Failure
from litterm.model.sources import Obtained, Subscription
from litterm.render.obtained import obtained_words
from litterm.render.subscribed import stood, title
from litterm.tui.dialogs.base import Dialog, said
from litterm.tui.dialogs.pick import Choice, Choices
from litterm.tui.glyphs import Glyphs
from litterm.tui.keys import BY_ID, long_key
from litterm.tui.rows import Rows
from litterm.tui.state import Job
from litterm.tui.words import lasting


@dataclass(frozen=True, slots=True)
class JobsAnswer:
    """What is to be done about a job or the failures, or which paper is to be opened."""

    what: Literal["cancel", "retry", "dismiss", "open", "forget"]
    group: str = ""
    """The job's group, or the paper's id."""


@dataclass(frozen=True, slots=True)
class Background:
    """Everything there is to show."""

    jobs: Sequence[Job] = ()
    failures: Sequence[Failure] = ()
    obtained: Sequence[Obtained] = ()
    subscriptions: Sequence[Subscription] = ()


class Jobs(Dialog[JobsAnswer]):
    """`x` stops a job or dismisses what failed, `.` tries what failed again, enter opens a paper that came."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(long_key(BY_ID["all.reject"].keys[0]), "drop", "stop, dismiss", id="jobs.drop"),
        Binding(long_key(BY_ID["all.retry"].keys[0]), "again", "retry", id="jobs.retry"),
    ]

    def __init__(self, shown: Background, glyphs: Glyphs) -> None:
        dot = glyphs.dot
        keys = f"x stop, or dismiss failures {dot} . retry failures {dot} enter open {dot} esc leave"
        super().__init__("jobs and failures", keys, glyphs)
        self._shown = shown
        self._answers: list[JobsAnswer | None] = []
        self._opens: list[JobsAnswer | None] = []
        self.choices = Choices(list(self._rows()), glyphs, wrap=True)

    def _rows(self) -> Sequence[Choice]:
        rows: list[Choice] = []
        for job in self._shown.jobs:
            self._add(rows, Choice(job.what, _share(job), key="running"), JobsAnswer("cancel", job.group))
        told = {each.asked for each in self._shown.obtained}
        for failure in self._shown.failures:
            if failure.origin not in told:
                row = Choice(f"{failure.origin}: {failure.cause}", failure.at[:10], key="failed")
                self._add(rows, row, JobsAnswer("dismiss"))
        for each in self._shown.obtained:
            opens = JobsAnswer("open", each.paper_id) if each.paper_id else None
            row = Choice(f"{each.paper_id or each.asked} {each.title}", key=each.outcome, below=(obtained_words(each),))
            self._add(rows, row, JobsAnswer("dismiss" if each.outcome == "failed" else "forget"), opens)
        for subscription in self._shown.subscriptions:
            self._add(rows, Choice(title(subscription), stood(subscription), key="in step"), None)
        return rows

    def _add(
        self, rows: list[Choice], row: Choice, dropped: JobsAnswer | None, opened: JobsAnswer | None = None
    ) -> None:
        rows.append(row)
        self._answers.append(dropped)
        self._opens.append(opened)

    def body(self) -> ComposeResult:
        if not self._answers:
            yield said("Nothing runs and nothing failed.", "cause")
        yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()

    def action_drop(self) -> None:
        if self._answers and (answer := self._answers[self.choices.cursor]) is not None:
            self.dismiss(answer)

    def action_again(self) -> None:
        if self._shown.failures:
            self.dismiss(JobsAnswer("retry"))

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        if self._opens and (answer := self._opens[event.index]) is not None:
            self.dismiss(answer)


def _share(job: Job) -> str:
    left = f", {lasting(job.left_s)} left" if job.left_s > 0 else ""
    return f"{job.done:,}/{job.total:,}{left}" if job.total else ""
