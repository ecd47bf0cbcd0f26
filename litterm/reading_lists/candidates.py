"""Collects the candidates of a reading list, about 300, and computes their features.

Candidates are the best results for the whole topic and for each keyword, their neighbours in the citation graph
(including co-cited papers), and papers that introduced names which these use. No feature uses anything later than the
last year of the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from litterm.attribution.features import coined_names
from litterm.core.errors import LibraryError
from litterm.model.attribution.citation import WeightedWord
from litterm.model.search import Filters, YearRange
from litterm.reading_lists.origins import TopicNames, collect_topic_names
from litterm.reading_lists.selection import is_in_title
from litterm.reading_lists.topic import content_stems
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm.search.open_index import load_papers
from litterm.text.genres import is_notice, is_overview, is_participant, is_tutorial
from litterm.text.origin_phrases import names_the_origin_of
from litterm.text.queries.parser import literal_query
from litterm.text.queries.topic_words import topic_words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitationGraph
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import Paper, PaperId
    from litterm.model.reading_list import ListRequest, Topic
    from litterm.search.hybrid import HybridSearcher

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
"""Names of the fitted features, in the order of the weights; see `build_features`."""
NAMED, USERS = "named", "users"
"""Columns: how much the use of a name that the paper introduced rose on the topic, and how many papers use it."""
CITED, ORIGIN, WORLD = "cited", "origin", "world"
"""Columns from citations: within the library, citing sentences that name the paper as the origin of the topic, and
counts of a service. Their weights are set by hand, see `weights`."""
WorldCountLookup = Callable[[Sequence["PaperId"], int], Sequence["int | None"]]
"""Maps papers and a year to worldwide citations up to that year; `None` for a paper that no service counts."""
NamedPaperLookup = Callable[[str], Mapping["PaperId", str]]
"""Maps a text to the papers of the library that names in it stand for, each with its name."""
_MAX_BY_TOPIC, _MAX_BY_KEYWORD, _MAX_SURVEYS = 260, 30, 20
_SURVEY_WORDS = "survey overview"
"""Added to the topic to find surveys of a large field, which may not be among the best results for the topic."""
_MAX_GRAPH_SEEDS, _MAX_NEIGHBOURS = 20, 60
_MAX_CITANCE_PAPERS = 30
"""Number of papers whose citing sentences are read."""
_MAX_AGE_YEARS = 60
_MAX_EARLIER_TITLES = 1
"""A paper may introduce a keyword if at most this many earlier titles hold it, such as its own conference version."""


@dataclass(frozen=True, slots=True)
class ListCandidates:
    """Candidates and their features; the columns have one value for each paper."""

    topic: Topic
    until: int
    """The last year of the list; that of the newest candidate if the request has none."""
    papers: tuple[Paper, ...]
    columns: Mapping[str, Column]
    """By name: `FEATURES`, and `cited`, `origin` and `world`."""
    names: Mapping[PaperId, str] = field(default_factory=dict)
    """Those of the papers that a name in the topic stands for, with the name as it is typed."""

    def feature_matrix(self) -> Column:
        """A row for each candidate and a column for each of `FEATURES`."""
        return np.column_stack([self.columns[name] for name in FEATURES])


class CandidateSource(Protocol):
    """Finds candidates, and knows the citations between them: `CandidateSearch`, or `RemoteCandidates` of a server."""

    @property
    def graph(self) -> Callable[[], CitationGraph]:
        """Returns the current citation graph."""
        ...

    def collect(self, topic: Topic, request: ListRequest) -> Task[ListCandidates]:
        """Collects the candidates of a request."""
        ...


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """Finds the candidates for a topic in one library; thread-safe."""

    searcher: HybridSearcher
    describer: CitationCandidateSearcher
    graph: Callable[[], CitationGraph]
    world: WorldCountLookup | None = None
    names: NamedPaperLookup = lambda _text: {}

    def collect(self, topic: Topic, request: ListRequest) -> Task[ListCandidates]:
        """Collects the candidates of a request."""
        searched = yield from self._search_topic(topic, request)
        # `searched` is sorted by score; papers that only a keyword finds come last.
        neighbours = self._find_neighbours(list(searched)[:_MAX_GRAPH_SEEDS], request)
        named = _find_named(topic, self.names)
        all_ids = dict.fromkeys((*searched, *request.include, *request.seeds, *neighbours, *named))
        surveys = [
            paper_id for paper_id in (yield from self._search_surveys(topic, request)) if paper_id not in all_ids
        ]
        # Excluded papers are removed only now, because they still lead to their neighbours in the graph.
        ids = [paper_id for paper_id in (*all_ids, *surveys) if paper_id not in request.exclude]
        topic_terms = tuple(WeightedWord(word, 1.0) for word in topic_words([topic.text]))
        papers_by_id, names = yield from self._load_papers_and_origins(ids, searched, request)
        for paper_id in surveys:
            if paper_id in papers_by_id and not _is_survey_of(papers_by_id[paper_id], topic):
                del papers_by_id[paper_id]
        pool = yield from self.describer.describe_papers(papers_by_id, topic_terms, until=request.until)
        papers = tuple(papers_by_id[paper_id] for paper_id in pool.ids())
        until = request.until or max((paper.year or 0 for paper in papers), default=0)
        columns = build_features(papers, pool.features, searched, until)
        uses = names.library_uses.best_growth(
            [coined_names(paper.title) for paper in papers], [paper.year for paper in papers], until=until
        )
        # The index counts phrases of titles. A coined name ("BERT") is a single word, so its uses are counted here.
        columns["followers"] = np.maximum(columns["followers"], uses)
        columns[NAMED] = names.score_adoption(papers, until=until)
        columns[USERS] = np.array([names.count_users(paper) for paper in papers]) * (columns[NAMED] > 0)
        columns |= yield from self._count_citations(topic, papers, columns["relevance"], request.until)
        columns[WORLD] = self._score_world_citations(papers, until)
        return ListCandidates(
            topic, until, papers, columns, {paper.id: named[paper.id] for paper in papers if paper.id in named}
        )

    def _load_papers_and_origins(
        self, ids: Sequence[PaperId], searched: Collection[PaperId], request: ListRequest
    ) -> Task[tuple[dict[PaperId, Paper], TopicNames]]:
        """The papers `ids` and those that introduced the names which these use, and the names."""
        admitted = yield from self.describer.admit(ids, until=request.until)
        rows = admitted.rows.tolist()
        papers = list((yield from load_papers(admitted.live, rows, library=admitted.library)))
        names = collect_topic_names(admitted.live, (paper for paper in papers if paper.id in searched))
        known_ids = {paper.id for paper in papers} | request.exclude
        origin_rows = [
            row
            for row in names.find_origin_rows(admitted.library, until=request.until)
            if admitted.live.ids([row])[0] not in known_ids
        ]
        papers += yield from load_papers(admitted.live, origin_rows, library=admitted.library)
        return {paper.id: paper for paper in papers}, names

    def _search_topic(self, topic: Topic, request: ListRequest) -> Task[dict[PaperId, float]]:
        """Scores for the whole topic. Papers that only a keyword finds are added with the lowest of these scores."""
        years = Filters(years=(YearRange(None, request.until),) if request.until else ())
        topic_query = replace(literal_query(topic.text), kind=topic.kind, filters=years)
        # Excluded papers are asked for on top, else a list that is regenerated would have fewer candidates.
        scores = yield from self.searcher.scores(topic_query, k=_MAX_BY_TOPIC + len(request.exclude))
        by_place = sorted(scores.values(), reverse=True)
        for text in request.queries:
            query = replace(literal_query(text), kind=topic.kind, filters=years)
            found = yield from self.searcher.scores(query, k=_MAX_BY_TOPIC)
            # Scores of different queries cannot be compared: a place is worth what it is worth for the topic.
            for paper_id, score in zip(sorted(found, key=lambda key: -found[key]), by_place, strict=False):
                scores[paper_id] = max(score, scores.get(paper_id, score))
        scores = dict(sorted(scores.items(), key=lambda item: -item[1]))
        lowest = min(scores.values(), default=0.0)
        for keyword in topic.keywords if len(topic.keywords) > 1 else ():
            query = replace(literal_query(keyword), kind="keywords", filters=years)
            for paper_id in (yield from self.searcher.scores(query, k=_MAX_BY_KEYWORD)):
                # The score for the keyword is not used: scores of different queries cannot be compared.
                scores.setdefault(paper_id, lowest)
        return scores

    def _search_surveys(self, topic: Topic, request: ListRequest) -> Task[list[PaperId]]:
        """Results for the topic with survey words added; the caller keeps those that are surveys of the topic."""
        years = Filters(years=(YearRange(None, request.until),) if request.until else ())
        query = replace(literal_query(f"{topic.text} {_SURVEY_WORDS}"), kind="keywords", filters=years)
        return list((yield from self.searcher.scores(query, k=_MAX_SURVEYS)))

    def _find_neighbours(self, best: Sequence[PaperId], request: ListRequest) -> list[PaperId]:
        """Papers that several of the `best` cite, are cited by or are cited together with; the most linked first."""
        try:
            graph = self.graph()
        except LibraryError:
            # Without a readable graph the list is made from fewer candidates.
            return []
        seeds = list(dict.fromkeys((*request.seeds, *best)))[: _MAX_GRAPH_SEEDS + len(request.seeds)]
        links: Counter[PaperId] = Counter()
        for edges in graph.references(seeds):
            links.update(edge.cited for edge in edges)
        citing: list[PaperId] = []
        # References need no `until`: a paper does not cite newer ones.
        for edges in graph.citations(seeds, until=request.until):
            citing += [edge.citing for edge in edges]
        links.update(citing)
        for edges in graph.references(list(dict.fromkeys(citing))[:_MAX_NEIGHBOURS]):
            links.update(edge.cited for edge in edges)
        # A single link is noise: nearly every paper has one with a paper on another topic.
        return [
            paper_id for paper_id, count in links.most_common(_MAX_NEIGHBOURS) if count > 1 or paper_id in request.seeds
        ]

    def _count_citations(
        self, topic: Topic, papers: Sequence[Paper], relevance: Column, until: int | None
    ) -> Task[dict[str, Column]]:
        """Citations within the library, and for the most relevant papers how many others name them as an origin."""
        cited, origin = np.zeros(len(papers)), np.zeros(len(papers))
        try:
            graph = self.graph()
            counts = graph.counts([paper.id for paper in papers], until=until)
            cited[:] = [count.papers for count in counts]
            # Citing sentences are in one file for each citing paper, so only those of few papers are read.
            first = [index for index in np.argsort(-relevance, kind="stable").tolist() if cited[index]][
                :_MAX_CITANCE_PAPERS
            ]
            sentences = graph.citances([papers[index].id for index in first], until=until)
        except LibraryError:
            return {CITED: cited, ORIGIN: origin}
        for index, citances in zip(first, sentences, strict=True):
            # A keyword that earlier titles hold did not originate here, whatever a sentence says.
            new = [stems for stems in map(content_stems, topic.keywords) if _may_introduce(papers, index, stems)]
            naming = {citance.citing for citance in citances if names_the_origin_of(citance.text, citance.mark, new)}
            origin[index] = len(naming)
        yield from ()
        return {CITED: cited, ORIGIN: origin}

    def _score_world_citations(self, papers: Sequence[Paper], until: int) -> Column:
        """Centred logarithms of worldwide citations up to the year `until`; 0 for a paper that no service counts."""
        counts = self.world([paper.id for paper in papers], until) if self.world is not None else ()
        totals = np.array([-1 if count is None else count for count in counts] or [-1] * len(papers), np.float64)
        logs = np.log1p(np.maximum(totals, 0.0))
        is_known = totals >= 0
        column: Column = (
            np.where(is_known, logs - logs[is_known].mean(), 0.0) if is_known.any() else np.zeros(len(papers))
        )
        return column


def _find_named(topic: Topic, names: NamedPaperLookup) -> dict[PaperId, str]:
    """The papers that names in `topic` stand for, with the names; a keyword may be nothing but a name."""
    named: dict[PaperId, str] = {}
    for text in (topic.text, *topic.keywords):
        for paper_id, name in names(text).items():
            named.setdefault(paper_id, name)
    return named


def _is_survey_of(paper: Paper, topic: Topic) -> bool:
    return is_overview(paper.title, paper.abstract) and any(is_in_title(paper, keyword) for keyword in topic.keywords)


def _may_introduce(papers: Sequence[Paper], index: int, keyword: frozenset[str]) -> bool:
    """Whether at most `_MAX_EARLIER_TITLES` titles of earlier years hold the stems of `keyword`."""
    year = papers[index].year or 0
    earlier = (paper for paper in papers if 0 < (paper.year or 0) < year)
    return sum(keyword <= content_stems(paper.title) for paper in earlier) <= _MAX_EARLIER_TITLES


def build_features(
    papers: Sequence[Paper], index_features: Mapping[str, Column], searched: Mapping[PaperId, float], until: int
) -> dict[str, Column]:
    """Computes `FEATURES`, except those about names, from what the index knows of each paper (`index_features`)."""
    zeros = np.zeros(len(papers))
    lowest = min(searched.values(), default=0.0)
    relevance = np.array([searched.get(paper.id, lowest) for paper in papers])
    ages = [min(max(until - paper.year, 0), _MAX_AGE_YEARS) if paper.year else _MAX_AGE_YEARS for paper in papers]
    return {
        "relevance": relevance,
        "cosine": index_features.get("cosine", zeros),
        "length": index_features.get("length", zeros),
        "age": np.array(ages, np.float64),
        "conference": index_features.get("conference", zeros),
        "journal": index_features.get("journal", zeros),
        "followers": index_features.get("followers", zeros),
        "overview": np.array([is_overview(paper.title, paper.abstract) for paper in papers], np.float64),
        "announcement": np.array([_is_announcement(paper) for paper in papers], np.float64),
        "topic author": score_topic_authors(papers, relevance),
    }


def score_topic_authors(papers: Sequence[Paper], relevance: Column) -> Column:
    """For each paper, how much else its most prolific author wrote on the topic, weighted by relevance."""
    above_median = np.maximum(relevance - np.median(relevance), 0.0) if len(papers) else relevance
    written: Counter[tuple[str, str]] = Counter()
    for paper, weight in zip(papers, above_median.tolist(), strict=True):
        for author in set(paper.authors):
            written[author.surname, author.given] += weight
    most_by_an_author = [
        # Without the paper itself, whose relevance is a feature of its own.
        max((written[author.surname, author.given] - weight for author in paper.authors), default=0.0)
        for paper, weight in zip(papers, above_median.tolist(), strict=True)
    ]
    return np.log1p(np.maximum(np.array(most_by_an_author, np.float64), 0.0))


def _is_announcement(paper: Paper) -> bool:
    """Whether `paper` is a tutorial abstract, a book review or a shared task entry, which explain little."""
    title = paper.title
    return is_tutorial_abstract(paper) or is_tutorial(title) or is_notice(title) or is_participant(title)


def is_tutorial_abstract(paper: Paper) -> bool:
    """Whether `paper` is the abstract of a conference tutorial, by its volume."""
    # Anthology ids from 2020 on name the volume (acl:2021.acl-tutorials.3); older ones do not.
    volumes = (paper.id, *paper.venue_keys, paper.imprint.booktitle)
    return any("tutorial" in volume.lower() for volume in volumes)
