"""The search: typing, asking the engine, and showing its ranking in the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from textual.timer import Timer

from litterm.core.errors import LittermError, QueryError
from litterm.core.tasks import Task
from litterm.model.annotations import PaperNotes
from litterm.model.aspects import MAX_SCORED_PAPERS
from litterm.model.document import Span
from litterm.model.events import Event, ProvisionalRanking
from litterm.model.paper import Paper, PaperId
from litterm.model.search import HopOptions, Query, RankedPaper, Ranking, SortOrder, WordSources
from litterm.render.explanation import former_rank, interpretation, rank_reasons, titles_by_id, via_words, word_sources
from litterm.text.queries.parser import open_part, pending_filter, typed_fault
from litterm.text.terminal_width import width_of
from litterm.tui.context import WorkbenchContext
from litterm.tui.engine_interface import WorkbenchEngine
from litterm.tui.input.known_filters import known_filters
from litterm.tui.messages import nothing_found, offered
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.search.facets import FacetController
from litterm.tui.search.query_pane import MOST_FAULT
from litterm.tui.state import ResultRow, ResultsState

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations

STARTER_ONLY = "Only the starter library is searched in the guided tour; :tour leaves it."
GROUP = "rerank"
"""Group of a model run that reorders the results; a new search stops it."""
Beside = Callable[[str, Sequence[Paper]], tuple[tuple[ResultRow, ...], tuple[str, ...]]]
FIRST = 60
"""Papers fetched at once."""
DEBOUNCE_S = 0.12
"""Seconds without a keystroke before what is typed is searched."""


class SearchController(ActionTarget):
    """Asks the engine, and shows what it answers."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._timer: Timer | None = None
        self._listed = ""
        self._awaited = False
        self._suggestion = ""
        self._hint: tuple[str, ...] = ()
        self.hop: HopOptions | None = None
        """Which neighbours in the citation graph take part; `None`: none."""
        self.full_texts = context.settings.full_texts
        """Whether full texts are searched, too; a query may ask for it by itself."""
        self.beside: Beside = lambda text, papers: ((), ())
        """Rows that stand above those of the library for a query, and lines to say about them."""
        self.starter_only: Callable[[], bool] = lambda: False
        """Whether only the starter library is searched."""
        self._notices: tuple[str, ...] = ()
        """Lines above the rows, those of `beside` left out."""
        self.facets = FacetController(context, self.again, self._offer_completions)
        self.arrived: Callable[[str], None] = lambda text: None
        """Told the text of the query when its ranking is in the results."""

    @property
    def state(self) -> ResultsState:
        """The results as shown."""
        return self._context.results.state

    def typing(self, text: str) -> None:
        """The query is being typed: search once no key has come for a moment."""
        self._rest()
        # Who types on no longer waits for the results of enter.
        self._awaited = False
        self._context.query.state = replace(self._context.query.state, text=text, sample=False)
        self._timer = self._context.screen.set_timer(DEBOUNCE_S, lambda: self.typed(text))

    def typed(self, text: str) -> None:
        """Ask what has been typed so far; the focus stays."""
        self._ask(text, finished=False)

    def search_for(self, text: str) -> None:
        """Leave whatever is open and search."""
        self._context.close_all()
        self._context.focus_pane("query", typing=True)
        self._context.query.fill(text)
        self.asked(text)

    def asked(self, text: str) -> None:
        """The query is finished: ask, then go to the first row."""
        self._rest()
        if self._context.query.field.text != text:
            self._context.query.fill(text)
        # Only what was finished by enter: every prefix on the way would fill the history.
        _remember(self._context, text)
        self._awaited = self._ask(text, finished=True)

    @property
    def awaited(self) -> bool:
        """Whether enter was pressed and the results it asked for are on their way: the next key is meant for them."""
        return self._awaited

    def left(self) -> None:
        """One leaves the field: a filter that stands last in it is no longer being typed."""
        text, query = self._context.query.field.text, self._context.query.state.query
        # A sample was not typed, and an unfinished word is already searched as a beginning.
        if not text.strip() or self._context.query.state.sample or (query is not None and query.unfinished):
            return
        meant = self._parsed(text, finished=True)
        if meant is not None and (query is None or meant.chips != query.chips or meant.excluded != query.excluded):
            self._rest()
            self._ask(text, finished=True)

    def again(self, text: str, *, limit: int = FIRST) -> None:
        """Ask once more, for `limit` papers; the focus stays."""
        self._ask(text, finished=True, limit=limit)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    def sample(self, text: str, hint: tuple[str, ...]) -> None:
        """Show what litterm can do: a question of ours, until the first keystroke."""
        self._hint = hint
        self._ask(text, finished=True, sample=True)

    def _ask(self, text: str, *, finished: bool, sample: bool = False, limit: int = FIRST) -> bool:
        """Whether an answer will come."""
        context = self._context
        # A model would go on ordering, and paying for, results that are about to go.
        context.work.cancel(GROUP)
        self.facets.stop()
        query = self._parsed(text, finished=finished)
        if query is None:
            return False
        pending = "" if finished else pending_filter(text)
        context.query.state = replace(
            context.query.state, text=text, query=query, busy=True, sample=sample, pending=pending
        )
        self._blame(None if finished else typed_fault(text))
        self._mark_open(None if finished or context.query.state.fault else open_part(text))
        # The engine knows no aspects: they order what it ranks by relevance.
        sort: SortOrder = "relevance" if self.state.sort == "aspects" else self.state.sort
        # Aspects reorder the first papers of the whole query, so that many have to be fetched.
        if finished and (context.aspects.state.shown or context.engine.aspects.split(text).aspects):
            limit = max(limit, MAX_SCORED_PAPERS)
        query = replace(query.with_full_texts(self.full_texts), starter_only=self.starter_only())
        # The citation graph would lead out of the starter library.
        hop, search = None if query.starter_only else self.hop, context.engine.search
        context.work.start(
            "search",
            "searching",
            (lambda: _counted(context.engine, context.engine.one_hop(query, k=limit, hop=hop)))
            # Not while one types: a hop looks at the whole citation graph, which takes longer than a key may.
            if hop is not None and finished and sort == "relevance" and text.strip()
            else (lambda: _counted(context.engine, search(query, k=limit, sort=sort, finished=finished))),
            self.show,
            on_event=self._on_event,
            failed=self._failed,
        )
        return True

    def _parsed(self, text: str, *, finished: bool) -> Query | None:
        try:
            return self._context.engine.parse(text, finished=finished)
        except QueryError as error:
            self._context.query.state = replace(self._context.query.state, text=text, busy=False)
            # The results of the last query that could be read stay where they are.
            self._blame(error)
            self._mark_open(None)
            # Over the results there is room for all of it; where a paper covers them, a notice says it.
            if finished and not self._context.results.size.height and width_of(str(error)) > MOST_FAULT:
                self._context.tell(str(error), warn=True)
            return None

    def _blame(self, error: QueryError | None) -> None:
        """Say what is wrong with the query, and mark it where it stands; nothing if nothing is."""
        fault, span = ("", None) if error is None else (str(error), (error.start, error.end))
        self._context.query.state = replace(self._context.query.state, fault=fault, fault_at=span)
        self._say_above(fault)

    def _say_above(self, fault: str) -> None:
        """Above the results, in full, what has no room beside the query."""
        self._context.results.blame(fault if width_of(fault) > MOST_FAULT else "")

    def _mark_open(self, part: Span | None) -> None:
        """Mark what is not closed yet: no fault, as it may be typed in a moment."""
        open_at = (part.start, part.end) if part else None
        self._context.query.state = replace(self._context.query.state, open_at=open_at)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProvisionalRanking):
            self.show(event.ranking, last=False)

    def _failed(self, error: LittermError) -> None:
        self._context.query.state = replace(self._context.query.state, fault=str(error), busy=False)
        self._say_above(str(error))
        self._awaited = False

    def show(self, ranking: Ranking, *, last: bool = True) -> None:
        """Show a ranking in place of the last one; without `last` it is provisional."""
        context = self._context
        titles = titles_by_id(ranking)
        above, notice = self.beside(ranking.query.text, [ranked.paper for ranked in ranking.papers])
        rows = (*above, *(_row(ranked, titles, ranking.sources) for ranked in ranking.papers))
        before, self._listed = self._listed, ranking.query.text
        context.query.state = replace(context.query.state, query=ranking.query, found=ranking.found, busy=False)
        self._notices = (
            *(self._hint if context.query.state.sample else () if ranking.query.text.strip() else WHAT_TO_TYPE),
            *([STARTER_ONLY] if ranking.query.starter_only and context.sources else ()),
            *_reading(ranking),
            *ranking.notices,
        )
        context.results.state = replace(
            self.state,
            rows=rows,
            found=ranking.found,
            by=ranking.by,
            source="search",
            ordered=False,
            notes=notes_of(self._context.engine.annotations, rows),
            empty=nothing_found(ranking, context.glyphs),
            hint=(*notice, *self._notices),
            offer=offered(ranking, context.glyphs) if ranking.suggestion and ranking.papers else "",
        )
        self._suggestion = ranking.suggestion
        self.arrived(ranking.query.text)
        # A provisional ranking is replaced in a moment, and its counts would be thrown away.
        if last:
            self.facets.wake()
        # A new query puts the cursor on its best paper; the same query again leaves it on the paper it was on.
        if rows and before not in ("", ranking.query.text) and context.focus == "query":
            context.results.go(0)
        self._offer_completions()
        if last and self._awaited:
            self._awaited = False
            if rows:
                context.results.go(0)
                context.focus_pane("results")

    def _offer_completions(self) -> None:
        """Filters for Tab, from the papers shown and counted, the library's sources and the user's tags."""
        context, results = self._context, self._context.results
        shown_tags = (tag for notes in results.state.notes.values() for tag in notes.tags)
        tags = (*context.engine.annotations.tags(), *shown_tags)
        context.query.completions = known_filters(results.state.rows, context.sources, tags, results.facets or ())

    def action_correct(self) -> None:
        """Search in the spelling that is offered."""
        if self._suggestion:
            self._context.query.fill(self._suggestion)
            # Not `asked`: the focus stays in the field or the list, wherever the key was pressed.
            self.again(self._suggestion)

    def rearrange(self) -> None:
        """What stands above the papers of the library has changed."""
        if self.state.source != "search":
            return
        local_rows = tuple(row for row in self.state.rows if not row.online)
        above, notice = self.beside(self._listed, [row.paper for row in local_rows])
        rows = (*above, *local_rows)
        notes = notes_of(self._context.engine.annotations, rows)
        self._context.results.state = replace(self.state, rows=rows, notes=notes, hint=(*notice, *self._notices))
        # The aspects hold the rows, too, and would put the old ones back.
        self.arrived(self._listed)


