"""The checklist of the tour beside the panes, or above them where there is no room beside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual import events

from litterm.text.terminal_width import wrap_text
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Line, LineView, Piece, line

MIN_WIDTH_BESIDE = 134
"""Columns of a screen that shows the strip beside the panes; on a narrower one it is above them."""
_LEAVE_HINT = ":tour leaves; again, it continues here."


@dataclass(frozen=True, slots=True)
class TourStep:
    """One thing to do."""

    name: str
    how: str


TOUR_STEPS: Sequence[TourStep] = (
    TourStep("Find", "Type a question in the query and press enter: how well do language models use long contexts"),
    TourStep("Read", "In the results j and k move, and enter opens a paper; esc leaves the query."),
    TourStep("Evidence", "e asks for a hypothesis, enter takes your question; its sentences appear below."),
    TourStep("Accept", "n goes to the next of them; a accepts it, x rejects it."),
    TourStep(
        "Export or cite",
        "w writes papers and quotes to a file, y copies a quote, c finds the paper that an excerpt cites.",
    ),
)
_DONE_MESSAGE = "That is all. P switches projects; ? lists the keys of a pane."
_PROJECT_NOTICE = "On the starter library, in a project of its own: nothing you decide here reaches yours."


class TourStrip(LineView):
    """The checklist; it never has the focus."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="tour")
        self.can_focus = False
        self._glyphs = glyphs
        self.done = 0
        """Number of steps done."""
        self._lines: list[Line] = []

    def show(self, done: int) -> None:
        """Show that `done` steps are done."""
        self.done = done
        self.renew()

    def on_mount(self) -> None:
        self._choose_side()

    def on_resize(self, event: events.Resize) -> None:
        self._choose_side()
        super().on_resize(event)

    def _choose_side(self) -> None:
        """Choose the place by the width of the screen."""
        self.set_class(self.app.size.width < MIN_WIDTH_BESIDE, "-above")

    def lay_out(self, width: int) -> int:
        short = self.has_class("-above")
        self._lines = list(self._compact_lines(max(8, width)) if short else self._full_lines(max(8, width - 1)))
        return len(self._lines)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        return (self._lines[y] if y < len(self._lines) else line()), ""

    def _compact_lines(self, width: int) -> Iterator[Line]:
        pieces: list[Piece] = [(" tour ", "muted")]
        for index, step in enumerate(TOUR_STEPS):
            pieces += [*self._step_mark(index), (f"{index + 1} {step.name}  ", self._step_role(index))]
        yield line(*pieces)
        instruction = TOUR_STEPS[self.done].how if self.done < len(TOUR_STEPS) else _DONE_MESSAGE
        texts = wrap_text(instruction, width - 2)
        yield from (line(f" {text}") for text in texts)
        if len(texts) == 1:
            footer = f"{_PROJECT_NOTICE} {_LEAVE_HINT}"
            yield line((f" {footer if len(footer) < width - 1 else _LEAVE_HINT}", "muted"))

    def _step_mark(self, index: int) -> list[Piece]:
        if index < self.done:
            return [(f"{self._glyphs.accepted} ", "accepted mark")]
        return [(f"{self._glyphs.bar if index == self.done else ' '} ", "bar")]

    def _step_role(self, index: int) -> str:
        return "muted" if index < self.done else "title" if index == self.done else ""

    def _full_lines(self, width: int) -> Iterator[Line]:
        yield line((f" guided tour {self._glyphs.dot} {self.done} of {len(TOUR_STEPS)}", "title"))
        yield line()
        for index, step in enumerate(TOUR_STEPS):
            yield line(*self._step_mark(index), (f"{index + 1} {step.name}", self._step_role(index)))
            if index == self.done:
                yield from (line(f"    {text}") for text in wrap_text(step.how, width - 4))
                yield line()
        yield line()
        for paragraph in (*([_DONE_MESSAGE] if self.done == len(TOUR_STEPS) else []), _PROJECT_NOTICE, _LEAVE_HINT):
            yield from (line((f" {text}", "muted")) for text in wrap_text(paragraph, width - 1))
            yield line()
