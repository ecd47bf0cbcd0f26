"""The commands that list, edit, add and split the study aspects of the evidence pane."""

from __future__ import annotations

from litterm.model.study_aspects import StudyAspects
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.evidence.pane import EvidencePane
from litterm.tui.input.command_line import Command

_NO_ASPECTS = "No study aspects here: press e for a hypothesis, then :study."
_EDIT_HINT = "One fact that a single sentence may carry. Leave empty to remove it."


class StudyEditing:
    """Carries out the commands on study aspects."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        context.evidence.edit_aspect = self.edit

    @property
    def _pane(self) -> EvidencePane:
        return self._context.evidence

    def commands(self) -> tuple[Command, ...]:
        """`:study` and the three that change what it lists."""
        return (
            Command("study", "study aspects of the hypothesis with their sentences, or the evidence", self._toggle),
            Command("study-edit", "reword the study aspect under the cursor, or remove it", lambda _: self.edit()),
            Command("study-add", "add a study aspect", self.add, "TEXT"),
            Command("study-split", "split the hypothesis into study aspects anew", lambda _: self.split()),
        )

    def _toggle(self, _argument: str) -> None:
        if self._pane.answer is None:
            self._context.tell(_NO_ASPECTS)
            return
        self._pane.options.toggle_aspects()

    def edit(self) -> None:
        """Reword the aspect of the row under the cursor."""
        coverage, row = self._pane.coverage, self._pane.current
        if coverage is None or row is None or row.aspect is None:
            self._context.tell(_NO_ASPECTS if coverage is None else "The cursor is not on a study aspect.")
            return
        place, study = row.aspect, coverage.study
        title, text = f"study aspect {place + 1}", study.aspects[place].text
        dialog = TextDialog(title, text, self._context.glyphs, about=_EDIT_HINT, takes_empty=True)
        self._context.open(dialog, lambda text: self._keep(self._context.engine.studies.edited(study, place, text)))

    def add(self, text: str) -> None:
        """Add an aspect after the last one."""
        coverage = self._pane.coverage
        if coverage is None or not text.strip():
            self._context.tell(_NO_ASPECTS if coverage is None else "The study aspect is empty.")
            return
        study = coverage.study
        self._keep(self._context.engine.studies.edited(study, len(study.aspects), text))

    def split(self) -> None:
        """Forget what was kept, and split the hypothesis again."""
        coverage = self._pane.coverage
        if coverage is None:
            self._context.tell(_NO_ASPECTS)
            return
        self._context.engine.studies.forget(coverage.paper_id, coverage.study.hypothesis)
        self._pane.align()

    def _keep(self, study: StudyAspects) -> None:
        document = self._context.reader.state.document
        if document is None:
            return
        if not self._context.engine.studies.keep(document.paper_id, study):
            self._context.tell("The study aspects are not kept: this library cannot be written to.", warn=True)
        self._pane.align(study)
