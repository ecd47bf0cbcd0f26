"""Opens a matrix (`E`): a new one over papers of the results, or a saved one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.matrix import Matrix, MatrixSummary
from litterm.model.paper import Paper, PaperId
from litterm.text.plural import count_phrase
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.matrix.controller import GROUP, MatrixController
from litterm.tui.messages import ago, query_words
from litterm.tui.widgets.glyphs import Glyphs


class MatrixOpening(ActionTarget):
    """Begins a matrix for typed hypotheses, or opens a saved one."""

    def __init__(
        self,
        context: WorkbenchContext,
        matrix: MatrixController,
    ) -> None:
        self._context = context
        self._matrix = matrix

    def action_open(self) -> None:
        """Begin a matrix over the selected papers, or without a selection list the saved ones."""
        chosen = [paper.id for paper in self._context.results.state.selected_papers()]
        if chosen and self._context.focus != "matrix":
            self._ask_hypotheses(chosen)
        else:
            self._context.work.start("matrices", "looking for matrices", self._all, self._list)

    # A task, although it is one call: all matrices are read from disk, which keys must not wait for.
    def _all(self) -> Task[tuple[MatrixSummary, ...]]:
        yield Progress("looking for matrices")
        return self._context.engine.matrices.all()

    def _list(self, summaries: tuple[MatrixSummary, ...]) -> None:
        results = self._context.results.all_papers()
        has_results = bool(results.fetched)
        # With a filter over rows of which some were not fetched, nobody knows yet how many pass.
        papers = "papers" if results.count is None else count_phrase(results.count, "paper")
        choices = [ListChoice(f"new, over the {papers} of the results")] if has_results else []
        choices += [_choice(summary, self._context.glyphs) for summary in summaries]
        if not choices:
            self._context.tell("Search first: a matrix covers papers of the results.")
            return

        def on_choice(index: int) -> None:
            if has_results and index == 0:
                self._context.results.take_all("gathering the results", self._ask_over)
            else:
                self.show_saved(summaries[index - has_results].id)

        title = "Matrices (select results first to build one from them)"
        self._context.open(ChoiceDialog(title, choices, self._context.glyphs, wrap=True, keys="open"), on_choice)

    def _ask_over(self, papers: Sequence[Paper]) -> None:
        self._ask_hypotheses([paper.id for paper in papers])

    def _ask_hypotheses(self, papers: Sequence[PaperId]) -> None:
        description = f"Over {count_phrase(len(papers), 'paper')}. One hypothesis per line; each becomes a column."
        default = self._context.evidence.pinned_hypothesis or " ".join(query_words(self._context.query.state.query))

        def begin(text: str) -> None:
            self._begin(papers, [line.strip() for line in text.splitlines() if line.strip()])

        dialog = TextDialog("hypotheses of the new matrix", default, self._context.glyphs, about=description)
        dialog.enter = "fill the matrix"
        self._context.open(dialog, begin)

    def _begin(self, papers: Sequence[PaperId], hypotheses: Sequence[str]) -> None:
        options, query = self._context.evidence.options, self._context.query.state.text
        k, scope = options.how_many, options.scope

        def begin_matrix() -> Task[Matrix]:
            yield Progress("starting the matrix", 0, len(papers))
            return self._context.engine.matrices.begin(papers, hypotheses, query=query, k=k, scope=scope)

        self._context.work.start(GROUP, "starting the matrix", begin_matrix, self._matrix.show)

    def show_saved(self, key: str, *, focus: bool = True) -> None:
        """Show a saved matrix and continue filling it.

        With `focus` false the focus stays where it is; also where a key has moved it before the matrix was read.
        """
        focused_pane = self._context.focus

        def open_matrix() -> Task[Matrix]:
            yield Progress("opening the matrix")
            return self._context.engine.matrices.open(key)

        def show(matrix: Matrix) -> None:
            # A dialog that was opened meanwhile keeps the keys.
            is_waited_for = self._context.focus == focused_pane and not self._context.dialogs
            self._matrix.show(matrix, focus=focus and is_waited_for)

        self._context.work.start(GROUP, "opening the matrix", open_matrix, show)


def _choice(line: MatrixSummary, glyphs: Glyphs) -> ListChoice:
    """A saved matrix as a line: its subject, size, progress, and when it was created."""
    total = line.papers * len(line.hypotheses)
    far = "" if line.complete else f"{line.cells:,} of {total:,} cells"
    facts = (count_phrase(line.papers, "paper"), far, ago(line.begun_at, datetime.now(UTC)))
    origin = (f"query: {line.query}",) if line.query else ()
    return ListChoice(" | ".join(line.hypotheses), f" {glyphs.dot} ".join(part for part in facts if part), below=origin)
