"""Evidence for a hypothesis in the open paper: finding it, showing it in two panes, and stepping through it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.annotations import LocatedMark
from litterm.model.document import Document
from litterm.model.events import Event, EvidenceFound, Progress
from litterm.model.evidence import Evidence, EvidenceScope, EvidenceSentence
from litterm.tui.context import WorkbenchContext
from litterm.tui.evidence.rows import (
    FAILED_NOTE,
    STOPPED_NOTE,
    evidence_note,
    evidence_rows,
    extra_rows,
    has_evidence,
    other_notices,
)
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.state import EvidenceState, MarkRole

DEFAULT_SENTENCES = 10


class EvidenceController(ActionTarget):
    """Holds the sentences found and the user's marks, and gives both panes the same view of them.

    A hypothesis stays pinned: every paper that is opened is asked about it, without a model.
    """

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._sentences: tuple[EvidenceSentence, ...] = ()
        self._marks: tuple[LocatedMark, ...] = ()
        self.scope: EvidenceScope = "all"
        self.how_many = DEFAULT_SENTENCES
        self.findings = False
        """Whether key findings are listed instead of what speaks to the hypothesis."""
        self.evidence: Evidence | None = None
        """The last answer whole; `None` while there is none for the paper in the reader."""
        self._hypothesis_in_search = ""
        """The hypothesis whose evidence is looked for offline now; empty if there is none."""
        self._last_hypothesis = ""
        self.pinned: Callable[[Evidence | None], None] = lambda evidence: None
        """Called with `None` when the question changes, and with every answer found without a model."""

    @property
    def pinned_hypothesis(self) -> str:
        """The pinned hypothesis, which every opened paper is searched for; empty if there is none."""
        return self._last_hypothesis

    @pinned_hypothesis.setter
    def pinned_hypothesis(self, hypothesis: str) -> None:
        self._last_hypothesis = hypothesis
        self._context.results.show_hypothesis(hypothesis)

    @property
    def state(self) -> EvidenceState:
        """The evidence as shown."""
        return self._context.evidence.state

    def on_document_opened(self, document: Document) -> None:
        """Show the marks of a newly opened paper, and its evidence for the pinned hypothesis."""
        self._sentences, self.evidence, self._hypothesis_in_search = (), None, ""
        self.refresh_marks()
        self._context.reshape(evidence=bool(self._marks or self.pinned_hypothesis))
        if self.pinned_hypothesis:
            self._extract(document, self.pinned_hypothesis)

    def pin(self, hypothesis: str) -> None:
        """Ask every paper opened from now on about `hypothesis`, or about none if it is empty."""
        self.pinned_hypothesis = hypothesis
        # Before any answer, so that the rows forget what they said about the hypothesis before.
        self.pinned(None)

    def ask(self, hypothesis: str) -> None:
        """Pin a hypothesis and look for its evidence in the open paper; an empty one unpins it."""
        context = self._context
        document = context.reader.state.document
        self.pin(hypothesis.strip())
        if not self.pinned_hypothesis:
            # What is still sought would be shown under no hypothesis.
            context.work.cancel("evidence")
            self._sentences, self.evidence, self._hypothesis_in_search = (), None, ""
            context.evidence.state = EvidenceState()
            self.refresh_marks()
        elif document is not None:
            context.reshape(evidence=True, hidden=context.board.shape.hidden - {"evidence"})
            self._extract(document, self.pinned_hypothesis)

    def ask_once(self, hypothesis: str) -> None:
        """Look for the evidence of another hypothesis in the open paper; the pinned one stays."""
        context, document = self._context, self._context.reader.state.document
        if document is not None:
            context.reshape(evidence=True, hidden=context.board.shape.hidden - {"evidence"})
            self._extract(document, hypothesis)

    def action_unpin(self) -> None:
        """Drop the pinned hypothesis."""
        if self.pinned_hypothesis:
            dropped = self.pinned_hypothesis
            self.ask("")
            self._context.tell(f"Hypothesis dropped: {dropped}")
        else:
            self._context.tell("No hypothesis is pinned; press e to enter one.")

    def repeat_query(self) -> None:
        """Repeat the offline query after its options have changed."""
        self.pinned(None)
        document, evidence = self._context.reader.state.document, self.evidence
        # An answer of a model is paid for and stays; `M` asks again.
        answered = evidence.hypothesis if evidence is not None and not evidence.judged else ""
        hypothesis = self._hypothesis_in_search or answered
        if document is not None and hypothesis:
            self._extract(document, hypothesis)

    def _extract(self, document: Document, hypothesis: str) -> None:
        """Let the extractor read `document`, section by section."""
        # As they are now: the thread would see options that are switched meanwhile.
        context, k, scope = self._context, self.how_many, self.scope
        self._sentences, self.evidence, self._hypothesis_in_search = (), None, hypothesis
        context.evidence.state = EvidenceState(hypothesis=hypothesis, busy="looking", asked=True)
        self.refresh()

        context.work.start(
            "evidence",
            "looking for evidence",
            lambda: context.engine.evidence(document.paper_id, hypothesis, k=k, scope=scope),
            self._on_answer,
            on_event=self._on_event,
            failed=self.on_stopped,
        )

    def judge_with_model(self, task: Callable[[], Task[Evidence]]) -> None:
        """Let a model judge the evidence; what is shown stays until its answer arrives."""
        context, self._hypothesis_in_search = self._context, ""
        context.evidence.state = replace(self.state, busy="asking the model")
        context.work.start(
            "evidence", "evidence", task, self._on_answer, on_event=self._on_event, failed=self.on_stopped
        )

    def _on_answer(self, evidence: Evidence) -> None:
        """Show the complete answer, and give the row of the paper the same verdict."""
        self._on_evidence(evidence)
        self.pinned(evidence)

    def _on_event(self, event: Event) -> None:
        match event:
            case EvidenceFound(sentences=sentences, section=section):
                self._sentences = sentences
                self._context.evidence.state = replace(self.state, busy=section or "looking")
                self.refresh()
            case Progress(what=what, done=done, total=total):
                share = f" {done}/{total}" if total else ""
                self._context.evidence.state = replace(self.state, busy=f"{what}{share}")
            case _:
                pass

    def _on_evidence(self, evidence: Evidence) -> None:
        self._sentences, self.evidence, self._hypothesis_in_search = evidence.sentences, evidence, ""
        self.refresh()
        self._context.evidence.state = replace(self.state, by=evidence.by, busy="", notices=other_notices(evidence))

    def on_stopped(self, error: LittermError | None = None) -> None:
        """The search for evidence was cancelled or failed: what was found stays."""
        self._hypothesis_in_search = ""
        self._context.evidence.state = replace(self.state, busy="", note=FAILED_NOTE if error else STOPPED_NOTE)
        if error:
            self._context.failed_group = "evidence"
            self._context.tell(str(error), warn=True)

    def refresh_marks(self) -> None:
        """Read the marks again after a decision, and show them."""
        document = self._context.reader.state.document
        self._marks = self._context.engine.annotations.marks(document) if document else ()
        self.refresh()
        if self._marks and not self._context.board.shape.evidence:
            self._context.reshape(evidence=True)

    def refresh(self) -> None:
        """Show the current evidence in both panes."""
        context, evidence = self._context, self.evidence
        document = context.reader.state.document
        if document is None:
            return
        own_evidence, note = self._sentences, self.state.note
        key_findings: tuple[EvidenceSentence, ...] = ()
        if evidence is not None:
            shows_findings = self.findings or not has_evidence(evidence)
            own_evidence, key_findings = (
                (() if self.findings else own_evidence),
                (evidence.key_findings if shows_findings else ()),
            )
            note = evidence_note(evidence, findings=self.findings)
        is_weak_paper = evidence is not None and evidence.verdict == "weak"
        marked, pinned = self._marks, self.state.hypothesis
        rows = evidence_rows(
            document, own_evidence, key_findings, marked, hypothesis=pinned, is_weak_paper=is_weak_paper
        )
        rows = (*rows, *extra_rows(document, evidence, marked))
        context.evidence.state = replace(self.state, rows=rows, note=note)
        marks: dict[int, MarkRole] = {}
        for row in rows:
            if row.index is not None and row.role is not None:
                # The first row of a sentence counts: evidence comes before the same sentence as key finding.
                marks.setdefault(row.index, row.role)
        context.reader.state = replace(context.reader.state, marks=MappingProxyType(marks))

    def action_walk(self, step: int) -> None:
        """Go to the next (1) or previous (-1) sentence: in the evidence pane by rank, in the reader by place."""
        context, rows = self._context, self.state.rows
        places = [index for index, row in enumerate(rows) if row.index is not None]
        if not places:
            context.tell("No evidence here yet: press e.")
            return
        if context.focus == "reader":
            self._walk_text(step, places)
            return
        cursor = context.evidence.cursor
        # The first press goes to the row under the cursor while the reader stands elsewhere, not past it.
        on_it = rows[min(cursor, len(rows) - 1)].index == context.reader.cursor
        ahead = [index for index in places if (index > cursor if step > 0 else index < cursor)]
        if not on_it and cursor in places:
            index = cursor
        elif ahead:
            index = ahead[0] if step > 0 else ahead[-1]
        else:
            index = places[0] if step > 0 else places[-1]
        self.select_row(index)

    def action_show(self) -> None:
        """Show the sentence under the cursor of the evidence pane in its paper."""
        self.select_row(self._context.evidence.cursor)
        self._context.focus_pane("reader")

    def _walk_text(self, step: int, places: Sequence[int]) -> None:
        """Step from the cursor of the reader; after the last sentence comes the first."""
        # By place and not by rank: as one reads, `n` must not jump back over pages.
        rows, cursor = self.state.rows, self._context.reader.cursor
        order = sorted(places, key=lambda index: rows[index].index or 0)
        ahead = [index for index in order if step * ((rows[index].index or 0) - cursor) > 0]
        if step > 0:
            self.select_row(ahead[0] if ahead else order[0])
        else:
            self.select_row(ahead[-1] if ahead else order[-1])

    def select_row(self, row_index: int) -> None:
        """Put both panes on row `row_index` of the evidence."""
        rows = self.state.rows
        if 0 <= row_index < len(rows):
            self._context.evidence.go(row_index)
            index = rows[row_index].index
            if index is not None:
                self._context.reader.go(index, margin=4)
            elif rows[row_index].part:
                self._context.tell("The model could not be asked about this part; `.` asks about it alone.")
            elif not rows[row_index].negated:
                self._context.tell("This mark could not be located in the current text.", warn=True)

    def follow_reader(self, index: int) -> None:
        """Move the evidence pane to the sentence under the reader's cursor."""
        self._context.evidence.select(index)
