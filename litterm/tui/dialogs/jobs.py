"""What runs in the background, and what could not be imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from litterm.model.library import Failure
from litterm.tui.dialogs.base import Dialog, said
from litterm.tui.dialogs.pick import Choice, Choices
from litterm.tui.glyphs import Glyphs
from litterm.tui.keys import BY_ID, long_key
from litterm.tui.rows import Rows
from litterm.tui.state import Job


@dataclass(frozen=True, slots=True)
class JobsAnswer:
    """What is to be done about a job or the failures."""

    what: Literal["cancel", "retry", "dismiss"]
    group: str = ""


class Jobs(Dialog[JobsAnswer]):
    """`x` stops a job or dismisses the failures, `.` retries them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(long_key(BY_ID["all.reject"].keys[0]), "drop", "stop, dismiss", id="jobs.drop"),
        Binding(long_key(BY_ID["all.retry"].keys[0]), "again", "retry", id="jobs.retry"),
    ]

    def __init__(self, jobs: Sequence[Job], failures: Sequence[Failure], glyphs: Glyphs) -> None:
        dot = glyphs.dot
        super().__init__(
            "jobs and failures", f"x stop, or dismiss failures {dot} . retry failures {dot} esc leave", glyphs
        )
        self._jobs = tuple(jobs)
        self._failures = tuple(failures)
        rows = [Choice(job.what, _share(job), key="running") for job in self._jobs]
        rows += [Choice(f"{failure.origin}: {failure.cause}", failure.at[:10], key="failed") for failure in failures]
        self.choices = Choices(rows, glyphs, wrap=True)

    def body(self) -> ComposeResult:
        if not self._jobs and not self._failures:
            yield said("Nothing runs and nothing failed.", "cause")
        yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()

    def action_drop(self) -> None:
        if self.choices.cursor < len(self._jobs):
            self.dismiss(JobsAnswer("cancel", self._jobs[self.choices.cursor].group))
        elif self._failures:
            self.dismiss(JobsAnswer("dismiss"))

    def action_again(self) -> None:
        if self._failures:
            self.dismiss(JobsAnswer("retry"))

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()


def _share(job: Job) -> str:
    return f"{job.done:,}/{job.total:,}" if job.total else ""
