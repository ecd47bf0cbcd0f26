"""Reranking the results: with papers one citation away, or by a language model after consent to its cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from litterm.core.errors import LittermError
from litterm.model.citations.graph import HopDirection
from litterm.model.events import Event, Notice, ProvisionalRanking
from litterm.model.llm import CostEstimate
from litterm.model.search import HopOptions, Query, Ranking, RerankOptions
from litterm.render import sent_data
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun
from litterm.tui.input.command_line import Command
from litterm.tui.search.controller import FIRST_PAGE_SIZE, RERANK_GROUP, SearchController
from litterm.tui.state import SwitchedOption

T = TypeVar("T")
HOP_WORDS: dict[HopDirection | None, str] = {
    None: "no",
    "refs": "what the best papers cite",
    "cited": "what cites the best papers",
    "both": "what they cite and what cites them",
}
_PAPER_COUNTS = (100, 200, 20, 50)
_WINDOW_SIZES = (0, 20, 10, 5)


class RerankChoices:
    """The user's choices on reranking, kept while the workbench runs."""

    def __init__(self, context: WorkbenchContext, search: SearchController) -> None:
        self._context = context
        self._search = search
        self.options = RerankOptions()

    @property
    def direction(self) -> HopDirection | None:
        """Direction of the citation neighbours included; `None` for none."""
        return self._search.hop.direction if self._search.hop else None

    def hop_option(self) -> SwitchedOption:
        """The option to include citation neighbours; switching it searches again."""
        following = _next_choice(tuple(HOP_WORDS), self.direction)
        return SwitchedOption("include cited papers", HOP_WORDS[self.direction], lambda: self.set_hop(following))

    def full_text_option(self) -> SwitchedOption:
        """The option to search full texts; switching it searches again."""
        return SwitchedOption("search full texts", "yes" if self._search.full_texts else "no", self._toggle_full_texts)

    def _toggle_full_texts(self) -> None:
        self._search.full_texts = not self._search.full_texts
        self._repeat_search()

    def set_hop(self, direction: HopDirection | None) -> None:
        """Set the direction and search again once the citation graph is up to date."""
        self._search.hop = None if direction is None else HopOptions(direction)
        if direction is None:
            self._repeat_search()
        else:
            self.update_citation_graph(self._repeat_search)

    def update_citation_graph(self, on_update: Callable[[], None] = lambda: None) -> None:
        """Update the citation graph, then call `on_update`; after an import it may take long and can be stopped.

        What was read so far stays when it is stopped.
        """
        update = self._context.engine.citations.update
        self._context.work.start("citations", "reading reference lists", update, lambda _graph: on_update())

    def _repeat_search(self) -> None:
        self._search.repeat_search(self._context.query.state.text)

    def set_hop_by_name(self, direction: str) -> None:
        """Set the direction by its name (`refs`, `cited`, `both` or `no`)."""
        names = {name or "no": name for name in HOP_WORDS}
        if direction in names:
            self.set_hop(names[direction])
        else:
            self._context.tell(f"one-hop takes refs, cited, both or no, not {direction!r}.", warn=True)

    def consent_options(self) -> tuple[ConsentOption, ...]:
        """The options of the consent dialog with their current values."""
        options = self.options
        window_text = f"{options.window} at once" if options.window else "all at once, or 20 where a local model cannot"
        return (
            ConsentOption("n", "papers ordered", f"the first {options.max_papers}"),
            ConsentOption("l", "model is shown", window_text),
            ConsentOption("r", "include cited papers", HOP_WORDS[self.direction]),
            ConsentOption("c", "cached replies", "are used" if options.cached else "are not used"),
        )

    def switch(self, key: str) -> None:
        """Switch the option with this key to its next value."""
        options = self.options
        if key == "n":
            self.options = replace(options, max_papers=_next_choice(_PAPER_COUNTS, options.max_papers))
        elif key == "l":
            self.options = replace(options, window=_next_choice(_WINDOW_SIZES, options.window))
        elif key == "c":
            self.options = replace(options, cached=not options.cached)
        elif key == "r":
            direction = _next_choice(tuple(HOP_WORDS), self.direction)
            # Not searched at once, as in `set_hop`: the estimate that follows makes the ranking itself.
            self._search.hop = None if direction is None else HopOptions(direction)


