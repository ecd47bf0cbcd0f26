"""The attribution of a mark: the excerpt dialog, the offline search, and candidates in the results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from litterm.core.errors import LittermError
from litterm.model.attribution.agent import AgentStep
from litterm.model.attribution.citation import Attribution, Candidate, Excerpt
from litterm.model.document import Span
from litterm.render.attribution.trajectory import action_words
from litterm.render.bibliography.bibtex import entries
from litterm.render.bibliography.keys import citation_key
from litterm.tui.attribution.agent_run import AgentController, AgentRequest
from litterm.tui.attribution.dialog import CitationDialog
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.controller import SearchController
from litterm.tui.state import ResultRow, ResultsState

NO_MODEL_IN_TOUR = "The model would search your own papers; leave the guided tour first (:tour)."


class CitationController(ActionTarget):
    """Opens the excerpt dialog and shows the candidates, there and in the results."""

    def __init__(
        self, context: WorkbenchContext, search: SearchController, reader_controller: ReaderController
    ) -> None:
        self._context = context
        self._search = search
        self._reader = reader_controller
        self._dialog: CitationDialog | None = None
        self._before: ResultsState | None = None
        self._text = ""
        self._source = ""
        self._pursuing = AgentController(context)
        self.copied: Callable[[str, str], None] = lambda _text, _what: None
        """Puts a text on the clipboard and says what it was."""
        self.starter_only: Callable[[], bool] = lambda: False
        """Whether candidates come from the starter library only."""
        self.join = False
        """Whether candidates join the results instead of replacing them."""
        self.how_many = 10

    def open(self, text: str = "", source: str = "") -> None:
        """Open the dialog with `text` or the last excerpt; `source` is the paper the excerpt was taken from, if any."""
        if text:
            self._source = source
        self._text = text or self._text
        self._dialog = CitationDialog(self._text, self._context.glyphs, self)
        self._context.open(self._dialog, self._on_candidate_chosen)

    def action_open_selected(self) -> None:
        """Open the dialog, with the sentences selected in the reader if the reader is in use."""
        reader = self._context.reader
        document, paper = self._reader.document, self._reader.paper
        if reader.has_focus and reader.selected and document is not None and paper is not None:
            self.open(" ".join(document.sentences[index].text for index in reader.selected), paper.id)
        else:
            self.open()

    def read(self, text: str, mark: int, claim: Span | None) -> Excerpt:
        """Read the passage; raises `LittermError` as long as it is not an excerpt."""
        return self._context.engine.excerpt(text, mark, claim)

    def ask(self, excerpt: Excerpt) -> None:
        """Look for the paper of `excerpt`."""
        source = self._source_of(excerpt)
        engine, k, starter_only = self._context.engine, self.how_many, self.starter_only()
        self._context.work.start(
            "cite",
            "attributing",
            lambda: engine.cite(excerpt, k=k, source=source, starter_only=starter_only),
            self._show,
            failed=self._on_failure,
        )

    def run_agent(self, excerpt: Excerpt) -> None:
        """Let the agent look for the paper of `excerpt`, once the user agrees."""
        if self._dialog is None:
            return
        if self.starter_only():
            self._dialog.tell(NO_MODEL_IN_TOUR)
        else:
            source = self._source_of(excerpt)
            self._pursuing.open(AgentRequest(excerpt, source, self.how_many, self._dialog, self._show))

    def stop(self) -> bool:
        """Stop the agent; returns whether it was running."""
        return self._pursuing.stop()

    def explain(self, step: AgentStep) -> None:
        """Show a step of the agent in full."""
        paragraphs = (step.thought, step.observation)
        texts = [text for text in paragraphs if text]
        self._context.open(MessageDialog(action_words(step.action), texts, self._context.glyphs))

    def _source_of(self, excerpt: Excerpt) -> str:
        """The paper the passage was taken from, as long as the excerpt still holds that passage."""
        # A passage that was typed again is from no paper; one that was only added to still is.
        if excerpt.text != self._text:
            self._text, self._source = excerpt.text, self._source if self._text in excerpt.text else ""
        return self._source

    def copy(self, index: int, *, entry: bool) -> None:
        """Copy the citation key of the candidate at `index`, or its BibTeX entry."""
        rows = self._context.results.state.rows
        if 0 <= index < len(rows):
            paper = rows[index].paper
            form = "BibTeX entry" if entry else "citation key"
            self.copied(entries([paper]) if entry else citation_key(paper), form)

    def _on_failure(self, error: LittermError) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.tell(str(error))
        else:
            self._context.tell(str(error), warn=True)

    def _show(self, attribution: Attribution) -> None:
        results = self._context.results
        sure = any(candidate.confidence is not None for candidate in attribution.candidates)
        rows = tuple(_row(candidate, attribution.by, explained=not sure) for candidate in attribution.candidates)
        # Candidates of an earlier excerpt are not what `esc` goes back to.
        if results.state.source == "search":
            self._before = results.state
        shown_rows = rows
        if self.join and self._before is not None:
            ids = {row.paper.id for row in rows}
            other_rows = [row for row in self._before.rows if row.paper.id not in ids]
            shown_rows = (*rows, *(replace(row, rank=rank) for rank, row in enumerate(other_rows, len(rows) + 1)))
        empty = ("No candidate in the library for this excerpt.", "esc goes back to the search.")
        results.state = replace(
            results.state,
            rows=shown_rows,
            result_count=len(shown_rows),
            by=attribution.by,
            source="cite",
            notes=results.notes_of(shown_rows),
            empty=empty,
            hint=attribution.notices,
            only="",
        )
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.show(rows, attribution)

    def _on_candidate_chosen(self, index: int) -> None:
        self._dialog = None
        rows = self._context.results.state.rows
        if 0 <= index < len(rows):
            self._context.results.go(index)
            self._reader.open(rows[index].paper)
        else:
            self._context.focus_pane("results")

    def leave(self) -> bool:
        """Return from the candidates to the search; returns whether there were candidates."""
        if self._context.results.state.source != "cite" or self._before is None:
            return False
        notes = self._context.results.notes_of(self._before.rows)
        # Notes and the open paper may have changed while the candidates were shown.
        reading = self._context.results.state.reading
        self._context.results.state = replace(self._before, notes=notes, reading=reading)
        self._before = None
        return True


def _row(candidate: Candidate, by: str, *, explained: bool) -> ResultRow:
    matched = tuple((word, 1) for word in candidate.matched)
    # Confidences are in the dialog; a share of the best score beside them would be read as one.
    score = candidate.score if explained else None
    return ResultRow(candidate.rank, candidate.paper, score, by, matched=matched, support=candidate.support)
