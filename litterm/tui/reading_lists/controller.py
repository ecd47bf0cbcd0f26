"""Reading lists (`L`): makes one on the current query, or opens a saved one, which is edited in its dialog."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.model.annotations import NEXT_READ_STATUS, ReadStatus
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListEntry, ListRequest, ReadingList
from litterm.render.names import short_authors, venue_and_year
from litterm.render.reading_lists.reading_list import entry_reasons
from litterm.text.plural import count_phrase
from litterm.text.queries.aspects import words_without_filters
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice, ListDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.reader.controller import ReaderController
from litterm.tui.reading_lists.llm_run import GROUP, ReadingListLlmRun
from litterm.tui.reading_lists.timeline import timeline_dialog, timeline_rows
from litterm.tui.state import ResultRow
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from litterm.reading_lists.reading_lists import ReadingListBuilder, ReadingLists

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
    (BY_ID["all.read-status"].keys[0], "status", "mark as to read, reading, read, or none"),
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
        Binding(textual_key(key), f"change('{action}')", meaning, id=f"reading-list.{action}")
        for key, action, meaning in _KEYS
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

    def go_to(self, paper_id: PaperId) -> None:
        """Put the cursor on a paper of the list."""
        places = (index for index, row in enumerate(self.rows) if row.entry and row.entry.paper.id == paper_id)
        self.choices.go(next(places, self.choices.cursor))

    def _choice(
        self, row: ReadingListRow, numbers: Mapping[PaperId, str], statuses: Mapping[PaperId, ReadStatus]
    ) -> ListChoice:
        entry = row.entry
        if entry is None:
            return ListChoice(row.section, role="accent")
        dot = f" {self.glyphs.dot} "
        byline = dot.join(part for part in (short_authors(entry.paper), venue_and_year(entry.paper)) if part)
        reasons = dot.join(entry_reasons(entry, row.section))
        marks = " ".join(part for part in ("pinned" if entry.pinned else "", statuses.get(entry.paper.id, "")) if part)
        note = (f"note: {entry.note}",) if entry.note else ()
        return ListChoice(entry.paper.title, marks, key=numbers[entry.paper.id], below=(byline, reasons, *note))

    @property
    def current(self) -> ReadingListRow | None:
        """The row under the cursor."""
        return self.rows[self.choices.cursor] if self.choices.cursor < len(self.rows) else None

    def action_change(self, action: ListAction) -> None:
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


class ReadingListController(ActionTarget):
    """Makes lists in the background, and shows one at a time."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController) -> None:
        self._context = context
        self._reader = reader
        self._with_model = ReadingListLlmRun(context, self.show)
        self._dialog: ReadingListDialog | None = None
        self.current: ReadingList | None = None
        """The list shown last."""

    @property
    def _lists(self) -> ReadingLists:
        return self._context.engine.reading_lists

    def action_open(self) -> None:
        """List the saved lists; if there are none, ask for the topic of a new one."""
        context = self._context
        summaries = context.attempt(self._lists.all) or ()
        if not summaries:
            self.ask_topic()
            return
        newest = summaries[::-1]
        choices = [
            ListChoice("a new list", key="+"),
            *(
                ListChoice(summary.topic, f"{summary.read} of {summary.papers} read", key=str(index))
                for index, summary in enumerate(newest, 1)
            ),
        ]

        def on_choice(index: int) -> None:
            if index == 0:
                self.ask_topic()
            else:
                self.open_saved(newest[index - 1].id)

        context.open(ChoiceDialog("reading lists", choices, context.glyphs, start=1, keys="open"), on_choice)

    def open_saved(self, list_id: str) -> None:
        """Open a saved list."""
        reading_list = self._context.attempt(lambda: self._lists.open(list_id))
        if reading_list is not None:
            self.show(reading_list)

    def ask_topic(self) -> None:
        """Ask for the topic of a new list, offering the words of the current query."""
        context = self._context
        description = (
            "Keywords separated by commas, or a sentence. An existing list on the topic is made again around its pins."
        )
        typed = words_without_filters(context.query.state.text)
        dialog = TextDialog("topic of the new reading list", typed, context.glyphs, about=description, name=True)
        dialog.enter = "make the list"
        context.open(dialog, self.make)

    def make(self, topic: str) -> None:
        """Make a list on a topic, in the background."""
        typed = topic.strip()
        if not typed:
            self.action_open()
            return
        request = ListRequest(typed, sections=True)
        builder = self._model_builder()
        self._context.work.start(
            GROUP, f"reading list on {typed}", lambda: self._lists.make(request, builder), self.show
        )

    def _model_builder(self) -> ReadingListBuilder | None:
        library_name = self._context.library_name
        return None if library_name is None else self._lists.builder(library_name)

    def show(self, reading_list: ReadingList) -> None:
        """Show a list, instead of the one on the screen."""
        self.current = reading_list
        # A list made in the background takes the place of the one shown; two dialogs would hide each other.
        if self._dialog is None or not self._dialog.is_attached:
            self._dialog = ReadingListDialog(self._context.glyphs, self._on_action)
            self._context.open(self._dialog, self._open_paper)
        self._dialog.show(reading_list, self._status())

    def _status(self) -> dict[PaperId, ReadStatus]:
        entries = self.current.entries if self.current else ()
        return {entry.paper.id: self._lists.status(entry.paper.id) for entry in entries}

    def _open_paper(self, paper_id: PaperId) -> None:
        """Open the paper, with the list in the results, so that `<` and `>` step through it."""
        reading_list, context = self.current, self._context
        if reading_list is None:
            return
        entries = reading_list.entries
        papers = [entry.paper.id for entry in entries]
        counts = context.attempt(lambda: context.engine.counts.counts_of(papers)) or (None,) * len(papers)
        # Without a score: the order of reading is no order by relevance.
        rows = tuple(
            ResultRow(number, entry.paper, None, "reading list", support="; ".join(entry.why), cited=cited)
            for number, (entry, cited) in enumerate(zip(entries, counts, strict=True), 1)
        )
        context.results.state = replace(
            context.results.state,
            rows=rows,
            result_count=len(rows),
            by="reading list",
            notes=context.results.notes_of(rows),
            hint=(),
            only="",
        )
        context.results.go(next((index for index, row in enumerate(rows) if row.paper.id == paper_id), 0))
        self._reader.open_id(paper_id)

    def _on_action(self, action: ListAction, row: ReadingListRow | None) -> None:
        reading_list = self.current
        if reading_list is None:
            return
        if action == "undo":
            self._undo(reading_list)
        elif action == "again":
            # A list that is not saved, as of a library that is read-only, is made from what it was asked for with.
            name, request, lists, builder = reading_list.id, reading_list.request, self._lists, self._model_builder()
            self._context.work.start(
                GROUP,
                "regenerating the list",
                lambda: lists.regenerate(name, builder) if name else lists.make(request, builder),
                self.show,
            )
        elif action == "model":
            self._with_model.open(reading_list)
        elif action == "timeline":
            self._show_timeline(reading_list)
        elif action == "rename" and row is not None:
            self._ask_heading(reading_list, row)
        elif row is not None:
            self._change(reading_list, action, row)

    def _show_timeline(self, reading_list: ReadingList) -> None:
        """Show the papers by year; enter goes to one in the list."""
        rows, glyphs = timeline_rows(reading_list), self._context.glyphs
        dialog = timeline_dialog(rows, self._context.screen.size.width, glyphs)

        def go(index: int) -> None:
            if self._dialog is not None:
                self._dialog.go_to(rows[index].paper.id)

        self._context.open(dialog, go)

    def _change(self, reading_list: ReadingList, action: ListAction, row: ReadingListRow) -> None:
        if row.entry is None:
            self._context.tell("This is a heading: j goes on to its papers.")
            return
        entry, paper_id, lists = row.entry, row.entry.paper.id, self._lists
        match action:
            case "pin":
                self._apply(lambda: lists.pin(reading_list, paper_id, not entry.pinned))
            case "drop":
                self._apply(lambda: lists.drop(reading_list, paper_id))
            case "replace":
                self._apply(lambda: lists.replace(reading_list, paper_id))
            case "down" | "up":
                self._apply(lambda: lists.move(reading_list, paper_id, 1 if action == "down" else -1))
            case "note":
                dialog = TextDialog("note", entry.note, self._context.glyphs, takes_empty=True, name=True)
                self._context.open(
                    dialog, lambda text: self._apply(lambda: lists.write_note(reading_list, paper_id, text))
                )
            case _:
                status = NEXT_READ_STATUS[lists.status(paper_id)]
                self._context.attempt(lambda: self._context.engine.annotations.set_status(paper_id, status))
                self.show(reading_list)

    def _ask_heading(self, reading_list: ReadingList, row: ReadingListRow) -> None:
        name = row.section.partition(" / ")[0]
        if not name:
            self._context.tell("This list has no headings.")
            return
        dialog = TextDialog("new heading", name, self._context.glyphs, name=True)
        dialog.enter = "rename"
        self._context.open(dialog, lambda new: self._apply(lambda: self._lists.rename(reading_list, name, new)))

    def _apply(self, change: Callable[[], ReadingList]) -> None:
        changed = self._context.attempt(change)
        if changed is not None:
            self.show(changed)

    def _undo(self, reading_list: ReadingList) -> None:
        undone = self._context.attempt(self._lists.undo)
        self._context.tell(undone or "Nothing to undo.")
        # What was undone may be the list itself.
        if undone:
            newer_summary = next((summary for summary in self._lists.all() if summary.id == reading_list.id), None)
            if newer_summary is not None:
                self.show(self._lists.open(newer_summary.id))
            elif self._dialog is not None:
                self._dialog.dismiss(None)

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        return (
            Command("list", "a reading list on a topic, in the best order to read it", self.make, "TOPIC"),
            Command("delete-list", "delete a reading list; u restores it", self._delete, "ID", self._names),
        )

    def _names(self) -> list[str]:
        return [summary.id for summary in self._lists.all()]

    def _delete(self, name: str) -> None:
        deleted = self._context.attempt(lambda: self._lists.delete(name))
        if deleted is not None:
            self._context.tell(f"The reading list {deleted} is deleted; u restores it.")
