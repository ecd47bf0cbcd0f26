"""The candidate papers of a list, each described by numbers that use nothing later than the list's last year.

About 300: the best for the whole topic, the best for each keyword, and the neighbours of the best in the citation
graph, co-cited papers among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from litterm.attribution.features.name_match import coined_names
from litterm.core.errors import LibraryError
from litterm.model.attribution.citation import WeightedWord
from litterm.model.search import Filters, YearRange
from litterm.reading_lists.origins import TopicNames, names_in
from litterm.reading_lists.selection import in_title
from litterm.reading_lists.topic import content_stems
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm.search.load_papers import load_papers
from litterm.text.genres import is_notice, is_overview, is_participant, is_tutorial
from litterm.text.origin_phrases import names_the_origin_of
from litterm.text.queries.parser import literal
from litterm.text.queries.topic_words import topic_words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitationGraph, ScoredSearcher
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import Paper, PaperId
    from litterm.model.reading_list import ListRequest, Topic

FEATURES: Final = (
    "relevance",
    "cosine",
    "length",
    "age",
    "conference",
    "journal",
    "followers",
    "overview",
    "announcement",
    "topic author",
    "named",
)
"""In the order of the weights; see `describe`."""
NAMED, USERS = "named", "users"
"""The feature that papers on the topic use a name which a paper introduced, and how many do."""
CITED, ORIGIN, WORLD = "cited", "origin", "world"
"""Features from citations, where the library knows who cites whom or a service counts citations in the world;
weighed by hand, see `weights`."""
CountsUntil = Callable[[Sequence["PaperId"], int], Sequence["int | None"]]
"""Papers and a year to citations in the world up to then; `None` where no service counts it."""
_WHOLE, _PER_KEYWORD, _SURVEYS = 260, 30, 20
_SURVEY = "survey overview"
"""Words that find the surveys of a large field, which its hundred nearest titles leave out."""
_SEEDS, _NEIGHBOURS = 20, 60
_ORIGINS = 30
"""Of how many papers the citing sentences are read."""
_OLDEST = 60
_EARLIER_TITLES = 1
"""Titles of earlier years that may hold the words of what began with a paper: its own conference paper, say."""


@dataclass(frozen=True, slots=True)
class ListCandidates:
    """Papers and columns of numbers, with the same indices."""

    topic: Topic
    until: int
    """The last year that counts; of a request without one the newest of the candidates."""
    papers: tuple[Paper, ...]
    columns: Mapping[str, Column]
    """Of `FEATURES`, and `cited`, `origin` and `world`."""

    def rows(self) -> Column:
        """One row a candidate, one column a feature."""
        return np.column_stack([self.columns[name] for name in FEATURES])


class CandidateSource(Protocol):
    """Topic to candidates, and the citations between them."""

    @property
    def graph(self) -> Callable[[], CitationGraph]:
        """Gives the citation graph as of now."""
        ...

    def collect(self, topic: Topic, request: ListRequest) -> Task[ListCandidates]:
        """The candidates of a request."""
        ...


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """Topic to candidates, over one library; safe from any thread."""

    searcher: ScoredSearcher
    describer: CitationCandidateSearcher
    graph: Callable[[], CitationGraph]
    world: CountsUntil | None = None

    def collect(self, topic: Topic, request: ListRequest) -> Task[ListCandidates]:
        """The candidates of a request."""
        searched = yield from self._searched(topic, request)
        # `searched` is in the order of its scores: what only a keyword finds was put in behind.
        near = self._near(list(searched)[:_SEEDS], request)
        all_ids = dict.fromkeys((*searched, *request.include, *request.seeds, *near))
        surveys = [paper_id for paper_id in (yield from self._surveys(topic, request)) if paper_id not in all_ids]
        # Taken out only now: a dropped paper still leads to its neighbours in the graph.
        ids = [paper_id for paper_id in (*all_ids, *surveys) if paper_id not in request.exclude]
        meant = tuple(WeightedWord(word, 1.0) for word in topic_words([topic.text]))
        papers_by_id, names = yield from self._named(ids, searched, request)
        for paper_id in surveys:
            if paper_id in papers_by_id and not _surveys_the_topic(papers_by_id[paper_id], topic):
                del papers_by_id[paper_id]
        pool = yield from self.describer.standing(papers_by_id, meant, until=request.until)
        papers = tuple(papers_by_id[paper_id] for paper_id in pool.ids())
        until = request.until or max((paper.year or 0 for paper in papers), default=0)
        columns = describe(papers, pool.signs, searched, until)
        uses = names.in_library.rises(
            [coined_names(paper.title) for paper in papers], [paper.year for paper in papers], until=until
        )
        # The index counts phrases of titles; a coined name ("BERT") is one word, and its later uses are counted here.
        columns["followers"] = np.maximum(columns["followers"], uses)
        columns[NAMED] = names.rises(papers, until=until)
        columns[USERS] = np.array([names.users(paper) for paper in papers]) * (columns[NAMED] > 0)
        columns |= yield from self._cited(topic, papers, columns["relevance"], request.until)
        columns[WORLD] = self._world(papers, until)
        return ListCandidates(topic, until, papers, columns)

    def _named(
        self, ids: Sequence[PaperId], searched: Collection[PaperId], request: ListRequest
    ) -> Task[tuple[dict[PaperId, Paper], TopicNames]]:
        """The papers of `ids` and those that introduced the names they use, and these names."""
        admitted = yield from self.describer.admitted(ids, until=request.until)
        rows = admitted.rows.tolist()
        papers = list((yield from load_papers(admitted.live, rows, library=admitted.library)))
        names = names_in(admitted.live, (paper for paper in papers if paper.id in searched))
        here = {paper.id for paper in papers} | request.exclude
        more = [
            row
            for row in names.origins(admitted.library, until=request.until)
            if admitted.live.ids([row])[0] not in here
        ]
        papers += yield from load_papers(admitted.live, more, library=admitted.library)
        return {paper.id: paper for paper in papers}, names

    def _searched(self, topic: Topic, request: ListRequest) -> Task[dict[PaperId, float]]:
        """Scores by the whole topic, then by each keyword; what only a keyword finds has the least score of all."""
        years = Filters(years=(YearRange(None, request.until),) if request.until else ())
        whole = replace(literal(topic.text), kind=topic.kind, filters=years)
        # So many more, because the papers dropped from a list would otherwise shorten it when it is made again.
        scores = yield from self.searcher.scores(whole, k=_WHOLE + len(request.exclude))
        least = min(scores.values(), default=0.0)
        for keyword in topic.keywords if len(topic.keywords) > 1 else ():
            query = replace(literal(keyword), kind="keywords", filters=years)
            for paper_id in (yield from self.searcher.scores(query, k=_PER_KEYWORD)):
                # Scores of different queries cannot be compared, so that of the keyword is not taken over.
                scores.setdefault(paper_id, least)
        return scores

    def _surveys(self, topic: Topic, request: ListRequest) -> Task[list[PaperId]]:
        """Papers that the topic and the words of a survey find; many are neither on the one nor the other."""
        years = Filters(years=(YearRange(None, request.until),) if request.until else ())
        query = replace(literal(f"{topic.text} {_SURVEY}"), kind="keywords", filters=years)
        return list((yield from self.searcher.scores(query, k=_SURVEYS)))

    def _near(self, best: Sequence[PaperId], request: ListRequest) -> list[PaperId]:
        """What several of the best cite, are cited by, or are cited together with; the most linked first."""
        try:
            graph = self.graph()
        except LibraryError:
            # Derived data that cannot be read costs candidates, not the list.
            return []
        seeds = list(dict.fromkeys((*request.seeds, *best)))[: _SEEDS + len(request.seeds)]
        links: Counter[PaperId] = Counter()
        for edges in graph.references(seeds):
            links.update(edge.cited for edge in edges)
        citing: list[PaperId] = []
        # References need no `until`: what a paper cites is not newer than itself.
        for edges in graph.citations(seeds, until=request.until):
            citing += [edge.citing for edge in edges]
        links.update(citing)
        for edges in graph.references(list(dict.fromkeys(citing))[:_NEIGHBOURS]):
            links.update(edge.cited for edge in edges)
        # One link alone is chance; nearly every paper has one with something off the topic.
        return [
            paper_id for paper_id, count in links.most_common(_NEIGHBOURS) if count > 1 or paper_id in request.seeds
        ]

    def _cited(
        self, topic: Topic, papers: Sequence[Paper], relevance: Column, until: int | None
    ) -> Task[dict[str, Column]]:
        """Citations within the library, and how many papers say that the topic began with each of the most relevant."""
        cited, origin = np.zeros(len(papers)), np.zeros(len(papers))
        try:
            graph = self.graph()
            counts = graph.counts([paper.id for paper in papers], until=until)
            cited[:] = [count.papers for count in counts]
            # Sentences lie in a file a citing list, so that reading them for every candidate would open very many.
            first = [place for place in np.argsort(-relevance, kind="stable").tolist() if cited[place]][:_ORIGINS]
            sentences = graph.citances([papers[place].id for place in first], until=until)
        except LibraryError:
            return {CITED: cited, ORIGIN: origin}
        for place, citances in zip(first, sentences, strict=True):
            # What earlier papers have in their titles did not begin with this one, whoever says so.
            new = [stems for stems in map(content_stems, topic.keywords) if _may_begin(papers, place, stems)]
            naming = {citance.citing for citance in citances if names_the_origin_of(citance.text, citance.mark, new)}
            origin[place] = len(naming)
        yield from ()
        return {CITED: cited, ORIGIN: origin}

    def _world(self, papers: Sequence[Paper], until: int) -> Column:
        """Logarithms of citations up to the year, less their mean: 0 for a paper that no service counts."""
        counts = self.world([paper.id for paper in papers], until) if self.world is not None else ()
        totals = np.array([-1 if count is None else count for count in counts] or [-1] * len(papers), np.float64)
        logs = np.log1p(np.maximum(totals, 0.0))
        is_known = totals >= 0
        column: Column = (
            np.where(is_known, logs - logs[is_known].mean(), 0.0) if is_known.any() else np.zeros(len(papers))
        )
        return column


def _surveys_the_topic(paper: Paper, topic: Topic) -> bool:
    return is_overview(paper.title, paper.abstract) and any(in_title(paper, keyword) for keyword in topic.keywords)


def _may_begin(papers: Sequence[Paper], place: int, keyword: frozenset[str]) -> bool:
    """Whether hardly a title of an earlier year holds the stems of `keyword`."""
    year = papers[place].year or 0
    earlier = (paper for paper in papers if 0 < (paper.year or 0) < year)
    return sum(keyword <= content_stems(paper.title) for paper in earlier) <= _EARLIER_TITLES


def describe(
    papers: Sequence[Paper], signs: Mapping[str, Column], searched: Mapping[PaperId, float], until: int
) -> dict[str, Column]:
    """`FEATURES` of papers of which the index has given `signs`."""
    nothing = np.zeros(len(papers))
    least = min(searched.values(), default=0.0)
    relevance = np.array([searched.get(paper.id, least) for paper in papers])
    ages = [min(max(until - paper.year, 0), _OLDEST) if paper.year else _OLDEST for paper in papers]
    return {
        "relevance": relevance,
        "cosine": signs.get("cosine", nothing),
        "length": signs.get("length", nothing),
        "age": np.array(ages, np.float64),
        "conference": signs.get("conference", nothing),
        "journal": signs.get("journal", nothing),
        "followers": signs.get("followers", nothing),
        "overview": np.array([is_overview(paper.title, paper.abstract) for paper in papers], np.float64),
        "announcement": np.array([_announces(paper) for paper in papers], np.float64),
        "topic author": topic_authors(papers, relevance),
    }


def topic_authors(papers: Sequence[Paper], relevance: Column) -> Column:
    """How much else on the topic the most prolific author of each paper wrote, weighed by its relevance."""
    above = np.maximum(relevance - np.median(relevance), 0.0) if len(papers) else relevance
    written: Counter[tuple[str, str]] = Counter()
    for paper, weight in zip(papers, above.tolist(), strict=True):
        for author in set(paper.authors):
            written[author.family, author.given] += weight
    most = [
        # The paper itself is taken off: else being relevant would count twice.
        max((written[author.family, author.given] - own for author in paper.authors), default=0.0)
        for paper, own in zip(papers, above.tolist(), strict=True)
    ]
    return np.log1p(np.maximum(np.array(most, np.float64), 0.0))


def _announces(paper: Paper) -> bool:
    """Whether it is the short paper of a tutorial, a book review or a participant's report, which explains little."""
    title = paper.title
    return is_tutorial_abstract(paper) or is_tutorial(title) or is_notice(title) or is_participant(title)


def is_tutorial_abstract(paper: Paper) -> bool:
    """Whether it is the short paper of a tutorial at a conference, whatever its title."""
    # Ids of the Anthology name the volume: acl:2021.acl-tutorials.3; those of before 2020 do not.
    volumes = (paper.id, *paper.venue_keys, paper.imprint.booktitle)
    return any("tutorial" in volume.lower() for volume in volumes)
