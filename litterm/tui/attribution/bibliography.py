"""`:check`: a bibliography, a draft or a paper's references held against what is known, its findings in a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.content import Content

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.attribution.bibliography import UNSUPPORTED, BibliographyReport, CheckedEntry
from litterm.model.attribution.draft import CheckedCitation
from litterm.model.paper import PaperId
from litterm.render.attribution.bibliographies import STATUS_WORDS, entry_remarks, summary
from litterm.render.attribution.drafts import SUPPORT_WORDS
from litterm.render.names import short_authors, venue_and_year
from litterm.text.escape import plain
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ListChoice, ListDialog
from litterm.tui.input.command_line import Command, CommandLine
from litterm.tui.reader.controller import ReaderController
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

GROUP = "bibliography"


class CheckedBibliography(ListDialog[PaperId]):
    """The entries that are not sound, findings first; closes with the record to open on enter."""

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        keys = f" {glyphs.dot} ".join(("j k entries", "enter open its record", "esc leave"))
        super().__init__(f"check {glyphs.dot} {name}", keys, glyphs, heading=f"checking{glyphs.ellipsis}")
        self.entries: Sequence[CheckedEntry] = ()
        self._records: Sequence[PaperId | None] = ()
        """What enter opens, row by row."""

    def show(self, report: BibliographyReport) -> None:
        """Show what was found."""
        told = [item for item in report.entries if item.status != "sound"]
        self.entries = sorted(told, key=lambda item: not item.is_finding)
        self.message.update(Content(plain(" ".join([*summary(report).splitlines(), *report.notices]))))
        unsupported = [one for one in report.citations if one.support in UNSUPPORTED]
        papers = [*(item.record for item in self.entries), *(one.paper for one in unsupported)]
        self._records = [paper.id if paper is not None else None for paper in papers]
        self.choices.show([*map(self._row, self.entries), *map(self._citation, unsupported)])

    def fail(self, reason: str) -> None:
        """Show why nothing was checked."""
        self.message.update(Content(plain(reason)))

    def _row(self, item: CheckedEntry) -> ListChoice:
        title = item.entry.paper.title or item.entry.text
        record = ""
        if item.record is not None:
            parts = (str(item.record.id), short_authors(item.record), venue_and_year(item.record))
            record = f" {self.glyphs.dot} ".join(part for part in parts if part)
        return ListChoice(
            f"{item.entry.key} {self.glyphs.dot} {title}",
            STATUS_WORDS[item.status],
            key=str(item.entry.line or ""),
            below=tuple(part for part in (*entry_remarks(item), record) if part),
            role="" if item.is_finding else "muted",
        )

    def _citation(self, checked: CheckedCitation) -> ListChoice:
        """A sentence that its cited paper does not bear out."""
        sentences = checked.evidence.sentences[:1] if checked.evidence else ()
        return ListChoice(
            f"{checked.key} {self.glyphs.dot} {checked.claim or checked.citation.excerpt}",
            SUPPORT_WORDS[checked.support],
            key=str(checked.citation.position.line),
            below=tuple(f"“{item.sentence.text}”" for item in sentences),
        )

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        record = self._records[event.index] if event.index < len(self._records) else None
        if record is not None:
            self.dismiss(record)


class BibliographyController:
    """Checks in the background, and keeps the last report while its list is closed."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController, commands: CommandLine) -> None:
        self._context = context
        self._reader = reader
        self._commands = commands
        self._dialog: CheckedBibliography | None = None
        self._path: Path | None = None
        self._report: BibliographyReport | None = None

    def command(self) -> Command:
        """The command `:check`."""
        return Command("check", "is a bibliography right: a .bib, a draft, a PDF", self.start, "PATH")

    def start(self, typed: str, *, read: Callable[[PaperId], None] | None = None) -> None:
        """Check the file at a path; what was found before is shown until the new report is there.

        `read` opens a record in place of the reader, for what has to come back to where it was.
        """
        path = Path(typed.strip().strip("'\"")).expanduser()
        if not path.is_file():
            self._context.tell(f"{path}: no such file.", warn=True)
            self._commands.open_with(f"check {typed}")
            return
        if path != self._path:
            self._path, self._report = path, None
        self._dialog = CheckedBibliography(path.name, self._context.glyphs)
        self._context.open(self._dialog, self._open_record if read is None else read)
        # The dialog has no widgets to fill before it has been composed.
        self._context.screen.call_after_refresh(self._refresh)
        self._check(path)

    def _check(self, path: Path) -> None:
        bibliographies = self._context.engine.bibliographies

        def task() -> Task[BibliographyReport]:
            return (yield from bibliographies.check(bibliographies.read(path)))

        self._context.work.start(GROUP, f"checking {path.name}", task, self._on_report, failed=self._on_failure)

    def _on_report(self, report: BibliographyReport) -> None:
        self._report = report
        if self._dialog is None or not self._dialog.is_attached:
            findings = sum(item.is_finding for item in report.entries)
            self._context.tell(f"{report.path.name}: {findings} to look at. :check {report.path} shows them.")
        self._refresh()

    def _on_failure(self, error: LittermError) -> None:
        if self._dialog is not None and self._dialog.is_attached:
            self._dialog.fail(str(error))
        else:
            self._context.tell(str(error), warn=True)

    def _refresh(self) -> None:
        if self._dialog is not None and self._dialog.is_attached and self._report is not None:
            self._dialog.show(self._report)

    def _open_record(self, paper_id: PaperId) -> None:
        self._dialog = None
        self._reader.open_id(paper_id)
