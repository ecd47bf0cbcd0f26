"""The results pane: one paper a row; sorting, narrowing and selecting them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.timer import Timer

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.annotations import PaperNotes
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Facet, FilterChip, Query, Ranking
from litterm.text.escape import plain
from litterm.text.queries.parser import append_filters, remove_filter
from litterm.text.terminal_width import clip, width_of, wrap_text
from litterm.tui.aspects.state import CoverageMatrix
from litterm.tui.input.keymap import bindings
from litterm.tui.input.known_filters import known_filters
from litterm.tui.messages import SPELLING_OFFER
from litterm.tui.part_messages import PartMessage
from litterm.tui.screen_context import ScreenContext
from litterm.tui.search.facet_line import (
    MIN_LIST_HEIGHT,
    MIN_LIST_WIDTH,
    FacetLine,
    distinguishing_facets,
    facet_line,
    find_chip,
    find_filter,
)
from litterm.tui.search.result_rows import DrawnRow, RowStyle, aspect_header, verdict_words
from litterm.tui.search.row_cache import RowCache, row_style
from litterm.tui.state import ROW_ORDERS, ResultRow, ResultsState, RowOrder, RowVerdict
from litterm.tui.widgets.highlight import WordFinder
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import Line, line, line_text

GATHER_GROUP = "results"
"""Task group of a search for all papers of the results; another query stops it."""
FACETS_GROUP = "facets"
COUNT_DELAY_S = 0.3
"""Seconds after the last change of the results before facets are counted, so that typing never waits."""
_MIN_ROWS_WITH_FACETS = 2
PAGE_SIZE, MAX_PAPERS = 200, 1000
"""Papers fetched when the cursor nears the end, and at most."""
ORDER_WORDS: Mapping[RowOrder, str] = {
    "relevance": "most relevant first",
    "aspects": "by the aspects of the query",
    "newest": "newest first",
    "oldest": "oldest first",
    "citations": "most cited first",
    "title": "by title",
    "author": "by author",
    "added": "last added first",
}
NO_PAPER_NOTES = PaperNotes()
MIN_TABLE_WIDTH = 72
"""Cells from which a paper has enough room in one line."""
_MIN_FAULT_WIDTH = 4
"""Cells to which the sentence on a query is wrapped where the pane is narrower still."""
_MIN_WIDTH_WITH_KEY_HINT = 70
"""Cells in which what a key does is said beside the pinned hypothesis."""


@dataclass(frozen=True, slots=True)
class ResultPapers:
    """The papers of the results as they are at one moment."""

    fetched: tuple[Paper, ...]
    """Of the rows shown, without those that the library does not hold."""
    state: ResultsState
    search: Callable[[int], Task[Ranking]] | None
    """Searches again for so many papers; `None` where every row is there."""

    @property
    def is_complete(self) -> bool:
        """Whether `fetched` are all of them."""
        return self.search is None

    @property
    def count(self) -> int | None:
        """How many papers there are; `None` where rows are filtered and some of them have not been fetched."""
        if self.is_complete:
            return len(self.fetched)
        # Rows of a service are not counted as results.
        hidden = sum(not row.online for row in self.state.rows) - len(self.fetched)
        return None if self.state.only else self.state.result_count - hidden

    def gather(self) -> Task[tuple[Paper, ...]]:
        """Every paper: those of the rows in their order, then the others in the order of the search."""
        if self.search is None:
            yield Progress("taking the results")
            return self.fetched
        ranking = yield from self.search(self.state.result_count)
        known = {row.paper.id for row in self.state.rows}
        others = (ranked.paper for ranked in ranking.papers if ranked.paper.id not in known)
        return (*self.fetched, *(paper for paper in others if passes_filter(paper, self.state.only)))


class ResultsPane(Rows):
    """The rows of a ranking with their facets, pinned hypothesis and aspects."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("results")]
    PANE = "results"
    PLACE: ClassVar[tuple[str, ...]] = (*Rows.PLACE, "_selected_before_range")

    state: reactive[ResultsState] = reactive(ResultsState())

    @dataclass
    class RankerChanged(Message):
        """Another method ranks the rows."""

    @dataclass
    class RowsInViewChanged(PartMessage):
        """Other rows are in view."""

    def __init__(self, context: ScreenContext) -> None:
        super().__init__(id="results")
        self._workbench = context
        self._query = context.query
        self._glyphs = context.glyphs
        self.search_shown: Callable[[int], Task[Ranking]] | None = None
        """Searches for what is shown again, for so many papers; `None` before the first results."""
        self._selected_before_range: frozenset[PaperId] = frozenset()
        """What was selected when a range was begun."""
        self._facet_timer: Timer | None = None
        self.verdicts: Mapping[PaperId, RowVerdict] | None = None
        """What papers say about the pinned hypothesis; `None` while none is pinned. Set by `show_verdicts`."""
        self.hypothesis = ""
        """The pinned one, shown above the rows; set by `show_hypothesis`."""
        self._mine: Collection[PaperId] = frozenset()
        """Papers that an import of the user's own brought; set by `show_mine`."""
        self.facets: tuple[Facet, ...] | None = None
        """Facets of the papers found; `None` before they are counted. Set by `show_facets`."""
        self.fault = ""
        self._fault_lines: Drawn = ()
        """What is wrong with the query, where that has no room beside it; set by `show_fault`."""
        self._faceted: Query | None = None
        self._facet_line = FacetLine()
        self.layout_wanted = context.settings.results_layout
        """`table`, `cards` or `auto`, as the setting says."""
        self._matrix = CoverageMatrix()
        self._rows_shown: Sequence[ResultRow] = ()
        self._row_cache = RowCache(RowStyle(context.glyphs, 1, WordFinder()))

    @property
    def shown(self) -> Sequence[ResultRow]:
        """The rows that the in-place filter lets through."""
        return self._rows_shown

    @property
    def current(self) -> ResultRow | None:
        """The row under the cursor."""
        return self._rows_shown[self.cursor] if self.cursor < len(self._rows_shown) else None

    def watch_state(self, old: ResultsState, state: ResultsState) -> None:
        if (old.reading is None) == (state.reading is None) and replace(old, reading=state.reading) == state:
            # Another paper is open: two rows show it.
            for paper_id in (old.reading, state.reading):
                self.show_verdicts(self.verdicts, paper_id)
            return
        keep = self.current.paper.id if self.current else None
        self._rows_shown = (
            [row for row in state.rows if passes_filter(row.paper, state.only)] if state.only else state.rows
        )
        # Another kind of list is read from its top; another answer of the same kind keeps the cursor on its paper.
        fresh = old.source != state.source or (old.rows != state.rows and not old.rows)
        self.cursor = 0 if fresh else self._index_of(keep)
        self.renew()
        self.call_after_refresh(self.show_cursor)
        if old.by != state.by:
            self.post_message(self.RankerChanged())
        if state.rows and old.rows is not state.rows:
            self.post_message(self.RowsInViewChanged())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.RowsInViewChanged())

    def notes_of(self, rows: Sequence[ResultRow]) -> Mapping[PaperId, PaperNotes]:
        """The user's notes on the papers of `rows`, by id."""
        return MappingProxyType(self._workbench.engine.annotations.notes_on(row.paper.id for row in rows))

    def refresh_notes(self) -> None:
        """Show the user's notes and decisions again."""
        self.state = replace(self.state, notes=self.notes_of(self.state.rows))

    def action_sort(self) -> None:
        """Show all orders as a list with the cursor on the one in use."""
        from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice

        context, now = self._workbench, self.state.sort
        orders = [order for order in ROW_ORDERS if order != "aspects" or context.aspects.state.shown]
        rows = [ListChoice(ORDER_WORDS[order], "in use" if order == now else "") for order in orders]
        dialog = ChoiceDialog("sort", rows, context.glyphs, start=orders.index(now), keys="sort")
        context.open(dialog, lambda index: self._sort_by(orders[index]))

    def _sort_by(self, order: RowOrder) -> None:
        # Before the search, which reads its order from here.
        self.state = replace(self.state, sort=order)
        if self.state.source == "search":
            self._query.search_again(self._query.state.text)

    def action_correct(self) -> None:
        """Search with the suggested spelling; the focus stays where it is."""
        if self.state.suggestion:
            self._query.search_again(self.state.suggestion)

    def remove_hiding_filters(self) -> bool:
        """Search again without filters if only they hide all papers; returns whether it did."""
        query = self._query.state.query
        if self.state.rows or query is None or not query.chips:
            return False
        self._query.remove_filters(*query.chips)
        return True

    def _fetch_next_page(self) -> None:
        state = self.state
        # Rows that a model ordered must not be mixed with others that it never saw.
        has_all = state.ordered or len(state.rows) >= min(state.result_count, MAX_PAPERS) or state.source != "search"
        # The cursor near the end asks at every step; one answer is on its way already.
        if not has_all and not self._query.state.busy:
            self._query.search_again(self._query.state.text, limit=min(MAX_PAPERS, len(state.rows) + PAGE_SIZE))

    def action_narrow(self) -> None:
        """Show all values of the facets as a list; one that is chosen filters the query, or no longer."""
        from litterm.tui.search.facet_dialog import facet_dialog, listed_facets

        facets, query = self.facets, self._query.state.query
        if not facets:
            self._workbench.tell("All of these results have the same years, venues, types and sources.")
            return
        listed = listed_facets(facets, query)
        dialog = facet_dialog(facets, query, self.app.size.width, self._glyphs)
        self._workbench.open(dialog, lambda index: self.toggle_facet(listed[index]))

    def action_mine(self) -> None:
        """Search only the papers that an import of the user's own brought, or all again."""
        query = self._query.state.query
        self._toggle_filter("is", "mine", find_filter(query, "is", "mine"))

    def show_mine(self, papers: Collection[PaperId]) -> None:
        """Mark the rows of `papers` as the user's own."""
        if papers != self._mine:
            self._mine = papers
            self.renew()

    def toggle_facet(self, facet: Facet) -> None:
        """Add the value as a filter to the query, or remove it if it is one."""
        self._toggle_filter(facet.field, facet.value, find_chip(self._query.state.query, facet))

    def _toggle_filter(self, name: str, value: str, chip: FilterChip | None) -> None:
        """Add the filter to the query, or remove `chip`, which is it."""
        text = self._query.state.text
        # Into the text of the query and not beside it: what narrows the results can be seen, edited and kept.
        text = append_filters(text, [(name, value)]) if chip is None else remove_filter(text, chip.span)
        self._query.search_again(text)

    def schedule_facet_count(self) -> None:
        """Count the facets of new results after a delay."""
        self.cancel_facet_count()
        query = self._query.state.query
        if query is None or len(self.state.rows) < _MIN_ROWS_WITH_FACETS:
            self.show_facets(())
        else:
            self._facet_timer = self.set_timer(COUNT_DELAY_S, lambda: self._count_facets(query))

    def cancel_facet_count(self) -> None:
        """Cancel the count, as another search begins."""
        if self._facet_timer is not None:
            self._facet_timer.stop()
            self._facet_timer = None
        # The search that follows must not wait for counts of the one before.
        self._workbench.work.cancel(FACETS_GROUP)

    def _count_facets(self, query: Query) -> None:
        engine = self._workbench.engine

        def show(facets: tuple[Facet, ...]) -> None:
            self.show_facets(distinguishing_facets(facets, self.state.result_count, query), query)
            self.offer_completions()

        def on_failure(_error: LittermError) -> None:
            # The counts came unasked, and a failing library shows in the search itself.
            self.show_facets(())

        self._workbench.work.start(FACETS_GROUP, "counting", lambda: engine.facets(query), show, failed=on_failure)

    def offer_completions(self) -> None:
        """Filters for Tab, from the papers shown and counted, the library's sources and the user's tags."""
        shown_tags = (tag for notes in self.state.notes.values() for tag in notes.tags)
        annotations = self._workbench.engine.annotations
        tags, collections = (*annotations.all_tags(), *shown_tags), annotations.collections.names()
        sources = self._workbench.library_sources
        self._query.completions = known_filters(self.state.rows, sources, tags, self.facets or (), collections)

    def on_blur(self) -> None:
        # What the range is for has been asked for elsewhere: moving on later must not select more.
        if self.range_start is not None:
            self.range_start = None
            self.retitle()

    def on_rows_toggled(self, message: Rows.Toggled) -> None:
        """Select rows, or unselect them if all of them are."""
        rows = [self.shown[index] for index in message.indexes if index < len(self.shown)]
        ids, chosen = frozenset(row.paper.id for row in rows), self.state.chosen
        self.state = replace(self.state, chosen=chosen - ids if ids <= chosen else chosen | ids)

    def on_rows_range_changed(self, message: Rows.RangeChanged) -> None:
        """Select a range in addition to what was selected when it began; without rows the range ends."""
        if message.begun:
            self._selected_before_range = self.state.chosen
        ids = frozenset(self.shown[index].paper.id for index in message.indexes if index < len(self.shown))
        self.state = replace(self.state, chosen=self._selected_before_range | ids if ids else self.state.chosen)
        # The title says whether a range is open, which is no part of the state that draws it again.
        self.retitle()

    def action_everything(self) -> None:
        """Select all results, also those that were not fetched, or unselect them if all are selected."""
        everything = (*(row.paper for row in self.shown), *self.state.beyond)
        if len(everything) >= self.state.result_count and {paper.id for paper in everything} <= self.state.chosen:
            self._toggle_papers(everything)
        else:
            self.take_all("selecting all results", self._toggle_papers)

    def _toggle_papers(self, papers: tuple[Paper, ...]) -> None:
        """Select papers, or unselect them if all of them are."""
        ids, rows, chosen = frozenset(paper.id for paper in papers), self.state.rows, self.state.chosen
        listed = {row.paper.id for row in rows}
        others = {paper.id: paper for paper in (*self.state.beyond, *papers) if paper.id not in listed}
        chosen = chosen - ids if ids <= chosen else chosen | ids
        self.state = replace(self.state, chosen=chosen, beyond=tuple(others.values()))

    def clear_selection(self) -> None:
        """Deselect all rows."""
        self.range_start = None
        self.state = replace(self.state, chosen=frozenset())

    def all_papers(self) -> ResultPapers:
        """The papers of the results as they are now, also those whose rows have not been fetched."""
        state = self.state
        fetched = tuple(row.paper for row in self.shown if row.held)
        local_count = sum(not row.online for row in state.rows)
        is_partial = state.source == "search" and local_count < state.result_count
        return ResultPapers(fetched, state, self.search_shown if is_partial else None)

    def take_all(self, what: str, use: Callable[[tuple[Paper, ...]], None]) -> None:
        """Call `use` with every paper: at once if all rows are there, else after a search in the background."""
        papers = self.all_papers()
        if papers.is_complete:
            use(papers.fetched)
        else:
            self._workbench.work.start(GATHER_GROUP, what, papers.gather, use)

    def show_facets(self, facets: tuple[Facet, ...], query: Query | None = None) -> None:
        """Show facets, counted for `query`."""
        if (facets, query) != (self.facets, self._faceted):
            self.facets, self._faceted = facets, query
            self.renew()

    def show_fault(self, fault: str) -> None:
        """Show a fault of the query in full; an empty one is hidden."""
        if fault != self.fault:
            self.fault = fault
            self.renew()

    def show_hypothesis(self, hypothesis: str) -> None:
        """Show another pinned hypothesis above the rows, or none."""
        if hypothesis != self.hypothesis:
            self.hypothesis = hypothesis
            self.renew()

    def show_verdicts(self, verdicts: Mapping[PaperId, RowVerdict] | None, paper_id: PaperId | None = None) -> None:
        """Show verdicts on the pinned hypothesis; with `paper_id` only that row is drawn again."""
        self.verdicts = verdicts
        if paper_id is None:
            self.renew()
            return
        index = next((index for index, row in enumerate(self._rows_shown) if row.paper.id == paper_id), None)
        # A pane that has no room has not been laid out.
        if index is not None and index + 1 < len(self._offsets):
            # The row keeps its height: the words are on a line that is there anyway.
            self._drawn.pop((index, index == self.cursor), None)
            self.refresh_lines(self._offsets[index], self._offsets[index + 1] - self._offsets[index])

    def verdict_text(self, row: ResultRow) -> str:
        """The verdict of a row in words; empty if it is not known."""
        verdict = self.verdicts.get(row.paper.id) if self.verdicts is not None else None
        return verdict_words(verdict, row.paper, self._glyphs) if verdict is not None else ""

    def show_coverage(self, cover: CoverageMatrix, *, draw: bool = True) -> None:
        """Show how far papers meet the aspects of the query; `draw=False` where other rows follow at once."""
        if cover != self._matrix:
            self._matrix = cover
            if draw:
                self.renew()

    @property
    def rows_on_screen(self) -> Sequence[ResultRow]:
        """The rows in view; none where the pane is hidden."""
        # New rows are set before they are laid out, and the places of the old ones say nothing about them.
        if not self.size.height or len(self._offsets) <= len(self._rows_shown):
            return ()
        first_row, last_row = self.row_at(0) or 0, self.row_at(max(0, self.size.height - 1))
        return self._rows_shown[first_row : len(self._rows_shown) if last_row is None else last_row + 1]

    def _index_of(self, paper_id: PaperId | None) -> int:
        return next((index for index, row in enumerate(self._rows_shown) if row.paper.id == paper_id), 0)

    def count(self) -> int:
        return len(self._rows_shown)

    def lay_out(self, width: int) -> int:
        # Candidates for a citation were not searched by the query, whose aspects they would be shown under.
        cover = self._matrix if self.state.source == "search" else CoverageMatrix()
        uses_cards, pinned = self._uses_cards(width), self.verdicts is not None
        drawing = row_style(self._rows_shown, width, self._glyphs, beside=uses_cards, pinned=pinned, cover=cover)
        self._row_cache.start_list(self._rows_shown, drawing)
        wrapped = wrap_text(plain(self.fault), max(_MIN_FAULT_WIDTH, width - 2)) if self.fault else ()
        self._fault_lines = tuple(line((f" {text}", "warning")) for text in wrapped)
        height = super().lay_out(width)
        self.retitle()
        return height

    def render_line(self, y: int) -> Strip:
        """A fault of the query covers the first lines, so that no row moves for it."""
        if self._fault_lines and y < self._covered_line_count and self.is_attached:
            fault_line = self._fault_lines[y] if y < len(self._fault_lines) else line()
            return self.strip(fault_line, "", self.size.width)
        return super().render_line(y)

    @property
    def _covered_line_count(self) -> int:
        """Lines that a fault covers, to the end of the last row it reaches: a byline without its title misleads.

        Where it ends above the rows, all lines above them are covered: half a hint misleads, too.
        """
        count = len(self._fault_lines)
        index = self.row_at(count - 1)
        past = self._offsets[0] if index is None else self._offsets[index + 1]
        return max(count, past - self.scroll_offset.y)

    def _uses_cards(self, width: int) -> bool:
        """Whether papers are drawn as cards: a line each where there is room, unless the user chose."""
        return width < MIN_TABLE_WIDTH if self.layout_wanted == "auto" else self.layout_wanted == "cards"

    def height_of(self, index: int, width: int) -> int:
        return super().height_of(index, width) if index == self.cursor else self._row_cache.height(index)

    def draw_head(self, width: int) -> Drawn:
        state = self.state
        way_on = "enter searches the library for it, esc shows all rows."
        none = (f"None of these rows holds “{state.only}”.", way_on) if state.rows else state.empty
        # A pane with room has a line for the spelling that is offered, which is there whatever it says: nothing jumps.
        is_wide = width >= MIN_LIST_WIDTH and self.size.height >= MIN_LIST_HEIGHT and state.source == "search"
        offer = (state.offer,) if state.offer and not is_wide else ()
        head_lines = (*state.hint, *offer) if self._rows_shown else (*state.hint, *none)
        lines = (
            [*([self._facet_header(width)] if is_wide else []), *self._hypothesis_chip(width)]
            if self._rows_shown
            else []
        )
        if not is_wide:
            self._facet_line = FacetLine()
        bare = len(lines)
        lines += [
            line((f" {text}", "hint")) for part in head_lines for text in wrap_text(part, max(4, width - 2)) or [""]
        ]
        if self._row_cache.drawing.cover.columns and self._rows_shown and not self._row_cache.drawing.beside:
            return (*lines, aspect_header(self._row_cache.drawing))
        return tuple([*lines, line()] if len(lines) > bare or self.hypothesis else lines)

    def _facet_header(self, width: int) -> Line:
        """The suggested spelling and the facets; blank under a fault, so that no row moves."""
        self._facet_line = FacetLine()
        if self.fault:
            return line()
        offer = f" {clip(self.state.offer, width - 4, self._glyphs.ellipsis)}  " if self.state.offer else ""
        counts = facet_line(self.facets or (), self._faceted, width - width_of(offer), self._glyphs)
        self._facet_line = counts.shift(width_of(offer))
        return line((offer, "hint"), *counts.pieces)

    def _hypothesis_chip(self, width: int) -> Iterator[Line]:
        """The pinned hypothesis as a chip, which the verdicts of the rows are about."""
        if self.hypothesis:
            glyphs, way = self._glyphs, "  X drops it" if width >= _MIN_WIDTH_WITH_KEY_HINT else "  X"
            text = clip(f"hypothesis: {plain(self.hypothesis)}", max(8, width - len(way) - 6), glyphs.ellipsis)
            yield line(" ", (f"{glyphs.chip_open}{text} {glyphs.rejected}{glyphs.chip_close}", "chip"), (way, "muted"))

    def background_role(self, index: int, under_cursor: bool) -> str:
        chosen = self._rows_shown[index].paper.id in self.state.chosen
        return (
            "chosen cursor"
            if chosen and under_cursor
            else "chosen"
            if chosen
            else super().background_role(index, under_cursor)
        )

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        row = self._rows_shown[index]
        notes, chosen = self.state.notes.get(row.paper.id, NO_PAPER_NOTES), row.paper.id in self.state.chosen
        is_open = row.paper.id == self.state.reading
        is_mine = row.paper.id in self._mine
        drawn_row = DrawnRow(row, notes, chosen, under_cursor, is_open, self.verdict_text(row), is_mine)
        return self._row_cache.lines(index, drawn_row)

    def go(self, index: int) -> None:
        super().go(index)
        self.retitle()
        if (
            self._rows_shown
            and self.cursor >= len(self._rows_shown) - 5
            and len(self.state.rows) < self.state.result_count
        ):
            self._fetch_next_page()

    def retitle(self) -> None:
        """Rewrite the title, for another width, frame or place."""
        state = self.state
        # Rows of a service have no rank: the count is of the library's papers.
        online_count = sum(bool(row.online) for row in self._rows_shown)
        count_text = f"{self.cursor + 1 - online_count}/{state.result_count:,}" if self._rows_shown else ""
        place = "online" if self.cursor < online_count else count_text
        unsorted = state.sort == "relevance" or (state.sort == "aspects" and not self._matrix.columns)
        order = "" if unsorted else f" by {state.sort}"
        filter_text = f" filter {clip(state.only, 16, self._glyphs.ellipsis)!r}" if state.only else ""
        noun = "candidates" if state.source == "cite" else "results"
        count = len(state.selected_papers()) if state.chosen else 0
        selected = f"{count:,} selected" if count else ""
        selected = f"{selected}, v ends the range" if self.range_start is not None else selected
        set_title(self, f"2 {noun} {place}{order}{filter_text}".rstrip(), selected, self._glyphs)

    def on_click(self, event: events.Click) -> None:
        """Above the rows, a value of a facet or the spelling offered; else as in any list."""
        inside = event.get_content_offset(self)
        head = None if inside is None else inside.y + self.scroll_offset.y
        if inside is not None and head is not None and head < len(self._head):
            facet = self._facet_line.facet_at(inside.x) if head == 0 and self._facet_line.spans else None
            offered = SPELLING_OFFER in line_text(self._head[head])
            if facet is not None:
                self.toggle_facet(facet)
            elif offered and inside.x <= width_of(self.state.offer):
                self.action_correct()
            return
        super().on_click(event)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self.show_cursor)
        self.post_message(self.RowsInViewChanged())


def passes_filter(paper: Paper, only: str) -> bool:
    """Whether the in-place filter lets a paper through: it holds every word of `only`."""
    text = f"{paper.title} {paper.venue} {paper.year} {' '.join(f'{a.given} {a.surname}' for a in paper.authors)}"
    return all(word in text.casefold() for word in only.casefold().split())
