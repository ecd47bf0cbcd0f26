"""Reading lists (`L`): makes one on the current query, or opens a saved one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.model.annotations import ReadStatus
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.render.lines import LineOptions
from litterm.render.reading_lists.reading_list import timeline
from litterm.text.queries.aspects import words_without_filters
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.command_line import Command
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.reading_lists.dialog import ListAction, ReadingListDialog, ReadingListRow
from litterm.tui.reading_lists.llm_run import GROUP, ReadingListLlmRun
from litterm.tui.search.controller import notes_of
from litterm.tui.state import ResultRow

if TYPE_CHECKING:
    from litterm.reading_lists.reading_lists import ListMaker, ReadingLists

_NEXT_STATUS: dict[ReadStatus, ReadStatus] = {"": "reading", "reading": "read", "read": ""}


class ReadingListController(ActionTarget):
    """Makes lists in the background, and shows one at a time."""

    def __init__(self, context: WorkbenchContext, show: Callable[[PaperId], None]) -> None:
        """`show` opens a paper."""
        self._context = context
        self._show_paper = show
        self.starter_only: Callable[[], bool] = lambda: False
        """Whether lists are made of the starter library only."""
        self._with_model = ReadingListLlmRun(context, self.show, lambda: self.starter_only())
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
        maker = self._model_builder()
        self._context.work.start(GROUP, f"reading list on {typed}", lambda: self._lists.make(request, maker), self.show)

    def _model_builder(self) -> ListMaker | None:
        return self._lists.builder(starter_only=True) if self.starter_only() else None

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
        counts = context.attempt(lambda: context.engine.counts.of(papers)) or (None,) * len(papers)
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
            notes=notes_of(context.engine.annotations, rows),
            hint=(),
            only="",
        )
        context.results.go(next((index for index, row in enumerate(rows) if row.paper.id == paper_id), 0))
        self._show_paper(paper_id)

    def _on_action(self, action: ListAction, row: ReadingListRow | None) -> None:
        reading_list = self.current
        if reading_list is None:
            return
        if action == "undo":
            self._undo(reading_list)
        elif action == "again":
            # A list that is not saved, as of a library that is read-only, is made from what it was asked for with.
            name, request, lists, maker = reading_list.id, reading_list.request, self._lists, self._model_builder()
            self._context.work.start(
                GROUP,
                "regenerating the list",
                lambda: lists.regenerate(name, maker) if name else lists.make(request, maker),
                self.show,
            )
        elif action == "model":
            self._with_model.open(reading_list)
        elif action == "timeline":
            lines = timeline(reading_list, LineOptions(ascii=self._context.glyphs.ascii))
            self._context.open(MessageDialog("time line", lines, self._context.glyphs))
        elif action == "rename" and row is not None:
            self._ask_heading(reading_list, row)
        elif row is not None and row.entry is not None:
            self._change(reading_list, action, row)

    def _change(self, reading_list: ReadingList, action: ListAction, row: ReadingListRow) -> None:
        assert row.entry is not None
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
                status = _NEXT_STATUS[lists.status(paper_id)]
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
