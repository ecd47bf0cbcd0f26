"""Exports: quotes and BibTeX to the clipboard, papers to files, a paper to another program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from litterm.core.tasks import Task
from litterm.core.user_files import backup_sentence, refusal, write_file
from litterm.model.export import ExportScope
from litterm.model.paper import PaperId
from litterm.render.bibliography import bibtex
from litterm.render.bibliography.keys import citation_keys
from litterm.render.export.markdown import Quote, citation, quote, quotes
from litterm.render.names import home_relative
from litterm.text.plural import count_phrase
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.export import ExportDialog, ExportRequest, ScopeChoice
from litterm.tui.evidence.controller import EvidenceController
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.platform.open_external import open_task
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.reader.controller import ReaderController
from litterm.tui.widgets.clipboard import ClipboardResult, copy_task

_MAX_PAPERS_PREVIEWED = 3
"""Papers of a preview."""
_NO_SELECTION = "none: space and v select results"


class ExportController(ActionTarget):
    """Copies and writes what the user accepted, always with its citation."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
        evidence: EvidenceController,
        annotations_controller: AnnotationController,
    ) -> None:
        self._context = context
        self._reader = reader
        self._evidence = evidence
        self._annotations = annotations_controller
        self.count = 0
        """How often something was copied or written."""

    def action_copy(self) -> None:
        """Copy the sentence with its citation, or the papers as BibTeX."""
        document, paper = self._reader.document, self._reader.paper
        indexes = self._annotations.sentences()
        if document and paper and indexes:
            chosen = [quote(paper, document, document.sentences[index]) for index in indexes]
            self.copy_to_clipboard("\n\n".join(citation(item) for item in chosen), count_phrase(len(chosen), "quote"))
            return
        papers = self._annotations.papers()
        if papers:
            self.copy_to_clipboard(bibtex.entries(papers), count_phrase(len(papers), "BibTeX entry", "BibTeX entries"))
        else:
            self._context.tell("Nothing here to copy.")

    def copy_bibtex(self) -> None:
        """Copy the selected papers, or the current one, as BibTeX."""
        papers = self._annotations.papers()
        if papers:
            self.copy_to_clipboard(bibtex.entries(papers), count_phrase(len(papers), "BibTeX entry", "BibTeX entries"))
        else:
            self._context.tell("No paper here.")

    def copy_citation(self) -> None:
        """Copy `\\citep{KEYS}` of the selected papers, or of the current one, with the keys of `copy_bibtex`."""
        papers = self._annotations.papers()
        if papers:
            keys = ",".join(dict.fromkeys(citation_keys(papers).values()))
            self.copy_to_clipboard(f"\\citep{{{keys}}}", f"a citation of {count_phrase(len(papers), 'paper')}")
        else:
            self._context.tell("No paper here.")

    def action_copy_all(self) -> None:
        """Copy every quote accepted in this project or marked by hand, of all papers."""
        self._context.work.start("gather", "gathering quotes", self._context.engine.project_quotes, self._copy_quotes)

    def _copy_quotes(self, project_quotes: Sequence[Quote]) -> None:
        if project_quotes:
            self.copy_to_clipboard(quotes(project_quotes), count_phrase(len(project_quotes), "quote"))
        else:
            self._context.tell("No sentence is accepted or marked by hand yet: press a on one.")

    def copy_to_clipboard(self, text: str, description: str) -> None:
        """Put `text` on the clipboard and say so; `description` names it with its count."""
        context = self._context

        def on_done(copied: ClipboardResult) -> None:
            if copied.tool is None:
                context.screen.app.copy_to_clipboard(text)
            self.count += 1
            context.tell(f"Copied {description} (also saved to {home_relative(str(copied.file))}).")

        # Nobody tells whether a terminal took the text into its clipboard: the file has it in any case.
        file = context.settings.cache / "last-copy.txt"
        context.work.start("copy", "copying", lambda: copy_task(text, file), on_done)

    def action_write(self) -> None:
        """Ask which papers, in which format and where to, then write them."""
        context = self._context
        # Taken now: what is listed may change while the dialog is open, and what was counted is what is written.
        groups = self._groups()
        counts = {scope: len(ids) for scope, ids in groups.items()}
        labels = {
            "paper": "this paper",
            "selection": "selection",
            "list": "list: the results shown",
            "project": f"project{_scope_name(context.project)}: included, and with accepted sentences",
        }
        hints: Mapping[ExportScope, str] = {} if counts["selection"] else {"selection": _NO_SELECTION}
        scopes = [ScopeChoice(scope, labels[scope], counts[scope], hints.get(scope, "")) for scope in groups]
        scopes.append(ScopeChoice("all", "all of the library", self._held_count()))
        start = self._default_scope(counts)

        def preview(request: ExportRequest) -> None:
            ids = groups.get(request.scope)
            context.work.start(
                "preview",
                "preview of the export",
                lambda: context.engine.export_papers(
                    ids, request.form, notes=request.notes, most=_MAX_PAPERS_PREVIEWED
                ),
                lambda text: dialog.show_preview(request, text),
            )

        dialog = ExportDialog(scopes, start, Path.cwd(), context.glyphs, preview=preview)
        context.open(dialog, lambda request: self._on_request(request, groups.get(request.scope), dialog.count))

    def _groups(self) -> dict[ExportScope, Sequence[PaperId]]:
        """The papers of each scope except the last, which is the whole library."""
        context, state = self._context, self._context.results.state
        current = context.results.current.paper if context.results.current else None
        if context.focus in ("reader", "evidence"):
            current = self._reader.paper
        held_rows = [row for row in context.results.shown if row.held]
        return {
            "paper": [current.id] if current else [],
            "selection": [row.paper.id for row in state.rows if row.paper.id in state.chosen],
            "list": [row.paper.id for row in held_rows],
            "project": context.engine.project_papers(),
        }

    def _default_scope(self, counts: Mapping[ExportScope, int]) -> ExportScope:
        """The scope where the cursor starts: the most likely one."""
        if counts["selection"] and self._context.focus == "results":
            return "selection"
        order: tuple[ExportScope, ...] = ("project", "list", "paper")
        order = ("paper", *order) if self._context.focus == "reader" else order
        return next((scope for scope in order if counts[scope]), "all")

    def _held_count(self) -> int:
        status = self._context.attempt(self._context.engine.status)
        return status.papers if status else 0

    def _on_request(self, request: ExportRequest, ids: Sequence[PaperId] | None, count: int) -> None:
        def task() -> Task[str]:
            text = yield from self._context.engine.export_papers(ids, request.form, notes=request.notes)
            try:
                request.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise refusal(request.path, error) from error
            backup = write_file(request.path, text.encode("utf-8", "replace"))
            place = home_relative(str(request.path))
            return f"Wrote {count_phrase(count, 'paper')} into {place}.{backup_sentence(backup)}"

        def wrote(sentence: str) -> JobReport:
            self.count += 1
            self._context.tell(sentence)
            return JobReport(sentence)

        self._context.queue.add(JobOrder("write", "writing", task, wrote))

    def action_open_outside(self) -> None:
        """Open the PDF of the paper at the current page, or else its page on the web."""
        papers, document = self._annotations.papers(), self._reader.document
        if not papers:
            self._context.tell("No paper here.")
            return
        indexes = self._annotations.sentences()
        page = document.sentences[indexes[0]].page if document and indexes else None
        paper = papers[0]
        self._context.work.start("outside", "opening outside", lambda: open_task(paper, page), self._context.tell)


def _scope_name(project: str) -> str:
    return f" “{project}”" if project else ""
