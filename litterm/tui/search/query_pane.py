"""The query pane: a field of several lines, its filters as chips, and the number of results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from litterm.model.search import FilterChip
from litterm.text.escape import plain
from litterm.text.plural import count_phrase
from litterm.text.queries.parser import remove_filter
from litterm.text.terminal_width import clip, width_of
from litterm.tui.input.completion import Completion, complete
from litterm.tui.input.keymap import bindings
from litterm.tui.part_messages import PartMessage
from litterm.tui.state import QueryState
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.styled_lines import Line, LineView, Piece

PLACEHOLDER = 'words, "a phrase", -without, venue:acl year:2020.. author:chen'
MAX_FAULT_WIDTH = 48
"""Cells of a fault beside the query; a longer one is shortened there."""
_MAX_CHIP_WIDTH = 24
"""Cells of a filter as a chip."""
_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z])|; ")


def short_fault(fault: str) -> str:
    """A fault short enough to be beside the query: of a long one the first sentence or clause."""
    return fault if width_of(fault) <= MAX_FAULT_WIDTH else _SENTENCE_END.split(fault, maxsplit=1)[0]


def open_part_words(part: str) -> str:
    """What an open quote, parenthesis or operator still needs."""
    return f"{part} needs a word after it" if part.isalpha() else f"{part} not closed yet"


class ChipLine(LineView):
    """The filters and the count; in command mode the query's cursor is here.

    The text of the query names the filters, too: where it has no room beside them, they are shown in command mode only.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("pane")]
    PLACE: ClassVar[tuple[str, ...]] = ("cursor",)

    @dataclass
    class Stepped(PartMessage):
        """Out of the chips: -1 and 1 sideways, `enter` into the field."""

        step: int

    @dataclass
    class FilterRemoved(Message):
        """A filter is to be taken out of the query."""

        chip: FilterChip

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="chips")
        self._glyphs = glyphs
        self._state = QueryState()
        self._shown: Sequence[int] = ()
        """Indexes of the chips that are drawn."""
        self.cursor = 0
        self.styles.width = 1

    def show(self, state: QueryState) -> None:
        """Draw `state`."""
        self._state = state
        self.cursor = max(0, min(self.cursor, len(self.chips) - 1))
        self.fit_width()

    def fit_width(self) -> None:
        """Take only the room it needs, for another state, width or focus."""
        self._shown = self._fitting_chips()
        self.styles.width = sum(width_of(text) for text, _ in self._pieces()) + 1
        self.renew()

    @property
    def chips(self) -> tuple[FilterChip, ...]:
        """The filters of the query, as typed."""
        return self._state.query.chips if self._state.query else ()

    def chip_under_cursor(self) -> FilterChip | None:
        """The chip the cursor is on; `None` when there is none."""
        return self.chips[self.cursor] if self.chips else None

    def lay_out(self, width: int) -> int:
        return 1

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        return (tuple(self._pieces()) if y == 0 else ()), ""

    def _fitting_chips(self) -> Sequence[int]:
        """All chips where they fit beside the text; with the focus, as many as fit around the cursor."""
        cells = [width_of(self._label(chip)) + 1 for chip in self.chips]
        pane = self.parent.content_size.width if isinstance(self.parent, Widget) else 0
        if not self.has_focus:
            count = sum(width_of(text) for text, _ in self._count())
            fit_beside = not pane or width_of(self._state.text) + 2 + sum(cells) + count <= pane
            return range(len(cells)) if fit_beside else ()
        room, first = pane - pane // 4, 0
        while first < self.cursor and sum(cells[first : self.cursor + 1]) > room:
            first += 1
        last = self.cursor + 1
        while last < len(cells) and sum(cells[first : last + 1]) <= room:
            last += 1
        return range(first, min(last, len(cells)))

    def _label(self, chip: FilterChip) -> str:
        label = clip(plain(chip.label), _MAX_CHIP_WIDTH, self._glyphs.ellipsis)
        return self._glyphs.chip_open + label + self._glyphs.chip_close

    def _pieces(self) -> Iterator[Piece]:
        for index in self._shown:
            role = "chip cursor" if self.has_focus and index == self.cursor else "chip"
            yield self._label(self.chips[index]), role
            yield " ", ""
        yield from self._count()

    def _count(self) -> Iterator[Piece]:
        if self._state.fault:
            yield clip(plain(short_fault(self._state.fault)), MAX_FAULT_WIDTH, self._glyphs.ellipsis), "warning"
        elif self._state.open_at is not None:
            yield f" {open_part_words(self._state.text[slice(*self._state.open_at)])}", "muted"
        elif self._state.pending:
            yield f" enter applies {clip(plain(self._state.pending), _MAX_CHIP_WIDTH, self._glyphs.ellipsis)}", "muted"
        elif self._state.result_count is not None:
            yield f" {count_phrase(self._state.result_count, 'result')}", "muted"
        elif self._state.busy:
            # Only the first time, while the index is opened: later a count is there until the next one.
            yield f" searching{self._glyphs.ellipsis}", "muted"

    def watch_has_focus(self, _has_focus: bool) -> None:
        super().watch_has_focus(_has_focus)
        self.fit_width()

    def action_move(self, step: int) -> None:
        self.post_message(self.Stepped(step))

    def action_left(self) -> None:
        self.cursor = max(0, self.cursor - 1)
        self.fit_width()

    def action_right(self) -> None:
        self.cursor = max(0, min(len(self.chips) - 1, self.cursor + 1))
        self.fit_width()

    def action_edge(self, end: int) -> None:
        self.cursor = 0 if end < 0 else max(0, len(self.chips) - 1)
        self.fit_width()

    def action_page(self, pages: float) -> None:
        self.post_message(self.Stepped(1 if pages > 0 else -1))

    def action_enter(self) -> None:
        self.post_message(self.Stepped(0))

    def action_pick(self) -> None:
        if chip := self.chip_under_cursor():
            self.post_message(self.FilterRemoved(chip))

    def action_range(self) -> None:
        self.action_pick()

    def action_everything(self) -> None:
        self.post_message(self.Stepped(0))

    def on_click(self, event: events.Click) -> None:
        """A click on a chip takes it out."""
        column = 0
        for index in self._shown:
            cells = width_of(self._label(self.chips[index]))
            if column <= event.x < column + cells:
                self.post_message(self.FilterRemoved(self.chips[index]))
                return
            column += cells + 1


