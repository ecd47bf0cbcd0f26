"""The matrix again, with a language model: the estimate first, then a matrix of its own beside the offline one."""

from __future__ import annotations

from dataclasses import replace

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.llm import Estimate
from litterm.model.matrix import Matrix
from litterm.render.cost import caps_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Choosable, Consent, LlmConsentDialog
from litterm.tui.evidence.llm_run import rehearsal
from litterm.tui.evidence.options import EvidenceOptions
from litterm.tui.matrix.controller import NONE_HERE, MatrixController
from litterm.tui.textual_compat import ActionTarget

LEAVES = "the hypotheses and the texts of these papers, in parts"


class MatrixLlmRun(ActionTarget):
    """Asks the model about every cell of the matrix shown."""

    def __init__(self, stage: WorkbenchContext, matrixing: MatrixController, using: EvidenceOptions) -> None:
        self._stage = stage
        self._matrixing = matrixing
        self._using = using

    def action_open(self) -> None:
        """Reckon what asking about every cell would cost, and put that to the user."""
        matrix = self._matrixing.state.matrix
        if matrix is None:
            self._stage.tell(NONE_HERE)
            return
        self._stage.work.start("estimate", "estimating", lambda: self._reckon(matrix), self._estimated)

    def _reckon(self, shown: Matrix) -> Task[tuple[Matrix, Estimate | None]]:
        yield Progress("estimating")
        matrices, asked = self._stage.engine.matrices, shown.request
        # The negated hypothesis would be a column of its own here.
        use = replace(self._using.use, negate=False)
        judged = matrices.begin(
            asked.papers, asked.hypotheses, query=asked.query, k=asked.k, scope=asked.scope, use=use
        )
        return judged, (yield from matrices.estimate(judged.id))

    def _estimated(self, found: tuple[Matrix, Estimate | None]) -> None:
        judged, estimate = found
        if estimate is None:
            self._matrixing.show(judged)
            return
        stage = self._stage
        how = tuple(Choosable(" ", option.label, option.now) for option in self._using.options()[:2])
        dialog = LlmConsentDialog(estimate, LEAVES, caps_words(stage.settings.model), stage.glyphs, how=how)
        dialog.left = lambda: self._drop(judged)
        stage.open(dialog, lambda consent: self._answered(consent, judged))

    def _answered(self, consent: Consent, judged: Matrix) -> None:
        if consent == "run":
            self._matrixing.show(judged)
            return

        def rehearsed(requests: tuple[str, ...]) -> None:
            self._drop(judged)
            self._stage.open(rehearsal(requests, self._stage.glyphs))

        matrices = self._stage.engine.matrices
        self._stage.work.start("estimate", "dry run", lambda: matrices.preview(judged.id), rehearsed)

    def _drop(self, judged: Matrix) -> None:
        """Nobody wants it: a matrix begun only to be reckoned does not stay."""
        if not judged.computed:
            self._stage.attempt(lambda: self._stage.engine.matrices.remove(judged.id))
