"""Opens papers in the reader where they were left, and goes back through those opened before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from litterm.core.errors import LittermError, UnknownPaper
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import PaperNotes, Session
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import abstract_document
from litterm.text.file_annotations import LocatedAnnotation, locate
from litterm.text.tokens import FUNCTION_WORDS
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.messages import query_words
from litterm.tui.state import ReaderState


@dataclass(frozen=True, slots=True)
class ReadingHistory:
    """The papers opened, and where each was left."""

    trail: tuple[Paper, ...]
    trail_index: int
    is_in_library: bool
    positions: Mapping[PaperId, tuple[int, int]]


class ReaderController(ActionTarget):
    """Opens papers, remembers the position in each and the trail of papers opened."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self.positions: dict[PaperId, tuple[int, int]] = {}
        """The sentences at the top and under the cursor of each paper when it was left, the last read last."""
        self.is_in_library = True
        """Whether the library holds the open paper; false for one that was only found online."""
        self._trail: list[Paper] = []
        self._trail_index = -1

    def history(self) -> ReadingHistory:
        """The papers opened so far, as they are remembered now."""
        return ReadingHistory(tuple(self._trail), self._trail_index, self.is_in_library, dict(self.positions))

    def return_to_history(self, history: ReadingHistory) -> None:
        """Remember the papers opened as `history` has them."""
        self._trail, self._trail_index = list(history.trail), history.trail_index
        self.is_in_library, self.positions = history.is_in_library, dict(history.positions)

    @property
    def paper(self) -> Paper | None:
        """The paper in the reader."""
        return self._context.reader.state.paper

    @property
    def document(self) -> Document | None:
        """Its text, once it is there."""
        return self._context.reader.state.document

    def open(
        self,
        paper: Paper,
        *,
        sentence: int | None = None,
        focus: bool = True,
        trail: bool = True,
        on_opened: Callable[[Document], None] = lambda document: None,
    ) -> None:
        """Show a paper where it was left, or at sentence `sentence`; `on_opened` is called once its text is there."""
        context = self._context
        # Opened again it keeps its place, its evidence and its selection.
        if self.paper is not None and self.paper.id == paper.id and self.document is not None:
            # It may be out of sight: the preview that showed it is off.
            context.reshape(reading=True)
            context.results.state = replace(context.results.state, reading=paper.id)
            if sentence is not None:
                context.reader.go(sentence)
            if focus:
                context.focus_pane("reader")
            on_opened(self.document)
            return
        self.save_position()
        if trail:
            # What lay ahead is cut off, as in a browser: one went another way.
            self._trail = [*self._trail[: self._trail_index + 1], paper][-200:]
            self._trail_index = len(self._trail) - 1
        self.is_in_library = True
        # Evidence of the paper left would arrive in the pane of the new one.
        context.evidence.clear()
        words = _highlight_words(context)
        notes = context.engine.annotations.notes(paper.id)
        context.reader.state = ReaderState(
            paper=paper, busy=f"Opening{context.glyphs.ellipsis}", words=words, notes=notes
        )
        context.results.state = replace(context.results.state, reading=paper.id)
        context.reshape(reading=True)
        if focus:
            context.focus_pane("reader")
        place = self.positions.get(paper.id, (0, 0)) if sentence is None else (sentence, sentence)
        context.work.start(
            "read",
            "opening",
            lambda: _load_text(context.engine, paper),
            lambda answer: self._show(*answer, place, on_opened),
            failed=self._on_failure,
        )

    def action_open_result(self) -> None:
        """Show the paper under the cursor of the results."""
        if (row := self._context.results.current) is not None:
            self.open(row.paper)

    def go_to_page(self, number: str) -> None:
        """Move the cursor to the first sentence on page `number`; it says so where the text has no such page."""
        pages = {
            sentence.page: sentence.index
            for sentence in reversed(self.document.sentences if self.document else ())
            if sentence.page is not None
        }
        if not pages:
            self._context.tell("The text of this paper has no page numbers." if self.document else "No paper is open.")
        elif not (number.isascii() and number.isdigit() and int(number[:9]) in pages):
            self._context.tell(f"There is no page {number}; its pages are {min(pages)} to {max(pages)}.", warn=True)
        else:
            self._context.focus_pane("reader")
            self._context.reader.go(pages[int(number)])

    def reload_paper(self, before: PaperId, paper: Paper) -> None:
        """Read the open paper again from its beginning if it is the one with id `before`, now `paper`."""
        context = self._context
        if self.paper is None or self.paper.id != before:
            return
        # A full text may bring another id: the way back must lead to the paper as it is now.
        self._trail = [paper if trail_paper.id == before else trail_paper for trail_paper in self._trail]
        context.reader.state = replace(context.reader.state, paper=paper)
        context.results.state = replace(context.results.state, reading=paper.id)
        task = partial(_load_text, context.engine, paper)
        context.work.start("read", "opening", task, lambda answer: self._show(*answer, (0, 0)), failed=self._on_failure)

    def _show(
        self,
        document: Document,
        is_held: bool,
        annotations: tuple[LocatedAnnotation, ...],
        place: tuple[int, int],
        on_opened: Callable[[Document], None] = lambda document: None,
    ) -> None:
        context = self._context
        self.is_in_library = is_held
        context.reader.state = replace(context.reader.state, document=document, annotations=annotations, busy="")
        last = max(0, len(document.sentences) - 1)
        # The text may be shorter than when its place was kept.
        context.reader.show_position(min(place[0], last), min(place[1], last))
        context.evidence.show_document(document)
        on_opened(document)

    def _on_failure(self, error: LittermError) -> None:
        self._context.reader.state = replace(self._context.reader.state, busy=str(error))

    def open_id(self, paper_id: PaperId, *, sentence: int | None = None, focus: bool = True) -> None:
        """Show the paper with this id, if the library has it."""
        self._look_up(
            partial(_load_by_id, self._context.engine, paper_id),
            lambda paper: self.open(paper, sentence=sentence, focus=focus),
        )

    def _look_up(self, task: Callable[[], Task[Paper]], on_paper: Callable[[Paper], None]) -> None:
        """Look a paper up in the background, as that takes longer than a key may."""

        def on_failure(error: LittermError) -> None:
            self._context.tell(str(error), warn=True)

        self._context.work.start("read", "opening", task, on_paper, failed=on_failure)

    def action_neighbour(self, step: int) -> None:
        """Open the previous (-1) or next (1) paper of the results; the focus stays."""
        context = self._context
        rows = context.results.shown
        if not rows:
            return
        index = next(
            (position for position, row in enumerate(rows) if self.paper and row.paper.id == self.paper.id), None
        )
        target = context.results.cursor + step if index is None else index + step
        if 0 <= target < len(rows):
            context.results.go(target)
            self.open(rows[target].paper, focus=context.focus == "query")
        else:
            context.tell("This is the last paper of the list." if step > 0 else "This is the first paper of the list.")

    def action_back(self, step: int) -> None:
        """Go back (-1) or forward (1) through the papers opened."""
        context, position = self._context, self._trail_index + step
        if 0 <= position < len(self._trail):
            self._trail_index = position
            # Looked up again: it may have been merged, or come into the library, since it was opened.
            self._look_up(
                partial(_load_again, context.engine, self._trail[position]), lambda paper: self.open(paper, trail=False)
            )
        else:
            context.tell("There is no previous paper." if step < 0 else "There is no next paper.")

    def save_position(self) -> None:
        """Remember where the open paper is scrolled to."""
        if self.paper is not None and self.document is not None:
            # Taken out first, so that the paper read last stands last, where home looks for it.
            self.positions.pop(self.paper.id, None)
            self.positions[self.paper.id] = self._context.reader.top_sentence, self._context.reader.cursor

    def refresh_notes(self) -> None:
        """Show the user's notes on the open paper again."""
        if self.paper is not None:
            notes: PaperNotes = self._context.engine.annotations.notes(self.paper.id)
            self._context.reader.state = replace(self._context.reader.state, notes=notes)

    def restore(self, session: Session) -> None:
        """Restore the positions of an earlier session."""
        # Sessions keep only the top: the cursor begins there.
        self.positions = {paper_id: (top, top) for paper_id, top in session.scroll}

    def saved_positions(self) -> tuple[tuple[PaperId, int], ...]:
        """Top sentence per paper, most recently read last, at most 200."""
        self.save_position()
        return tuple((paper_id, top) for paper_id, (top, _) in self.positions.items())[-200:]


