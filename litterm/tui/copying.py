"""Out of the workbench: to the clipboard, to files, to other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from litterm.files import refusal, write_file
from litterm.model.document import Document
from litterm.model.paper import Paper
from litterm.render import bibtex
from litterm.render.markdown import Quote, citation, quote, quotes
from litterm.tasks import Task
from litterm.text.counted import counted
from litterm.tui.clipboard import Copied, copy_task
from litterm.tui.deciding import Deciding
from litterm.tui.dialogs.ask import Ask
from litterm.tui.finding import Finding
from litterm.tui.job_queue import JobOrder, Report
from litterm.tui.outside import open_task
from litterm.tui.reading import Reading
from litterm.tui.stage import Stage

_NOTHING_KEPT = "Nothing included or accepted yet: a on a paper or a sentence."


class Copying:
    """Copies and writes what the user accepted, always with its citation."""

    def __init__(self, stage: Stage, reading: Reading, finding: Finding, deciding: Deciding) -> None:
        self._stage = stage
        self._reading = reading
        self._finding = finding
        self._deciding = deciding

    def copy(self) -> None:
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

    def copy_all(self) -> None:
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
            way = copied.tool or "the terminal (OSC 52)"
            stage.tell(f"Copied {what}, {len(text):,} characters, by {way}. Also in {copied.file}.")

        file = stage.settings.cache / "last-copy.txt"
        stage.work.start("copy", "copying", lambda: copy_task(text, file), done)

    def write(self) -> None:
        """Ask for a folder, then write BibTeX of the included papers and Markdown of the accepted quotes."""
        stage = self._stage
        if not stage.engine.desk.included() and not stage.engine.desk.marked_papers():
            stage.tell(_NOTHING_KEPT)
            return
        about = "Writes included.bib (included and quoted papers) and quotes.md (accepted and hand-marked quotes)."
        here = str(Path.cwd())

        def keep(folder: str) -> None:
            def wrote(told: str) -> Report:
                stage.tell(told)
                return Report(told)

            stage.queue.add(JobOrder("write", "writing", lambda: self._write(Path(folder).expanduser()), wrote))

        stage.open(Ask("write into folder", here, stage.glyphs, about=about, name=True), keep)

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
        kept = f" What stood there is in {names}." if names else ""
        return f"Wrote {counted(len(papers), 'paper')} and {counted(len(gathered), 'quote')} into {folder}.{kept}"

    def open_outside(self) -> None:
        """The PDF this came from, at the page, else its page on the web."""
        papers, document = self._deciding.papers(), self._reading.document
        if not papers:
            self._stage.tell("No paper here.")
            return
        indexes = self._deciding.sentences()
        page = document.sentences[indexes[0]].page if document and indexes else None
        paper = papers[0]
        self._stage.work.start("outside", "opening outside", lambda: open_task(paper, page), self._stage.tell)


def _accepted(paper: Paper, document: Document, stage: Stage) -> list[Quote]:
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
