"""Looks for new and changed files in the watched folder while the workbench is open."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.tui.context import WorkbenchContext

if TYPE_CHECKING:
    from litterm.library.watched_folders import FileStamp

_log = logging.getLogger(__name__)


class FolderWatch:
    """Asks for the import of a file once it was the same in two looks: it is written to its end by then."""

    def __init__(
        self, context: WorkbenchContext, import_changes: Callable[[Path, Mapping[str, FileStamp]], None]
    ) -> None:
        self._context = context
        self._import_changes = import_changes
        self._folder = Path(context.settings.watched_folder).expanduser()
        self._seen: Mapping[str, FileStamp] = {}
        """The new and changed files of the last look."""
        self._requested: dict[str, FileStamp] = {}
        """Files that were imported, or whose import was stopped or has failed: not again before they change."""
        self._trouble = ""

    def look(self) -> None:
        """Looks once, in the background."""
        if any(job.group == "folder" for job in self._context.work.jobs):
            # A large folder on a slow disk: the look is waited for, not begun anew.
            return
        self._context.work.start("folder", "looking at the folder", self._changed, self._on_changed, failed=self._fail)

    def _changed(self) -> Task[Mapping[str, FileStamp]]:
        yield Progress("looking at the folder")
        return self._context.engine.watched_folders.changed(self._folder)

    def _on_changed(self, files: Mapping[str, FileStamp]) -> None:
        self._trouble = ""
        ready = {
            path: stamp
            for path, stamp in files.items()
            if self._seen.get(path) == stamp and self._requested.get(path) != stamp
        }
        self._seen = files
        if ready:
            self._requested |= ready
            self._import_changes(self._folder, ready)

    def _fail(self, error: LittermError) -> None:
        # Once: a folder on a drive that is not there would fill the screen.
        if str(error) != self._trouble:
            self._trouble = str(error)
            _log.warning("watched folder: %s", error)
            self._context.tell(f"The watched folder cannot be read: {error}.", warn=True)
