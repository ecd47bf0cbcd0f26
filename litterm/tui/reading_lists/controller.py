"""`L`: a reading list on what is searched, or one of those there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.model.annotations import ReadStatus
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.render.lines import LineOptions
from litterm.render.reading_list import timeline
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.command_line import Command
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.reading_lists.dialog import Deed, ReadingListDialog, ReadingListRow
from litterm.tui.reading_lists.llm_run import GROUP, ModelRun
from litterm.tui.search.controller import notes_of
from litterm.tui.state import ResultRow

if TYPE_CHECKING:
    from litterm.reading_lists.reading_lists import ReadingLists

_NEXT: dict[ReadStatus, ReadStatus] = {"": "reading", "reading": "read", "read": ""}


class ReadingListController(ActionTarget):
    """Makes lists in the background, and shows one at a time."""

    def __init__(self, context: WorkbenchContext, show: Callable[[PaperId], None]) -> None:
        """`show` opens a paper."""
        self._context = context
        self._show_paper = show
        self._with_model = ModelRun(context, self.show)
        self._dialog: ReadingListDialog | None = None
        self.current: ReadingList | None = None
        """The list shown last."""

    @property
    def _lists(self) -> ReadingLists:
        return self._context.engine.reading_lists

    def action_open(self) -> None:
        """The lists there are; where there are none, the topic of a new one is asked for."""
        context = self._context
        there = context.attempt(self._lists.all) or ()
        if not there:
            self.ask()
            return
        newest = there[::-1]
        choices = [
            ListChoice("a new list", key="+"),
            *(
                ListChoice(each.topic, f"{each.read} of {each.papers} read", key=str(at))
                for at, each in enumerate(newest, 1)
            ),
        ]

        def chosen(at: int) -> None:
            if at == 0:
                self.ask()
            else:
                self.open_kept(newest[at - 1].id)

        context.open(ChoiceDialog("reading lists", choices, context.glyphs, start=1, keys="open"), chosen)

    def open_kept(self, list_id: str) -> None:
        """One of those there are."""
        found = self._context.attempt(lambda: self._lists.open(list_id))
        if found is not None:
            self.show(found)

    def ask(self) -> None:
        """The topic of a new list; what is searched stands in the field."""
        context = self._context
        about = (
            "Keywords separated by commas, or a sentence. An existing list on the topic is made again around its pins."
        )
        typed = context.query.state.text.strip()
        context.open(TextDialog("reading list on", typed, context.glyphs, about=about, name=True), self.make)

    def make(self, topic: str) -> None:
        """A list on a topic, in the background."""
        typed = topic.strip()
        if not typed:
            self.action_open()
            return
        request = ListRequest(typed, sections=True)
        self._context.work.start(GROUP, f"reading list on {typed}", lambda: self._lists.make(request), self.show)

    def show(self, found: ReadingList) -> None:
        """Puts a list on the screen, in place of the one there."""
        self.current = found
        if self._dialog is None or not self._dialog.is_attached:
            self._dialog = ReadingListDialog(self._context.glyphs, self._do)
            self._context.open(self._dialog, self._opened)
        self._dialog.show(found, self._status())

    def _status(self) -> dict[PaperId, ReadStatus]:
        entries = self.current.entries if self.current else ()
        return {entry.paper.id: self._lists.status(entry.paper.id) for entry in entries}

    def _opened(self, paper_id: PaperId) -> None:
        """The paper in the reader, and the list in the results, so that `<` and `>` walk it."""
        found, context = self.current, self._context
        if found is None:
            return
        rows = tuple(
            ResultRow(number, entry.paper, None, "reading list", support="; ".join(entry.why))
            for number, entry in enumerate(found.entries, 1)
        )
        context.results.state = replace(
            context.results.state,
            rows=rows,
            found=len(rows),
            by="reading list",
            notes=notes_of(context.engine.annotations, rows),
            hint=(),
            only="",
        )
        context.results.go(next((at for at, row in enumerate(rows) if row.paper.id == paper_id), 0))
        self._show_paper(paper_id)

    def _do(self, deed: Deed, row: ReadingListRow | None) -> None:
        found = self.current
        if found is None:
            return
        if deed == "undo":
            self._undo(found)
        elif deed == "again":
            self._context.work.start(GROUP, "regenerating the list", lambda: self._lists.again(found.id), self.show)
        elif deed == "model":
            self._with_model.open(found)
        elif deed == "timeline":
            lines = timeline(found, LineOptions(ascii=self._context.glyphs.ascii))
            self._context.open(MessageDialog("time line", lines, self._context.glyphs))
        elif deed == "rename" and row is not None:
            self._ask_heading(found, row)
        elif row is not None and row.entry is not None:
            self._change(found, deed, row)

    def _change(self, found: ReadingList, deed: Deed, row: ReadingListRow) -> None:
        assert row.entry is not None
        entry, paper_id, lists = row.entry, row.entry.paper.id, self._lists
        match deed:
            case "pin":
                self._take(lambda: lists.pin(found, paper_id, not entry.pinned))
            case "drop":
                self._take(lambda: lists.drop(found, paper_id))
            case "replace":
                self._take(lambda: lists.replace(found, paper_id))
            case "down" | "up":
                self._take(lambda: lists.move(found, paper_id, 1 if deed == "down" else -1))
            case "note":
                ask = TextDialog("note", entry.note, self._context.glyphs, takes_empty=True, name=True)
                self._context.open(ask, lambda text: self._take(lambda: lists.note(found, paper_id, text)))
            case _:
                status = _NEXT[lists.status(paper_id)]
                self._context.attempt(lambda: self._context.engine.annotations.set_status(paper_id, status))
                self.show(found)

    def _ask_heading(self, found: ReadingList, row: ReadingListRow) -> None:
        name = row.section.partition(" / ")[0]
        if not name:
            self._context.tell("This list has no headings.")
            return
        ask = TextDialog("another heading", name, self._context.glyphs, name=True)
        self._context.open(ask, lambda new: self._take(lambda: self._lists.rename(found, name, new)))

    def _take(self, change: Callable[[], ReadingList]) -> None:
        changed = self._context.attempt(change)
        if changed is not None:
            self.show(changed)

    def _undo(self, found: ReadingList) -> None:
        undone = self._context.attempt(self._lists.undo)
        self._context.tell(undone or "Nothing to undo.")
        if undone:
            again = next((each for each in self._lists.all() if each.id == found.id), None)
            if again is not None:
                self.show(self._lists.open(again.id))
            elif self._dialog is not None:
                self._dialog.dismiss(None)

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of it."""
        return (
            Command("list", "a reading list on a topic, in the best order to read it", self.make, "TOPIC"),
            Command("delete-list", "delete a reading list; u restores it", self._delete, "ID", self._names),
        )

    def _names(self) -> list[str]:
        return [each.id for each in self._lists.all()]

    def _delete(self, name: str) -> None:
        gone = self._context.attempt(lambda: self._lists.delete(name))
        if gone is not None:
            self._context.tell(f"The reading list {gone} is deleted; u restores it.")