class RerankController(LlmRun):
    """Lets a language model reorder the results, after consent to the estimated cost."""

    SENT_DATA = sent_data.RANKING
    DRY_RUN_COMMAND = "litterm search --rerank --dry-run"

    def __init__(self, context: WorkbenchContext, search: SearchController) -> None:
        super().__init__(context)
        self._search = search
        self._local: Ranking | None = None
        self.choices = RerankChoices(context, search)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Only a search's results can be ordered again."""
        state = self._context.results.state
        return state.source == "search" and bool(state.rows)

    def action_open(self) -> None:
        """Estimate the cost of a model run, and ask for consent."""
        self.request_consent()

    def options(self) -> tuple[ConsentOption, ...]:
        return self.choices.consent_options()

    def switch(self, key: str) -> None:
        self.choices.switch(key)

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        query = self._context.query.state.query
        if query is None:
            return
        asking, options, hop = self._context.engine.model_ranking, self.choices.options, self._search.hop
        rewrite = self._search.rewrite

        def on_done(local: tuple[Ranking, CostEstimate]) -> None:
            # Kept, so that the model gets just the papers that were estimated.
            self._local = local[0]
            on_estimate(local[1])

        self._context.work.start(
            "estimate",
            "estimating",
            lambda: asking.search_and_estimate(
                query, options, k=max(FIRST_PAGE_SIZE, options.max_papers), hop=hop, rewrite=rewrite
            ),
            on_done,
        )

    def on_consent(self, consent: Consent) -> None:
        local, options, asking = self._local, self.choices.options, self._context.engine.model_ranking
        # Other results may have come while the estimate was made or the dialog open.
        if local is None or not self._is_shown(local.query):
            return
        if consent == "run":
            # At once, so that it can be seen which papers the model orders.
            self._show(local)
            self._context.work.start(
                RERANK_GROUP,
                "the model orders the results",
                lambda: asking.rerank(local, options),
                self._on_ranking,
                on_event=self._on_event,
                failed=self._on_failure,
            )
            return
        self._context.work.start("estimate", "dry run", lambda: asking.preview(local, options), self.show_requests)

    def _is_shown(self, query: Query) -> bool:
        """Whether the results are still those of `query`: another may have been typed meanwhile."""
        shown_query = self._context.query.state.query
        return shown_query is not None and shown_query.text == query.text

    def _on_event(self, event: Event) -> None:
        if isinstance(event, ProvisionalRanking):
            self._show(event.ranking)
        elif isinstance(event, Notice) and event.text:
            self._context.notify_once(event.text)

    def _show(self, ranking: Ranking) -> None:
        """Show a provisional order; the cursor stays on its paper."""
        self._search.show_ranking(ranking, is_final=False)
        self._context.results.state = replace(self._context.results.state, ordered=True)

    def _on_ranking(self, ranking: Ranking) -> None:
        self._show(ranking)
        # Named as the offline order, so the model's reply could not be used; the notice says why.
        if self._local is not None and ranking.by == self._local.by and ranking.notices:
            self._context.results.state = replace(self._context.results.state, ordered=False)
            self._context.failed_group = RERANK_GROUP
            self._context.tell(ranking.notices[-1], warn=True)

    def _on_failure(self, error: LittermError) -> None:
        self._context.failed_group = RERANK_GROUP
        self._context.tell(f"This is the offline order. {error}", warn=True)


def one_hop_command(choices: RerankChoices) -> Command:
    """The command `:one-hop`."""
    names = tuple(name or "no" for name in HOP_WORDS)
    return Command(
        "one-hop", "papers one citation away: refs, cited, both, no", choices.set_hop_by_name, "WHICH", lambda: names
    )


def _next_choice(choices: tuple[T, ...], current: T) -> T:
    return choices[(choices.index(current) + 1) % len(choices)]
