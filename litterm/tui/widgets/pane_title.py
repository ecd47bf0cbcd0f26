"""A pane's title line: its digit and name at the left, how far one is at the right."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of
from litterm.tui.widgets.glyphs import Glyphs


def set_title(pane: Widget, heading: str, right: str, glyphs: Glyphs) -> None:
    """Write the pane's title; `heading` is cut first. Text is text: no markup in it acts."""
    framed = bool(pane.styles.border_left[0])
    # Beside a corner Textual draws one piece of line and puts a blank on either side of the label itself.
    room = max(0, pane.outer_size.width - (6 if framed else 4))
    right = clip(plain(right), max(0, room - 12), glyphs.ellipsis)
    heading = clip(plain(heading), max(0, room - (width_of(right) + 3 if right else 0)), glyphs.ellipsis)
    if right:
        fill = glyphs.rule * max(1, room - width_of(heading) - width_of(right) - 2)
        label = Content.assemble(heading, " ", (fill, "$border"), " ", right)
    else:
        label = Content(heading)
    title = label if framed else Content.assemble(" ", label, " ")
    # Textual draws the whole pane again for a title, also for the one it has.
    if pane.border_title != title.markup:
        pane.border_title = title
