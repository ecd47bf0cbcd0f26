"""The first start and every later one: what is restored, and what is kept."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from litterm.core.errors import ReadOnly
from litterm.model.annotations import Session
from litterm.model.library import LibraryStatus
from litterm.model.paper import PaperId
from litterm.tui.context import WorkbenchContext
from litterm.tui.evidence.controller import EvidenceController
from litterm.tui.matrix.open import MatrixOpening
from litterm.tui.messages import FIRST_START
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.controller import WHAT_TO_TYPE, SearchController

SAMPLE = "guided tour of finding evidence in papers"
"""Searched at the first start; the starter library's guided tour answers it best."""


class SessionController:
    """Restores a session when the library is open, and saves it when one leaves."""

    def __init__(
        self,
        stage: WorkbenchContext,
        searching: SearchController,
        reading: ReaderController,
        finding: EvidenceController,
        surveying: MatrixOpening,
    ) -> None:
        self._stage = stage
        self._searching = searching
        self._reading = reading
        self._finding = finding
        self._surveying = surveying
        self.started: Callable[[], None] = lambda: None
        """Told when a session is there."""
        self._brought_back = False
        """Whether the session of the project is here; until then nothing may be written over it."""

    def start(self, status: LibraryStatus, session: Session, opening: PaperId | None) -> None:
        """Bring back what was there, or show the starter library; `opening` wins over the session's paper."""
        stage, self._brought_back = self._stage, True
        stage.project = stage.engine.desk.projects.current
        stage.attempt(stage.engine.desk.projects.remember)
        stage.query.history, stage.tour = session.history, session.tour
        self._finding.last = session.hypothesis
        self._reading.restore(session)
        stage.queue.restore(session.unfinished)
        paper_id = opening or session.paper_id
        self.started()
        typed = stage.query.field.text
        if session.matrix and opening is None:
            self._surveying.bring(session.matrix, focus=False)
        if typed or paper_id or session.query:
            if not typed and session.query:
                stage.query.fill(session.query)
                # What is typed first is meant to be a new query, not the tail of yesterday's.
                stage.query.field.select_all()
                self._searching.again(session.query)
            if paper_id is not None:
                # One always begins in the query: a letter typed at once is never a command.
                self._reading.open_id(paper_id, focus=False)
                stage.reshape(main="reader")
        elif status.papers == 0 and stage.settings.starter:
            stage.query.fill(SAMPLE, sample=True)
            self._searching.sample(SAMPLE, FIRST_START)
        else:
            stage.results.state = replace(stage.results.state, empty=WHAT_TO_TYPE)
            self._searching.again("")

    def save(self) -> None:
        """Keep the session for the next start."""
        if not self._brought_back:
            return
        stage, paper = self._stage, self._reading.paper
        session = Session(
            query="" if stage.query.state.sample else stage.query.state.text,
            # One that was only found online is not there the next time.
            paper_id=paper.id if paper and self._reading.here else None,
            hypothesis=self._finding.last,
            matrix=_matrix_looked_at(stage),
            scroll=self._reading.places(),
            history=stage.query.history[-200:],
            unfinished=stage.queue.unfinished,
            tour=stage.tour,
        )
        if session != stage.session:
            stage.session = session
            stage.attempt(lambda: self._write(session))

    def _write(self, session: Session) -> None:
        # In a library that may only be read the next start is as the first, and that is no news.
        with suppress(ReadOnly):
            self._stage.engine.desk.save_session(session)


def _matrix_looked_at(stage: WorkbenchContext) -> str:
    """The matrix to come back to; at home the one that one came from."""
    if stage.focus == "home":
        return stage.session.matrix
    # From the query one has not left it yet: every start is there.
    open_still = stage.focus == "query" and stage.board.shape.matrix
    return stage.matrix.state.key if stage.focus == "matrix" or open_still else ""
