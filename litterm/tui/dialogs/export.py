"""The dialog before an export: which papers, which format, which file, and a preview of its first lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, get_args

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from litterm.core.errors import LittermError
from litterm.core.user_files import resolve_target
from litterm.model.export import FORMAT_NAMES, SUFFIXES, ExportFormat, ExportScope
from litterm.render.names import home_relative
from litterm.text.escape import plain_lines
from litterm.text.plural import count_phrase
from litterm.tui.dialogs.base import Dialog
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)
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
    form: ExportFormat
    notes: bool
    path: Path


class ExportDialog(Dialog[ExportRequest]):
    """`j k` choose the papers, `h l` the format; what is chosen is shown as it will be written."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "notes", "with or without tags and notes", id="export.notes"),
        Binding("tab", "focus_file", "to the file, and back", id="export.file"),
    ]

    def __init__(
        self,
        scopes: Sequence[ScopeChoice],
        start: ExportScope,
        folder: Path,
        glyphs: Glyphs,
        *,
        preview: Callable[[ExportRequest], None],
    ) -> None:
        """`preview` requests the first lines of an export, which arrive in `show_preview`."""
        dot = f" {glyphs.dot} "
        keys = ("enter write", "j k papers", "h l format", "n notes", "tab file", "esc leave")
        super().__init__("export", dot.join(keys), glyphs)
        self._scopes = tuple(scopes)
        self._folder = folder
        self._preview = preview
        self._form: ExportFormat = FORMATS[0]
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
        return ExportRequest(scope, self._form, self._notes, path if self._file.text.strip() else self._folder)

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
        names = [f"[{name}]" if form == self._form else f" {name} " for form, name in FORMAT_NAMES.items()]
        self._about.update(Content(f" format {''.join(names)} {self.glyphs.dot} {self._notes_words()}"))
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

    def _suggest_file(self) -> None:
        typed, suffix = self._file.text.strip(), SUFFIXES[self._form]
        if typed in ("", self._suggested_file):
            self._suggested_file = home_relative(str(self._folder / f"{_FILE_STEMS[self.request.scope]}{suffix}"))
            self._file.set_text(self._suggested_file)
        elif Path(typed).suffix in SUFFIXES.values():
            self._file.set_text(str(Path(typed).with_suffix(suffix)))

    def _check_target(self) -> bool:
        """Say what writing to the file would do; returns whether it is possible."""
        path = self.request.path
        try:
            real = resolve_target(path)
            exists = real.exists()
        except (LittermError, OSError) as error:
            # Messages begin with the path, which stands right above.
            self._target.update(Content(plain_lines(f" It {str(error).removeprefix(f'{path}: ')}")))
            return False
        words = f" Exists; it is kept as {path.name}~." if exists else " A new file."
        self._target.update(Content(plain_lines(words)))
        return True

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self._renew()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self._write()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        self._form = FORMATS[(FORMATS.index(self._form) + event.step) % len(FORMATS)]
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

    def action_focus_file(self) -> None:
        self._file.focus()

    def _write(self) -> None:
        if self.count and self._check_target():
            self.dismiss(self.request)