@dataclass(slots=True)
class _CompletionCycle:
    """Several completions of one word, inserted one after the other."""

    start: tuple[int, int]
    lead: str
    """The filter up to the last comma, where several values are joined."""
    choices: tuple[Completion, ...]
    index: int = -1


class QueryPane(Horizontal):
    """The field of the query with its history and completions, beside its filters as chips."""

    state: reactive[QueryState] = reactive(QueryState())

    @dataclass
    class Typed(PartMessage):
        """The text has changed."""

        text: str

    @dataclass
    class Submitted(PartMessage):
        """Enter was pressed."""

        text: str

    @dataclass
    class SearchWanted(PartMessage):
        """A key or click outside the field wants a search: for another text, in another order, or for more papers."""

        text: str
        limit: int | None
        """Number of papers; `None` for as many as a search begins with."""

    @dataclass
    class FieldLeft(PartMessage):
        """Out of the field: `leave` to command mode, `below` to the results, `online` to a service."""

        where: str

    @dataclass
    class CompletionsListed(Message):
        """Completions of the word before the cursor; none hides the list."""

        choices: tuple[Completion, ...]
        chosen: int | None

    @dataclass
    class Grew(Message):
        """The text needs another number of lines."""

        lines: int

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="query")
        self._glyphs = glyphs
        self._lines = 1
        self.history: tuple[str, ...] = ()
        """Queries, oldest first."""
        self._recallable_queries: tuple[str, ...] = ()
        """Queries that `up` goes through, and the index of the one in the field; `None`: the typed one."""
        self._history_index: int | None = None
        self._text_before_recall = ""
        """The text before the first recall; `down` restores it."""
        self.completions: tuple[Completion, ...] = ()
        """Known filters, the likeliest first."""
        self._cycle: _CompletionCycle | None = None
        self._is_completing = False

    def compose(self) -> ComposeResult:
        yield Field(id="query-field")
        yield ChipLine(self._glyphs)

    @property
    def field(self) -> Field:
        """The text field."""
        return self.query_one("#query-field", Field)

    @property
    def chip_line(self) -> ChipLine:
        """The chips, which have the focus in command mode."""
        return self.query_one(ChipLine)

    def watch_state(self, state: QueryState) -> None:
        # Only what stands around the field: the user may be typing on while an answer comes.
        if self.is_mounted:
            self.chip_line.show(state)
            # The chips have to take their room first: the advice fills what is left.
            self.call_after_refresh(self._update_placeholder)
            self.field.mark(state.fault_at or state.open_at, "error" if state.fault_at else "muted")

    def fill(self, text: str, *, sample: bool = False) -> None:
        """Put `text` into the field; a sample is selected, so that the first keystroke replaces it."""
        self.field.set_text(text)
        self._request_height()
        if sample:
            self.field.select_all()
        self.state = replace(self.state, text=text, sample=sample)

    def search_again(self, text: str, *, limit: int | None = None) -> None:
        """Put `text` into the field and have it searched, for `limit` papers; the focus stays."""
        if text != self.field.text:
            self.fill(text)
        self.post_message(self.SearchWanted(text, limit))

    def remove_filters(self, *chips: FilterChip) -> None:
        """Search without some filters of the query."""
        text = self.state.text
        # From the last to the first, as the spans of a query hold only for its unchanged beginning.
        for chip in sorted(chips, key=lambda chip: -chip.span.start):
            text = remove_filter(text, chip.span)
        self.search_again(text)

    def on_chip_line_filter_removed(self, message: ChipLine.FilterRemoved) -> None:
        message.stop()
        self.remove_filters(message.chip)

    def on_resize(self) -> None:
        self.retitle()
        # The chips fit or do not, which depends on the width that this pane now has.
        self.chip_line.fit_width()
        self.call_after_refresh(self._update_placeholder)
        # The field wraps its text for the new width only in its own layout.
        self.call_after_refresh(self._request_height)

    def _update_placeholder(self) -> None:
        """Show as much of the placeholder as fits beside the chips."""
        advice = Content(clip(PLACEHOLDER, max(0, self.field.size.width - 1), self._glyphs.ellipsis))
        if advice != self.field.placeholder:
            self.field.placeholder = advice

    def _request_height(self) -> None:
        """Request as many lines as the text needs, and scroll to its beginning where it fits."""
        lines = max(1, self.field.wrapped_document.height)
        if lines != self._lines:
            self._lines = lines
            self.post_message(self.Grew(lines))
        # Textual keeps the cursor in view and would leave the first line scrolled out of a field that fits.
        if lines <= self.field.size.height or not self.field.has_focus:
            self.field.scroll_to(y=0, animate=False, force=True)

    def retitle(self) -> None:
        """Rewrite the title, for another width or frame."""
        set_title(self, "1 query", "", self._glyphs)

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._history_index = None
        # Any other edit means that the word is another one: the list would offer what no longer fits.
        if not self._is_completing:
            self.end_completing()
        self._is_completing = False
        self._request_height()
        self.post_message(self.Typed(event.text))

    def on_field_action_requested(self, event: Field.ActionRequested) -> None:
        event.stop()
        match event.what:
            case "submit":
                self.end_completing()
                self.post_message(self.Submitted(self.field.text))
            case "above":
                self._recall_query(-1)
            case "complete":
                self._complete()
            case "before":
                self._complete(-1)
            case "leave" if self.end_completing():
                pass
            case "below" if self._history_index is not None:
                self._recall_query(1)
            case where:
                self.end_completing()
                self.post_message(self.FieldLeft(where))

    def _recall_query(self, step: int) -> None:
        """An older (-1) or newer (1) query; past the newest, what was typed."""
        if self._history_index is None:
            self._text_before_recall = self.field.text
            # Without the one in the field, or the first press of `up` would do nothing.
            self._recallable_queries = tuple(query for query in self.history if query != self._text_before_recall)
        position = (len(self._recallable_queries) if self._history_index is None else self._history_index) + step
        if not self._recallable_queries or not 0 <= position <= len(self._recallable_queries):
            return
        self._history_index = position if position < len(self._recallable_queries) else None
        text = self._text_before_recall if self._history_index is None else self._recallable_queries[position]
        self.field.set_text(text)
        self._request_height()
        self.post_message(self.Typed(text))

    def _complete(self, step: int = 1) -> None:
        """Complete the word before the cursor; where several fit, list them, and put in one after the other."""
        if self._cycle is not None:
            self._insert_completion((self._cycle.index + step) % len(self._cycle.choices))
            return
        row, column = self.field.cursor_location
        start, word = _word_before(self.field.document.get_line(row), column)
        completed = complete(word, self.completions)
        if completed.text != word:
            self._replace_word((row, start), completed.text)
        if completed.choices:
            stem = completed.text if completed.text.count(",") else ("-" if completed.text.startswith("-") else "")
            self._cycle = _CompletionCycle((row, start), stem.rpartition(",")[0], completed.choices)
        self.post_message(self.CompletionsListed(completed.choices, None))

    def _insert_completion(self, index: int) -> None:
        cycle = self._cycle
        if cycle is None:
            return
        cycle.index = index
        text = cycle.choices[index].text
        lead = f"{cycle.lead},{text.partition(':')[2]}" if cycle.lead else text
        self._replace_word(cycle.start, lead)
        self._cycle = cycle
        self.post_message(self.CompletionsListed(cycle.choices, index))

    def _replace_word(self, start: tuple[int, int], text: str) -> None:
        # The edit that follows comes from completing, and must not end it.
        self._is_completing = True
        self.field.replace(text, start, self.field.cursor_location)
        self.field.move_cursor((start[0], start[1] + len(text)))

    def end_completing(self) -> bool:
        """Hide the list of completions; returns whether there was one."""
        was_listing, self._cycle = self._cycle is not None, None
        self.post_message(self.CompletionsListed((), None))
        return was_listing


def _word_before(text: str, column: int) -> tuple[int, str]:
    """The start of the word that ends at `column`, and the word."""
    start = text[:column].rfind(" ") + 1
    return start, text[start:column]
