"""The excerpt dialog: a passage, its mark, the candidates, and the agent that looks for the paper after consent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static, TextArea

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.attribution.agent import (
    AGENT_VARIANTS,
    PUBLISHED_TEMPERATURE,
    AgentOptions,
    AgentStep,
    AgentVariant,
)
from litterm.model.attribution.citation import Attribution, Candidate, Excerpt
from litterm.model.document import Span
from litterm.model.events import AgentStepped, Event, Notice, Progress
from litterm.model.llm import CostEstimate, ModelCost, sum_costs
from litterm.render import sent_data
from litterm.render.attribution.trajectory import action_words, observation_line, outcome_words
from litterm.render.bibliography.bibtex import entries
from litterm.render.cost import spent_short, spent_words
from litterm.render.lines import percent, verdict_sentence
from litterm.text.escape import plain, plain_lines
from litterm.text.terminal_width import clip, wrap
from litterm.tui.attribution.candidates import CitationCandidates
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.library.export import ExportController
from litterm.tui.state import ResultRow
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import Range, styled_pieces, word_finder
from litterm.tui.widgets.key_hints import KeyHints
from litterm.tui.widgets.rows import Rows
from litterm.tui.widgets.styled_lines import Line, LineView

GROUP = "cite"
_VARIANTS = (AgentVariant("none", "every action, after an example of a search"), *AGENT_VARIANTS)
"""How the model may be asked, in turn; the first is the usual way."""
_RUNS = (1, 3, 5, 9)
"""Numbers of runs to choose from; odd, so that two papers cannot have as many."""
NO_MODEL_IN_TOUR = "The model would search your own papers; leave the guided tour first (:tour)."
STOPPED_NOTICE = "You stopped the model: this is the offline ranking. litterm cite --resume last continues."
HINT = "M lets the language model look for the paper."
_MAX_OBSERVATION_CELLS = 160
"""Cells of an observation that are shown; enter shows all of it."""
_HEIGHT_PERCENTAGES = (25, 30)
"""Percent of the screen's height for candidates and trajectory, when both are shown."""
_FIELD_KEYS = ("enter find paper", "shift+arrows select claim", "tab next mark", "esc leave")
_CANDIDATE_KEYS = ("enter open", "y copy key", "Y copy BibTeX", "M ask model", "h edit", "esc leave")
_TRAJECTORY_KEYS = ("enter full step", "M ask model", "x stop", "h edit", "esc leave")
INSTRUCTIONS = "Paste an excerpt with [CITATION] where the reference is missing."


