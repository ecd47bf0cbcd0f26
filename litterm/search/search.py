"""Searches the user's library, then the starter library; called by `litterm search` and the workbench."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import AmbiguousPaper, UnknownPaper
from litterm.model.paper import Paper, PaperId
from litterm.model.search import DEFAULT_RESULTS, Prior, RankedPaper, ScoreExplanation
from litterm.search.notices import missing_words_notice
from litterm.text.queries.parser import parse_query
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library, Searcher
    from litterm.model.search import Query, Ranking, SortOrder

NAMED_PAPER_POINTS = 100.0
"""Points of a paper whose id or title was typed: more than any score by words."""
MIN_TITLE_WORDS = 3
"""Shorter queries are not looked up as titles: they are usually topics."""
_ID_OR_ADDRESS = re.compile(r"\S*[\d:/]\S*")
"""What may be an id or a URL; a plain word never is, even where it equals the key of a paper."""
_MAX_STARTER_PAPERS = 1_000
"""More than the starter library holds: all its matches are needed to leave out those that the user has."""


class SearchPapers:
    """Searches the user's library and, where that gives fewer than `k` papers, the starter library."""

    def __init__(
        self,
        own: Searcher,
        library: Library,
        starter: Callable[[], Searcher | None] = lambda: None,
        *,
        named: Callable[[str], Paper] | None = None,
        titled: Callable[[str], Sequence[PaperId]] = lambda title: (),
        damage_notice: Callable[[], str] = lambda: "",
    ) -> None:
        """`library` is the user's; `starter` is called only when needed and gives `None` where it is hidden.

        `named` gives the paper with an id, alias or bare key, of either library; `titled` gives the papers of the user
        with a title; `damage_notice` is a notice of the parts of the user's library that cannot be searched, or empty.
        """
        self._damage_notice = damage_notice
        self._own = own
        self._library = library
        self._starter = starter
        self._titled = titled
        self._named = named or (lambda key: library.by_id([PaperId(key)])[0])

    def search(
        self,
        typed: str | Query,
        *,
        k: int = DEFAULT_RESULTS,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; the starter library's come after all of the user's own.

        Where all that was typed is the id, key or address of a paper, that paper comes first; where it is `finished`,
        its title too. Without anything typed all papers are listed, the last added first.

        Raises:
            QueryError: `typed` cannot be read as a query.
            UnknownPaper: `like:` or `unlike:` names a paper that neither library has.
        """
        query = self._resolve_named(parse_query(typed, finished=finished) if isinstance(typed, str) else typed)
        sort = query.sort if query.sort is not None and sort == "relevance" else sort
        if sort == "relevance" and not query.text.strip():
            sort = "added"
        k = max(k, 0)
        ranking = yield from self._search_libraries(query, k, sort, within)
        # Asked after the search: damage may show only when files are read.
        if notice := self._damage_notice():
            ranking = replace(ranking, notices=(*ranking.notices, notice))
        by_name = k and sort == "relevance" and not query.starter_only
        named = self._find_named(query, titles=finished) if by_name else ()
        allowed = [paper for paper in named if within is None or paper.id in within]
        if allowed:
            return _with_named_first(ranking, allowed, k)
        return replace(ranking, notices=(*ranking.notices, *missing_words_notice(ranking.missing)))

    def _search_libraries(
        self, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        """The ranking of both libraries, without look-ups by id or title."""
        if query.starter_only and (only := self._starter()) is not None:
            ranking = yield from only.search(query, k=k, sort=sort, within=within)
            return replace(ranking, papers=tuple(replace(ranked, starter=True) for ranked in ranking.papers))
        ranking_of_own = yield from self._own.search(query, k=k, sort=sort, within=within)
        starter = self._starter() if len(ranking_of_own.papers) < k else None
        if starter is None:
            return ranking_of_own
        starter_ranking = yield from starter.search(query, k=_MAX_STARTER_PAPERS, sort=sort, within=within)
        return self._append_starter(ranking_of_own, self._drop_owned(ranking_of_own, starter_ranking), k)

    def _resolve_named(self, query: Query) -> Query:
        """`query` with the papers of `like:` and `unlike:` under their own ids."""
        if not query.like and not query.unlike:
            return query
        like, unlike = (tuple(self._named(key).id for key in keys) for keys in (query.like, query.unlike))
        return replace(query, like=like, unlike=unlike)

    def _find_named(self, query: Query, *, titles: bool) -> Sequence[Paper]:
        """The paper whose id, key or URL is the whole query, or the papers whose title is."""
        typed = query.text.strip()
        if query.chips:
            return ()
        if _ID_OR_ADDRESS.fullmatch(typed):
            try:
                return (self._named(typed),)
            except (UnknownPaper, AmbiguousPaper):
                return ()
        # A look-up takes some milliseconds, and while somebody types, no title is complete.
        if not titles or len(words(typed)) < MIN_TITLE_WORDS:
            return ()
        return self._library.by_id(self._titled(typed))

    def _drop_owned(self, ranking_of_own: Ranking, starter_ranking: Ranking) -> Ranking:
        """`starter_ranking` without the papers that the user's library holds under any of their ids."""
        if not ranking_of_own.searched:
            return starter_ranking
        names = [_ids_of(ranked.paper) for ranked in starter_ranking.papers]
        ids_by_name = self._library.find([name for paper_names in names for name in paper_names])
        own_names = {
            name
            for name, ids in zip((name for paper_names in names for name in paper_names), ids_by_name, strict=True)
            if ids
        }
        not_owned = tuple(
            ranked
            for ranked, paper_names in zip(starter_ranking.papers, names, strict=True)
            if own_names.isdisjoint(paper_names)
        )
        return replace(starter_ranking, papers=not_owned, found=len(not_owned))

    def _append_starter(self, ranking_of_own: Ranking, starter_ranking: Ranking, k: int) -> Ranking:
        chosen = starter_ranking.papers[: k - len(ranking_of_own.papers)]
        added = tuple(
            replace(ranked, rank=rank, starter=True)
            for rank, ranked in enumerate(chosen, len(ranking_of_own.papers) + 1)
        )
        if not ranking_of_own.searched:
            return replace(starter_ranking, papers=added)
        notice = ("Papers of the starter library come after your own.",) if added else ()
        return replace(
            ranking_of_own,
            papers=(*ranking_of_own.papers, *added),
            found=ranking_of_own.found + starter_ranking.found,
            hidden=ranking_of_own.hidden + starter_ranking.hidden,
            # A word that the starter library holds is no slip; one that it takes for a slip, too, is.
            suggestion=ranking_of_own.suggestion if not starter_ranking.found or starter_ranking.suggestion else "",
            notices=(*ranking_of_own.notices, *notice),
            missing=tuple(
                name for name in ranking_of_own.missing if not starter_ranking.found or name in starter_ranking.missing
            ),
        )


def _ids_of(paper: Paper) -> tuple[PaperId, ...]:
    return (*paper.aliases, paper.id)


def _with_named_first(ranking: Ranking, papers: Sequence[Paper], k: int) -> Ranking:
    """`ranking` with the named `papers` before all others."""
    named = {paper.id for paper in papers}
    ranked = {item.paper.id: item for item in ranking.papers}
    unnamed = [item for item in ranking.papers if item.paper.id not in named]
    items = (
        ranked.get(paper.id) or RankedPaper(1, paper, None, ranking.by, starter=paper.id.startswith("starter:"))
        for paper in papers
    )
    first = sorted((_with_named_points(item) for item in items), key=lambda item: -(item.score or 0.0))
    return replace(
        ranking,
        papers=tuple(replace(item, rank=rank) for rank, item in enumerate((*first, *unnamed)[:k], 1)),
        found=max(ranking.found, len(first) + len(unnamed)),
        suggestion="",
        first=len(first),
    )


def _with_named_points(item: RankedPaper) -> RankedPaper:
    why = item.why or ScoreExplanation(())
    score = (item.score or 0.0) + NAMED_PAPER_POINTS
    return replace(
        item, score=score, why=replace(why, priors=(*why.priors, Prior("typed by its id or title", NAMED_PAPER_POINTS)))
    )
