"""Attaches PDFs to papers (`:attach`), in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from litterm.core.errors import OtherPaper
from litterm.core.tasks import Task
from litterm.model.paper import ATTACHED, Paper
from litterm.text.file_annotations import annotations_of
from litterm.text.plural import count_phrase
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import ConfirmDialog
from litterm.tui.input.command_line import Command
from litterm.tui.input.typed_path import typed_path
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.reader.controller import ReaderController

_LANE = "add"


class AttachmentController:
    """Gives papers their PDFs, and takes them out again."""

    def __init__(
        self,
        context: WorkbenchContext,
        annotations: AnnotationController,
        reader: ReaderController,
        changed: Callable[[], None],
    ) -> None:
        """`changed` is called when the library has changed."""
        self._context = context
        self._annotations = annotations
        self._reader = reader
        self._on_change = changed

    def commands(self) -> tuple[Command, ...]:
        """`:attach` and `:detach`."""
        return (
            Command("attach", "give this paper its PDF, with highlights and notes in it", self.attach, "PATH"),
            Command("detach", "take the PDF that you attached out of this paper", lambda _: self.detach("")),
            Command("detach", "take one of the PDFs that you attached out of it", self.detach, "FILE", self._attached),
        )

    def attach(self, typed: str) -> None:
        """Attach the PDF typed to the open paper, or to that under the cursor."""
        path = typed_path(typed)
        paper = self._paper()
        if paper is None:
            return
        if not path.is_file():
            self._context.tell(f"{path}: no such file." if typed else "Which PDF? `:attach PATH`.", warn=True)
        else:
            self._attach(paper, path, force=False)

    def detach(self, typed: str) -> None:
        """Take the PDF typed, or the only one that was attached, out of the paper."""
        paper, attached = self._paper(), self._attached()
        if paper is None:
            return
        if not typed and len(attached) != 1:
            many = "Which one? `:detach FILE`." if attached else "No PDF was attached to this paper by hand."
            self._context.tell(many)
            return
        path = Path(attached[0]) if not typed else typed_path(typed)
        engine = self._context.engine
        order = JobOrder(
            _LANE,
            f"taking out {path.name}",
            lambda: engine.attachments.detach(paper.id, path),
            lambda left: self._finish(left, f"{path.name} is out; `:attach` attaches it again."),
        )
        self._context.queue.add(order)

    def _attach(self, paper: Paper, path: Path, *, force: bool) -> None:
        context = self._context

        def task() -> Task[Paper | OtherPaper]:
            try:
                return (yield from context.engine.attachments.attach(paper.id, path, force=force))
            except OtherPaper as error:
                return error

        def on_attached(result: Paper | OtherPaper) -> JobReport:
            if isinstance(result, OtherPaper):
                question = f"{result}. Attach it all the same?"
                dialog = ConfirmDialog("another paper?", question, context.glyphs, yes="attach", no="leave it")
                context.open(dialog, lambda agreed: self._attach(paper, path, force=True) if agreed else None)
                return JobReport(str(result))
            annotations = annotations_of(result)
            marked = f" with {count_phrase(len(annotations), 'annotation')}" if annotations else ""
            return self._finish(result, f"Attached {path.name}{marked}; `:detach` takes it out.")

        context.queue.add(JobOrder(_LANE, f"attaching {path.name}", task, on_attached))

    def _finish(self, paper: Paper, sentence: str) -> JobReport:
        if self._reader.paper is not None and self._reader.paper.id == paper.id:
            self._reader.reload_paper(paper.id, paper)
        self._context.tell(sentence)
        self._on_change()
        return JobReport(sentence)

    def _attached(self) -> tuple[str, ...]:
        """The PDFs attached to the paper by hand."""
        papers = self._annotations.papers()
        sources = papers[0].sources if papers else ()
        if papers:
            current = self._context.attempt(lambda: self._context.engine.paper(papers[0].id))
            sources = current.sources if current is not None else ()
        said = (source.paper.provenance for source in sources)
        return tuple(provenance.origin for provenance in said if provenance.format == ATTACHED)

    def _paper(self) -> Paper | None:
        papers = self._annotations.papers()
        if not papers:
            self._context.tell("No paper here.")
            return None
        return papers[0]
