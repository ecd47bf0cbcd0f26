"""Searches the user's library, and behind it the starter library; what `litterm search` and the workbench call."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import AmbiguousPaper, UnknownPaper
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Prior, RankedPaper, ScoreExplanation
from litterm.search.notices import missing_words_notice
from litterm.text.queries.parser import parse_query
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library, Searcher
    from litterm.model.search import Query, Ranking, SortOrder

NAMED = 100.0
"""Points of the paper whose id or title was typed: more than words ever come to."""
TITLE_WORDS = 3
"""Words of a query that may be meant as a title: a shorter one is more often a topic that a paper is named after."""
_A_NAME = re.compile(r"\S*[\d:/]\S*")
"""What may be an id or an address: a plain word is a word, even where a paper's key is the same."""
_WHOLE_STARTER = 1_000
"""More than it holds: which of its papers the user has too is only known of those that are found."""


class SearchPapers:
    """Searches the user's library and, while that gives too little, the starter library."""

    def __init__(
        self,
        own: Searcher,
        library: Library,
        starter: Callable[[], Searcher | None] = lambda: None,
        *,
        named: Callable[[str], Paper] | None = None,
        titled: Callable[[str], Sequence[PaperId]] = lambda title: (),
        left_out: Callable[[], str] = lambda: "",
    ) -> None:
        """`library` is the user's; `starter` is asked for only when needed and gives `None` where it is hidden.

        `named` gives the paper with an id, alias or bare key, of either library; `titled` those with a title, of the
        user's; `left_out` says which part of the
        user's library no search reaches, empty where it reaches all.
        """
        self._left_out = left_out
        self._own = own
        self._library = library
        self._starter = starter
        self._titled = titled
        self._named = named or (lambda key: library.by_id([PaperId(key)])[0])

    def search(
        self,
        typed: str | Query,
        *,
        k: int = 20,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; the starter library's come after all of the user's own.

        Where all that was typed is the id, key or address of a paper, that paper comes first; where it is `finished`,
        its title too. Without anything typed all papers are listed, the last added first.

        Raises:
            QueryError: `typed` cannot be read as a query.
            UnknownPaper: it seeks or shuns papers like this one that neither library has.
        """
        query = self._resolved(parse_query(typed, finished=finished) if isinstance(typed, str) else typed)
        sort = query.sort if query.sort is not None and sort == "relevance" else sort
        if sort == "relevance" and not query.text.strip():
            sort = "added"
        k = max(k, 0)
        ranking = yield from self._both(query, k, sort, within)
        # Asked behind the search: what is damaged may show only when it is read.
        if notice := self._left_out():
            ranking = replace(ranking, notices=(*ranking.notices, notice))
        by_name = k and sort == "relevance" and not query.starter_only
        meant = self._meant(query, titles=finished) if by_name else ()
        allowed = [paper for paper in meant if within is None or paper.id in within]
        if allowed:
            return _with_named_first(ranking, allowed, k)
        return replace(ranking, notices=(*ranking.notices, *missing_words_notice(ranking.missing)))

    def _both(self, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None) -> Task[Ranking]:
        """The ranking by what papers say, of both libraries."""
        if query.starter_only and (only := self._starter()) is not None:
            ranking = yield from only.search(query, k=k, sort=sort, within=within)
            return replace(ranking, papers=tuple(replace(ranked, starter=True) for ranked in ranking.papers))
        own = yield from self._own.search(query, k=k, sort=sort, within=within)
        starter = self._starter() if len(own.papers) < k else None
        if starter is None:
            return own
        more = yield from starter.search(query, k=_WHOLE_STARTER, sort=sort, within=within)
        return self._joined(own, self._without_own(own, more), k)

    def _resolved(self, query: Query) -> Query:
        """`query` with the papers it names under their own ids."""
        if not query.like and not query.unlike:
            return query
        like, unlike = (tuple(self._named(key).id for key in keys) for keys in (query.like, query.unlike))
        return replace(query, like=like, unlike=unlike)

    def _meant(self, query: Query, *, titles: bool) -> Sequence[Paper]:
        """The paper that was typed by its id, key or address, or those by their title, with nothing beside it."""
        typed = query.text.strip()
        if query.chips:
            return ()
        if _A_NAME.fullmatch(typed):
            try:
                return (self._named(typed),)
            except (UnknownPaper, AmbiguousPaper):
                return ()
        # A look-up takes some milliseconds; while one types, no title is whole.
        if not titles or len(words(typed)) < TITLE_WORDS:
            return ()
        return self._library.by_id(self._titled(typed))

    def _without_own(self, own: Ranking, more: Ranking) -> Ranking:
        """`more` without papers that the user's library holds under one of their ids."""
        if not own.searched:
            return more
        names = [_names(ranked.paper) for ranked in more.papers]
        ids_by_name = self._library.find([name for paper_names in names for name in paper_names])
        own_names = {
            name
            for name, ids in zip((name for paper_names in names for name in paper_names), ids_by_name, strict=True)
            if ids
        }
        others = tuple(
            ranked for ranked, paper_names in zip(more.papers, names, strict=True) if own_names.isdisjoint(paper_names)
        )
        return replace(more, papers=others, found=len(others))

    def _joined(self, own: Ranking, more: Ranking, k: int) -> Ranking:
        room = more.papers[: k - len(own.papers)]
        added = tuple(replace(ranked, rank=rank, starter=True) for rank, ranked in enumerate(room, len(own.papers) + 1))
        if not own.searched:
            return replace(more, papers=added)
        notice = ("Papers of the starter library come after your own.",) if added else ()
        return replace(
            own,
            papers=(*own.papers, *added),
            found=own.found + more.found,
            hidden=own.hidden + more.hidden,
            suggestion=own.suggestion if not more.found else "",
            notices=(*own.notices, *notice),
            missing=tuple(name for name in own.missing if not more.found or name in more.missing),
        )


def _names(paper: Paper) -> tuple[PaperId, ...]:
    return (*paper.aliases, paper.id)


def _with_named_first(ranking: Ranking, papers: Sequence[Paper], k: int) -> Ranking:
    """`ranking` with `papers`, which were named, before all others."""
    named = {paper.id for paper in papers}
    ranked = {item.paper.id: item for item in ranking.papers}
    others = [item for item in ranking.papers if item.paper.id not in named]
    items = (
        ranked.get(paper.id) or RankedPaper(1, paper, None, ranking.by, starter=paper.id.startswith("starter:"))
        for paper in papers
    )
    led = sorted((_with_named_points(item) for item in items), key=lambda item: -(item.score or 0.0))
    return replace(
        ranking,
        papers=tuple(replace(item, rank=rank) for rank, item in enumerate((*led, *others)[:k], 1)),
        found=max(ranking.found, len(led) + len(others)),
        suggestion="",
        first=len(led),
    )


def _with_named_points(item: RankedPaper) -> RankedPaper:
    why = item.why or ScoreExplanation(())
    score = (item.score or 0.0) + NAMED
    return replace(item, score=score, why=replace(why, priors=(*why.priors, Prior("typed by its id or title", NAMED))))
