"""Corrects records by hand (`:edit`), takes merged ones apart (`:split`), and takes imports back (`:remove-import`)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.imports import LibraryImport
from litterm.model.library import TakenBack
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.plural import count_phrase
from litterm.text.queries.parser import append_filters
from litterm.tui.annotations.text_editor import EditedText, PaperTextEditor
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.attachments import AttachmentController

if TYPE_CHECKING:
    from litterm.tui.annotations.controller import AnnotationController
    from litterm.tui.reader.controller import ReaderController

_LANE = "add"
_HINT = (
    "One field a line. Authors are separated by semicolons, as Family, Given or Given Family; a group stands in "
    "braces. `:undo-edit` takes all corrections of the paper back; u does not."
)
_NAMES = ("title", "authors", "year", "key")


class RevisionController(ActionTarget):
    """Changes stored records in the background, and shows what became of them."""

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
        """The commands for the command line."""
        return (
            Command("edit", "correct title, authors, year or citation key of this paper", lambda _: self.action_edit()),
            Command("undo-edit", "take back all corrections of this paper", lambda _: self.undo()),
            Command("split", "take the source out of this record that was merged into it", lambda _: self.split("")),
            Command("split", "take the source of that number out of this record", self.split, "NUMBER"),
            Command("imports", "what your papers came from; enter searches it", lambda _: self.show_imports()),
            Command("remove-import", "take back an import, by its path or its name", self.take_back, "PATH"),
            *AttachmentController(self._context, self._annotations, self._reader, self._on_change).commands(),
        )

    def action_edit(self) -> None:
        """Edit title, authors, year and citation key of the paper."""
        paper = self._paper()
        if paper is None:
            return
        self.edit(paper)

    def edit(self, paper: Paper) -> None:
        """Edit the record of `paper`, as it was left if it was left unsaved."""
        shown, unsaved = editable_text(paper), self._context.engine.unsaved_texts

        def keep(text: str) -> None:
            correction = self._context.attempt(lambda: read_correction(paper, text))
            if correction is not None:
                self._revise("correcting", paper, lambda: self._context.engine.correct(paper.id, correction))
            elif text.strip() == shown.strip():
                self._context.tell("Nothing was changed.")
            else:
                # A line that cannot be read must not cost the others.
                self._context.attempt(lambda: unsaved.keep("correction", paper.id, text))

        notice = "The correction is not saved; T opens it as you left it."
        edited = EditedText("correction", paper.id, "edit the record", shown, _HINT, notice)
        self._context.open(PaperTextEditor(edited, self._context), keep)

    def undo(self) -> None:
        """Take back all corrections of the paper."""
        if (paper := self._paper()) is not None:
            self._revise("taking back", paper, lambda: self._context.engine.undo_correction(paper.id))

    def split(self, typed: str) -> None:
        """Take a source out of the record, by its number; of two the later one.

        Raises:
            UsageError: it is no number, or the record has not two sources.
        """
        from litterm.library.corrections import choose_source

        paper = self._paper()
        if paper is None:
            return
        if typed and not typed.isdecimal():
            raise UsageError(f"{typed} is no number of a source; `litterm show {paper.id}` numbers them.")
        number = int(typed) if typed else choose_source(paper)

        def on_taken(papers: tuple[Paper, Paper]) -> JobReport:
            kept, apart = papers
            self._show(kept)
            return self._finish(f"Two papers now: {kept.id} and {apart.id}; `litterm duplicates --merge` undoes it.")

        engine = self._context.engine
        what = f"taking apart: {paper.title}"
        self._context.queue.add(JobOrder(_LANE, what, lambda: engine.separate(paper.id, number), on_taken))

    def show_imports(self) -> None:
        """List the imports, the user's own first; enter searches the papers of one."""
        context = self._context

        def show(imports: tuple[LibraryImport, ...]) -> None:
            if not imports:
                context.tell("Nothing has been imported yet; :add PATH does it.")
                return
            rows = [ListChoice(one.name, _import_words(one, context.glyphs.dot)) for one in imports]
            context.open(ChoiceDialog("imports", rows, context.glyphs, keys="search"), lambda at: search(imports[at]))

        def search(one: LibraryImport) -> None:
            context.query.search_again(append_filters("", [("import", one.name)]))
            context.focus_pane("results")

        context.work.start("imports", "listing imports", context.engine.imports, show)

    def take_back(self, typed: str) -> None:
        """Take back the import of a file, archive or folder, by its path or its name in `:imports`."""
        path = Path(typed.strip().strip("'\"")).expanduser()

        def on_taken(taken: TakenBack) -> JobReport:
            hidden, changed = count_phrase(len(taken.hidden), "paper"), count_phrase(len(taken.changed), "record")
            return self._finish(f"Removed {hidden}; {changed} without what it said. u shows the papers again.")

        engine = self._context.engine
        what = f"taking back {path.name}"

        def task() -> Task[TakenBack]:
            # A name has no folder, unless a file here has it.
            named = len(path.parts) == 1 and not path.exists()
            source = engine.import_index.find(typed.strip().strip("'\"")) if named else path
            return (yield from engine.take_back(source))

        self._context.queue.add(JobOrder(_LANE, what, task, on_taken))

    def _paper(self) -> Paper | None:
        papers = self._annotations.papers()
        if not papers:
            self._context.tell("No paper here.")
            return None
        # As it is stored now: a row may be older than the last correction.
        return self._context.attempt(lambda: self._context.engine.paper(papers[0].id))

    def _revise(self, doing: str, paper: Paper, task: Callable[[], Task[Paper]]) -> None:
        def on_revised(revised: Paper) -> JobReport:
            if doing == "correcting":
                self._context.attempt(lambda: self._context.engine.unsaved_texts.discard("correction", paper.id))
            self._show(revised)
            undo = "; :undo-edit takes it back" if doing == "correcting" else " as its sources state it"
            return self._finish(f"Now “{revised.title}”{undo}.")

        self._context.queue.add(JobOrder(_LANE, f"{doing}: {paper.title}", task, on_revised))

    def _show(self, paper: Paper) -> None:
        if self._reader.paper is not None and self._reader.paper.id == paper.id:
            self._reader.reload_paper(PaperId(paper.id), paper)

    def _finish(self, sentence: str) -> JobReport:
        self._context.tell(sentence)
        self._on_change()
        return JobReport(sentence)


