"""The find bar at the bottom: searches the open paper, or filters the rows of a list."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from litterm.tui.context import WorkbenchContext
from litterm.tui.matrix.pane import MatrixPane
from litterm.tui.search.query_pane import QueryPane
from litterm.tui.search.results_pane import ResultsPane
from litterm.tui.widgets.field import Field


class FindBar(Horizontal):
    """Searches the pane that had the focus when it was opened.

    `enter` and `down` go to the next hit, `up` to the previous one, `esc` ends.
    """

    def __init__(self, context: WorkbenchContext) -> None:
        super().__init__(id="find")
        self._workbench = context
        self._searched_pane: Literal["results", "reader", "matrix"] = "reader"

    def compose(self) -> ComposeResult:
        yield Static(Content("/ "), id="find-label")
        yield Field(id="find-field", single=True)
        yield Static(Content(""), id="find-says")

    @property
    def field(self) -> Field:
        """The text field."""
        return self.query_one(Field)

    @property
    def _filtered_pane(self) -> ResultsPane | MatrixPane:
        """The pane whose rows are filtered."""
        return self._workbench.matrix if self._searched_pane == "matrix" else self._workbench.results

    def action_open(self) -> None:
        """Open the bar for the paper (reader, evidence), the rows of the matrix, or the results."""
        context = self._workbench
        if context.focus == "home":
            context.tell("Nothing to search here: 1 searches the library, / searches in papers and lists.")
            return
        # Noted now, as the bar has the focus from here on.
        in_paper = context.focus in ("reader", "evidence") and context.reader.state.document is not None
        self._searched_pane = "reader" if in_paper else "matrix" if context.focus == "matrix" else "results"
        self.add_class("-open")
        # With the text of before, ready to be typed over.
        self.field.set_text(context.reader.text_search.wanted if in_paper else self._filtered_pane.state.only)
        self.field.select_all()
        self.field.focus()
        self._search(self.field.text)

    def hide(self) -> None:
        """Hide the bar."""
        self.remove_class("-open")

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._search(event.text)

    def on_field_action_requested(self, event: Field.ActionRequested) -> None:
        event.stop()
        match event.what:
            case "submit" | "below":
                self._step(1)
            case "above":
                self._step(-1)
            case "leave" | "cancel":
                self._leave(keep=False)
            case _:
                pass

    def _search(self, text: str) -> None:
        if self._searched_pane == "reader":
            self._show_status(self._workbench.reader.find(text).status_words())
        else:
            self._filter_rows(text)

    def _filter_rows(self, text: str) -> None:
        """Show only the rows of the list that hold `text`."""
        results, matrix = self._workbench.results, self._workbench.matrix
        if self._searched_pane == "matrix":
            matrix.state = replace(matrix.state, only=text)
            total = len(matrix.state.matrix.rows) if matrix.state.matrix else 0
        else:
            results.state = replace(results.state, only=text)
            total = len(results.state.rows)
        self._show_status(f"{len(self._filtered_pane.shown)} of {total} rows")

    def _show_status(self, text: str) -> None:
        """Show the outcome: `3 of 12`."""
        self.query_one("#find-says", Static).update(Content(text))

    def _step(self, step: int) -> None:
        """Go to the next or previous hit; in a list, leave the bar and keep the filter."""
        text = self.field.text
        if self._searched_pane == "reader":
            self._show_status(self._workbench.reader.find(text, step).status_words())
        elif self._searched_pane == "results" and text.strip() and not self._workbench.results.shown:
            # None of the rows: then the library is searched, as the list says.
            self._leave(keep=False)
            self._workbench.query.post_message(QueryPane.Submitted(text))
        else:
            self._leave(keep=True)

    def _leave(self, *, keep: bool) -> None:
        """Hide the bar and focus the pane; a filter stays only with `keep`."""
        self.hide()
        # Hits in the text may stay, as they hide nothing; a list that is narrowed looks as if papers were missing.
        if self._searched_pane != "reader" and not keep:
            self._filter_rows("")
        self._workbench.focus_pane(self._searched_pane)

    def repeat_search(self, step: int) -> bool:
        """Go to the next or previous hit after the bar was closed; returns whether a search is active."""
        reader = self._workbench.reader
        if self._workbench.focus != "reader" or not reader.text_search.wanted:
            return False
        # `n` does two things in the reader: the notice says how to get the other one back.
        sentence = reader.find(reader.text_search.wanted, step).status_words()
        self._workbench.tell(f"{sentence}; esc ends the search, and n goes to evidence again.")
        return True

    def clear_search(self) -> bool:
        """Clear the hits or the filter of the focused pane; returns whether there were any."""
        context = self._workbench
        if context.focus in ("reader", "evidence") and context.reader.text_search.wanted:
            context.reader.find("")
            return True
        if context.focus == "results" and context.results.state.only:
            context.results.state = replace(context.results.state, only="")
            return True
        return False
