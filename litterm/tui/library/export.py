"""Exports: quotes and BibTeX to the clipboard, papers to files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.core.user_files import backup_sentence, refusal, resolve_target, write_file
from litterm.model.events import Event, Notice
from litterm.model.export import FORMAT_ROWS, ExportFormat, ExportScope
from litterm.model.paper import PaperId
from litterm.render.bibliography import bibtex
from litterm.render.export.markdown import Quote, citation, quote, quotes
from litterm.render.names import home_relative
from litterm.text.escape import plain_lines
from litterm.text.plural import count_phrase
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.results_pane import ResultPapers
from litterm.tui.widgets.clipboard import ClipboardResult, copy_task
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from litterm.engine import Engine

FileForm = Literal["references", "folder", "parquet"]
"""What the dialog offers besides formats of one text: references in a CSL style, a file a paper, a table."""
Form = ExportFormat | FileForm
_FILE_NAMES: Final[Mapping[Form, str]] = {"references": "References", "folder": "Folder", "parquet": "Parquet"}
_FILE_SUFFIXES: Final[Mapping[Form, str]] = {"references": ".txt", "folder": "", "parquet": ".parquet"}
FORM_NAMES: Final[Mapping[Form, str]] = {**{row.name: row.label for row in FORMAT_ROWS}, **_FILE_NAMES}
_FORMS: Final = tuple(FORM_NAMES)
_ENDINGS: Final[Mapping[Form, str]] = {**{row.name: row.suffix for row in FORMAT_ROWS}, **_FILE_SUFFIXES}
_PREVIEWED_AS: Final[Mapping[Form, ExportFormat]] = {"folder": "markdown", "parquet": "csv"}
"""The text that shows best what will stand in files."""
_FILE_STEMS: Mapping[ExportScope, str] = {
    "paper": "paper",
    "selection": "selected",
    "list": "results",
    "project": "included",
    "all": "library",
}
"""Names of files, without their endings."""
_MAX_PREVIEW_LINES = 40
"""Lines of a preview."""
_MAX_PAPERS_PREVIEWED = 3
"""Papers of a preview."""
_NO_SELECTION = "none: space and v select results"


@dataclass(frozen=True, slots=True)
class ScopeChoice:
    """One scope as it is offered."""

    scope: ExportScope
    label: str
    count: int
    hint: str = ""
    """How to fill it, instead of a count of zero."""


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What is to be written, and where."""

    scope: ExportScope
    form: Form
    notes: bool
    path: Path
    style: str = ""
    """The CSL style of references."""


