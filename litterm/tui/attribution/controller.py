"""Opens the excerpt dialog (`c`), and the paper of the candidate that is chosen in it."""

from __future__ import annotations

from litterm.tui.attribution.candidates import CitationCandidates
from litterm.tui.attribution.dialog import AgentController, CitationDialog
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.library.export import ExportController
from litterm.tui.reader.controller import ReaderController


class CitationController(ActionTarget):
    """Opens one dialog at a time; its candidates are also in the results."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController, export: ExportController) -> None:
        self._context = context
        self._reader = reader
        self._export = export
        self._agent = AgentController(context)
        self.candidates = CitationCandidates(context)

    def open(self, text: str = "", source: str = "") -> None:
        """Open the dialog with `text` or the last excerpt; `source` is the paper the excerpt was taken from, if any."""
        excerpt = self.candidates.remember(text, source)
        dialog = CitationDialog(excerpt, self._context, self.candidates, self._agent, self._export)
        self._context.open(dialog, self._on_candidate_chosen)

    def action_open_selected(self) -> None:
        """Open the dialog, with the sentences selected in the reader if the reader is in use."""
        reader = self._context.reader
        document, paper = self._reader.document, self._reader.paper
        if reader.has_focus and reader.selected and document is not None and paper is not None:
            self.open(" ".join(document.sentences[index].text for index in reader.selected), paper.id)
        else:
            self.open()

    def _on_candidate_chosen(self, index: int) -> None:
        rows = self._context.results.state.rows
        if 0 <= index < len(rows):
            self._context.results.go(index)
            self._reader.open(rows[index].paper)
        else:
            self._context.focus_pane("results")
