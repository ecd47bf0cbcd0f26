"""Saves the session and restores it at the next start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from litterm.core.errors import ReadOnly, StateBusy
from litterm.model.annotations import Session, UnfinishedJob
from litterm.model.library import LibraryStatus
from litterm.model.paper import PaperId
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import deduplicate_history
from litterm.tui.matrix.open import MatrixOpening
from litterm.tui.messages import FIRST_START_HINTS
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.controller import QUERY_HINTS, SearchController

SAMPLE_QUERY = "guided tour of finding evidence in papers"
"""The query of the first start; the guided tour in the starter library is its best result."""


class SessionController:
    """Restores the session once the library is open, and saves it on leaving and now and then."""

    def __init__(
        self,
        context: WorkbenchContext,
        search: SearchController,
        reader: ReaderController,
        matrices: MatrixOpening,
    ) -> None:
        self._context = context
        self._search = search
        self._reader = reader
        self._matrices = matrices
        self.restore_listeners: list[Callable[[], None]] = []
        """Called when a session is restored, before its query is searched."""
        context.queue.listeners.append(self.save)
        self._is_restored = False
        """Whether the session has been restored; saving before that would overwrite it with an empty one."""

    def start(self, status: LibraryStatus, session: Session, opening: PaperId | None) -> None:
        """Restore the session, or show the starter library; `opening` takes precedence over the session's paper."""
        context, self._is_restored = self._context, True
        context.project = context.engine.annotations.projects.current
        context.attempt(context.engine.annotations.projects.save_current)
        context.query.history, context.tour = session.history, session.tour
        context.questions = session.questions
        # Those of the project one comes from are still remembered.
        context.commands = deduplicate_history((*session.commands, *context.commands))
        for note in session.note_drafts:
            context.attempt(lambda note=note: context.engine.unsaved_texts.keep("note", *note))  # type: ignore[misc]
        # Before a paper opens, as it is asked about the pinned hypothesis at once.
        context.evidence.pin(session.hypothesis, session.query)
        self._reader.restore(session)
        context.queue.restore(session.unfinished)
        if session.unfinished:
            context.tell(_unfinished_words(session.unfinished))
        for listener in self.restore_listeners:
            listener()
        if context.query.field.text or opening or session.paper_id or session.query:
            self._restore_panes(session, opening)
        elif status.papers == 0 and context.settings.starter:
            context.query.fill(SAMPLE_QUERY, sample=True)
            self._search.show_sample(SAMPLE_QUERY, FIRST_START_HINTS)
        else:
            context.results.state = replace(context.results.state, empty=QUERY_HINTS)
            # An empty query lists what came in last.
            self._search.repeat_search("")
        if session.matrix and opening is None:
            # Not where one had gone back to the query, with the matrix behind it.
            self._matrices.show_saved(session.matrix, focus=session.focus != "query")

    def _restore_panes(self, session: Session, opening: PaperId | None) -> None:
        """Search for the query, open the paper, and put the focus where it was."""
        context, paper_id = self._context, opening or session.paper_id
        # The library opens in the background, so the user may have typed a query already; it wins.
        typed = context.query.field.text
        if not typed and session.query:
            context.query.fill(session.query)
            # Selected, so that a letter typed there begins a new query instead of lengthening the old one.
            context.query.field.select_all()
            self._search.repeat_search(session.query)
        if paper_id is not None:
            self._reader.open_id(paper_id, focus=opening is not None and not typed)
            context.reshape(main="reader")
        if not typed and opening is None:
            self._restore_focus(session)

    def _restore_focus(self, session: Session) -> None:
        """Put the focus where it was, in NORMAL mode: the first letter is a command there."""
        context, reading = self._context, session.paper_id is not None
        context.reshape(reading=reading or context.board.shape.reading)
        match session.focus:
            case "query" | "results" as pane:
                context.focus_pane(pane)
            case "reader" if reading:
                context.focus_pane("reader")
            case "evidence" if reading and session.hypothesis:
                context.reshape(evidence=True)
                context.focus_pane("evidence")
            case _:
                # Also of a matrix, which takes the focus once it has been read.
                context.focus_pane("reader" if reading else "results")

    def save(self, *, at_end: bool = False) -> None:
        """Save the session for the next start if it has changed; `at_end` of the process there is no later attempt."""
        if not self._is_restored:
            return
        context, paper = self._context, self._reader.paper
        session = Session(
            query="" if context.query.state.sample else context.query.state.text,
            # A paper found online and not imported could not be opened at the next start.
            paper_id=paper.id if paper and self._reader.is_in_library else None,
            hypothesis=context.evidence.pinned_hypothesis,
            matrix=_open_matrix(context),
            focus=context.session.focus if context.focus == "home" else context.focus,
            scroll=self._reader.saved_positions(),
            history=context.query.history[-200:],
            unfinished=context.queue.unfinished_jobs,
            tour=context.tour,
            commands=context.commands,
            questions=context.questions,
        )
        # Asked for every few seconds: only what has changed is written.
        if session != context.session:
            before, context.session = context.session, session
            context.attempt(lambda: self._write(session, before, at_end=at_end))

    def _write(self, session: Session, before: Session, *, at_end: bool) -> None:
        # A read-only library has no sessions, and a warning every few seconds would be noise.
        with suppress(ReadOnly):
            try:
                self._context.engine.annotations.save_session(session, at_end=at_end)
            except StateBusy:
                # It is still the saved one, so that this one is written when it is asked for again.
                self._context.session = before
                raise


def _unfinished_words(jobs: Sequence[UnfinishedJob]) -> str:
    """One line about what an earlier start left unfinished."""
    others = f" and {len(jobs) - 1:,} more" if len(jobs) > 1 else ""
    return f"Unfinished: {jobs[-1].what}{others}. 0 lists it; enter goes on."


def _open_matrix(context: WorkbenchContext) -> str:
    """The matrix that the next start opens; while home is shown, the one saved before."""
    if context.focus == "home":
        return context.session.matrix
    # From the query one is back at the matrix with `esc`.
    open_still = context.focus == "query" and context.board.shape.matrix
    return context.matrix.state.key if context.focus == "matrix" or open_still else ""
