"""One hop through the citation graph: which papers take part, in which order, and what is said of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pytest
from libraries import paper

from litterm.citations.graph import Graph
from litterm.core.errors import LibraryError
from litterm.core.tasks import Task, run
from litterm.interfaces import CitationGraph
from litterm.model.citations.graph import Edge, ReferenceListHead, ResolvedList
from litterm.model.events import Event, Progress, ProvisionalRanking
from litterm.model.paper import PaperId
from litterm.model.search import HopOptions, Query, RankedPaper, Ranking, RetrieverShare, ScoreExplanation, SortOrder
from litterm.search.citation_expansion import OneHopSearcher, expand_seeds


def of(*keys: str) -> tuple[PaperId, ...]:
    return tuple(PaperId(f"acl:{key}") for key in keys)


def graph(**cites: str) -> Graph:
    """`a="xy"`: a cites x, then y."""
    lists = []
    for citing, cited in cites.items():
        (one,) = of(citing)
        edges = tuple(Edge(one, other, 1, 2020) for other in of(*cited))
        lists.append(ResolvedList(ReferenceListHead(one, citing, 2020), True, edges, frozenset()))
    return Graph(lists)


class Scores:
    """A searcher with a fixed score for every paper; for one with `None` no word speaks."""

    def __init__(self, scores: Mapping[str, float | None], hidden: str = "") -> None:
        self._scores = scores
        self._hidden = hidden

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        yield Progress("searching")
        there = [
            (-(score or 0.0), key)
            for key, score in self._scores.items()
            if key not in self._hidden
            and (of(key)[0] in within if within is not None else key.islower())
            and (score is not None or not query.words)
        ]
        found = tuple(
            RankedPaper(
                rank, paper(key), -score, "bm25", why=ScoreExplanation((RetrieverShare("words", rank, -score, -score),))
            )
            for rank, (score, key) in enumerate(sorted(there)[:k], 1)
        )
        return Ranking(query, found, len(there), "bm25", searched=len(self._scores))


def hopped(
    scores: Mapping[str, float | None],
    known: CitationGraph,
    *,
    k: int = 20,
    hop: HopOptions | None = None,
    events: list[Event] | None = None,
    hidden: str = "",
) -> Ranking:
    def fresh() -> Task[CitationGraph]:
        yield Progress("reading reference lists")
        return known

    searcher = OneHopSearcher(Scores(scores, hidden), fresh)
    said = [] if events is None else events
    return run(searcher.search(Query("q", words=("q",)), k=k, hop=hop or HopOptions()), said.append)


def keys(found: Ranking | Sequence[RankedPaper]) -> str:
    papers = found.papers if isinstance(found, Ranking) else found
    return "".join(each.paper.id.removeprefix("acl:") for each in papers)


def names(ids: Sequence[PaperId]) -> str:
    return "".join(each.removeprefix("acl:") for each in ids)


@pytest.mark.parametrize(
    ("hop", "expected"),
    [
        (HopOptions(), "aXYbZ"),
        (HopOptions(order="seeds-first"), "abXYZ"),
        (HopOptions(cap=3), "aXY"),
        (HopOptions(seeds=1), "aXY"),
        (HopOptions("cited"), "abC"),
        (HopOptions("both"), "aXYbZC"),
    ],
)
def test_candidates_come_in_the_order_of_the_paper(hop: HopOptions, expected: str) -> None:
    known = graph(a="XY", b="YZ", C="b")
    found = expand_seeds(of("a", "b"), known, hop)
    assert names([each.paper for each in found]) == expected


def test_a_candidate_knows_which_seeds_led_to_it() -> None:
    found = {each.paper: each for each in expand_seeds(of("a", "b", "c"), graph(a="X", b="Xc"), HopOptions())}
    (x, c, a) = of("X", "c", "a")
    assert (names(found[x].via), found[x].seed) == ("ab", None)
    assert (names(found[c].via), found[c].seed) == ("b", 3)
    assert (found[a].via, found[a].seed) == ((), 1)


def test_papers_one_citation_away_are_ranked_among_the_others() -> None:
    found = hopped({"a": 9, "b": 5, "X": 7, "Y": 1}, graph(a="XY"))
    assert keys(found) == "aXbY"
    assert [each.rank for each in found.papers] == [1, 2, 3, 4]
    assert [each.local_rank for each in found.papers] == [1, None, 2, None]
    assert [names(each.via) for each in found.papers] == ["", "a", "", "a"]
    assert found.by == found.papers[1].by == "one-hop · bm25"
    assert found.notices[-1] == "2 papers cited by the first 2 joined them. References are known for 1 of them."


def test_what_several_good_papers_cite_is_lifted() -> None:
    scores = {"a": 9, "b": 8, "c": 7, "X": 5, "Y": 5.2}
    assert keys(hopped(scores, graph(a="XY"))) == "abcYX"
    assert keys(hopped(scores, graph(a="XY", b="X", c="X"))) == "abcXY"


@pytest.mark.parametrize("lower", [0, 20])
def test_all_points_of_a_paper_are_told(lower: float) -> None:
    known = {key: score - lower for key, score in {"a": 9, "b": 8, "X": 5}.items()}
    found = hopped({**known, "Y": None}, graph(a="XY", b="X"))
    told = {names([each.paper.id]): each.why for each in found.papers}
    priors = {key: [prior.name for prior in why.priors] for key, why in told.items() if why}
    unasked = ["no word of the query in it"] if lower else []
    linked = {"X": ["linked with 2 of the first"], "Y": [*unasked, "linked with 1 of the first"]}
    assert priors == {"a": [], "b": [], **linked}
    for each in found.papers:
        assert each.why is not None
        points = [one.points for one in (*each.why.shares, *each.why.priors)]
        assert each.score == pytest.approx(sum(points), abs=1e-3)


def test_links_move_a_paper_less_than_its_words_do() -> None:
    scores = {"a": 9, "b": 8, "c": 7, "X": 0.1}
    assert keys(hopped(scores, graph(a="X", b="X", c="X"))) == "abcX"


def test_a_neighbour_without_a_word_of_the_query_comes_last_but_is_there() -> None:
    found = hopped({"a": 9, "b": 5, "X": None, "Y": 6}, graph(a="XY"))
    assert keys(found) == "aYbX"
    assert names(found.papers[-1].via) == "a"


def test_the_first_ranking_is_shown_before_the_graph_is_read() -> None:
    events: list[Event] = []
    hopped({"a": 9, "b": 5, "X": 7}, graph(a="X"), events=events)
    kinds = [(type(event).__name__, getattr(event, "what", "")) for event in events]
    assert kinds.index(("ProvisionalRanking", "")) < kinds.index(("Progress", "reading reference lists"))
    (first,) = (event.ranking for event in events if isinstance(event, ProvisionalRanking))
    assert keys(first) == "ab"


def test_nothing_to_hop_to_leaves_the_ranking_and_says_of_how_many_references_are_known() -> None:
    found = hopped({"a": 9, "b": 5}, graph(a="b"))
    assert (keys(found), found.by) == ("ab", "bm25")
    assert found.notices[-1] == "One hop led to no other paper. References are known for 1 of them."


def test_neighbours_that_the_filters_keep_out_stay_out() -> None:
    assert keys(hopped({"a": 9, "X": 7, "Y": 6}, graph(a="XY"), hidden="X")) == "aY"


def test_as_published_each_seed_is_followed_by_its_neighbours_whatever_they_score() -> None:
    scores = {"a": 9, "b": 5, "c": 4, "X": 1, "Y": 7, "Z": 8}
    known = graph(a="XY", b="YZ")
    found = hopped(scores, known, hop=HopOptions(seeds=2, rescored=False))
    assert keys(found) == "aXYbZc"
    assert [each.rank for each in found.papers] == [1, 2, 3, 4, 5, 6]
    assert {(each.score, each.why) for each in found.papers} == {(None, None)}
    assert [names(each.via) for each in found.papers] == ["", "a", "ab", "", "b", ""]
    assert found.by == "one-hop interleaved · bm25"
    seeds_first = HopOptions(seeds=2, order="seeds-first", rescored=False)
    assert keys(hopped(scores, known, hop=seeds_first)) == "abXYZc"
    assert keys(hopped(scores, known, hop=HopOptions(rescored=False), hidden="X")) == "aYbZc"


def test_seeds_beyond_the_hop_keep_their_places_behind() -> None:
    found = hopped({"a": 9, "b": 5, "c": 4, "X": 1}, graph(a="X", b="Z"), hop=HopOptions(seeds=1))
    assert keys(found) == "aXbc"
    assert [each.local_rank for each in found.papers] == [1, None, None, None]
    assert keys(hopped({"a": 9, "b": 5, "X": 7}, graph(a="X"), k=2)) == "aX"


def test_a_graph_that_cannot_be_read_costs_a_notice() -> None:
    def broken() -> Task[CitationGraph]:
        yield Progress("reading reference lists")
        raise LibraryError("No room left.")

    searcher = OneHopSearcher(Scores({"a": 9, "b": 5}), broken)
    found = run(searcher.search(Query("q", words=("q",)), k=5, hop=HopOptions()))
    assert (keys(found), found.by) == ("ab", "bm25")
    assert "No room left." in found.notices[-1]


def test_equal_scores_are_told_apart_by_links_alone() -> None:
    level = {"a": 1.0, "b": 1.0, "X": 1.0}
    assert keys(hopped(level, graph(a="X", b="X"))) == "Xab"
    assert keys(replace(hopped(level, graph()))) == "ab"
