"""Query rewriting: a model writes other queries, which are searched with the one that was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError, UsageError
from litterm.core.tasks import Task, collect_outgoing
from litterm.model.events import ProvisionalRanking
from litterm.model.search import DEFAULT_RESULTS, Rewrite
from litterm.search.rewrites.fused_search import SEARCHED_PER_QUERY, fuse_with, search_fused
from litterm.search.rewrites.queries import check_queries, split_queries
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.interfaces import PaperSearcher
    from litterm.model.llm import CostEstimate
    from litterm.model.search import Query, Ranking
    from litterm.search.rewrites.model_rewriter import ModelRewriter


@dataclass(frozen=True, slots=True)
class QueryRewriting:
    """Searches with other queries for the same papers; safe from any thread."""

    searcher: Callable[[], PaperSearcher]
    build_rewriter: Callable[[], ModelRewriter]
    """Starts a run of its own. Raises `UsageError` where no model is set, `ModelError` where it cannot be asked."""
    build_dry_run: Callable[[], ModelRewriter]
    """As `build_rewriter`, in a dry run: yields `OutgoingRequest` instead of sending."""

    def search(
        self, query: Query, *, k: int = DEFAULT_RESULTS, rewrite: Rewrite | None = None, automatic: bool = False
    ) -> Task[Ranking]:
        """The best `k` papers for `query` and the queries of `rewrite`, which the model writes if there is none.

        Yields the ranking of the query alone first. That is the result, with a notice, where the model wrote none;
        without a notice where rewriting is `automatic` and the query has an order, or no words, of its own.
        """
        own = yield from self.searcher().search(query, k=max(k, SEARCHED_PER_QUERY))
        first = replace(own, papers=own.papers[:k])
        reason = why_not_rewritten(own.query)
        if reason:
            return first if automatic else replace(first, notices=(*first.notices, reason))
        if rewrite is None:
            yield ProvisionalRanking(first)
            try:
                rewrite = yield from self.write(own.query)
            except (ModelError, UsageError) as error:
                return replace(first, notices=(*first.notices, f"Searched as typed, not rewritten: {error}"))
        return (yield from fuse_with(self.searcher(), own, rewrite, k=k))

    def search_with(self, query: Query, rewrite: Rewrite, *, k: int = DEFAULT_RESULTS) -> Task[Ranking]:
        """The best `k` papers for `query` and the queries of `rewrite`, whatever `query` is."""
        return search_fused(self.searcher(), query, rewrite, k=k)

    def write(self, query: Query) -> Task[Rewrite]:
        """Other queries, by the model.

        Raises:
            UsageError: no model is set.
            ModelError: it gave none.
        """
        return (yield from self.build_rewriter().rewrite(query))

    def read(self, parts: str | Iterable[str], query: Query) -> Rewrite:
        """The queries that the user wrote, separated by `||` if they are one text.

        Raises:
            UsageError: there is none beside the query itself.
        """
        queries = check_queries(split_queries(parts) if isinstance(parts, str) else parts, free_text(query))
        if not queries:
            raise UsageError("there is no other query than the one you search for; separate them with ||")
        return Rewrite(queries)

    def estimate(self, query: Query) -> Task[CostEstimate]:
        """What `write` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        yield from ()
        return self.build_rewriter().estimate(query)

    def preview(self, query: Query) -> Task[tuple[str, ...]]:
        """The request `write` would send, to the letter.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return (yield from collect_outgoing(self.build_dry_run().rewrite(query)))


def why_not_rewritten(query: Query) -> str:
    """Why `query` is searched as it is, in a sentence; empty if other words could say the same."""
    if not query.words or not free_text(query):
        return "There are no words that could be written differently."
    if query.sort not in (None, "relevance"):
        return "Rewritten queries are fused by relevance; leave out sort: to search them."
    if query.unfinished or query.like or query.unlike or query.kind in ("excerpt", "paper"):
        return "Only questions and keywords are rewritten."
    return ""
