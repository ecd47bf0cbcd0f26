"""The list of completions below the query; it never has the focus."""

from __future__ import annotations

from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of
from litterm.tui.input.completion import Completion
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Line, LineView, line

MAX_ROWS_SHOWN = 8


class CompletionList(LineView, can_focus=False):
    """Values at the left, meanings beside them."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="completions")
        self._glyphs = glyphs
        self.choices: tuple[Completion, ...] = ()
        self.chosen: int | None = None
        """Index of the one inserted in the field."""

    @property
    def rows(self) -> int:
        """Number of lines."""
        return min(len(self.choices), MAX_ROWS_SHOWN) + (len(self.choices) > MAX_ROWS_SHOWN)

    def show(self, choices: tuple[Completion, ...], chosen: int | None = None) -> None:
        """Show other choices; none hides the list."""
        self.choices, self.chosen = choices, chosen
        self.renew()

    def lay_out(self, width: int) -> int:
        return self.rows

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        # The one in the field stays in sight.
        top = max(0, (self.chosen or 0) - MAX_ROWS_SHOWN + 1)
        if y == MAX_ROWS_SHOWN:
            return line((f" {len(self.choices) - MAX_ROWS_SHOWN:,} more: type on, or tab", "muted")), ""
        index = top + y
        if index >= len(self.choices):
            return (), ""
        completion = self.choices[index]
        cells = min(max(width_of(choice.text) for choice in self.choices) + 3, max(8, width // 2))
        text = clip(plain(completion.text), cells - 2, self._glyphs.ellipsis)
        gap = " " * (cells - width_of(text))
        meaning = clip(plain(completion.meaning), max(0, width - cells - 2), self._glyphs.ellipsis)
        return line(" ", (text, "accent"), gap, (meaning, "muted")), "cursor" if index == self.chosen else ""
