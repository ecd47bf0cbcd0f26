"""The dialog of projects: open, create, rename, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from litterm.model.annotations import ProjectSize
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

DEFAULT_PROJECT_NAME = "default project"
"""Display name of the default project while it has no name."""
_PROJECTS_HINT = (
    "Each has its own query, open paper, hypothesis, lists (included, excluded, starred), decisions on evidence and "
    "watches. Papers, tags, notes and read status are shared by all."
)


@dataclass(frozen=True, slots=True)
class ProjectRequest:
    """An action on a project."""

    what: Literal["go", "begin", "rename", "delete"]
    name: str = ""


class ProjectList(Dialog[ProjectRequest]):
    """Lists the projects; other keys than enter open a dialog of their own."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(textual_key(BY_ID["results.add"].keys[0]), "begin", "new project", id="projects.begin"),
        Binding(textual_key(BY_ID["all.note"].keys[0]), "rename", "rename", id="projects.rename"),
        Binding(textual_key(BY_ID["all.reject"].keys[0]), "delete", "delete", id="projects.delete"),
    ]

    def __init__(self, names: Sequence[str], sizes: Sequence[ProjectSize], *, current: str, glyphs: Glyphs) -> None:
        dot = f" {glyphs.dot} "
        super().__init__("projects", dot.join(("enter switch", "+ new", "m rename", "x delete", "esc leave")), glyphs)
        self._names = tuple(names)
        self._start = self._names.index(current)
        rows = [
            ListChoice(
                name or DEFAULT_PROJECT_NAME, size_words(size, glyphs), key=glyphs.hand if name == current else ""
            )
            for name, size in zip(names, sizes, strict=True)
        ]
        self.choices = ChoiceRows(rows, glyphs)

    def body(self) -> ComposeResult:
        yield paragraph(_PROJECTS_HINT, "cause")
        yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()
        self.choices.cursor = self._start
        self.call_after_refresh(self.choices.show_cursor)

    @property
    def current(self) -> str:
        """The name under the cursor."""
        return self._names[self.choices.cursor]

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(ProjectRequest("go", self.current))

    def action_begin(self) -> None:
        self.dismiss(ProjectRequest("begin"))

    def action_rename(self) -> None:
        self.dismiss(ProjectRequest("rename", self.current))

    def action_delete(self) -> None:
        self.dismiss(ProjectRequest("delete", self.current))


def size_words(size: ProjectSize, glyphs: Glyphs) -> str:
    """`2 watches · 12 included · 3 starred`."""
    lists = (
        *((size.included, "included"), (size.excluded, "excluded"), (size.starred, "starred")),
        (size.quoted, "with evidence"),
    )
    watches = f"{size.watches:,} watch{'' if size.watches == 1 else 'es'}" if size.watches else ""
    parts = [watches, *(f"{count:,} {noun}" for count, noun in lists if count)]
    return f" {glyphs.dot} ".join(part for part in parts if part) or "empty"