def notes_of(annotations: Annotations, rows: tuple[ResultRow, ...]) -> Mapping[PaperId, PaperNotes]:
    """What the user holds about the papers shown."""
    return MappingProxyType(annotations.notes_on(row.paper.id for row in rows))


WHAT_TO_TYPE = (
    'Type what you look for: words, "a phrase", -without, (this OR that) AND begin*.',
    "Filters: venue:acl  -venue:acl  year:2020..  author:chen  type:article  is:starred  tag:mine  has:note",
)


def _counted(engine: WorkbenchEngine, task: Task[Ranking]) -> Task[Ranking]:
    """The ranking with how often each of its papers is cited, looked up in the thread of the search."""
    return engine.counts.onto((yield from task))


def _remember(context: WorkbenchContext, text: str) -> None:
    if text.strip():
        past = tuple(query for query in context.query.history if query != text)
        context.query.history = (*past, text)[-200:]


def _row(ranked: RankedPaper, titles: Mapping[PaperId, str], sources: WordSources | None) -> ResultRow:
    moved = (former_rank(ranked), ranked.reason, via_words(ranked, titles))
    return ResultRow(
        ranked.rank,
        ranked.paper,
        ranked.score,
        ranked.by,
        matched=ranked.matched,
        starter=ranked.starter,
        moved="; ".join(filter(None, moved)),
        before=ranked.local_rank,
        cited=ranked.cited,
        why=(*rank_reasons(ranked), *(word_sources(sources) if sources else ())),
    )


def _reading(ranking: Ranking) -> tuple[str, ...]:
    """How the query was read, where that is no matter of course."""
    return () if ranking.kind == "keywords" else (interpretation(ranking.kind, ranking.first),)
