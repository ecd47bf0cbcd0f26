"""Aspects and sentences as the query, after DORIS-MAE: merged rankings, and the best sentence for each sentence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from libraries import paper

from litterm.core.errors import ModelOffline
from litterm.core.tasks import Task, run
from litterm.library.index.static_embeddings import open_static
from litterm.model.aspects import Aspect, AspectQuery
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.model.search import Query, RankedPaper, Ranking, SortOrder
from litterm.search.aspects.aspect_search import search_each_aspect
from litterm.search.aspects.sentence_similarity import (
    BuiltInSentences,
    SentenceEmbedder,
    rank_by_sentences,
    split_sentences,
)
from litterm.text.queries.parser import parse_query

FOUND = {"red": "ABC", "blue": "BD", "green": ""}


class Fixed:
    """Finds for each word the papers of `FOUND`, in their order."""

    def search(
        self,
        typed: str | Query,
        *,
        k: int = 20,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        yield Progress("searching")
        query = typed if isinstance(typed, Query) else parse_query(typed)
        keys = FOUND.get(query.text, "E")
        papers = tuple(RankedPaper(rank, paper(key), 9.0 - rank, "bm25") for rank, key in enumerate(keys, 1))
        notices = (f"years {query.filters.years[0].first}",) if query.filters.years else ()
        return Ranking(query, papers[:k], len(papers), "bm25", notices=notices)


def searched(*aspects: Aspect, query: str = "whole") -> Ranking:
    return run(search_each_aspect(Fixed(), parse_query(query), AspectQuery(aspects, "hand"), k=10))


def keys(ranking: Ranking) -> str:
    return "".join(ranked.paper.id.removeprefix("acl:") for ranked in ranking.papers)


def test_what_several_aspects_find_comes_first_and_the_whole_query_is_not_searched() -> None:
    ranking = searched(Aspect("red"), Aspect("blue"), Aspect("green"))
    assert (keys(ranking), ranking.found, ranking.by) == ("BADC", 4, "each aspect · bm25")
    first = ranking.papers[0]
    assert first.why is not None
    assert [(share.name, share.rank) for share in first.why.shares] == [("for “red”", 2), ("for “blue”", 1)]
    assert first.score == pytest.approx(61 / 62 + 1)


def test_weights_count_and_what_is_muted_is_not_searched() -> None:
    assert keys(searched(Aspect("red"), Aspect("blue", weight=3.0))) == "BDAC"
    assert keys(searched(Aspect("red", muted=True), Aspect("blue"))) == "BD"
    assert keys(searched(Aspect("red", muted=True))) == "E"


def test_filters_of_the_query_hold_for_each_aspect() -> None:
    assert searched(Aspect("red"), Aspect("blue"), query="whole year:2020..").notices == ("years 2020",)


class Letters:
    """Texts to vectors by the letters a, b and c."""

    name = "letters"

    def embed(self, texts: Sequence[str], *, kind: str) -> Task[npt.NDArray[np.float32]]:
        yield Progress(kind)
        counts = np.array([[text.count(letter) for letter in "xyz"] for text in texts], np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


class Broken:
    name = "broken"

    def embed(self, texts: Sequence[str], *, kind: str) -> Task[npt.NDArray[np.float32]]:
        yield Progress(kind)
        raise ModelOffline("The model is not there.")


def of_abstracts(*abstracts: str) -> Ranking:
    papers = (replace(paper(f"P{number}"), title="", abstract=text) for number, text in enumerate(abstracts))
    ranked = tuple(RankedPaper(rank, each, 1.0, "bm25") for rank, each in enumerate(papers, 1))
    return Ranking(Query("q"), ranked, len(ranked), "bm25")


def by_sentences(ranking: Ranking, *asked: str, embedder: SentenceEmbedder, count: int = 10) -> Ranking:
    return run(rank_by_sentences(ranking, asked, embedder=embedder, fallback=Letters, count=count))


def test_a_paper_counts_by_its_nearest_sentence_for_each_sentence_of_the_query() -> None:
    ranking = of_abstracts("Word xx zz. Word yy zz.", "Word xx. Word yy.", "")
    ordered = by_sentences(ranking, "xxx", "yyy", embedder=Letters())
    assert keys(ordered) == "P1P0P2"
    assert [ranked.score for ranked in ordered.papers] == pytest.approx([1, 0.5**0.5, 0], abs=1e-6)
    assert [ranked.local_rank for ranked in ordered.papers] == [2, 1, 3]
    why = ordered.papers[1].why
    assert why is not None
    assert sum(share.points for share in why.shares) == pytest.approx(ordered.papers[1].score)
    assert keys(by_sentences(ranking, "yyy", embedder=Letters(), count=1)) == "P0P1P2"


def test_where_the_encoder_cannot_be_used_another_reads_the_sentences_and_it_is_said() -> None:
    ordered = by_sentences(of_abstracts("Word zz.", "Word xx."), "xxx", embedder=Broken())
    assert keys(ordered) == "P1P0"
    assert ordered.notices == ("Sentences are compared by the letters: The model is not there.",)


def test_the_built_in_vectors_tell_related_sentences_from_others() -> None:
    ranking = of_abstracts("Poems are read aloud in schools.", "Parsers for many languages. They are fast.")
    ordered = by_sentences(ranking, "dependency parsing", embedder=BuiltInSentences(open_static()))
    assert keys(ordered) == "P1P0"
    assert keys(by_sentences(ranking, "qqqqq", embedder=BuiltInSentences(open_static()))) == "P0P1"


def test_sentences_end_at_separators_and_lines_too() -> None:
    typed = "Red cars. Blue cars || green cars\nof the year, red cars or no cars"
    assert split_sentences(typed) == ("Red cars.", "Blue cars", "green cars", "of the year, red cars or no cars")
