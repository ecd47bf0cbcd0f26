"""One step back, stopping what runs, and the question behind `e`."""

from __future__ import annotations

from litterm.tui.citation.controller import CitationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.evidence.controller import EvidenceController
from litterm.tui.layout.pane_focus import PaneFocus
from litterm.tui.messages import query_words
from litterm.tui.reader.controller import ReaderController
from litterm.tui.reader.find import FindController
from litterm.tui.state import PaneName
from litterm.tui.textual_compat import ActionTarget

_JOBS_OF: dict[PaneName, tuple[str, ...]] = {
    "query": ("online", "search"),
    "aspects": ("grade", "aspects"),
    "results": ("rerank", "online", "cite", "search"),
    "reader": ("read", "fetch", "evidence"),
    "evidence": ("evidence",),
    "matrix": ("matrix",),
    "home": (),
}
_ANY = (
    *("rerank", "grade", "add", "gather", "copy", "write", "cite", "evidence", "read", "matrix", "online", "fetch"),
    *("listing", "links", "obtain", "keep", "sync", "citations", "outside", "watch", "search"),
)
"""What the status line tells of comes before the search that follows the typing: one press stops what is seen."""


class Navigation(ActionTarget):
    """Knows what *back* and *stop* mean where one is."""

    def __init__(
        self,
        stage: WorkbenchContext,
        arranging: PaneFocus,
        reading: ReaderController,
        finding: EvidenceController,
        looking: FindController,
        citing: CitationController,
    ) -> None:
        self._stage = stage
        self._arranging = arranging
        self._reading = reading
        self._finding = finding
        self._looking = looking
        self._citing = citing

    def action_back(self) -> None:
        """Selection, hits, zoom, then the pane before; never out of the app."""
        stage = self._stage
        if stage.focus == "reader" and stage.reader.selecting:
            stage.reader.unselect()
        elif stage.focus == "results" and (stage.results.mark is not None or stage.results.state.chosen):
            self._looking.choose_none()
        elif self._looking.clear() or self._arranging.unzoom() or (stage.focus == "results" and self._citing.leave()):
            return
        elif stage.focus != "query":
            self._arranging.action_sideways(stage.focus, -1)

    def action_walk(self, step: int) -> None:
        """The next (1) or previous (-1) hit of what was sought, else sentence of evidence."""
        if not self._looking.again(step):
            self._finding.action_walk(step)

    def action_into_result(self) -> None:
        """`l` in the results: into the paper under the cursor, else the next pane."""
        if self._stage.results.current is not None:
            self._reading.action_open_result()
        else:
            self._arranging.action_sideways("results", 1)

    def action_cancel(self) -> None:
        """Stop this pane's job, else whatever runs."""
        work = self._stage.work
        for groups in (_JOBS_OF[self._stage.focus], _ANY):
            for group in groups:
                if work.cancel(group):
                    if group == "evidence":
                        self._finding.stopped()
                    self._stage.tell("Stopped.")
                    return
        self._stage.tell("Nothing is running. ctrl+q quits.")

    def action_evidence(self) -> None:
        """Ask for a hypothesis, then look for its evidence; opens the paper under the cursor if it must."""
        stage = self._stage
        row = stage.results.current
        if stage.focus == "results" and row is not None and row.paper != self._reading.paper:
            self._reading.open(row.paper, focus=False)
        if self._reading.paper is None:
            stage.tell("Choose a paper first: evidence comes from one paper.")
            return
        default = self._finding.state.hypothesis or self._finding.last or " ".join(query_words(stage.query.state.query))
        about = f"In: {self._reading.paper.title}\nIt applies to every paper you open. Leave empty to clear."
        ask = TextDialog("evidence for which hypothesis?", default, stage.glyphs, about=about, takes_empty=True)
        stage.open(ask, self._finding.ask)
