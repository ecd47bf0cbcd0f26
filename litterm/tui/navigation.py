"""Keys whose meaning depends on the pane: back, stop, next hit or evidence, and `e`."""

from __future__ import annotations

from textual import on

from litterm.tui.attribution.candidates import CitationCandidates
from litterm.tui.attribution.drafts import DraftController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.evidence.citing_sentence import GROUP as PROPOSAL_GROUP
from litterm.tui.evidence.pane import STUDY_GROUP
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.layout.pane_focus import PaneFocus
from litterm.tui.matrix.cell_actions import CellActions
from litterm.tui.messages import query_words
from litterm.tui.reader.controller import ReaderController
from litterm.tui.reader.find import FindBar
from litterm.tui.search.query_pane import QueryPane
from litterm.tui.state import PaneName

# Groups of background tasks that `ctrl+c` stops in each pane, the first that runs.
_PANE_JOB_GROUPS: dict[PaneName, tuple[str, ...]] = {
    "query": ("online", "search"),
    "aspects": ("grade", "aspects"),
    "results": ("results", "rerank", "online", "cite", "search"),
    "reader": ("read", "fetch", "evidence", PROPOSAL_GROUP),
    "evidence": ("evidence", STUDY_GROUP),
    "matrix": ("matrix",),
    "home": (),
}
_ALL_JOB_GROUPS = (
    *(
        "ask",
        "ask model",
        "results",
        "rerank",
        "grade",
        "add",
        "gather",
        "copy",
        "write",
        "cite",
        "evidence",
        STUDY_GROUP,
        PROPOSAL_GROUP,
        "read",
        "matrix",
        "online",
        "fetch",
    ),
    *("listing", "links", "obtain", "keep", "sync", "citations", "outside", "watch", "search"),
)
"""Groups to stop when the pane has none running; the search is last, as it runs at every keystroke."""


class Navigation(ActionTarget):
    """Decides what *back* and *stop* mean in the pane with the focus."""

    def __init__(
        self,
        context: WorkbenchContext,
        panes: PaneFocus,
        reader: ReaderController,
        find: FindBar,
        candidates: CitationCandidates,
        cells: CellActions,
        drafts: DraftController,
    ) -> None:
        self._context = context
        self._panes = panes
        self._reader = reader
        self._find = find
        self._candidates = candidates
        self._cells = cells
        self._drafts = drafts

    def action_back(self) -> None:
        """Undo the innermost state (selection, hits, zoom), else go to the previous pane; never quits."""
        context = self._context
        if context.focus == "reader" and context.reader.is_selecting:
            context.reader.unselect()
        elif context.focus == "results" and (context.results.range_start is not None or context.results.state.chosen):
            context.results.clear_selection()
        elif (
            self._find.clear_search()
            or self._panes.unzoom()
            or (context.focus == "results" and self._candidates.leave())
        ):
            return
        elif context.focus != "query" and not (context.focus == "reader" and self._leave_paper()):
            self._panes.action_sideways(context.focus, -1)

    def _leave_paper(self) -> bool:
        """Go from a paper back to the cell or the draft that opened it; returns whether there was one."""
        return self._cells.back_to_cell() or self._drafts.back_to_review()

    def action_walk(self, step: int) -> None:
        """The next (1) or previous (-1) hit of what was sought, else sentence of evidence."""
        if not self._find.repeat_search(step):
            self._context.evidence.walk(step)

    def action_into_result(self) -> None:
        """Open the paper under the cursor of the results, else go to the next pane."""
        if self._context.results.current is not None:
            self._reader.action_open_result()
        else:
            self._panes.action_sideways("results", 1)

    @on(QueryPane.FieldLeft)
    def cancel_from_field(self, message: QueryPane.FieldLeft) -> None:
        """`ctrl+c` in the field of the query."""
        if message.where == "cancel":
            self.action_cancel()

    def action_cancel(self) -> None:
        """Stop the job of this pane, else any that runs."""
        work = self._context.work
        # The pane's own first: the job one looks at is the one that is meant.
        for groups in (_PANE_JOB_GROUPS[self._context.focus], _ALL_JOB_GROUPS):
            for group in groups:
                if work.cancel(group):
                    # The pane shows sentences while they come and has to say that no more will.
                    if group == "evidence":
                        self._context.evidence.show_stopped()
                    elif group == STUDY_GROUP:
                        self._context.evidence.show_study_stopped()
                    self._context.tell("Stopped.")
                    return
        self._context.tell("Nothing is running. ctrl+q quits.")

    def action_evidence(self) -> None:
        """Ask for a hypothesis, then find its evidence; opens the paper under the cursor if none is open."""
        context = self._context
        row = context.results.current
        # Without the focus: the dialog of the hypothesis takes it, and gives it back to the list.
        if context.focus == "results" and row is not None and row.paper != self._reader.paper:
            self._reader.open(row.paper, focus=False)
        # A paper that is being opened is asked as soon as it is there.
        is_opening = any(job.group == "read" for job in context.work.jobs)
        if self._reader.paper is None and not is_opening:
            context.tell("Choose a paper first: evidence is found in one paper at a time.")
            return
        default = (
            context.evidence.state.hypothesis
            or context.evidence.pinned_hypothesis
            or " ".join(query_words(context.query.state.query))
        )
        description = "It applies to every paper you open. Leave empty to clear."
        if self._reader.paper is not None:
            description = f"In: {self._reader.paper.title}\n{description}"
        title = "evidence for which hypothesis?"
        dialog = TextDialog(title, default, context.glyphs, about=description, takes_empty=True)
        dialog.enter = "find evidence"
        context.open(dialog, context.evidence.ask)
