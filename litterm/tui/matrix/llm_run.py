"""The matrix with a language model, after consent to its cost: a new matrix beside the offline one."""

from __future__ import annotations

from dataclasses import replace

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.llm import CostEstimate
from litterm.model.matrix import Matrix
from litterm.render import sent_data
from litterm.render.cost import caps_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmConsentDialog, requests_dialog
from litterm.tui.dialogs.local_model import with_model
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.matrix.controller import NO_MATRIX, MatrixController


class MatrixLlmRun(ActionTarget):
    """Asks the model about every cell of the matrix shown."""

    def __init__(self, context: WorkbenchContext, matrix: MatrixController) -> None:
        self._context = context
        self._matrix = matrix

    def action_open(self) -> None:
        """Estimate what asking about every cell would cost, and ask for consent."""
        matrix = self._matrix.state.matrix
        if matrix is None:
            self._context.tell(NO_MATRIX)
            return
        context = self._context

        def estimate() -> None:
            context.work.start("estimate", "estimating", lambda: self._estimate(matrix), self._on_estimate)

        with_model(context, estimate)

    def _estimate(self, matrix: Matrix) -> Task[tuple[Matrix, CostEstimate | None]]:
        yield Progress("estimating")
        matrices, request = self._context.engine.matrices, matrix.request
        # Negation belongs to the evidence of one paper; here the negated claim would be another column.
        options = replace(self._context.evidence.options.llm, negate=False)
        # Begun before consent, as the estimate needs its cells; `_drop` deletes it again where the answer is no.
        judged = matrices.begin(
            request.papers, request.hypotheses, query=request.query, k=request.k, scope=request.scope, options=options
        )
        return judged, (yield from matrices.estimate(judged.id))

    def _on_estimate(self, answer: tuple[Matrix, CostEstimate | None]) -> None:
        judged, estimate = answer
        if estimate is None:
            self._matrix.show(judged)
            return
        context = self._context
        # A blank for a key, as the options are shown but not switched here: they would change the matrix that was
        # begun.
        choices = tuple(
            ConsentOption(" ", option.label, option.value) for option in context.evidence.options.llm_switches()[:2]
        )
        dialog = LlmConsentDialog(
            estimate,
            sent_data.MATRIX,
            caps_words(context.settings.model),
            context.glyphs,
            options=choices,
            on_decline=lambda: self._discard(judged),
        )
        context.open(dialog, lambda consent: self._on_consent(consent, judged))

    def _on_consent(self, consent: Consent, judged: Matrix) -> None:
        if consent == "run":
            self._matrix.show(judged)
            return

        def show_requests(requests: tuple[str, ...]) -> None:
            self._discard(judged)
            self._context.open(requests_dialog(requests, self._context.glyphs, "litterm evidence --dry-run"))

        matrices = self._context.engine.matrices
        self._context.work.start("estimate", "dry run", lambda: matrices.preview(judged.id), show_requests)

    def _discard(self, judged: Matrix) -> None:
        """Delete a matrix that was created only for its estimate."""
        # `begin` may have given back an earlier matrix of the same request, whose cells stay.
        if not judged.computed_count:
            self._context.attempt(lambda: self._context.engine.matrices.remove(judged.id))
