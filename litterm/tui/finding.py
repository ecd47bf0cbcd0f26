"""Evidence: asking for it, showing it in two panes at once, and walking it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from litterm.model.desk import LocatedMark
from litterm.model.document import Document
from litterm.model.events import Event, Found, Progress
from litterm.model.evidence import Evidence, EvidenceScope, EvidenceSentence
from litterm.render.locator import locator
from litterm.tasks import Task
from litterm.tui.stage import Stage
from litterm.tui.state import EvidenceRow, EvidenceState, MarkRole

HOW_MANY = 10


class Finding:
    """Holds the sentences found and the user's marks, and gives both panes the same view of them."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._found: tuple[EvidenceSentence, ...] = ()
        self._key: tuple[EvidenceSentence, ...] = ()
        """What the paper says most, listed when nothing speaks to the hypothesis."""
        self._marks: tuple[LocatedMark, ...] = ()
        self.scope: EvidenceScope = "all"
        self.how_many = HOW_MANY
        self.evidence: Evidence | None = None
        """The last answer whole; `None` while there is none for the paper in the reader."""
        self.last = ""
        """The hypothesis asked last, of whatever paper."""

    @property
    def state(self) -> EvidenceState:
        """The evidence as shown."""
        return self._stage.evidence.state

    @property
    def _document(self) -> Document | None:
        return self._stage.reader.state.document

    def opened(self, document: Document) -> None:
        """Another paper is in the reader: show the marks it has."""
        self._found, self._key, self.evidence = (), (), None
        self.refresh_marks()

    def ask(self, hypothesis: str) -> None:
        """Look for evidence in the open paper, section by section."""
        stage, document = self._stage, self._document
        if document is None or not hypothesis.strip():
            return
        self._found, self._key, self.evidence = (), (), None
        self.last = hypothesis
        stage.evidence.state = EvidenceState(hypothesis=hypothesis, busy="looking", asked=True)
        self._draw()
        stage.reshape(evidence=True, hidden=stage.board.shape.hidden - {"evidence"})
        paper_id, k = document.paper_id, self.how_many
        scope = self.scope
        stage.work.start(
            "evidence",
            "looking for evidence",
            lambda: stage.engine.evidence(paper_id, hypothesis, k=k, scope=scope),
            self._done,
            said=self._heard,
        )

    def judge(self, task: Callable[[], Task[Evidence]]) -> None:
        """Let a model judge what is shown; it stays until something better arrives."""
        stage = self._stage
        stage.evidence.state = replace(self.state, busy="asking the model")
        stage.work.start("evidence", "asking the model", task, self._done, said=self._heard)

    def _heard(self, event: Event) -> None:
        match event:
            case Found(sentences=sentences, section=section):
                self._found = sentences
                self._stage.evidence.state = replace(self.state, busy=section or "looking")
                self._draw()
            case Progress(what=what, done=done, total=total):
                share = f" {done}/{total}" if total else ""
                self._stage.evidence.state = replace(self.state, busy=f"{what}{share}")
            case _:
                pass

    def _done(self, evidence: Evidence) -> None:
        self._found, self._key, self.evidence = evidence.sentences, (), evidence
        note = ""
        if not evidence.sentences or evidence.verdict == "nothing":
            note = _NONE + (" Its key findings:" if evidence.key_findings else "")
            self._key = evidence.key_findings
        elif evidence.verdict == "weak" or all(
            item.strength == "weak" and not item.stance for item in evidence.sentences
        ):
            note = _WEAK
        if evidence.failed:
            count = len(evidence.failed)
            note = f"{count} part{'s were' if count > 1 else ' was'} not judged by the model; `.` asks again. {note}"
        self._stage.evidence.state = replace(self.state, by=evidence.by, busy="", notices=evidence.notices, note=note)
        self._draw()

    def stopped(self) -> None:
        """The search for evidence was cancelled: what was found stays."""
        self._stage.evidence.state = replace(self.state, busy="", note="Stopped; what was found so far stays.")

    def refresh_marks(self) -> None:
        """The user has decided something: read the marks again and show them."""
        document = self._document
        self._marks = self._stage.engine.desk.marks(document) if document else ()
        self._draw()
        if self._marks and not self._stage.board.shape.evidence:
            self._stage.reshape(evidence=True)

    def _draw(self) -> None:
        stage, document = self._stage, self._document
        if document is None:
            return
        decided: Mapping[int, MarkRole] = {mark.index: mark.mark.kind for mark in self._marks if mark.index is not None}
        rows = [_proposed(document, item, decided) for item in self._found]
        rows += [
            replace(_proposed(document, item, decided), role=decided.get(item.sentence.index)) for item in self._key
        ]
        shown = {row.index for row in rows}
        own = sorted((mark for mark in self._marks if mark.index not in shown), key=_place)
        rows += [_own(document, mark) for mark in own]
        stage.evidence.state = replace(self.state, rows=tuple(rows))
        marks = {row.index: row.role for row in rows if row.index is not None and row.role is not None}
        stage.reader.state = replace(stage.reader.state, marks=MappingProxyType(marks))

    def walk(self, step: int) -> None:
        """The next (1) or previous (-1) sentence of the evidence pane, shown in the paper."""
        stage, rows = self._stage, self.state.rows
        places = [at for at, row in enumerate(rows) if row.index is not None]
        if not places:
            stage.tell("No evidence here yet: press e.")
            return
        here = stage.evidence.cursor
        on_it = rows[min(here, len(rows) - 1)].index == stage.reader.cursor
        ahead = [at for at in places if (at > here if step > 0 else at < here)]
        if not on_it and here in places:
            at = here
        elif ahead:
            at = ahead[0] if step > 0 else ahead[-1]
        else:
            at = places[0] if step > 0 else places[-1]
        self.jump(at)

    def jump(self, at: int) -> None:
        """Put both panes on row `at` of the evidence."""
        rows = self.state.rows
        if 0 <= at < len(rows):
            self._stage.evidence.go(at)
            index = rows[at].index
            if index is not None:
                self._stage.reader.go(index, margin=4)
            else:
                self._stage.tell("This mark was not located in the text there is now.", warn=True)

    def follow(self, index: int) -> None:
        """The reader's cursor moved: the evidence pane follows."""
        self._stage.evidence.select(index)


_WEAK = "Only weak evidence: nothing here speaks clearly to this hypothesis."
_NONE = "Nothing here speaks to this hypothesis."


def _place(mark: LocatedMark) -> tuple[bool, int]:
    return mark.index is None, mark.index if mark.index is not None else mark.mark.anchor.index


def _proposed(document: Document, item: EvidenceSentence, decided: Mapping[int, MarkRole]) -> EvidenceRow:
    guess: MarkRole = "strong" if item.strength == "strong" else "proposed"
    return EvidenceRow(
        index=item.sentence.index,
        text=item.sentence.text,
        role=decided.get(item.sentence.index, guess),
        locator=locator(document, item.sentence),
        rank=item.rank,
        strength=item.strength,
        score=item.score,
        terms=item.terms,
        stance=item.stance,
        reason=item.reason,
    )


def _own(document: Document, mark: LocatedMark) -> EvidenceRow:
    index = mark.index
    sentence = document.sentences[index] if index is not None else None
    return EvidenceRow(
        index=index,
        text=sentence.text if sentence else mark.mark.anchor.quote,
        role=mark.mark.kind,
        locator=locator(document, sentence) if sentence else "not located",
        hypothesis=mark.mark.hypothesis,
    )