class TrajectoryPane(ChoiceRows):
    """Shows a row for each step; follows the newest as long as the cursor is on it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__((), glyphs, wrap=True, id="trail")
        self._dot = f" {glyphs.dot} "
        self._more = glyphs.ellipsis
        self.steps: tuple[AgentStep, ...] = ()

    @property
    def current(self) -> AgentStep | None:
        """The step under the cursor."""
        return self.steps[self.cursor] if self.cursor < len(self.steps) else None

    @property
    def spent(self) -> ModelCost:
        """What all steps have cost."""
        return sum_costs(step.spent for step in self.steps)

    def clear(self, hint: str = HINT) -> None:
        """No steps; `hint` says what fills it."""
        self.steps = ()
        self.show([ListChoice(hint, role="muted")])

    def add(self, step: AgentStep) -> None:
        """One more step."""
        cursor = self.cursor
        follows = cursor >= len(self.steps) - 1
        self.steps = (*self.steps, step)
        runs = tuple(accumulate(int(shown_step.number == 1) for shown_step in self.steps))
        labels = [f"run {run}{self._dot}" if runs[-1] > 1 else "" for run in runs]
        self.show([self._choice(*pair) for pair in zip(labels, self.steps, strict=True)])
        # `show` has put the cursor on the first row.
        self.cursor = len(self.steps) - 1 if follows else cursor
        self.call_after_refresh(self.show_cursor)

    def _choice(self, run: str, step: AgentStep) -> ListChoice:
        summary = clip(observation_line(step), _MAX_OBSERVATION_CELLS, self._more)
        cost = spent_short(step.spent) if step.spent.calls else "kept"
        detail = self._dot.join(part for part in (outcome_words(step), f"{step.spent.tokens:,} tokens", cost) if part)
        label = f"{run}{action_words(step.action)}"
        return ListChoice(label, detail, key=str(step.number), below=(step.thought, summary))


class ExcerptView(LineView, can_focus=False):
    """Shows the passage with its chosen mark, and the words that count."""

    def __init__(self) -> None:
        super().__init__(id="excerpt-view")
        self._excerpt: Excerpt | None = None
        self._lines: list[tuple[int, int]] = []
        self._ranges: list[Range] = []
        self._text = ""

    def show(self, excerpt: Excerpt | None) -> None:
        """Draw another excerpt."""
        before = len(self._lines)
        self._excerpt = excerpt
        self.renew()
        if len(self._lines) != before:
            # Called at every letter typed; a layout of the dialog is needed only for another number of lines.
            self.refresh(layout=True)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return max(1, min(5, self.lay_out(max(1, width))))

    def lay_out(self, width: int) -> int:
        excerpt = self._excerpt
        if excerpt is None:
            self._lines = []
            return 1
        # One character for each of the excerpt, so that its spans stay valid.
        self._text = "".join(char if char.isprintable() else " " for char in excerpt.text)
        marks: list[Range] = [
            (mark.start, mark.end, "hit-now" if index == excerpt.chosen else "hit")
            for index, mark in enumerate(excerpt.marks)
        ]
        claim = (excerpt.claim.start, excerpt.claim.end, "chosen")
        words = word_finder(word.word for word in excerpt.words[:40]).ranges(self._text)
        self._ranges = [claim, *words, *marks]
        self._lines = list(wrap(self._text, 0, len(self._text), width - 1))
        if excerpt.marks and excerpt.chosen >= 0:
            place = excerpt.marks[excerpt.chosen].start
            # Five lines show: scrolled so that the mark is the fourth at most.
            row = next((index for index, (_, end) in enumerate(self._lines) if place < end), 0)
            self._lines = self._lines[max(0, row - 3) :]
        self._lines = self._lines[:5]
        return len(self._lines)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        if y >= len(self._lines):
            return (), ""
        start, end = self._lines[y]
        return tuple(styled_pieces(self._text, start, end, self._ranges, "muted")), ""


class CitationDialog(Dialog[int]):
    """Answers with the index of the candidate to open; -1 to look at them in the results.

    What is selected in the passage (shift and an arrow) is the claim that the mark stands for.
    """

    BINDINGS = [  # noqa: RUF012
        Binding("y", "copy('key')", "copy the citation key", id="dialog.copy-key"),
        Binding("Y", "copy('entry')", "copy as BibTeX", id="dialog.copy-entry"),
        Binding("M", "run_agent", "let the model search", id="dialog.pursue"),
        Binding("x", "stop", "stop the model", id="dialog.stop"),
        Binding("ctrl+c", "stop", "stop the model", id="dialog.stop-too"),
    ]

    def __init__(
        self,
        text: str,
        context: WorkbenchContext,
        candidates: CitationCandidates,
        agent: AgentController,
        export: ExportController,
    ) -> None:
        glyphs = context.glyphs
        super().__init__("which paper is cited here?", f" {glyphs.dot} ".join(_FIELD_KEYS), glyphs)
        self._text = text
        self._workbench = context
        self._candidates = candidates
        self._agent = agent
        self._export = export
        self._mark = 0
        self._claim: Span | None = None
        self._excerpt: Excerpt | None = None
        self._has_candidates = False
        self.view = ExcerptView()
        self._lint = Static(id="lint", classes="cause")
        self.choices = ChoiceRows((), glyphs, wrap=True)
        self.trail = TrajectoryPane(glyphs)

    def body(self) -> ComposeResult:
        yield Field(self._text, placeholder=INSTRUCTIONS, id="excerpt")
        yield self.view
        yield self._lint
        yield self.choices
        yield self.trail

    def on_mount(self) -> None:
        field = self.query_one(Field)
        field.focus()
        # As in every dialog with a text: typing replaces it, and an arrow continues with it.
        field.select_all()
        self.choices.display = False
        self.trail.display = False
        self._read_excerpt(self._text)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the keys of the part that has the focus."""
        keys: tuple[str, ...] = _FIELD_KEYS
        if event.widget is self.choices:
            keys = _CANDIDATE_KEYS
        elif event.widget is self.trail:
            keys = _TRAJECTORY_KEYS
        self.query_one(KeyHints).show(keys)

    def _read_excerpt(self, text: str) -> None:
        lines = plain_lines(text)
        self._excerpt, summary = None, ""
        if lines.strip():
            try:
                self._excerpt = self._workbench.engine.excerpt(lines, self._mark, self._claim)
                summary = self._excerpt.lint
            except LittermError as error:
                summary = str(error)
        self.view.set_class(self._excerpt is None, "-blank")
        self.view.show(self._excerpt)
        self.tell(summary)

    def tell(self, text: str) -> None:
        """The line below the passage."""
        self._lint.update(Content(plain(text)))

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._mark, self._claim = 0, None
        self._read_excerpt(event.text)

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """Take the selected text as the claim, until the text is edited or another mark is chosen."""
        event.stop()
        first, last = sorted((event.selection.start, event.selection.end))
        # Textual tells of every move of the cursor as a selection without length, and may do so after the dialog has
        # gone.
        if first == last or not self.is_attached:
            return
        lines = event.text_area.text.split("\n")
        start, end = (sum(len(line) + 1 for line in lines[:row]) + column for row, column in (first, last))
        self._claim = Span(start, end)
        self._read_excerpt(event.text_area.text)

    def handle_field_action(self, event: Field.ActionRequested) -> None:
        match event.what:
            # ctrl+c stops the model first, and closes the dialog only where none is at work.
            case "cancel" if self._agent.stop():
                pass
            case "leave" | "cancel":
                self.action_close()
            case "submit":
                self._submit(event.field.text)
            case "complete" if self._excerpt and len(self._excerpt.marks) > 1:
                self._mark, self._claim = (self._mark + 1) % len(self._excerpt.marks), None
                self._read_excerpt(event.field.text)
            case "below" if self.choices.display:
                self.choices.focus()
            case _:
                pass

    def _submit(self, text: str) -> None:
        self._read_excerpt(text)
        if self._excerpt is not None:
            self.tell(f"Looking in the library{self.glyphs.ellipsis}")
            self.ask(self._excerpt)

    def ask(self, excerpt: Excerpt) -> None:
        """Look for the paper of `excerpt`."""
        source = self._candidates.source_of(excerpt)
        engine, k, library_name = self._workbench.engine, self._candidates.how_many, self._workbench.library_name
        self._workbench.work.start(
            GROUP,
            "attributing",
            lambda: engine.cite(excerpt, k=k, source=source, library_name=library_name),
            self.show,
            failed=self._on_failure,
        )

    def _on_failure(self, error: LittermError) -> None:
        if self.is_attached:
            self.tell(str(error))
        else:
            self._workbench.tell(str(error), warn=True)

    def action_close(self) -> None:
        self._agent.stop()
        self.dismiss(-1 if self._has_candidates else None)

    def show(self, attribution: Attribution) -> None:
        """The candidates, the best first; in the results also if this dialog has been left meanwhile."""
        rows = self._candidates.show(attribution)
        if not self.is_attached:
            return
        self._has_candidates = True
        self.choices.display = bool(rows)
        self.set_class(bool(rows) and not self.has_class("-tracing"), "-answered")
        self.choices.show([_choice(*pair, self.glyphs) for pair in zip(rows, attribution.candidates, strict=False)])
        self.tell(" · ".join(part for part in (verdict_sentence(attribution), *attribution.notices[:1]) if part))
        if rows:
            self.choices.focus()
        elif not self.trail.steps:
            self.trail.clear()
            self.trail.display = True
            self.trail.focus()

    def begin(self) -> None:
        """Start a new search by the agent, without steps yet."""
        self.add_class("-tracing")
        self.remove_class("-answered")
        self.choices.max_height_percent, self.trail.max_height_percent = _HEIGHT_PERCENTAGES
        self.trail.clear("The model is searching; x stops it.")
        self.trail.display = True
        self.trail.focus()

    def step(self, step: AgentStep) -> None:
        """One more step of the model."""
        self.trail.add(step)
        self.tell(f"{len(self.trail.steps)} steps, {spent_words(self.trail.spent)} so far")

    def resume(self) -> None:
        """Take the focus back after a dialog over this one was closed."""
        # What had the focus may be hidden: candidates may have come while the other dialog was open.
        for widget in (self.choices, self.trail, self.query_one(Field)):
            if widget.display:
                widget.focus()
                return

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        if event.rows is not self.trail:
            self.dismiss(event.index)
        elif self.trail.current is not None:
            self._explain(self.trail.current)

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        if event.step < 0:
            self.query_one(Field).focus()
        elif event.rows is self.choices:
            self.dismiss(self.choices.cursor)

    def _explain(self, step: AgentStep) -> None:
        """Show a step of the agent in full."""
        texts = [text for text in (step.thought, step.observation) if text]
        self._workbench.open(MessageDialog(action_words(step.action), texts, self.glyphs))

    def action_run_agent(self) -> None:
        """Let the agent look for the paper, once the user agrees."""
        if self._excerpt is None:
            return
        if self._workbench.library_name is not None:
            self.tell(NO_MODEL_IN_TOUR)
        else:
            source = self._candidates.source_of(self._excerpt)
            self._agent.ask(AgentRequest(self._excerpt, source, self._candidates.how_many, self))

    def action_stop(self) -> None:
        self._agent.stop()

    def action_copy(self, form: str) -> None:
        """Copy the citation key of the candidate under the cursor, or its BibTeX entry."""
        rows, index = self._workbench.results.state.rows, self.choices.cursor
        if self.choices.display and self.choices.has_focus and index < len(rows):
            paper = rows[index].paper
            keys = self._workbench.engine.citation_keys.keys_of([paper])
            if form == "entry":
                self._export.copy_to_clipboard(entries([paper], keys=keys), "BibTeX entry")
            else:
                self._export.copy_to_clipboard(keys[paper.id], "citation key")


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """An excerpt to attribute, and the dialog that shows the steps and the answer."""

    excerpt: Excerpt
    source: str
    k: int
    dialog: CitationDialog


