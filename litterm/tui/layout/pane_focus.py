"""Keys that move the focus between panes, and hide, zoom and resize them."""

from __future__ import annotations

from dataclasses import replace

from textual import on

from litterm.tui.aspects.pane import AspectsPane
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.search.query_pane import ChipLine
from litterm.tui.state import PANES, PaneName

RESIZE_STEP = 0.05


class PaneFocus(ActionTarget):
    """Moves the focus between panes, and hides, zooms and resizes them."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context

    @on(ChipLine.Stepped)
    def leave_chips(self, message: ChipLine.Stepped) -> None:
        """From the filters into the field or down to the results; there is nothing above them."""
        if message.step > 0:
            self._context.focus_pane("results")
        elif message.step == 0:
            self._context.focus_pane("query", typing=True)

    @on(AspectsPane.Left)
    def leave_aspects(self, message: AspectsPane.Left) -> None:
        """From the aspects to the pane above or below."""
        self._context.focus_pane(message.to)

    def action_go(self, name: PaneName) -> None:
        """Focus a pane; the query opens for typing."""
        if name == "evidence" and not self._context.board.shape.evidence:
            self._context.reshape(evidence=True)
        if name in ("reader", "evidence") and not self._context.board.shape.reading:
            self._context.reshape(reading=True)
            # The reader kept its paper when home took it off the screen.
            paper = self._context.reader.state.paper
            self._context.results.state = replace(self._context.results.state, reading=paper.id if paper else None)
        self._context.focus_pane(name, typing=name == "query")

    def show_query_and_results(self) -> None:
        """Query and results alone, as at the first start; the paper and the matrix are one key away."""
        context = self._context
        context.reshape(main="results", reading=False, evidence=False, matrix=False, hidden=frozenset(), zoomed=None)
        context.results.state = replace(context.results.state, reading=None)
        context.focus_pane("query", typing=True)
        # At once: what a closing dialog has given the focus to must not count as the pane the user chose.
        context.screen.set_focus(context.query.field, scroll_visible=False)

    def action_step(self, step: int) -> None:
        """Focus the next pane that can be shown."""
        shape = self._context.board.shape
        visible = [name for name in PANES if self._has_content(name) and name not in shape.hidden]
        position = visible.index(shape.focus) if shape.focus in visible else 0
        name = visible[(position + step) % len(visible)]
        self._context.focus_pane(name, typing=name == "query")

    def _has_content(self, name: PaneName) -> bool:
        shape = self._context.board.shape
        has_content = {
            "aspects": bool(shape.aspects),
            "reader": shape.reading,
            "evidence": shape.evidence,
            "matrix": shape.matrix,
            # Home has a key of its own and is never on the way from pane to pane.
            "home": False,
        }
        return has_content.get(name, True)

    def action_hide(self) -> None:
        """Hide the pane with the focus; the last one stays."""
        shape = self._context.board.shape
        name = shape.focus
        if name == "matrix":
            self._context.reshape(matrix=False, zoomed=None)
            self._context.focus_pane("results")
            return
        order: tuple[PaneName, ...] = ("reader", "results", "evidence")
        remaining = [pane for pane in order if pane not in {name, *shape.hidden} and self._has_content(pane)]
        if name == "query" or not remaining:
            self._context.tell("The last pane cannot be hidden; ctrl+q quits.")
            return
        self._context.reshape(hidden=shape.hidden | {name}, zoomed=None)
        self._context.focus_pane(remaining[0])
        digit = {"results": "2", "reader": "3", "evidence": "4"}.get(name)
        if digit:
            self._context.tell(f"The {name} pane is hidden; {digit} shows it again.")

    def action_zoom(self) -> None:
        """Show the focused pane alone, or all again."""
        shape = self._context.board.shape
        self._context.reshape(zoomed=None if shape.zoomed else shape.focus)

    def unzoom(self) -> bool:
        """Show all panes again; returns whether one was zoomed."""
        zoomed = self._context.board.shape.zoomed is not None
        if zoomed:
            self._context.reshape(zoomed=None)
        return zoomed

    def action_resize(self, step: int) -> None:
        """Make the pane with the focus smaller (-1) or larger (1)."""
        shape, board = self._context.board.shape, self._context.board
        match shape.focus:
            case "results" | "query":
                self._context.reshape(split=_clamp_share(shape.split + step * RESIZE_STEP))
            case "reader":
                self._context.reshape(split=_clamp_share(shape.split - step * RESIZE_STEP))
            case "evidence" if board.placed.columns == 3:
                self._context.reshape(side=_clamp_share(shape.side + step * RESIZE_STEP))
            case "evidence":
                self._context.reshape(sheet=_clamp_share(shape.sheet + step * RESIZE_STEP))
            case "aspects":
                self._context.tell("The aspects strip has a fixed size.")
            case "matrix" | "home":
                self._context.tell("It already has all the space.")

    def action_sideways(self, pane: PaneName, step: int) -> None:
        """`h` goes back, `l` deeper: query, results, reader, evidence."""
        order = [name for name in PANES if self._has_content(name) and name != "matrix"]
        position = order.index(pane) + step if pane in order else 0
        if 0 <= position < len(order):
            self._context.focus_pane(order[position])


def _clamp_share(share: float) -> float:
    return min(0.9, max(0.1, share))
