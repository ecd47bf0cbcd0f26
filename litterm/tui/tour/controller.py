"""The guided tour (`:tour`): five steps in a project of its own, each checked off when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual import events
from textual.timer import Timer

from litterm.text.terminal_width import wrap_text
from litterm.tui.annotations.projects import ProjectSwitch
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import Command
from litterm.tui.library.export import ExportController
from litterm.tui.session import SessionController
from litterm.tui.state import TOUR_PROJECT
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Line, LineView, Piece, line

MIN_WIDTH_BESIDE = 134
"""Columns of a screen that shows the strip beside the panes; on a narrower one it is above them."""
_LEAVE_HINT = ":tour leaves; again, it continues here."
CHECK_INTERVAL_S = 0.3


@dataclass(frozen=True, slots=True)
class TourStep:
    """One thing to do."""

    name: str
    instruction: str


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
        instruction = TOUR_STEPS[self.done].instruction if self.done < len(TOUR_STEPS) else _DONE_MESSAGE
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
                yield from (line(f"    {text}") for text in wrap_text(step.instruction, width - 4))
                yield line()
        yield line()
        for paragraph in (*([_DONE_MESSAGE] if self.done == len(TOUR_STEPS) else []), _PROJECT_NOTICE, _LEAVE_HINT):
            yield from (line((f" {text}", "muted")) for text in wrap_text(paragraph, width - 1))
            yield line()


class TourController:
    """Watches the panes without changing them; decisions stay in the tour's project."""

    def __init__(
        self,
        context: WorkbenchContext,
        projects: ProjectSwitch,
        session: SessionController,
        export: ExportController,
    ) -> None:
        self._context = context
        self._projects = projects
        self._export = export
        projects.leave_listeners.append(self.project_changed)
        session.restore_listeners.append(self.resume)
        self._strip: TourStrip | None = None
        self._timer: Timer | None = None
        self._before = ""
        """The project to return to."""
        self._export_count = 0

    @property
    def is_open(self) -> bool:
        """Whether the checklist is on the screen."""
        return self._strip is not None

    def toggle(self) -> None:
        """Begin, continue or leave the tour."""
        projects = self._context.engine.annotations.projects
        if self.is_open:
            self._close()
            if projects.current == TOUR_PROJECT:
                self._projects.switch_to(self._before)
            return
        if projects.current != TOUR_PROJECT:
            self._before = projects.current
            # The checklist says that the tour has begun; a notice would cover its last step on a narrow screen.
            self._projects.switch_to(TOUR_PROJECT, announced=False)
        if self._context.tour >= len(TOUR_STEPS):
            self._context.tour = 0
        if self._strip is None:
            self._open()
        else:
            self._strip.show(self._context.tour)
        self._context.focus_pane("query", typing=True)

    def project_changed(self) -> None:
        """Close the checklist when another project is in use."""
        if self.is_open and self._context.engine.annotations.projects.current != TOUR_PROJECT:
            self._close()

    def resume(self) -> None:
        """Show the checklist at a start in the tour's project."""
        if (
            not self.is_open
            and self._context.engine.annotations.projects.current == TOUR_PROJECT
            and self._context.tour < len(TOUR_STEPS)
        ):
            self._open()

    def command(self) -> Command:
        """The command `:tour`."""
        return Command("tour", "guided tour: five steps in a project of its own; again leaves it", self._run)

    def _run(self, _argument: str) -> None:
        self.toggle()

    def _open(self) -> None:
        context = self._context
        self._strip = TourStrip(context.glyphs)
        # Only what is exported from now on is a step of the tour.
        self._export_count = self._export.count
        context.screen.mount(self._strip)
        self._strip.show(context.tour)
        # By looking, so that no pane has to know of the tour.
        self._timer = context.screen.set_interval(CHECK_INTERVAL_S, self.check_steps)

    def _close(self) -> None:
        if self._strip is not None:
            self._strip.remove()
            self._strip = None
        if self._timer is not None:
            self._timer.stop()

    def check_steps(self) -> None:
        """Check off the steps that are done."""
        context = self._context
        while context.tour < len(TOUR_STEPS) and self._is_done(context.tour):
            context.tour += 1
            if self._strip is not None:
                self._strip.show(context.tour)
            if context.tour == len(TOUR_STEPS):
                context.tell("The tour is done: find, read, evidence, accept, export. :tour goes back to your project.")

    def _is_done(self, step: int) -> bool:
        context = self._context
        query, evidence = context.query.state, context.evidence.state
        match step:
            case 0:
                has_results = bool(query.text.strip()) and not query.sample and bool(context.results.state.rows)
                return has_results and context.focus != "query"
            case 1:
                return context.reader.state.document is not None
            case 2:
                return evidence.asked and not evidence.busy
            case 3:
                return bool(context.engine.annotations.quoted_papers())
            case _:
                return self._export.count > self._export_count or context.results.state.source == "cite"
