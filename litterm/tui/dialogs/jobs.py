"""The dialog of jobs: what runs, waits or failed, results of ids, and subscriptions, updated while it is open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.tui.dialogs.choose import ListDialog
from litterm.tui.home.rows import HomeItem, HomeRow
from litterm.tui.input.keymap import BY_ID, textual_key
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
        self.things: Sequence[HomeRow] = ()

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
        before, lines = len(self.things), self.choices.virtual_size.height
        self.things = tuple(self._rows())
        self.choices.replace_choices([row.choice for row in self.things])
        self.message.update(Content(self._summary()))
        # This runs every second: the screen is laid out only where the dialog's height changes.
        if len(self.things) != before or self.choices.virtual_size.height != lines:
            self.choices.refresh(layout=True)

    @property
    def current(self) -> HomeItem | None:
        """The thing under the cursor."""
        return self.things[self.choices.cursor].thing if self.choices.cursor < len(self.things) else None

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
