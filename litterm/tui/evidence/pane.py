"""The evidence pane: asks for the sentences that speak to a hypothesis, lists them, and steps through them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.reactive import reactive

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.annotations import LocatedMark
from litterm.model.document import Document
from litterm.model.events import Event, EvidenceFound, Progress
from litterm.model.evidence import Evidence, EvidenceSentence, has_model_stance
from litterm.model.search import Query
from litterm.model.study_aspects import StudyAspects, StudyCoverage
from litterm.render.agreement import mark_words
from litterm.render.names import method_words
from litterm.text.terminal_width import wrap_text
from litterm.text.tokens import tokens
from litterm.tui.evidence.options import EvidenceOptions
from litterm.tui.evidence.row_lines import FOLDED_LINES, WIDE_PANE_WIDTH, row_lines
from litterm.tui.evidence.row_verdicts import RowVerdicts
from litterm.tui.evidence.rows import (
    FAILED_NOTE,
    STOPPED_NOTE,
    evidence_note,
    evidence_rows,
    extra_rows,
    has_evidence,
    other_notices,
)
from litterm.tui.evidence.study_rows import UNCOVERED, study_note, study_rows
from litterm.tui.input.keymap import bindings
from litterm.tui.messages import query_words
from litterm.tui.reader.view import PageView
from litterm.tui.screen_context import ScreenContext
from litterm.tui.search.results_pane import ResultsPane
from litterm.tui.state import EvidenceRow, EvidenceState, MarkRole
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import line

STUDY_GROUP = "study aspects"
"""Group of the background tasks on the study aspects of the hypothesis shown."""
GROUP = "evidence"
"""Group of the background tasks that look for evidence in the open paper."""
EMPTY_TEXT = "No hypothesis yet. Press e on a paper: its evidence sentences appear here and are marked in the text."


class EvidencePane(Rows):
    """Evidence for a hypothesis in the open paper, shown here and as marks in the reader.

    A hypothesis stays pinned: every paper that is opened is asked about it, without a model.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("evidence")]
    PANE = "evidence"

    state: reactive[EvidenceState] = reactive(EvidenceState())

    def __init__(self, context: ScreenContext, results: ResultsPane) -> None:
        super().__init__(id="evidence")
        self._workbench = context
        self._reader = context.reader
        self._results = results
        self._glyphs = context.glyphs
        self._line_limit = FOLDED_LINES
        """Lines of a sentence away from the cursor; 0: all of them, where there is room for that."""
        self._sentences: tuple[EvidenceSentence, ...] = ()
        self._marks: tuple[LocatedMark, ...] = ()
        self.answer: Evidence | None = None
        """The last answer whole; `None` while there is none for the paper in the reader."""
        self.coverage: StudyCoverage | None = None
        """The study aspects for `answer` with their sentences, once they were asked for."""
        self.edit_aspect: Callable[[], None] = lambda: None
        """Rewords the study aspect under the cursor."""
        self._hypothesis_in_search = ""
        """The hypothesis whose evidence is looked for offline now; empty if there is none."""
        self.pinned_hypothesis = ""
        """The hypothesis that every opened paper is asked about; empty if there is none. Set by `pin`."""
        self._dropped_hypothesis = ""
        """The one dropped last, while none is pinned."""
        self._topic: frozenset[str] = frozenset()
        """Stems of the hypothesis and of the queries since it was pinned."""
        self.options = EvidenceOptions(self.repeat_query, self.show_rows)
        self.row_verdicts = RowVerdicts(context, results, self.options)

    def answers(self) -> tuple[object, ...]:
        """What it shows and holds about the open paper."""
        held = self._sentences, self._marks, self.answer, self._hypothesis_in_search
        return self.state, *held

    def return_to_answers(self, answers: tuple[object, ...]) -> None:
        """Show and hold again what `answers` were taken of."""
        state, *held = answers
        self._sentences, self._marks, self.answer, self._hypothesis_in_search = held  # type: ignore[assignment]
        self.state = state  # type: ignore[assignment]

    def clear(self) -> None:
        """Show nothing, and stop looking, as another paper is about to be opened."""
        self._workbench.work.cancel(GROUP)
        self._workbench.work.cancel(STUDY_GROUP)
        self.state = EvidenceState()

    def show_document(self, document: Document) -> None:
        """Show the marks of a newly opened paper, and its evidence for the pinned hypothesis."""
        self._sentences, self.answer, self.coverage, self._hypothesis_in_search = (), None, None, ""
        self.refresh_marks()
        self._workbench.reshape(evidence=bool(self._marks or self.pinned_hypothesis))
        if self.pinned_hypothesis:
            self._extract(document, self.pinned_hypothesis)

    def pin(self, hypothesis: str, query_text: str = "") -> None:
        """Ask every paper opened from now on about `hypothesis`, or about none if it is empty.

        `query_text` is a query that belongs to it, besides the one shown.
        """
        self._dropped_hypothesis = "" if hypothesis else self.pinned_hypothesis
        self.pinned_hypothesis = hypothesis
        self._topic = frozenset(
            tokens(" ".join((hypothesis, query_text, *query_words(self._workbench.query.state.query))))
        )
        self._results.show_hypothesis(hypothesis)
        # Before any answer, so that the rows forget what they said about the hypothesis before.
        self.row_verdicts.ask(hypothesis)

    def ask(self, hypothesis: str) -> None:
        """Pin a hypothesis and look for its evidence in the open paper; an empty one unpins it."""
        self.pin(hypothesis.strip())
        if self.pinned_hypothesis:
            self.ask_once(self.pinned_hypothesis)
            return
        # What is still sought would be shown under no hypothesis.
        self.clear()
        self._sentences, self.answer, self.coverage, self._hypothesis_in_search = (), None, None, ""
        self.refresh_marks()

    def ask_once(self, hypothesis: str) -> None:
        """Look for the evidence of a hypothesis in the open paper; the pinned one stays."""
        context, document = self._workbench, self._reader.state.document
        if document is not None:
            context.reshape(evidence=True, hidden=context.board.shape.hidden - {"evidence"})
            self._extract(document, hypothesis)

    def drop_if_unrelated(self, query: Query) -> None:
        """Drop the hypothesis when a query has none of its words, nor of those searched since it was pinned."""
        stems = frozenset(tokens(" ".join(query_words(query))))
        if not self.pinned_hypothesis or not stems:
            # A query of filters alone narrows what is there.
            return
        if stems & self._topic:
            self._topic |= stems
        else:
            self._drop("Another search: the hypothesis is dropped, X brings it back")

    def _drop(self, why: str) -> None:
        dropped = self.pinned_hypothesis
        self.ask("")
        self._workbench.tell(f"{why}: {dropped}")

    def action_unpin(self) -> None:
        """Drop the pinned hypothesis, or bring back the one dropped last."""
        if self.pinned_hypothesis:
            self._drop("Hypothesis dropped, X brings it back")
        elif self._dropped_hypothesis:
            self.ask(self._dropped_hypothesis)
        else:
            self._workbench.tell("No hypothesis is pinned; press e to enter one.")

    def sentences_to_judge(self) -> Sequence[int]:
        """The sentences of the reader that a decision is for; none where it is for the paper.

        Those selected, or the one under the cursor if it is among the evidence.
        """
        if self._reader.is_selecting:
            return self._reader.selected
        cursor = self._reader.cursor
        return (cursor,) if any(row.index == cursor for row in self.state.rows) else ()

    def repeat_query(self) -> None:
        """Repeat the offline query after its options have changed."""
        self.row_verdicts.ask(self.pinned_hypothesis)
        document, answer = self._reader.state.document, self.answer
        # An answer of a model is paid for and stays; `M` asks again.
        answered = answer.hypothesis if answer is not None and not answer.judged else ""
        hypothesis = self._hypothesis_in_search or answered
        if document is not None and hypothesis:
            self._extract(document, hypothesis)

    def _extract(self, document: Document, hypothesis: str) -> None:
        """Let the extractor read `document`, section by section."""
        # As they are now: the thread would see options that are switched meanwhile.
        engine, k, scope = self._workbench.engine, self.options.how_many, self.options.scope
        self._sentences, self.answer, self.coverage, self._hypothesis_in_search = (), None, None, hypothesis
        self.state = EvidenceState(hypothesis=hypothesis, busy="looking", asked=True)
        self.show_rows()
        self._start("looking for evidence", lambda: engine.evidence(document.paper_id, hypothesis, k=k, scope=scope))

    def judge_with_model(self, task: Callable[[], Task[Evidence]]) -> None:
        """Let a model judge the evidence; what is shown stays until its answer arrives."""
        self._hypothesis_in_search = ""
        self.state = replace(self.state, busy="asking the model")
        self._start("evidence", task)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what failed can be tried again."""
        if action == "retry":
            return self.answer is not None and bool(self.answer.failed)
        return super().check_action(action, parameters)

    def action_retry(self) -> None:
        """Ask a model again about the failed part under the cursor, or else about all failed parts."""
        earlier, row = self.answer, self.current
        if earlier is None:
            return
        asking, k, options = self._workbench.engine.model_evidence, self.options.how_many, self.options.llm
        # From the reader no row is meant, so that all parts that failed are asked about.
        alone = (row.part,) if row and row.part and self._workbench.focus == "evidence" else ()
        self.judge_with_model(lambda: asking.retry(earlier, options, k=k, retry_sections=alone))

    def _start(self, what: str, task: Callable[[], Task[Evidence]]) -> None:
        self._workbench.work.start(
            GROUP, what, task, self._show_answer, on_event=self._show_progress, failed=self.show_stopped
        )

    def _show_progress(self, event: Event) -> None:
        match event:
            case EvidenceFound(sentences=sentences, section=section):
                self._sentences = sentences
                self.state = replace(self.state, busy=section or "looking")
                self.show_rows()
            case Progress(what=what, done=done, total=total):
                share = f" {done}/{total}" if total else ""
                self.state = replace(self.state, busy=f"{what}{share}")
            case _:
                pass

    def _show_answer(self, answer: Evidence) -> None:
        """Show the complete answer, and give the row of the paper the same verdict."""
        self._sentences, self.answer, self._hypothesis_in_search = answer.sentences, answer, ""
        self.coverage = None
        self.show_rows()
        mark = ""
        if has_model_stance(answer):
            mark = mark_words(self._workbench.engine.agreement.mark("evidence", answer.by))
        self.state = replace(self.state, by=answer.by, busy="", notices=other_notices(answer), mark=mark)
        self.row_verdicts.store_answer(answer)

    def align(self, study: StudyAspects | None = None) -> None:
        """Find the sentences for the study aspects `study`, or for those that were kept or are split offline."""
        document, answer = self._reader.state.document, self.answer
        if document is None or answer is None:
            return
        studies = self._workbench.engine.studies
        what = "aligning study aspects"
        self._workbench.work.start(
            STUDY_GROUP, what, lambda: studies.cover(document, answer, study), self._show_coverage
        )

    def align_with_model(self) -> None:
        """Let a model split the hypothesis, unless its study aspects are kept, and align them.

        What is shown stays until its answer arrives.
        """
        document, answer = self._reader.state.document, self.answer
        if document is None or answer is None:
            return
        studies = self._workbench.engine.studies
        self.state = replace(self.state, busy="asking the model")
        self._workbench.work.start(
            STUDY_GROUP,
            "asking about study aspects",
            lambda: studies.cover_with_model(document, answer),
            self._show_coverage,
            on_event=self._show_progress,
            failed=self.show_study_stopped,
        )

    def show_study_stopped(self, error: LittermError | None = None) -> None:
        """Study aspects were being aligned by a model, and no longer are: those shown before stay."""
        self.state = replace(self.state, busy="")
        if error:
            self._workbench.task_failed(STUDY_GROUP, error)

    def _show_coverage(self, coverage: StudyCoverage) -> None:
        answer, document = self.answer, self._reader.state.document
        # Another paper or hypothesis may have come meanwhile.
        if answer is None or document is None or coverage.document_id != document.id:
            return
        if coverage.study.hypothesis == answer.hypothesis:
            self.coverage = coverage
            self.state = replace(self.state, busy="")
            self.show_rows()

    def show_stopped(self, error: LittermError | None = None) -> None:
        """The search for evidence was cancelled or failed: what was found stays."""
        self._hypothesis_in_search = ""
        self.state = replace(self.state, busy="", note=FAILED_NOTE if error else STOPPED_NOTE)
        if error:
            self._workbench.failed_group = GROUP
            self._workbench.tell(str(error), warn=True)

    def refresh_marks(self) -> None:
        """Read the marks again after a decision, and show them."""
        document = self._reader.state.document
        self._marks = self._workbench.engine.annotations.marks(document) if document else ()
        self.show_rows()
        if self._marks and not self._workbench.board.shape.evidence:
            self._workbench.reshape(evidence=True)

    def show_rows(self) -> None:
        """Show the sentences and marks of now, here and in the reader."""
        answer, document = self.answer, self._reader.state.document
        if document is None:
            return
        own_evidence, note = self._sentences, self.state.note
        key_findings: tuple[EvidenceSentence, ...] = ()
        if answer is not None:
            lists_findings = self.options.lists == "findings"
            shows_findings = lists_findings or not has_evidence(answer)
            own_evidence = () if lists_findings else own_evidence
            key_findings = answer.key_findings if shows_findings else ()
            note = evidence_note(answer, findings=lists_findings)
            if self._wants_coverage and self.coverage is None:
                self.align()
            elif self.options.auto and not lists_findings and self.coverage is not None:
                own_evidence, key_findings, note = self.coverage.cover, (), study_note(self.coverage)
        is_weak_paper = answer is not None and answer.verdict == "weak"
        marked, pinned = self._marks, self.state.hypothesis
        rows = evidence_rows(
            document, own_evidence, key_findings, marked, hypothesis=pinned, is_weak_paper=is_weak_paper
        )
        if self.options.lists == "aspects" and self.coverage is not None:
            rows, note = study_rows(document, self.coverage, answer, marked), study_note(self.coverage)
        rows = (*rows, *extra_rows(document, answer, marked))
        self.state = replace(self.state, rows=rows, note=note)
        marks: dict[int, MarkRole] = {}
        for row in rows:
            if row.index is not None and row.role is not None:
                # The first row of a sentence counts: evidence comes before the same sentence as key finding.
                marks.setdefault(row.index, row.role)
        self._reader.state = replace(self._reader.state, marks=MappingProxyType(marks))

    @property
    def _wants_coverage(self) -> bool:
        """Whether what the options list is made of study aspects."""
        return self.options.lists == "aspects" or (self.options.auto and self.options.lists == "hypothesis")

    def walk(self, step: int) -> None:
        """Go to the next (1) or previous (-1) sentence: here by rank, in the reader by place."""
        rows = self.state.rows
        places = [index for index, row in enumerate(rows) if row.index is not None]
        if not places:
            self._workbench.tell("No evidence here yet: press e.")
            return
        if self._workbench.focus == "reader":
            self._walk_text(step, places)
            return
        cursor = self.cursor
        # The first press goes to the row under the cursor while the reader stands elsewhere, not past it.
        on_it = rows[min(cursor, len(rows) - 1)].index == self._reader.cursor
        ahead = [index for index in places if (index > cursor if step > 0 else index < cursor)]
        if not on_it and cursor in places:
            index = cursor
        elif ahead:
            index = ahead[0] if step > 0 else ahead[-1]
        else:
            index = places[0] if step > 0 else places[-1]
        self.select_row(index)

    def _walk_text(self, step: int, places: Sequence[int]) -> None:
        """Step from the cursor of the reader; after the last sentence comes the first."""
        # By place and not by rank: as one reads, `n` must not jump back over pages.
        rows, cursor = self.state.rows, self._reader.cursor
        order = sorted(places, key=lambda index: rows[index].index or 0)
        ahead = [index for index in order if step * ((rows[index].index or 0) - cursor) > 0]
        if step > 0:
            self.select_row(ahead[0] if ahead else order[0])
        else:
            self.select_row(ahead[-1] if ahead else order[-1])

    def action_show(self) -> None:
        """Show the sentence under the cursor in its paper; of a study aspect, edit its wording."""
        if self.current is not None and self.current.aspect is not None:
            self.edit_aspect()
            return
        self.select_row(self.cursor)
        self._workbench.focus_pane("reader")

    def on_rows_moved(self) -> None:
        """The reader follows the cursor."""
        if self.current is not None and self.current.index is not None:
            self._reader.go(self.current.index, margin=4)

    def select_row(self, row_index: int) -> None:
        """Put both panes on row `row_index`."""
        rows = self.state.rows
        if 0 <= row_index < len(rows):
            self.go(row_index)
            index = rows[row_index].index
            if index is not None:
                self._reader.go(index, margin=4)
            elif rows[row_index].part:
                self._workbench.tell("The model could not be asked about this part; `.` asks about it alone.")
            elif not rows[row_index].negated and rows[row_index].aspect is None:
                self._workbench.tell("This mark could not be located in the current text.", warn=True)

    @property
    def current(self) -> EvidenceRow | None:
        """The row under the cursor."""
        return self.state.rows[self.cursor] if self.cursor < len(self.state.rows) else None

    def watch_state(self, old: EvidenceState, state: EvidenceState) -> None:
        sentence = old.rows[self.cursor].index if self.cursor < len(old.rows) else None
        # Sentences arrive section by section: a cursor not yet moved stays on the best of them.
        untouched = bool(old.busy) and self.cursor == 0
        keeps_cursor = old.hypothesis == state.hypothesis and sentence is not None and not untouched
        self.cursor = (
            next((index for index, row in enumerate(state.rows) if row.index == sentence), 0) if keeps_cursor else 0
        )
        self.renew()
        self.call_after_refresh(self.show_cursor)

    @on(PageView.Moved)
    def follow_reader(self, message: PageView.Moved) -> None:
        """Put the cursor on the row of the sentence under the reader's."""
        self.select(message.index)

    def select(self, sentence: int) -> None:
        """Put the cursor on the row of a sentence, if there is one, without posting a message."""
        index = next((index for index, row in enumerate(self.state.rows) if row.index == sentence), None)
        if index is not None and index != self.cursor:
            self.cursor = index
            self.renew()
            self.show_cursor()

    def count(self) -> int:
        return len(self.state.rows)

    def lay_out(self, width: int) -> int:
        # The title is cut to the width, which is known only here.
        self.retitle()
        # Whole sentences if all of them fit on the screen, else as many lines of each as do, but a few at least.
        self._line_limit = 0
        height = super().lay_out(width)
        if height > self.size.height:
            self._line_limit = self._fitting_limit(width)
            height = super().lay_out(width)
        return height

    def _fitting_limit(self, width: int) -> int:
        """The most lines of each sentence with which all fit; known from the rows of whole sentences."""
        # Below its locator a sentence has one line more.
        extra = 1 if width < WIDE_PANE_WIDTH else 0
        heights = [end - start for start, end in pairwise(self._offsets)]
        # The sentence under the cursor is whole.
        kept = heights.pop(self.cursor) if heights else 0
        room = self.size.height - len(self._head) - kept
        limits = range(max(heights, default=0), FOLDED_LINES, -1)
        return next((limit for limit in limits if sum(min(h, limit + extra) for h in heights) <= room), FOLDED_LINES)

    def draw_head(self, width: int) -> Drawn:
        state = self.state
        notices = [state.note, *state.notices] if state.asked else [] if state.rows or state.busy else [EMPTY_TEXT]
        lines = [line((f" {text}", "hint")) for part in notices if part for text in wrap_text(part, max(4, width - 2))]
        return tuple(lines)

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        return row_lines(self.state.rows[index], width, self._glyphs, limit=self._line_limit, unfolded=under_cursor)

    def retitle(self) -> None:
        """Update the title after a change of width, frame or position."""
        state, glyphs = self.state, self._glyphs
        count = sum(row.rank is not None and row.role is not None and not row.negated for row in state.rows)
        heads = [row for row in state.rows if row.aspect is not None]
        heading = f'4 evidence {glyphs.dot} "{state.hypothesis}"' if state.hypothesis else "4 evidence"
        # Of study aspects, how many some sentence carries.
        open_aspects = sum(UNCOVERED in row.locator for row in heads)
        proposed = f"{len(heads) - open_aspects}/{len(heads)} aspects" if heads else str(count)
        # Study aspects have a method of their own: they may be a model's where the evidence is not.
        by = self.coverage.by if heads and self.coverage is not None else state.by
        parts = [proposed, method_words(by), state.mark] if state.asked else []
        right = state.busy or f" {glyphs.dot} ".join(part for part in parts if part)
        set_title(self, heading, right, glyphs)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_cursor)
