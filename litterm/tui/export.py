"""Out of the workbench: to the clipboard, to files, to other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from litterm.core.tasks import Task
from litterm.core.user_files import kept_words, refusal, write_file
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.paper import Paper
from litterm.render.bibliography import bibtex
from litterm.render.markdown import Quote, citation, quote, quotes
from litterm.text.plural import counted
from litterm.tui.annotations import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.evidence.controller import EvidenceController
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.open_external import open_task
from litterm.tui.reader.controller import ReaderController
from litterm.tui.textual_compat import ActionTarget
from litterm.tui.widgets.clipboard import Copied, copy_task

_NOTHING_KEPT = "Nothing included or accepted yet: a on a paper or a sentence."


class ExportController(ActionTarget):
    """Copies and writes what the user accepted, always with its citation."""

    def __init__(
        self,
        stage: WorkbenchContext,
        reading: ReaderController,
        finding: EvidenceController,
        deciding: AnnotationController,
    ) -> None:
        self._stage = stage
        self._reading = reading
        self._finding = finding
        self._deciding = deciding

    def action_copy(self) -> None:
        """The sentence with its citation, or the papers as BibTeX."""
        document, paper = self._reading.document, self._reading.paper
        indexes = self._deciding.sentences()
        if document and paper and indexes:
            chosen = [quote(paper, document, document.sentences[index]) for index in indexes]
            self.copied("\n\n".join(citation(item) for item in chosen), counted(len(chosen), "quote"))
            return
        papers = self._deciding.papers()
        if papers:
            self.copied(bibtex.entries(papers), counted(len(papers), "BibTeX entry", "BibTeX entries"))
        else:
            self._stage.tell("Nothing here to copy.")

    def bibliography(self) -> None:
        """The selected papers, or the one at hand, as BibTeX on the clipboard."""
        papers = self._deciding.papers()
        if papers:
            self.copied(bibtex.entries(papers), counted(len(papers), "BibTeX entry", "BibTeX entries"))
        else:
            self._stage.tell("No paper here.")

    def action_copy_all(self) -> None:
        """Every quote the user accepted or marked by hand, of all papers."""
        self._stage.work.start("gather", "gathering quotes", self._gather, self._copy_quotes)

    def _copy_quotes(self, gathered: Sequence[Quote]) -> None:
        if gathered:
            self.copied(quotes(gathered), counted(len(gathered), "quote"))
        else:
            self._stage.tell("No sentence accepted or marked by hand yet: a on a sentence.")

    def _gather(self) -> Task[tuple[Quote, ...]]:
        engine, found = self._stage.engine, list[Quote]()
        for paper_id in engine.desk.marked_papers():
            paper = engine.paper(paper_id)
            document = yield from engine.read(paper_id)
            found += _accepted(paper, document, self._stage)
        return tuple(found)

    def copied(self, text: str, what: str) -> None:
        """Put `text` on the clipboard and say so; `what` is it, counted."""
        stage = self._stage

        def done(copied: Copied) -> None:
            if copied.tool is None:
                stage.screen.app.copy_to_clipboard(text)
            stage.tell(f"Copied {what} (also saved to {copied.file}).")

        file = stage.settings.cache / "last-copy.txt"
        stage.work.start("copy", "copying", lambda: copy_task(text, file), done)

    def action_write(self) -> None:
        """Ask for a folder, then write BibTeX of the included papers and Markdown of the accepted quotes."""
        stage = self._stage
        selected = stage.focus == "results" and bool(stage.results.state.chosen)
        if selected:
            self._write_selected(self._deciding.papers())
            return
        if not stage.engine.desk.included() and not stage.engine.desk.marked_papers():
            stage.tell(_NOTHING_KEPT)
            return
        about = "Writes included.bib (included and quoted papers) and quotes.md (accepted and hand-marked quotes)."
        here = str(Path.cwd())

        def keep(folder: str) -> None:
            def wrote(told: str) -> JobReport:
                stage.tell(told)
                return JobReport(told)

            stage.queue.add(JobOrder("write", "writing", lambda: self._write(Path(folder).expanduser()), wrote))

        stage.open(TextDialog("write into folder", here, stage.glyphs, about=about, name=True), keep)

    def _write_selected(self, papers: Sequence[Paper]) -> None:
        """Ask for a file, then write the selected papers as BibTeX."""
        stage, count = self._stage, counted(len(papers), "selected paper")

        def keep(name: str) -> None:
            def wrote(told: str) -> JobReport:
                stage.tell(told)
                return JobReport(told)

            stage.queue.add(JobOrder("write", "writing", lambda: _write_papers(papers, Path(name).expanduser()), wrote))

        about = f"Writes the {count} as BibTeX; without a selection w writes what is included and accepted."
        here = str(Path.cwd() / "selected.bib")
        stage.open(TextDialog("write into file", here, stage.glyphs, about=about, name=True), keep)

    def _write(self, folder: Path) -> Task[str]:
        engine = self._stage.engine
        gathered = yield from self._gather()
        papers = list(
            dict.fromkeys([*(engine.paper(key) for key in engine.desk.included()), *(q.paper for q in gathered)])
        )
        if not papers:
            return _NOTHING_KEPT
        written = {"included.bib": bibtex.entries(papers), "quotes.md": quotes(gathered, papers)}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise refusal(folder, error) from error
        older = [write_file(folder / name, text.encode("utf-8", "replace")) for name, text in written.items()]
        names = " and ".join(path.name for path in older if path is not None)
        kept = f" Previous version saved as {names}." if names else ""
        return f"Wrote {counted(len(papers), 'paper')} and {counted(len(gathered), 'quote')} into {folder}.{kept}"

    def action_open_outside(self) -> None:
        """The PDF this came from, at the page, else its page on the web."""
        papers, document = self._deciding.papers(), self._reading.document
        if not papers:
            self._stage.tell("No paper here.")
            return
        indexes = self._deciding.sentences()
        page = document.sentences[indexes[0]].page if document and indexes else None
        paper = papers[0]
        self._stage.work.start("outside", "opening outside", lambda: open_task(paper, page), self._stage.tell)


def _write_papers(papers: Sequence[Paper], path: Path) -> Task[str]:
    yield Progress("writing")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(path, error) from error
    kept = write_file(path, bibtex.entries(papers).encode("utf-8", "replace"))
    return f"Wrote {counted(len(papers), 'paper')} into {path}.{kept_words(kept)}"


def _accepted(paper: Paper, document: Document, stage: WorkbenchContext) -> list[Quote]:
    """The quotes the user accepted in one paper, in reading order; one not located keeps its words only."""
    found: list[tuple[int, Quote]] = []
    for located in stage.engine.desk.marks(document):
        mark, index = located.mark, located.index
        if mark.kind == "rejected":
            continue
        if index is None:
            found.append((len(document.sentences), Quote(paper, mark.anchor.quote, hypothesis=mark.hypothesis)))
        else:
            found.append((index, quote(paper, document, document.sentences[index], hypothesis=mark.hypothesis)))
    return [item for _, item in sorted(found, key=lambda pair: (pair[1].hypothesis, pair[0]))]
