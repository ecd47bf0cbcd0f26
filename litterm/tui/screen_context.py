"""What every part of the screen shares: engine, settings, background tasks, dialogs, notices, and plain panes."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from textual import on
from textual.screen import Screen
from textual.widget import Widget

from litterm.core.errors import LittermError
from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import Session
from litterm.model.events import Progress
from litterm.text.escape import plain
from litterm.tui.aspects.pane import AspectsPane
from litterm.tui.dialogs.base import Dialog
from litterm.tui.input.keymap import RemappedKeys
from litterm.tui.jobs.background_tasks import BackgroundTasks
from litterm.tui.jobs.queue import JobQueue
from litterm.tui.layout.board import Board
from litterm.tui.matrix.pane import MatrixPane
from litterm.tui.reader.pane import ReaderPane
from litterm.tui.search.query_pane import QueryPane
from litterm.tui.settings.saved_settings import ChosenSettings
from litterm.tui.state import STANDALONE_PANES, TOUR_PROJECT, PaneName
from litterm.tui.widgets.glyphs import Glyphs

if TYPE_CHECKING:
    from litterm.model.paper import LibraryName
    from litterm.tui.home.pane import HomePane

T = TypeVar("T")
_NUMBER_PATTERN = re.compile(r"(?<![\d.,])[\d.,]*\d")
_BEHIND_DIALOG = 0.45
"""Opacity of the panes behind a dialog."""
_NOTICE_INTERVAL_S = 60.0
"""Seconds before the same kind of notice is shown again."""
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class ScreenContext:
    """What panes share of their screen; `WorkbenchContext` adds the panes that are built with it."""

    screen: Screen[None]
    engine: Engine
    settings: Settings
    glyphs: Glyphs
    keys: RemappedKeys
    work: BackgroundTasks
    board: Board = field(init=False)
    """Holds the panes."""
    query: QueryPane = field(init=False)
    aspects: AspectsPane = field(init=False)
    reader: ReaderPane = field(init=False)
    matrix: MatrixPane = field(init=False)
    home: HomePane | None = None
    """Made when it is first opened."""
    chosen_settings: ChosenSettings = field(init=False)
    """Settings chosen on the screen."""
    tour: int = 0
    """Number of steps of the guided tour that are done."""
    commands: tuple[str, ...] = ()
    """Commands entered so far, oldest first."""
    questions: tuple[str, ...] = ()
    """Questions asked in the project, oldest first."""
    session: Session = field(default=Session())
    """The session as last restored or saved."""
    dialogs: list[Dialog[object]] = field(default_factory=list)
    """Open dialogs, the topmost last."""
    focus_before_dialogs: Widget | None = None
    """The widget that had the focus before the first dialog was opened."""
    project: str = ""
    """Name of the project in use, as last shown; empty while the first one has none."""
    notice_times: dict[str, float] = field(default_factory=dict)
    """When each kind of notice was last shown; seconds of the monotonic clock."""
    library_sources: tuple[tuple[str, int], ...] = ()
    """Sources of the library's records, each with its number of papers."""
    failed_group: str = ""
    """Group, or lane, of the last task that failed; `.` starts it again."""
    queue: JobQueue = field(init=False)
    """Jobs that write, one after the other."""

    def __post_init__(self) -> None:
        self.query, self.aspects = QueryPane(self.glyphs), AspectsPane(self.glyphs)
        self.reader, self.matrix = ReaderPane(self.glyphs), MatrixPane(self.glyphs)
        self.queue = JobQueue(self.work)
        self.chosen_settings = ChosenSettings(self.settings.config)

    def tell(self, text: str, *, warn: bool = False) -> None:
        """Show a notice that goes away by itself."""
        # Notices quote titles and errors of services, in which a `[` must not be read as markup.
        self.screen.notify(plain(text), severity="warning" if warn else "information", timeout=5, markup=False)

    def notify_once(self, text: str) -> None:
        """Show a warning from a running task, each kind at most once a minute."""
        # Warnings that differ in their numbers only are of one kind: a task may count its retries.
        kind, now_s = _NUMBER_PATTERN.sub("#", text), monotonic()
        if now_s - self.notice_times.get(kind, -_NOTICE_INTERVAL_S) >= _NOTICE_INTERVAL_S:
            self.notice_times[kind] = now_s
            self.tell(text, warn=True)

    def open(self, dialog: Dialog[T], on_answer: Callable[[T], None] | None = None) -> None:
        """Show `dialog` over the workbench; `on_answer` gets its answer unless it is left without one."""
        dialog.on_answer = on_answer
        if self.dialogs:
            # One dialog is shown at a time: on a small screen two would not fit.
            self.dialogs[-1].focus_before = self.screen.focused
            self.dialogs[-1].display = False
        else:
            self.focus_before_dialogs = self.screen.focused
        self.dialogs.append(dialog)  # type: ignore[arg-type]
        self.screen.mount(dialog)
        self._dim_panes()

    @on(Dialog.Closed)
    def close_answered(self, message: Dialog.Closed) -> None:
        """Close a dialog that was left, or answered."""
        self.close(message.dialog, message.deliver)

    def close(self, dialog: Dialog[object], deliver: Callable[[], None] | None = None) -> None:
        """Remove a dialog, restore the focus, then deliver its answer."""
        # `close_all` closes at once; the message of the dialog, which arrives later, finds it gone.
        if dialog not in self.dialogs:
            return
        self.dialogs.remove(dialog)
        dialog.remove()
        self._dim_panes()
        if self.dialogs:
            self.dialogs[-1].display = True
            self.dialogs[-1].resume()
        elif self.focus_before_dialogs is not None and self.focus_before_dialogs.is_attached:
            # Now, and not with the next message: the answer may open another dialog, which remembers who has the focus.
            self.screen.set_focus(self.focus_before_dialogs, scroll_visible=False)
        if deliver is not None:
            # Later, when the focus is back: what handles the answer may move it.
            self.screen.call_later(deliver)

    def _dim_panes(self) -> None:
        """Dim the panes while a dialog is over them, so that nothing there is read as a part of it."""
        self.board.styles.opacity = _BEHIND_DIALOG if self.dialogs else 1.0

    def close_all(self) -> None:
        """Leave every dialog, the topmost first, as `esc` would; answers are dropped."""
        # Over a copy, as each that is closed leaves the list.
        for dialog in reversed(self.dialogs.copy()):
            dialog.action_close()
            self.close(dialog)

    @property
    def library_name(self) -> LibraryName | None:
        """The only library to search in the project in use: in that of the guided tour the starter library."""
        return "starter" if self.engine.annotations.projects.current == TOUR_PROJECT else None

    @property
    def log_file(self) -> Path:
        """Path of the log file."""
        return self.settings.log_file

    @property
    def focus(self) -> PaneName:
        """The pane that has the focus, or had it last."""
        return self.board.shape.focus

    def reshape(self, **changes: object) -> None:
        """Change fields of the panes' layout."""
        self.board.shape = replace(self.board.shape, **changes)  # type: ignore[arg-type]

    def focus_pane(self, name: PaneName, *, typing: bool = False) -> None:
        """Put the focus on a pane, showing it if it was hidden; the query in command mode unless `typing`."""
        shape = self.board.shape
        hidden = shape.hidden - {name}
        zoomed = name if shape.zoomed else None
        self.reshape(focus=name, hidden=hidden, zoomed=zoomed, main=shape.main if name in STANDALONE_PANES else name)
        if name == "query":
            (self.query.field if typing else self.query.chip_line).focus(scroll_visible=False)
        elif name == "home":
            if self.home is not None:
                self.home.take_focus()
        else:
            self.board.pane(name).focus(scroll_visible=False)

    def save_setting(self, name: str, value: str | bool) -> None:
        """Save one setting to the file, in the background."""
        self.chosen_settings.choose(name, value)

        def task() -> Task[None]:
            yield Progress("saving a setting")
            self.chosen_settings.write()

        self.work.start("settings", "saving a setting", task, lambda _: None)

    def task_failed(self, group: str, error: LittermError) -> None:
        """Show the expected failure of a background task; `.` starts the task again."""
        self.failed_group = group
        _log.warning("%s: %s", group, error)
        self.tell(str(error), warn=True)

    def attempt(self, action: Callable[[], T]) -> T | None:
        """Do something quick; an expected failure is shown as a notice and the result is `None`."""
        try:
            return action()
        except LittermError as error:
            _log.warning("%s", error)
            self.tell(str(error), warn=True)
            return None