def find_in_library(engine: Engine, paper: Paper) -> Paper | None:
    """The paper as the library holds it now; `None` if it does not."""
    try:
        return engine.paper(paper.id)
    except UnknownPaper:
        return None


def _load_by_id(engine: Engine, paper_id: PaperId) -> Task[Paper]:
    yield Progress("opening")
    return engine.paper(paper_id)


def _load_again(engine: Engine, paper: Paper) -> Task[Paper]:
    yield Progress("opening")
    return find_in_library(engine, paper) or paper


def _load_text(engine: Engine, paper: Paper) -> Task[tuple[Document, bool, tuple[LocatedAnnotation, ...]]]:
    """The text of a paper, whether the library holds it, and what is annotated in its files.

    Of a paper that the library does not hold the abstract is the text.
    """
    yield Progress("opening")
    try:
        document = yield from engine.read(paper.id)
    except UnknownPaper:
        return abstract_document(paper), False, ()
    # Located here and not where it is drawn: a whole text is looked through. A row may be older than the record.
    return document, True, locate(find_in_library(engine, paper) or paper, document)


def _highlight_words(context: WorkbenchContext) -> tuple[str, ...]:
    """Words of the query to highlight, without function words, which are on every line."""
    query = context.query.state.query
    words = query_words(query) if context.results.state.source == "search" else ()
    # Where all words are function words they are what was meant.
    return tuple(word for word in words if word.casefold() not in FUNCTION_WORDS) or words
