"""Opens the library when the workbench starts, once the first frame is on the screen."""

from __future__ import annotations

import logging
from collections.abc import Callable

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import Session
from litterm.model.events import Progress
from litterm.model.library import LibraryStatus
from litterm.tui.context import WorkbenchContext

_log = logging.getLogger(__name__)


def open_library(
    context: WorkbenchContext,
    opened: Callable[[LibraryStatus, Session], None],
    not_opened: Callable[[LittermError], None],
) -> None:
    """Open the library in the background; `opened` gets its counts and the last session, `not_opened` why it failed."""

    def on_failure(error: LittermError) -> None:
        """Show the failure in a dialog: without a library nothing works, and a notice would go away."""
        from litterm.tui.dialogs.message import MessageDialog

        _log.error("the library cannot be opened: %s", error)
        context.failed_group = "open"
        not_opened(error)
        message = (str(error), "`.` tries again, ctrl+q quits.", f"Log: {context.log_file}")
        context.open(MessageDialog("the library cannot be opened", message, context.glyphs))

    context.work.start(
        "open", "opening the library", lambda: _open(context.engine), lambda result: opened(*result), failed=on_failure
    )


def _open(engine: Engine) -> Task[tuple[LibraryStatus, Session]]:
    """Open the library and read the last session, in a thread; the controllers are imported there too."""
    yield Progress("opening the library")
    status = engine.status()
    # What the controllers import would delay the first frame; here, in the thread, nobody waits for it.
    import litterm.tui.controllers  # noqa: F401 - for its effect

    yield Progress("opening the library")
    engine.annotations.projects.restore_last()
    return status, engine.annotations.session()