class AgentController(LlmRun):
    """Asks the model about one excerpt at a time."""

    SENT_DATA = sent_data.CITATION
    DRY_RUN_COMMAND = "litterm cite --agent --dry-run"

    def __init__(self, context: WorkbenchContext) -> None:
        super().__init__(context)
        self._options = AgentOptions()
        self._variant = 0
        """Of `_VARIANTS`."""
        self._request: AgentRequest | None = None
        self._running = False

    def ask(self, request: AgentRequest) -> None:
        """Estimate what asking would cost, and ask for consent."""
        self._request = request
        self.request_consent()

    def stop(self) -> bool:
        """Stop the search under way, keeping its steps; returns whether there was one."""
        if not self._running or not self._context.work.cancel(GROUP):
            return False
        self._running = False
        if self._request is not None:
            self._request.dialog.tell(STOPPED_NOTICE)
        return True

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        citation, options, request = self._context.engine.citing, self._options, self._request
        if request is None:
            return

        def task() -> Task[CostEstimate]:
            yield Progress("estimating")
            return citation.estimate(request.excerpt, options, source=request.source)

        self._context.work.start("estimate", "estimating", task, on_estimate, failed=self._on_failure)

    def options(self) -> tuple[ConsentOption, ...]:
        services = "also Semantic Scholar, arXiv and OpenAlex" if self._options.online else "only your library"
        if self._context.settings.offline:
            services = "only your library: the network is off"
        variant, runs = _VARIANTS[self._variant], self._options.runs
        return (
            ConsentOption("s", "is searched", services),
            ConsentOption("l", "variant", f"{variant.name}: {variant.meaning}"),
            ConsentOption("r", "runs", f"{runs}: the paper that most select" if runs > 1 else "1"),
            ConsentOption("c", "cached replies", "are used" if self._options.cached else "are not used"),
        )

    def switch(self, key: str) -> None:
        if key == "s":
            self._options = replace(self._options, online=not self._options.online)
        elif key == "l":
            self._variant = (self._variant + 1) % len(_VARIANTS)
            self._options = _VARIANTS[self._variant].apply(self._options)
        elif key == "r":
            runs = _RUNS[(_RUNS.index(self._options.runs) + 1) % len(_RUNS)]
            # At temperature 0, which the settings may name, all runs would be alike.
            is_zero = runs > 1 and self._context.settings.model.agent_temperature == 0
            self._options = replace(self._options, runs=runs, temperature=PUBLISHED_TEMPERATURE if is_zero else None)
        elif key == "c":
            self._options = replace(self._options, cached=not self._options.cached)

    def on_consent(self, consent: Consent) -> None:
        request, options, citation = self._request, self._options, self._context.engine.citing
        if request is None:
            return
        if consent == "run":
            self._running = True
            request.dialog.begin()
            self._context.work.start(
                GROUP,
                "agent",
                lambda: citation.find(request.excerpt, options, k=request.k, source=request.source),
                self._on_result,
                on_event=self._on_event,
                failed=self._on_failure,
            )
            return
        preview = citation.preview(request.excerpt, options, source=request.source)
        self._context.work.start("estimate", "dry run", lambda: preview, self.show_requests, failed=self._on_failure)

    def _on_event(self, event: Event) -> None:
        if self._request is None:
            return
        if isinstance(event, AgentStepped):
            self._request.dialog.step(event.step)
        elif isinstance(event, Notice) and event.text:
            self._request.dialog.tell(event.text)

    def _on_result(self, attribution: Attribution) -> None:
        self._running = False
        if self._request is not None:
            self._request.dialog.show(attribution)

    def _on_failure(self, error: LittermError) -> None:
        self._running = False
        if self._request is not None:
            self._request.dialog.tell(f"This is the offline ranking. {error}")


def _choice(row: ResultRow, candidate: Candidate, glyphs: Glyphs) -> ListChoice:
    from litterm.render.names import short_authors, venue_and_year

    byline = (row.paper.title, short_authors(row.paper), venue_and_year(row.paper))
    sure = percent(candidate.confidence) if candidate.confidence is not None else ""
    quoted = f"“{candidate.support}”" if candidate.support else ""
    reasons = f" {glyphs.dot} ".join((*(word for word, _ in row.matched[:5]), *candidate.why))
    label = f" {glyphs.dot} ".join(part for part in byline if part)
    return ListChoice(label, sure, key=str(row.rank), below=tuple(part for part in (reasons, quoted) if part))
