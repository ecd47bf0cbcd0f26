"""Searches the query as it is typed or entered, and shows the ranking in the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from textual import on
from textual.timer import Timer

from litterm.core.errors import LittermError, QueryError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.aspects import MAX_SCORED_PAPERS
from litterm.model.document import Span
from litterm.model.events import Event, ProvisionalRanking
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.search import HopOptions, Query, RankedPaper, Ranking, Rewrite, SortOrder, WordSources
from litterm.model.services import service_name
from litterm.render.explanation import (
    former_rank,
    interpretation,
    place_words,
    rank_reasons,
    rewrite_lines,
    titles_by_id,
    via_words,
    word_sources,
)
from litterm.text.queries.parser import find_fault, find_open_part, pending_filter
from litterm.text.references.identity import identity_key
from litterm.text.terminal_width import width_of
from litterm.tui.answers.first_sentences import FirstSentences
from litterm.tui.aspects.controller import AspectsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.messages import no_results_lines, spelling_offer
from litterm.tui.search.query_pane import MAX_FAULT_WIDTH, QueryPane
from litterm.tui.search.results_pane import GATHER_GROUP
from litterm.tui.state import ResultRow, ResultsState

IN_TOUR = "Only the starter library is searched in the guided tour; :tour leaves it."
RERANK_GROUP = "rerank"
"""Task group of a model run that reorders the results; a new search stops it."""
FIRST_PAGE_SIZE = 60
"""Papers fetched by a search."""
DEBOUNCE_S = 0.12
"""Seconds without a keystroke before what is typed is searched."""


@dataclass(frozen=True, slots=True)
class OnlineResults:
    """What a service found for a query."""

    text: str
    service: str
    papers: tuple[Parsed, ...]
    held: tuple[PaperId | None, ...]
    """A paper of `papers` each: under which id the library has it."""


class SearchController:
    """Starts searches and shows their rankings."""

    def __init__(self, context: WorkbenchContext, aspects: AspectsController) -> None:
        self._context = context
        self._aspects = aspects
        self._first_sentences = FirstSentences(context)
        self._timer: Timer | None = None
        self._shown_query = ""
        self._is_awaiting_results = False
        self._sample_hints: tuple[str, ...] = ()
        self.hop: HopOptions | None = None
        """Which neighbours in the citation graph take part; `None`: none."""
        self.full_texts = context.settings.full_texts
        """Whether full texts are searched, too; a query may ask for it by itself."""
        self.online: OnlineResults | None = None
        """What a service found last; shown above the rows of the library as long as the query is the same."""
        self.rewrite: Rewrite | None = None
        """The other queries that found the results shown; `None` if there were none."""
        self._chosen_rewrite: tuple[str, Rewrite] | None = None
        """A query, and the other queries that the user chose for it, which no model is asked for."""
        self._notices: tuple[str, ...] = ()
        """Lines above the rows, without the one about rows of a service."""

    @property
    def state(self) -> ResultsState:
        """The results as shown."""
        return self._context.results.state

    @on(QueryPane.Typed)
    def search_typed(self, message: QueryPane.Typed) -> None:
        """Schedule a search for what is being typed; `search_as_typed` starts it."""
        self.schedule_search(message.text)

    @on(QueryPane.Submitted)
    def search_submitted(self, message: QueryPane.Submitted) -> None:
        """Search for a query that was entered."""
        self.submit_query(message.text)

    @on(QueryPane.SearchWanted)
    def search_wanted(self, message: QueryPane.SearchWanted) -> None:
        """Search for another text, or for more papers."""
        self.repeat_search(message.text, limit=message.limit)

    @on(QueryPane.FieldLeft)
    def leave_field(self, message: QueryPane.FieldLeft) -> None:
        """Apply what the field holds, and go where it was left to; `Navigation` and `OnlineSearch` do the rest."""
        self.apply_pending_filter()
        match message.where:
            case "leave":
                self._context.focus_pane("query")
            case "below":
                self._context.focus_pane("results")
            case "correction":
                self._context.results.action_correct()
            case _:
                pass

    def schedule_search(self, text: str) -> None:
        """Search for `text`, which is being typed, once no key has come for `DEBOUNCE_S`."""
        self._stop_timer()
        self._first_sentences.stop()
        # Who types on no longer waits for the results of enter.
        self._is_awaiting_results = False
        self._context.query.state = replace(self._context.query.state, text=text, sample=False)
        self._timer = self._context.screen.set_timer(DEBOUNCE_S, lambda: self.search_as_typed(text))

    def search_as_typed(self, text: str) -> None:
        """Search for what has been typed so far; the focus stays."""
        self._start_search(text, finished=False)

    def search_for(self, text: str) -> None:
        """Close all dialogs and search."""
        self._context.close_all()
        self._context.focus_pane("query", typing=True)
        self._context.query.fill(text)
        self.submit_query(text)

    def submit_query(self, text: str) -> None:
        """Search for a finished query, then move the focus to the first row."""
        self._stop_timer()
        if self._context.query.field.text != text:
            self._context.query.fill(text)
        # Only what was finished by enter: every prefix on the way would fill the history.
        _add_to_history(self._context, text)
        self._is_awaiting_results = self._start_search(text, finished=True)
        if self._is_awaiting_results and self._context.query.state.query is not None:
            self._context.evidence.drop_if_unrelated(self._context.query.state.query)

    @property
    def is_awaiting_results(self) -> bool:
        """Whether results of an entered query, or all results, are on their way; the next key is meant for them."""
        return self._is_awaiting_results or any(job.group == GATHER_GROUP for job in self._context.work.jobs)

    def apply_pending_filter(self) -> None:
        """Search again if the field is left with a filter at its end that was not applied while typing."""
        text, query = self._context.query.field.text, self._context.query.state.query
        # A sample was not typed, and an unfinished word is already searched as a beginning.
        if not text.strip() or self._context.query.state.sample or (query is not None and query.unfinished):
            return
        parsed_query = self._parse(text, finished=True)
        if parsed_query is not None and (
            query is None or parsed_query.chips != query.chips or parsed_query.excluded != query.excluded
        ):
            self._stop_timer()
            self._start_search(text, finished=True)

    def repeat_search(self, text: str, *, limit: int | None = None) -> None:
        """Search for `text` again, for `limit` papers instead of a first page; the focus stays."""
        self._start_search(text, finished=True, limit=limit or FIRST_PAGE_SIZE)

    def search_with(self, rewrite: Rewrite | None) -> None:
        """Search for the same query again, with the queries of `rewrite`; the focus stays."""
        text = self._context.query.state.text
        self._chosen_rewrite = None if rewrite is None else (text, rewrite)
        self.repeat_search(text)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    def show_sample(self, text: str, hint: tuple[str, ...]) -> None:
        """Search for a sample query, which the first keystroke replaces."""
        self._sample_hints = hint
        self._start_search(text, finished=True, sample=True)

    def _start_search(self, text: str, *, finished: bool, sample: bool = False, limit: int = FIRST_PAGE_SIZE) -> bool:
        """Start a search; returns whether the text could be read as a query."""
        context = self._context
        # A model would continue ordering, and paying for, results that are about to go.
        context.work.cancel(RERANK_GROUP)
        context.results.cancel_facet_count()
        self._first_sentences.stop()
        query = self._parse(text, finished=finished)
        if query is None:
            return False
        pending = "" if finished else pending_filter(text)
        context.query.state = replace(
            context.query.state, text=text, query=query, busy=True, sample=sample, pending=pending
        )
        self._show_fault(None if finished else find_fault(text))
        self._mark_open_part(None if finished or context.query.state.fault else find_open_part(text))
        if text != self._shown_query:
            context.work.cancel(GATHER_GROUP)
        # The engine knows no aspects: they order what it ranks by relevance.
        sort: SortOrder = "relevance" if self.state.sort == "aspects" else self.state.sort
        # Aspects reorder the first papers of the whole query, so that many have to be fetched.
        if finished and (context.aspects.state.shown or context.engine.aspects.split(text).aspects):
            limit = max(limit, MAX_SCORED_PAPERS)
        query = replace(query.with_full_texts(self.full_texts), library_name=self._context.library_name)
        search = self._search_task(query, sort, finished=finished)

        def show(ranking: Ranking, *, is_final: bool = True) -> None:
            context.results.search_shown = search
            self.show_ranking(ranking, is_final=is_final)

        def on_event(event: Event) -> None:
            if isinstance(event, ProvisionalRanking):
                show(event.ranking, is_final=False)

        context.work.start(
            "search",
            "searching",
            lambda: _with_citation_counts(context.engine, search(limit)),
            show,
            on_event=on_event,
            failed=self._on_failure,
        )
        return True

    def _search_task(self, query: Query, sort: SortOrder, *, finished: bool) -> Callable[[int], Task[Ranking]]:
        """Searches for so many papers."""
        engine = self._context.engine
        # The citation graph would lead out of the one library.
        hop = self.hop if query.library_name is None else None
        chosen = self._chosen_rewrite[1] if self._chosen_rewrite and self._chosen_rewrite[0] == query.text else None

        def search(k: int) -> Task[Ranking]:
            # Not while one types: a hop looks at the whole citation graph, which takes longer than a key may.
            if hop is not None and finished and sort == "relevance" and query.text.strip():
                return engine.one_hop(query, k=k, hop=hop)
            if finished and sort == "relevance" and query.text.strip():
                return _search_rewritten(engine, query, chosen, k)
            return engine.search(query, k=k, sort=sort, finished=finished)

        return search

    def _parse(self, text: str, *, finished: bool) -> Query | None:
        try:
            return self._context.engine.parse(text, finished=finished)
        except QueryError as error:
            self._context.query.state = replace(self._context.query.state, text=text, busy=False)
            # The results of the last query that could be read stay where they are.
            self._show_fault(error)
            self._mark_open_part(None)
            # Over the results there is room for all of it; where a paper covers them, a notice says it.
            if finished and not self._context.results.size.height and width_of(str(error)) > MAX_FAULT_WIDTH:
                self._context.tell(str(error), warn=True)
            return None

    def _show_fault(self, error: QueryError | None) -> None:
        """Show and underline what is wrong with the query; `None` clears it."""
        fault, span = ("", None) if error is None else (str(error), (error.start, error.end))
        self._context.query.state = replace(self._context.query.state, fault=fault, fault_at=span)
        self._show_fault_above_results(fault)

    def _show_fault_above_results(self, fault: str) -> None:
        """Show a fault in full above the results if it has no room beside the query."""
        self._context.results.show_fault(fault if width_of(fault) > MAX_FAULT_WIDTH else "")

    def _mark_open_part(self, part: Span | None) -> None:
        """Underline what is not closed yet, which is no fault while typing."""
        open_at = (part.start, part.end) if part else None
        self._context.query.state = replace(self._context.query.state, open_at=open_at)

    def _on_failure(self, error: LittermError) -> None:
        self._context.query.state = replace(self._context.query.state, fault=str(error), busy=False)
        self._show_fault_above_results(str(error))
        self._is_awaiting_results = False

    def show_ranking(self, ranking: Ranking, *, is_final: bool = True) -> None:
        """Show a ranking; it is provisional unless `is_final`."""
        context = self._context
        titles = titles_by_id(ranking)
        online_rows, notice = self._online_rows(ranking.query.text, [ranked.paper for ranked in ranking.papers])
        ranked_rows = [_result_row(ranked, titles, ranking.sources) for ranked in ranking.papers]
        rows = (*online_rows, *self._first_sentences.with_lines(ranking, ranked_rows))
        before, self._shown_query = self._shown_query, ranking.query.text
        self.rewrite = ranking.rewrite
        context.query.state = replace(context.query.state, query=ranking.query, result_count=ranking.found, busy=False)
        self._notices = (
            *(self._sample_hints if context.query.state.sample else () if ranking.query.text.strip() else QUERY_HINTS),
            *([IN_TOUR] if ranking.query.library_name is not None and context.library_sources else ()),
            *_interpretation_lines(ranking),
            *_rewrite_lines(ranking),
            *ranking.notices,
        )
        context.results.state = replace(
            self.state,
            rows=rows,
            beyond=self._still_selected(rows) if before == ranking.query.text else (),
            result_count=ranking.found,
            by=ranking.by,
            source="search",
            ordered=False,
            notes=self._context.results.notes_of(rows),
            empty=no_results_lines(ranking, context.glyphs),
            hint=(*notice, *self._notices),
            suggestion=ranking.suggestion,
            offer=spelling_offer(ranking, context.glyphs) if ranking.suggestion and ranking.papers else "",
        )
        self._aspects.on_ranking(ranking.query.text)
        # A provisional ranking is replaced in a moment, and its counts would be thrown away.
        if is_final:
            context.results.schedule_facet_count()
            self._first_sentences.schedule(ranking)
        # A new query puts the cursor on its best paper; the same query again leaves it on the paper it was on.
        if rows and before not in ("", ranking.query.text) and context.focus == "query":
            context.results.go(0)
        context.results.offer_completions()
        if is_final and self._is_awaiting_results:
            self._is_awaiting_results = False
            if rows:
                context.results.go(0)
                context.focus_pane("results")

    def _still_selected(self, rows: Sequence[ResultRow]) -> tuple[Paper, ...]:
        """Papers selected in the results of the same query that are not among `rows`, which may be fewer now."""
        here = {row.paper.id for row in rows}
        return tuple(paper for paper in self.state.selected_papers() if paper.id not in here)

    def show_online(self, results: OnlineResults) -> None:
        """Show what a service found above the papers of the library."""
        self.online = results
        if self.state.source != "search":
            return
        local_rows = tuple(row for row in self.state.rows if not row.online)
        online_rows, notice = self._online_rows(self._shown_query, [row.paper for row in local_rows])
        rows = (*online_rows, *local_rows)
        notes = self._context.results.notes_of(rows)
        self._context.results.state = replace(self.state, rows=rows, notes=notes, hint=(*notice, *self._notices))
        # The aspects hold the rows, too, and would put the old ones back.
        self._aspects.on_ranking(self._shown_query)

    def _online_rows(self, text: str, local: Sequence[Paper]) -> tuple[tuple[ResultRow, ...], tuple[str, ...]]:
        """The rows above those of the library, without papers shown there anyway, and a line about them."""
        results = self.online
        if results is None or results.text.strip() != text.strip():
            return (), ()
        name = service_name(results.service)
        local_ids, titles = {paper.id for paper in local}, {_identity(paper) for paper in local}
        rows = []
        for parsed, held_id in zip(results.papers, results.held, strict=True):
            # What is held is known from ids; a record that shares none with ours is known from title and year.
            if held_id is None and _identity(parsed.paper) not in titles:
                rows.append(ResultRow(0, parsed.paper, None, name, online=name, held=False))
            elif held_id is not None and held_id not in local_ids:
                paper = self._context.attempt(lambda key=held_id: self._context.engine.paper(key))  # type: ignore[misc]
                rows += [ResultRow(0, paper, None, name, online=name)] if paper else []
        new = sum(not row.held for row in rows)
        held_count = len(results.papers) - new
        already = f"{held_count} of them {'is' if held_count == 1 else 'are'} in the library already"
        count = f"{len(results.papers)} found, {already}"
        return tuple(rows), (f"{name}: {count}. They come first; + adds the one under the cursor.",)


def _identity(paper: Paper) -> tuple[str, int | None]:
    return identity_key(paper.title), paper.year


QUERY_HINTS = (
    'Type what you look for: words, "a phrase", -without, (this OR that) AND begin*.',
    "Filters: venue:acl  -venue:acl  year:2020..  author:chen  type:article  is:starred  tag:mine  has:note",
)


def _with_citation_counts(engine: Engine, task: Task[Ranking]) -> Task[Ranking]:
    """The ranking of `task` with the citation counts of its papers, looked up in the same thread."""
    return engine.counts.with_counts((yield from task))


def _search_rewritten(engine: Engine, query: Query, chosen: Rewrite | None, k: int) -> Task[Ranking]:
    """The ranking of `query`, with other queries if there are `chosen` ones or the project rewrites queries."""
    # Asked for here and not when the search is started, as it reads a file.
    if chosen is not None or (query.library_name is None and engine.annotations.is_rewriting):
        return (yield from engine.rewriting.search(query, k=k, rewrite=chosen, automatic=True))
    return (yield from engine.search(query, k=k))


def _add_to_history(context: WorkbenchContext, text: str) -> None:
    if text.strip():
        past = tuple(query for query in context.query.history if query != text)
        context.query.history = (*past, text)[-200:]


def _result_row(ranked: RankedPaper, titles: Mapping[PaperId, str], sources: WordSources | None) -> ResultRow:
    moved = (ranked.name, former_rank(ranked), ranked.reason, via_words(ranked, titles), place_words(ranked))
    return ResultRow(
        ranked.rank,
        ranked.paper,
        ranked.score,
        ranked.by,
        matched=ranked.matched,
        library_name=ranked.library_name,
        moved="; ".join(filter(None, moved)),
        previous_place=ranked.local_rank,
        cited=ranked.cited,
        why=(*rank_reasons(ranked), *(word_sources(sources) if sources else ())),
    )


def _interpretation_lines(ranking: Ranking) -> tuple[str, ...]:
    """How the query was interpreted, unless it is plain keywords."""
    return () if ranking.kind == "keywords" else (interpretation(ranking.kind, ranking.first),)


def _rewrite_lines(ranking: Ranking) -> tuple[str, ...]:
    """The other queries that were searched, too, in one line."""
    if ranking.rewrite is None:
        return ()
    heading, *queries = rewrite_lines(ranking.rewrite)
    return (f"{heading.removesuffix(':')} (Q edits): {'; '.join(queries)}",)
