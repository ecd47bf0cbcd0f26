"""Words that the semantic model does not know mean what the papers around them are about."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from memory_segments import AVERAGE, MemorySegments

from litterm.core.tasks import run
from litterm.library.index.static_embeddings import open_static
from litterm.model.attribution.citation import WeightedWord
from litterm.model.paper import Paper, PaperId
from litterm.model.search import WordSources
from litterm.search.hybrid import HybridSearcher
from litterm.search.open_index import LiveRows, open_live_rows
from litterm.search.signals.semantic import open_semantic_query
from litterm.search.signals.unknown_words import MIN_HOLDERS, context_vectors, count_vocabulary
from litterm.text.queries.parser import parse_query

NAME = "zorvaqib"
BLOOD = [
    f"{NAME} for patients with bleeding",
    f"Prophylaxis with {NAME} in haemophilia",
    "Coagulation and clotting in haemophilia patients",
    "Bleeding episodes under prophylaxis of haemophilia",
]
OTHERS = [
    "Neural machine translation of rare languages",
    "Dependency parsing with graph networks",
    "Summarization of news by reinforcement learning",
    "Speech recognition with attention",
]
PAPERS = [Paper(PaperId(f"a:{at}"), title, year=2020) for at, title in enumerate((*BLOOD, *OTHERS))]


def library(*cuts: int, shadowed: tuple[tuple[int, ...], ...] = (), papers: list[Paper] = PAPERS) -> MemorySegments:
    edges = [0, *cuts, len(papers)]
    parts = [papers[start:end] for start, end in pairwise(edges)]
    return MemorySegments(parts, average=AVERAGE, model=open_static(), shadowed=shadowed)


def opened(both_libraries: MemorySegments) -> LiveRows:
    return open_live_rows(both_libraries.snapshot(), both_libraries)


def learned(both_libraries: MemorySegments) -> np.ndarray:
    return context_vectors(opened(both_libraries), open_static().name, [NAME])[NAME]


def cosines(both_libraries: MemorySegments, word: str) -> np.ndarray:
    live = opened(both_libraries)
    meaning = open_semantic_query(live, open_static(), [WeightedWord(word, 1.0)])
    assert meaning is not None
    return meaning.rescore(live.living)


def test_a_new_word_is_near_to_papers_on_what_it_stands_beside() -> None:
    near = cosines(library(), NAME)
    assert near[2:4].min() > near[4:].max() + 0.1, "none of these papers holds the word"


def test_the_papers_that_hold_it_stay_the_nearest() -> None:
    near = cosines(library(), NAME)
    assert near[:2].min() > near[2:].max()


@pytest.mark.parametrize("cuts", [(1,), (2,), (1, 2, 5), tuple(range(1, 8))])
def test_it_is_the_same_however_the_library_is_cut(cuts: tuple[int, ...]) -> None:
    assert learned(library(*cuts)).tolist() == learned(library()).tolist()


def test_a_paper_that_was_replaced_tells_nothing() -> None:
    old = replace(PAPERS[0], title=f"{NAME} parsing of speech")
    with_old = library(1, papers=[old, *PAPERS], shadowed=((0,),))
    assert learned(with_old).tolist() == learned(library()).tolist()


def test_a_word_of_one_paper_is_not_learned() -> None:
    one = library(papers=[PAPERS[0], *PAPERS[2:]])
    assert MIN_HOLDERS == 2
    assert not context_vectors(opened(one), open_static().name, [NAME])
    assert open_semantic_query(opened(one), open_static(), [WeightedWord(NAME, 1.0)]) is None


def test_a_word_of_most_papers_is_not_learned() -> None:
    many = [Paper(PaperId(f"b:{at}"), f"{NAME} {paper.title} {at}") for at, paper in enumerate(PAPERS * 4)]
    assert not context_vectors(opened(library(papers=many)), open_static().name, [NAME])


def test_without_vectors_of_the_embedder_in_use_nothing_is_learned() -> None:
    assert not context_vectors(opened(library()), "another embedder", [NAME])
    bare = MemorySegments([PAPERS], average=AVERAGE)
    assert not context_vectors(opened(bare), open_static().name, [NAME])


def test_a_ranking_says_what_tells_the_meaning_of_which_word() -> None:
    both_libraries = library()
    searcher = HybridSearcher(both_libraries, both_libraries, embedder=open_static())
    ranking = run(searcher.search(parse_query(f"Bleeding of {NAME} or qwertzol"), k=5))
    assert ranking.sources == WordSources(model=("Bleeding",), library=(NAME,), unknown=("qwertzol",))


def test_the_words_of_a_library_are_counted_by_what_tells_their_meaning() -> None:
    counted = count_vocabulary(opened(library(3)), open_static())
    assert (counted.library, counted.unknown) == (1, 0)
    assert counted.model > 20
    one = count_vocabulary(opened(library(papers=PAPERS[:1])), open_static())
    assert (one.library, one.unknown) == (0, 1)