def _import_words(one: LibraryImport, dot: str) -> str:
    mine = ["yours"] if one.is_mine else []
    return f" {dot} ".join(filter(None, (count_phrase(one.papers, "paper"), one.format, one.imported_on, *mine)))


def editable_text(paper: Paper) -> str:
    """The fields that can be corrected, one a line."""
    authors = "; ".join(map(_typed_name, paper.authors))
    values = (paper.title, authors, str(paper.year or ""), paper.imprint.bibkey)
    return "\n".join(f"{name}: {value}" for name, value in zip(_NAMES, values, strict=True))


def read_correction(paper: Paper, typed: str) -> Paper | None:
    """What `typed` states otherwise than `editable_text`; `None` if that is nothing.

    Raises:
        UsageError: a line cannot be read.
    """
    from litterm.library.corrections import make_correction

    before, after = _fields(editable_text(paper)), _fields(typed)
    changed = {name: value for name, value in after.items() if value != before[name]}
    if not changed:
        return None
    year = changed.get("year")
    if year is not None and not year.isdecimal():
        raise UsageError(f"{year or 'An empty year'} is no year; type one as in 2020.")
    authors = changed.get("authors")
    return make_correction(
        paper,
        title=changed.get("title"),
        authors=None if authors is None else [name.strip() for name in authors.split(";")],
        year=None if year is None else int(year),
        key=changed.get("key"),
    )


def _fields(typed: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(str.strip, typed.splitlines()):
        name, colon, value = line.partition(":")
        if not colon or name.strip() not in _NAMES:
            raise UsageError(f"{line.strip()[:40]}: a line begins with {', '.join(_NAMES)} and a colon.")
        found[name.strip()] = value.strip()
    return found


def _typed_name(author: Author) -> str:
    if author.is_literal:
        return f"{{{author.family}}}"
    return ", ".join(filter(None, (author.surname, author.suffix, author.given)))