class ExportDialog(Dialog[ExportRequest]):
    """`j k` choose the papers, `h l` the format; what is chosen is shown as it will be written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "notes", "with or without tags and notes", id="export.notes"),
        Binding("s", "style", "the next CSL style of references", id="export.style"),
        Binding("tab", "focus_file", "to the file, and back", id="export.file"),
    ]

    def __init__(
        self,
        scopes: Sequence[ScopeChoice],
        start: ExportScope,
        folder: Path,
        glyphs: Glyphs,
        *,
        styles: Sequence[str],
        preview: Callable[[ExportRequest], None],
    ) -> None:
        """`preview` requests the first lines of an export in one of the CSL `styles`; they go to `show_preview`."""
        dot = f" {glyphs.dot} "
        keys = ("enter write", "j k papers", "h l format", "n notes", "tab file", "esc leave")
        super().__init__("export", dot.join(keys), glyphs)
        self._scopes = tuple(scopes)
        self._folder = folder
        self._preview = preview
        self._form: Form = _FORMS[0]
        self._styles = tuple(styles)
        self._style = 0
        self._notes = True
        self._suggested_file = ""
        """The file name suggested last; one that the user has changed is kept."""
        self._previewed_request: ExportRequest | None = None
        rows = [ListChoice(group.label, group.hint or count_phrase(group.count, "paper")) for group in self._scopes]
        self.choices = ChoiceRows(rows, glyphs, id="export-scopes")
        self._start = next(index for index, group in enumerate(self._scopes) if group.scope == start)
        self._about = Static(id="export-format", classes="said")
        self._file = Field(id="asked", single=True)
        self._target = Static(id="export-target", classes="cause")
        self._lines = Static(id="export-preview", classes="cause")

    def body(self) -> ComposeResult:
        yield self.choices
        yield self._about
        yield self._file
        yield self._target
        yield self._lines

    def on_mount(self) -> None:
        self.choices.cursor = self._start
        self.choices.focus()
        self._renew()

    @property
    def request(self) -> ExportRequest:
        """The request as chosen now."""
        scope = self._scopes[min(self.choices.cursor, len(self._scopes) - 1)].scope
        path = Path(self._file.text.strip()).expanduser()
        place = path if self._file.text.strip() else self._folder
        style = self._styles[self._style] if self._form == "references" and self._styles else ""
        return ExportRequest(scope, self._form, self._notes, place, style)

    @property
    def count(self) -> int:
        """Papers in the scope chosen now."""
        return self._scopes[min(self.choices.cursor, len(self._scopes) - 1)].count

    def show_preview(self, request: ExportRequest, text: str) -> None:
        """Show the first lines of an export; the preview of an older request is ignored."""
        # Another file name does not change what is written into it.
        if (
            self._previewed_request is not None
            and replace(request, path=self._previewed_request.path) == self._previewed_request
        ):
            preview = "\n".join(plain_lines(text).splitlines()[:_MAX_PREVIEW_LINES])
            self._lines.update(Content(preview or "Nothing would be written."))

    def _renew(self) -> None:
        """Update format, file name and preview after another choice."""
        names = [f"[{name}]" if form == self._form else f" {name} " for form, name in FORM_NAMES.items()]
        words = self._style_words() if self._form == "references" else self._notes_words()
        self._about.update(Content(f" format {''.join(names)}\n {words}"))
        self._suggest_file()
        self._check_target()
        request = self._previewed_request = self.request
        if self.count:
            self._lines.update(Content(f"Preview{self.glyphs.ellipsis}"))
            self._preview(request)
        else:
            self._lines.update(Content("There is no paper in this scope."))

    def _notes_words(self) -> str:
        return "with tags and notes" if self._notes else "without tags and notes"

    def _style_words(self) -> str:
        if not self._styles:
            return "no style"
        return f"{self._styles[self._style]}{', s: another style' if len(self._styles) > 1 else ''}"

    def _suggest_file(self) -> None:
        typed, suffix = self._file.text.strip(), _ENDINGS[self._form]
        if typed in ("", self._suggested_file):
            self._suggested_file = home_relative(str(self._folder / f"{_FILE_STEMS[self.request.scope]}{suffix}"))
            self._file.set_text(self._suggested_file)
        elif Path(typed).suffix and Path(typed).suffix in _ENDINGS.values():
            self._file.set_text(str(Path(typed).with_suffix(suffix)))

    def _check_target(self) -> bool:
        """Say what writing to the file would do; returns whether it is possible."""
        path = self.request.path
        if self._form == "folder":
            return self._check_folder(path)
        try:
            real = resolve_target(path)
            exists = real.exists()
        except (LittermError, OSError) as error:
            # Messages begin with the path, which stands right above.
            self._target.update(Content(plain_lines(f" It {str(error).removeprefix(f'{path}: ')}")))
            return False
        words = f" Exists; it is kept as {path.name}~." if exists else " A new file."
        if path.suffix and path.suffix in _ENDINGS.values() and path.suffix != _ENDINGS[self._form]:
            words = f"{words} {FORM_NAMES[self._form]} in it, whatever its name says."
        self._target.update(Content(plain_lines(words)))
        return True

    def _check_folder(self, path: Path) -> bool:
        if path.exists() and not path.is_dir():
            self._target.update(Content(" It is a file; give the name of a folder."))
            return False
        words = " Its files are updated; what you wrote in them stays." if path.exists() else " A new folder."
        self._target.update(Content(f"{words} A Markdown file for each paper."))
        return True

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self._renew()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self._write()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        self._form = _FORMS[(_FORMS.index(self._form) + event.step) % len(_FORMS)]
        self._renew()

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._check_target()

    def handle_field_action(self, event: Field.ActionRequested) -> None:
        if event.what in ("complete", "before", "above", "below"):
            self.choices.focus()
        else:
            super().handle_field_action(event)

    def on_text_submitted(self, text: str) -> None:
        self._write()

    def action_notes(self) -> None:
        self._notes = not self._notes
        self._renew()

    def action_style(self) -> None:
        if self._form == "references" and self._styles:
            self._style = (self._style + 1) % len(self._styles)
            self._renew()

    def action_focus_file(self) -> None:
        self._file.focus()

    def _write(self) -> None:
        if self.count and self._check_target():
            self.dismiss(self.request)


class ExportController(ActionTarget):
    """Copies and writes what the user accepted, always with its citation."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
        annotations: AnnotationController,
    ) -> None:
        self._context = context
        self._reader = reader
        self._annotations = annotations
        self.count = 0
        """How often something was copied or written."""

    def action_copy(self) -> None:
        """Copy the sentence with its citation, or the papers as BibTeX."""
        document, paper = self._reader.document, self._reader.paper
        indexes = self._annotations.sentences()
        if document and paper and indexes:
            chosen = [quote(paper, document, document.sentences[index]) for index in indexes]
            key = self._context.engine.citation_keys.key(paper)
            text = "\n\n".join(citation(item, key) for item in chosen)
            self.copy_to_clipboard(text, count_phrase(len(chosen), "quote"))
            return
        self._copy_entries("Nothing here to copy.")

    def copy_bibtex(self) -> None:
        """Copy the selected papers, or the current one, as BibTeX."""
        self._copy_entries("No paper here.")

    def _copy_entries(self, without_papers: str) -> None:
        papers = self._annotations.papers()
        if papers:
            text = bibtex.entries(papers, keys=self._context.engine.citation_keys.keys_of(papers))
            self.copy_to_clipboard(text, count_phrase(len(papers), "BibTeX entry", "BibTeX entries"))
        else:
            self._context.tell(without_papers)

    def copy_citation(self) -> None:
        """Copy `\\citep{KEYS}` of the selected papers, or of the current one, with the keys of `copy_bibtex`."""
        papers = self._annotations.papers()
        if papers:
            keys = ",".join(self._context.engine.citation_keys.keys_of(papers).values())
            self.copy_to_clipboard(f"\\citep{{{keys}}}", f"a citation of {count_phrase(len(papers), 'paper')}")
        else:
            self._context.tell("No paper here.")

    def style_names(self) -> Sequence[str]:
        """The CSL styles that are there."""
        return self._context.engine.file_exports.style_names()

    def copy_references(self, style: str) -> None:
        """Copy the selected papers, or the current one, as references in a CSL style, by default the first there is."""
        papers = self._annotations.papers()
        if not papers:
            self._context.tell("No paper here.")
            return
        engine, ids = self._context.engine, [paper.id for paper in papers]
        chosen = style.strip() or next(iter(self.style_names()), "")
        description = f"{count_phrase(len(papers), 'reference')} ({chosen})"
        self._context.work.start(
            "references",
            "formatting references",
            lambda: engine.file_exports.references(ids, chosen),
            lambda text: self.copy_to_clipboard(text.rstrip("\n"), description),
        )

    def action_copy_all(self) -> None:
        """Copy every quote accepted in this project or marked by hand, of all papers."""
        self._context.work.start("gather", "gathering quotes", self._context.engine.project_quotes, self._copy_quotes)

    def _copy_quotes(self, project_quotes: Sequence[Quote]) -> None:
        if project_quotes:
            keys = self._context.engine.citation_keys.keys_of(item.paper for item in project_quotes)
            self.copy_to_clipboard(quotes(project_quotes, keys), count_phrase(len(project_quotes), "quote"))
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
        results = self._context.results.all_papers()
        if results.count is None:
            # Rows are filtered: how many papers pass is known only when all of them have been looked at.
            self._context.results.take_all(
                "gathering the results", lambda papers: self._ask(replace(results, fetched=papers, search=None))
            )
        else:
            self._ask(results)

    def _ask(self, results: ResultPapers) -> None:
        context = self._context
        # Taken now: what is listed may change while the dialog is open, and what was counted is what is written.
        groups = self._groups(results)
        counts = {scope: len(ids) for scope, ids in groups.items()} | {"list": results.count or 0}
        labels = {
            "paper": "this paper",
            "selection": "selection",
            "list": "list: all results",
            "project": f"project{_scope_name(context.project)}: included, and with accepted sentences",
        }
        hints: Mapping[ExportScope, str] = {} if counts["selection"] else {"selection": _NO_SELECTION}
        scopes = [ScopeChoice(scope, labels[scope], counts[scope], hints.get(scope, "")) for scope in groups]
        scopes.append(ScopeChoice("all", "all your papers", self._held_count()))
        start = self._default_scope(counts)

        def preview(request: ExportRequest) -> None:
            ids = groups.get(request.scope)
            context.work.start(
                "preview",
                "preview of the export",
                lambda: _render(context.engine, ids, request, most=_MAX_PAPERS_PREVIEWED),
                lambda text: dialog.show_preview(request, text),
                failed=lambda error: dialog.show_preview(request, str(error)),
            )

        styles = context.engine.file_exports.style_names()
        dialog = ExportDialog(scopes, start, Path.cwd(), context.glyphs, styles=styles, preview=preview)

        def write(request: ExportRequest) -> None:
            if request.scope == "list":
                self._write(request, results)
            else:
                self._write(request, groups.get(request.scope), dialog.count)

        context.open(dialog, write)

    def _groups(self, results: ResultPapers) -> dict[ExportScope, Sequence[PaperId]]:
        """The papers of each scope except the last, which is the whole library; of the results those fetched."""
        context, state = self._context, self._context.results.state
        current = context.results.current.paper if context.results.current else None
        if context.focus in ("reader", "evidence"):
            current = self._reader.paper
        return {
            "paper": [current.id] if current else [],
            "selection": [paper.id for paper in state.selected_papers()],
            "list": [paper.id for paper in results.fetched],
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

    def _write(self, request: ExportRequest, papers: ResultPapers | Sequence[PaperId] | None, count: int = 0) -> None:
        """Write papers in the background; `None` is the whole library, whose papers are counted in `count`."""

        def task() -> Task[str]:
            if isinstance(papers, ResultPapers):
                found = yield from papers.gather()
                ids: Sequence[PaperId] | None = [paper.id for paper in found]
            else:
                ids = papers
            written = count if ids is None else len(ids)
            return (yield from _write_request(self._context.engine, ids, request, written))

        def on_written(sentence: str) -> JobReport:
            self.count += 1
            self._context.tell(sentence)
            return JobReport(sentence)

        def on_event(event: Event) -> None:
            if isinstance(event, Notice):
                self._context.tell(event.text)

        name = f"writing {plain_lines(request.path.name)}"
        self._context.queue.add(JobOrder("write", name, task, on_written, on_event=on_event))


def _render(engine: Engine, ids: Sequence[PaperId] | None, request: ExportRequest, *, most: int | None) -> Task[str]:
    """The text of an export, or of the first `most` papers of it."""
    if request.form == "references":
        return engine.file_exports.references(ids, request.style, most=most)
    form = _PREVIEWED_AS.get(request.form) or cast("ExportFormat", request.form)
    return engine.export_papers(ids, form, notes=request.notes, most=most)


def _write_request(engine: Engine, ids: Sequence[PaperId] | None, request: ExportRequest, count: int) -> Task[str]:
    """Writes `count` papers; what to say of it."""
    path, place = request.path, home_relative(str(request.path))
    if request.form == "folder":
        report = yield from engine.file_exports.write_folder(ids, path, notes=request.notes)
        left = f", {report.left:,} left as they are" if report.left else ""
        return f"{place}: {report.new:,} new, {report.updated:,} updated, {report.unchanged:,} unchanged{left}."
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(path, error) from error
    if request.form == "parquet":
        backup = yield from engine.file_exports.write_parquet(ids, path, notes=request.notes)
    else:
        text = yield from _render(engine, ids, request, most=None)
        backup = write_file(path, text.encode("utf-8", "replace"))
    return f"Wrote {count_phrase(count, 'paper')} into {place}.{backup_sentence(backup)}"


def _scope_name(project: str) -> str:
    return f" “{project}”" if project else ""
