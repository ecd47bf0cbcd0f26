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
        context: WorkbenchContext,
        search: SearchController,
        reader: ReaderController,
        evidence: EvidenceController,
        matrices: MatrixOpening,
    ) -> None:
        self._context = context
        self._search = search
        self._reader = reader
        self._evidence = evidence
        self._matrices = matrices
        self.started: Callable[[], None] = lambda: None
        """Told when a session is there."""
        self._brought_back = False
        """Whether the session of the project is here; until then nothing may be written over it."""

    def start(self, status: LibraryStatus, session: Session, opening: PaperId | None) -> None:
        """Bring back what was there, or show the starter library; `opening` wins over the session's paper."""
        context, self._brought_back = self._context, True
        context.project = context.engine.annotations.projects.current
        context.attempt(context.engine.annotations.projects.remember)
        context.query.history, context.tour = session.history, session.tour
        self._evidence.last = session.hypothesis
        self._reader.restore(session)
        context.queue.restore(session.unfinished)
        paper_id = opening or session.paper_id
        self.started()
        typed = context.query.field.text
        if session.matrix and opening is None:
            self._matrices.bring(session.matrix, focus=False)
        if typed or paper_id or session.query:
            if not typed and session.query:
                context.query.fill(session.query)
                # What is typed first is meant to be a new query, not the tail of yesterday's.
                context.query.field.select_all()
                self._search.again(session.query)
            if paper_id is not None:
                # One always begins in the query: a letter typed at once is never a command.
                self._reader.open_id(paper_id, focus=False)
                context.reshape(main="reader")
        elif status.papers == 0 and context.settings.starter:
            context.query.fill(SAMPLE, sample=True)
            self._search.sample(SAMPLE, FIRST_START)
        else:
            context.results.state = replace(context.results.state, empty=WHAT_TO_TYPE)
            self._search.again("")

    def save(self) -> None:
        """Keep the session for the next start."""
        if not self._brought_back:
            return
        context, paper = self._context, self._reader.paper
        session = Session(
            query="" if context.query.state.sample else context.query.state.text,
            # One that was only found online is not there the next time.
            paper_id=paper.id if paper and self._reader.here else None,
            hypothesis=self._evidence.last,
            matrix=_matrix_looked_at(context),
            scroll=self._reader.places(),
            history=context.query.history[-200:],
            unfinished=context.queue.unfinished,
            tour=context.tour,
        )
        if session != context.session:
            context.session = session
            context.attempt(lambda: self._write(session))

    def _write(self, session: Session) -> None:
        # In a library that may only be read the next start is as the first, and that is no news.
        with suppress(ReadOnly):
            self._context.engine.annotations.save_session(session)


def _matrix_looked_at(context: WorkbenchContext) -> str:
    """The matrix to come back to; at home the one that one came from."""
    if context.focus == "home":
        return context.session.matrix
    # From the query one has not left it yet: every start is there.
    open_still = context.focus == "query" and context.board.shape.matrix
    return context.matrix.state.key if context.focus == "matrix" or open_still else ""
