"""Who hears whom: each message of a pane names a collaborator and a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.geometry import Offset
from textual.screen import Screen

from litterm.tui.aspects.pane import AspectsPane
from litterm.tui.context import WorkbenchContext
from litterm.tui.reader.pane import ReaderPane
from litterm.tui.reader.view import PageView
from litterm.tui.search.query_pane import ChipLine, QueryPane
from litterm.tui.state import PaneName
from litterm.tui.widgets.find_bar import FindBar
from litterm.tui.widgets.rows import Rows
from litterm.tui.widgets.styled_lines import LineView

if TYPE_CHECKING:
    from litterm.tui.controllers import Controllers
    from litterm.tui.dialogs.base import Dialog


class MessageRoutes(Screen[None]):
    """Handlers of what the panes say; holds no state."""

    stage: WorkbenchContext

    @property
    def crew(self) -> Controllers:
        """Those who act on it."""
        raise NotImplementedError

    def on_query_pane_typed(self, message: QueryPane.Typed) -> None:
        self.crew.searching.typing(message.text)

    def on_query_pane_asked(self, message: QueryPane.Asked) -> None:
        self.crew.searching.asked(message.text)

    def on_query_pane_grew(self, message: QueryPane.Grew) -> None:
        self.stage.reshape(query_lines=message.lines)

    def on_query_pane_left(self, message: QueryPane.Left) -> None:
        self.crew.searching.left()
        match message.where:
            case "leave":
                self.stage.focus_pane("query")
            case "below":
                self.stage.focus_pane("results")
            case "cancel":
                self.crew.stepping.cancel()
            case "online":
                self.crew.online.ask(self.stage.query.field.text)
            case _:
                pass

    def on_query_pane_listed(self, message: QueryPane.Listed) -> None:
        completions = self.stage.completions
        completions.show(message.choices, message.chosen)
        self.stage.board.list_below_query(completions.rows)

    def on_chip_line_stepped(self, message: ChipLine.Stepped) -> None:
        if message.step > 0:
            self.stage.focus_pane("results")
        elif message.step == 0:
            self.stage.focus_pane("query", typing=True)

    def on_chip_line_struck(self, message: ChipLine.Struck) -> None:
        self.crew.refining.strike(message.chip)

    def on_rows_entered(self, message: Rows.Entered) -> None:
        if message.rows is self.stage.results and self.stage.results.current:
            self.crew.reading.open(self.stage.results.current.paper)
        elif message.rows is self.stage.evidence:
            self.crew.finding.jump(message.index)
            self.stage.focus_pane("reader")
        elif message.rows is self.stage.matrix:
            self.crew.comparing.enter()
        elif self.crew.homing.here:
            self.crew.homing.enter()

    def on_rows_toggled(self, message: Rows.Toggled) -> None:
        if message.rows is self.stage.results:
            self.crew.looking.choose(message.indexes)
        elif message.rows is self.stage.matrix:
            self.crew.comparing.choose(message.indexes)

    def on_rows_ranged(self, message: Rows.Ranged) -> None:
        if message.rows is self.stage.results:
            self.crew.looking.choose_range(message.indexes, begun=message.begun)
        elif message.rows is self.stage.matrix:
            self.crew.comparing.choose_range(message.indexes, begun=message.begun)

    def park(self, view: LineView) -> None:
        """Put the terminal's own cursor on the current row: screen readers follow it."""
        inside = view.content_region
        if view.has_focus and inside.height > 0:
            row = max(0, min(view.cursor_line - view.scroll_offset.y, inside.height - 1))
            self.app.cursor_position = Offset(inside.x, inside.y + row)

    def on_rows_moved(self, message: Rows.Moved) -> None:
        self.park(message.rows)
        if message.rows is self.stage.results:
            self.crew.previewing.moved()
        row = self.stage.evidence.current
        if message.rows is self.stage.evidence and row is not None and row.index is not None:
            self.stage.reader.go(row.index, margin=4)

    def on_rows_sideways(self, message: Rows.Sideways) -> None:
        if self.crew.homing.here:
            self.crew.homing.sideways(message.step)
            return
        pane: PaneName = "results" if message.rows is self.stage.results else "evidence"
        if message.rows not in (self.stage.results, self.stage.evidence):
            return
        if pane == "results" and message.step > 0 and self.stage.results.current:
            self.crew.reading.open(self.stage.results.current.paper)
        else:
            self.crew.arranging.sideways(pane, message.step)

    def on_home_section_sync_wanted(self) -> None:
        self.crew.syncing.all()

    def on_matrix_pane_hypothesis_wanted(self) -> None:
        self.crew.matrixing.add()

    def on_results_pane_rolled(self) -> None:
        self.crew.prospecting.wake()
        self.crew.previewing.moved()

    def on_aspects_pane_wanted(self, message: AspectsPane.Wanted) -> None:
        self.crew.editing.wanted(message)

    def on_aspects_pane_grew(self, message: AspectsPane.Grew) -> None:
        self.stage.reshape(aspects=message.lines)

    def on_results_pane_keep_wanted(self) -> None:
        self.crew.online.keep()

    def on_results_pane_sort_wanted(self) -> None:
        self.crew.refining.sort()

    def on_results_pane_more_wanted(self) -> None:
        self.crew.refining.more()

    def on_page_view_moved(self, message: PageView.Moved) -> None:
        self.crew.finding.follow(message.index)
        self.park(self.stage.reader)

    def on_reader_pane_sideways(self, message: ReaderPane.Sideways) -> None:
        self.crew.arranging.sideways("reader", message.step)

    def on_reader_pane_outline_wanted(self) -> None:
        self.crew.telling.outline()

    def on_reader_pane_entered(self, message: ReaderPane.Entered) -> None:
        self.crew.telling.deeper(message.index)

    def on_dialog_left(self, message: Dialog.Left) -> None:
        self.stage.close(message.dialog, message.deliver)

    def on_find_bar_sought(self, message: FindBar.Sought) -> None:
        self.crew.looking.sought(message.text)

    def on_find_bar_stepped(self, message: FindBar.Stepped) -> None:
        self.crew.looking.step(message.step)

    def on_find_bar_ended(self, message: FindBar.Ended) -> None:
        self.crew.looking.end(keep=message.keep)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.crew.adding.pasted(event.text)
