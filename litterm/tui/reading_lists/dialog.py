"""The dialog of one reading list: its papers below their headings, edited in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.model.annotations import ReadStatus
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListEntry, ReadingList
from litterm.render.names import short_authors, venue_and_year
from litterm.render.reading_lists.reading_list import entry_reasons
from litterm.text.plural import count_phrase
from litterm.tui.dialogs.choose import ListChoice, ListDialog
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

ListAction = Literal[
    "pin", "drop", "replace", "down", "up", "rename", "note", "status", "undo", "again", "model", "timeline"
]
"""What may be done with the paper under the cursor, or with the whole list."""
_KEYS: Sequence[tuple[str, ListAction, str]] = (
    (BY_ID["all.accept"].keys[0], "pin", "pin it: it stays when the list is regenerated; again = unpin"),
    (BY_ID["all.reject"].keys[0], "drop", "drop it for good"),
    ("r", "replace", "replace it by a similar paper"),
    ("J", "down", "move it down"),
    ("K", "up", "move it up"),
    ("R", "rename", "rename the heading"),
    (BY_ID["all.note"].keys[0], "note", "note on this paper"),
    (BY_ID["all.read-status"].keys[0], "status", "to read, reading, read"),
    (BY_ID["all.undo"].keys[0], "undo", "undo"),
    (BY_ID["all.retry"].keys[0], "again", "regenerate the list"),
    (BY_ID["all.model"].keys[0], "model", "ask the language model for the list (shows cost first)"),
    (BY_ID["all.why"].keys[0], "timeline", "timeline of who cites whom"),
)


@dataclass(frozen=True, slots=True)
class ReadingListRow:
    """A heading, or a paper below one."""

    section: str
    entry: ListEntry | None = None


class ReadingListDialog(ListDialog[PaperId]):
    """Closes with the paper to open on enter; all other keys change the list at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # The table's own keys where it has the meaning: `a`, `x`, `u` do here what they do everywhere.
        Binding(textual_key(key), f"deed('{deed}')", does, id=f"reading-list.{deed}")
        for key, deed, does in _KEYS
    ]

    def __init__(self, glyphs: Glyphs, on_action: Callable[[ListAction, ReadingListRow | None], None]) -> None:
        """`on_action` does what a key asks with the row under the cursor."""
        dot = f" {glyphs.dot} "
        words = (
            "a pin",
            "x drop",
            "r replace",
            "J K move",
            "R rename",
            "m note",
            "d read",
            "u undo",
            ". again",
            "M model",
        )
        super().__init__("reading list", dot.join((*words, "i timeline", "enter open", "esc leave")), glyphs)
        self._on_action = on_action
        self.rows: Sequence[ReadingListRow] = ()

    def resume(self) -> None:
        self.choices.focus()

    def show(self, reading_list: ReadingList, statuses: Mapping[PaperId, ReadStatus]) -> None:
        """Show the current list; the cursor stays on its paper."""
        before, place = self.current, self.choices.cursor
        self.border_title = Content(f"reading list {self.glyphs.dot} {reading_list.topic}")
        self.rows = tuple(_rows(reading_list))
        read_count = sum(status == "read" for status in statuses.values())
        papers = count_phrase(len(reading_list.entries), "paper")
        heading = f"{papers}, {read_count} read. {' '.join(reading_list.notices)}".strip()
        self.message.update(Content(heading if reading_list.entries else "No paper in the library is about that."))
        numbers = {entry.paper.id: str(number) for number, entry in enumerate(reading_list.entries, 1)}
        self.choices.replace_choices([self._choice(row, numbers, statuses) for row in self.rows])
        self.choices.refresh(layout=True)
        # `put` follows the label, but a paper replaced or moved has another place or none.
        self.choices.go(self._place_of(before, place))
        # Once more when the heading and the rows have their new heights, else a note just written may be below.
        self.call_after_refresh(self.choices.show_cursor)

    def _place_of(self, before: ReadingListRow | None, place: int) -> int:
        """The row of the paper that was under the cursor, or the same position if it is gone."""
        if before is not None and before.entry is not None:
            for index, row in enumerate(self.rows):
                if row.entry is not None and row.entry.paper.id == before.entry.paper.id:
                    return index
        if before is None:
            return next((index for index, row in enumerate(self.rows) if row.entry is not None), 0)
        return min(place, max(len(self.rows) - 1, 0))

    def _choice(
        self, row: ReadingListRow, numbers: Mapping[PaperId, str], statuses: Mapping[PaperId, ReadStatus]
    ) -> ListChoice:
        entry = row.entry
        if entry is None:
            return ListChoice(row.section, role="accent")
        dot = f" {self.glyphs.dot} "
        byline = dot.join(part for part in (short_authors(entry.paper.authors), venue_and_year(entry.paper)) if part)
        reasons = dot.join(entry_reasons(entry, row.section))
        marks = " ".join(part for part in ("pinned" if entry.pinned else "", statuses.get(entry.paper.id, "")) if part)
        note = (f"note: {entry.note}",) if entry.note else ()
        return ListChoice(entry.paper.title, marks, key=numbers[entry.paper.id], below=(byline, reasons, *note))

    @property
    def current(self) -> ReadingListRow | None:
        """The row under the cursor."""
        return self.rows[self.choices.cursor] if self.choices.cursor < len(self.rows) else None

    def action_deed(self, action: ListAction) -> None:
        self._on_action(action, self.current)

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        if self.current is not None and self.current.entry is not None:
            self.dismiss(self.current.entry.paper.id)


def _rows(reading_list: ReadingList) -> Sequence[ReadingListRow]:
    rows: list[ReadingListRow] = []
    for section in reading_list.sections:
        if section.name:
            name = f"{section.name} / {section.subsection}" if section.subsection else section.name
            rows.append(ReadingListRow(name))
        rows += [ReadingListRow(section.name, entry) for entry in section.entries]
    return rows
