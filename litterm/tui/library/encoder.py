"""Vectors of papers by the user's encoder: made in the background while the workbench is open, and after it."""

from __future__ import annotations

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.encoder import EncoderStatus
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.screen_context import ScreenContext

LANE, STATUS_GROUP = "encode", "encoder"
_WHAT = "vectors of papers"


class EncoderController(ActionTarget):
    """Lists the process that makes vectors as a job: stopping the job stops it, leaving the workbench does not."""

    def __init__(self, context: ScreenContext) -> None:
        self._context = context
        self._is_wanted = bool(context.settings.encoder.folder) and not context.settings.server
        if self._is_wanted:
            context.work.stop_listeners.append(self._on_stopped)

    def look(self) -> None:
        """Make the vectors of papers that have none, unless the user has stopped that."""
        if self._is_wanted:
            self._context.work.start(STATUS_GROUP, "looking for missing vectors", self._status, self._start)

    def _status(self) -> Task[EncoderStatus | None]:
        yield from ()
        encoder = self._context.engine.encoder
        return None if encoder is None else encoder.status()

    def _start(self, status: EncoderStatus | None) -> None:
        running = any(job.group.startswith(f"{LANE}#") for job in self._context.work.jobs)
        if status is None or not status.missing or status.stopped or running:
            return
        encoder = self._context.engine.encoder
        assert encoder is not None
        self._context.queue.add(JobOrder(LANE, f"{_WHAT} by {status.model}", encoder.follow, self._on_made))

    def _on_made(self, status: EncoderStatus) -> JobReport:
        return JobReport(f"{status.encoded:,} of {status.papers:,} papers have vectors.", complete=not status.missing)

    def _on_stopped(self, group: str) -> None:
        if not group.startswith(f"{LANE}#"):
            return
        try:
            encoder = self._context.engine.encoder
            if encoder is not None:
                encoder.stop()
        except LittermError as error:
            self._context.tell(str(error), warn=True)
