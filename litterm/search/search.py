"""Searches the libraries one after the other; called by `litterm search` and the workbench."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import AmbiguousPaper, UnknownPaper
from litterm.model.paper import Paper, PaperId, library_name_of
from litterm.model.search import DEFAULT_RESULTS, NamedPaper, Prior, RankedPaper, ScoreExplanation
from litterm.search.notices import missing_paper_notices, missing_words_notice
from litterm.text.queries.parser import parse_query
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.search import Query, Ranking, SortOrder
    from litterm.search.searched_libraries import SearchedLibraries, SearchedLibrary

NAMED_PAPER_POINTS = 100.0
"""Points of a paper whose id or title was typed: more than any score by words."""
MIN_TITLE_WORDS = 3
"""Shorter queries are not looked up as titles: they are usually topics."""
NAMED_PAPER_PRIOR = "typed by its id or title"
"""The name of these points in the explanation of a score."""
_ID_OR_ADDRESS = re.compile(r"\S*[\d:/]\S*")
"""What may be an id or a URL; a plain word never is, even where it equals the key of a paper."""
_MAX_PAPERS_BEHIND = 1_000
"""More than the starter library holds: all its matches are needed to leave out those that the user has."""


class SearchPapers:
    """Searches the user's papers and, where they give fewer than `k`, the library behind them."""

    def __init__(
        self,
        searched_libraries: SearchedLibraries,
        *,
        named: Callable[[str], Paper] | None = None,
        titled: Callable[[str], Sequence[Paper]] = lambda title: (),
        damage_notice: Callable[[], str] = lambda: "",
    ) -> None:
        """`named` gives the paper with an id, alias or bare key, of any library; `titled` the user's with a title.

        `damage_notice` is a notice of the parts of the user's library that cannot be searched, or empty.
        """
        self._damage_notice = damage_notice
        self._searched_libraries = searched_libraries
        self._library = library = searched_libraries.own.library
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
        """The best `k` papers, of those `within` if given; first the user's own, whatever the others score.

        Where all that was typed is the id, key or address of a paper, that paper comes first; where it is `finished`,
        its title too. Without anything typed all papers are listed, the last added first.

        Raises:
            QueryError: `typed` cannot be read as a query.
            UnknownPaper: `like:` or `unlike:` names a paper that is in no library.
        """
        query = self._resolve_named(parse_query(typed, finished=finished) if isinstance(typed, str) else typed)
        sort = query.sort if query.sort is not None and sort == "relevance" else sort
        if sort == "relevance" and not query.text.strip():
            sort = "added"
        k = max(k, 0)
        ranking = yield from self._search_libraries(query, k, sort, within)
        ranking = replace(ranking, notices=(*ranking.notices, *missing_paper_notices(ranking.names)))
        # Asked after the search: damage may show only when files are read.
        if notice := self._damage_notice():
            ranking = replace(ranking, notices=(*ranking.notices, notice))
        by_name = k and sort == "relevance" and query.library_name is None
        named = self._find_named(query, titles=finished) if by_name else ()
        allowed = [paper for paper in named if within is None or paper.id in within]
        if allowed:
            return _with_named_first(ranking, allowed, k)
        return replace(ranking, notices=(*ranking.notices, *missing_words_notice(ranking.missing)))

    def _search_libraries(
        self, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        """The ranking of all libraries, without look-ups by id or title."""
        if query.library_name is not None:
            chosen = self._searched_libraries.choose(query.library_name)
            return (yield from _search_one(chosen, query, k, sort, within))
        ranking = yield from _search_one(self._searched_libraries.own, query, k, sort, within)
        behind = self._searched_libraries.open_starter() if len(ranking.papers) < k else None
        if behind is None:
            return ranking
        ranking_behind = yield from _search_one(behind, query, _MAX_PAPERS_BEHIND, sort, within)
        return _append(ranking, self._drop_owned(ranking, ranking_behind), k)

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
        return self._titled(typed)

    def _drop_owned(self, ranking_of_own: Ranking, ranking_behind: Ranking) -> Ranking:
        """`ranking_behind` without the papers that the user's library holds under any of their ids."""
        if not ranking_of_own.searched:
            return ranking_behind
        names = [_ids_of(ranked.paper) for ranked in ranking_behind.papers]
        ids_by_name = self._library.find([name for paper_names in names for name in paper_names])
        own_names = {
            name
            for name, ids in zip((name for paper_names in names for name in paper_names), ids_by_name, strict=True)
            if ids
        }
        not_owned = tuple(
            ranked
            for ranked, paper_names in zip(ranking_behind.papers, names, strict=True)
            if own_names.isdisjoint(paper_names)
        )
        return replace(ranking_behind, papers=not_owned, found=len(not_owned))


def _search_one(
    searched: SearchedLibrary, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
) -> Task[Ranking]:
    ranking = yield from searched.open_searcher().search(query, k=k, sort=sort, within=within)
    papers = tuple(replace(ranked, library_name=searched.name) for ranked in ranking.papers)
    return replace(ranking, papers=papers) if searched.name != "own" else ranking


def _append(ranking_of_own: Ranking, ranking_behind: Ranking, k: int) -> Ranking:
    """One ranking of at most `k` papers: all of `ranking_of_own`, then the best of `ranking_behind`."""
    chosen = ranking_behind.papers[: k - len(ranking_of_own.papers)]
    added = tuple(replace(ranked, rank=rank) for rank, ranked in enumerate(chosen, len(ranking_of_own.papers) + 1))
    if not ranking_of_own.searched:
        return replace(ranking_behind, papers=added)
    notice = ("Papers of the starter library come after your own.",) if added else ()
    return replace(
        ranking_of_own,
        papers=(*ranking_of_own.papers, *added),
        names=_join_names(ranking_of_own, ranking_behind),
        found=ranking_of_own.found + ranking_behind.found,
        hidden=ranking_of_own.hidden + ranking_behind.hidden,
        # A word that papers behind hold is no slip; one that is taken for a slip there, too, is.
        suggestion=ranking_of_own.suggestion if not ranking_behind.found or ranking_behind.suggestion else "",
        notices=(*ranking_of_own.notices, *notice),
        missing=tuple(
            name for name in ranking_of_own.missing if not ranking_behind.found or name in ranking_behind.missing
        ),
    )


def _join_names(ranking_of_own: Ranking, ranking_behind: Ranking) -> tuple[NamedPaper, ...]:
    """The papers that names stand for; one that only the library behind holds is known by it."""
    behind = {(item.name, item.fact): item for item in ranking_behind.names}
    return tuple(
        item if item.paper is not None else behind.get((item.name, item.fact), item) for item in ranking_of_own.names
    )


def _ids_of(paper: Paper) -> tuple[PaperId, ...]:
    return (*paper.aliases, paper.id)


def _with_named_first(ranking: Ranking, papers: Sequence[Paper], k: int) -> Ranking:
    """`ranking` with the named `papers` before all others."""
    named = {paper.id for paper in papers}
    ranked = {item.paper.id: item for item in ranking.papers}
    unnamed = [item for item in ranking.papers if item.paper.id not in named]
    items = (
        ranked.get(paper.id) or RankedPaper(1, paper, None, ranking.by, library_name=library_name_of(paper.id))
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
        item, score=score, why=replace(why, priors=(*why.priors, Prior(NAMED_PAPER_PRIOR, NAMED_PAPER_POINTS)))
    )
