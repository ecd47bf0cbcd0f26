"""Libraries of long abstracts: words count with their own average length."""

from __future__ import annotations

import random
from dataclasses import replace

import bm25s
import pytest
from memory_segments import MemorySegments, cut, papers

from litterm.core.tasks import run
from litterm.library.index.bm25_weights import TYPICAL_LENGTH
from litterm.model.paper import Paper
from litterm.model.search import Ranking
from litterm.search.lexical import LexicalSearcher
from litterm.search.open_index import open_live_rows
from litterm.text.queries.parser import parse_query
from litterm.text.tokens import tokens


def long_papers(count: int) -> list[Paper]:
    """With abstracts of 100 to 400 words, every third of them one that all texts have."""
    chance = random.Random(11)
    words = "parser tree grammar model language network data corpus speech sense".split()
    lengths = [chance.randrange(100, 400) for _ in range(count)]
    abstracts = [" ".join("of" if n % 3 == 0 else chance.choice(words) for n in range(length)) for length in lengths]
    return [replace(paper, abstract=abstract) for paper, abstract in zip(papers(count), abstracts, strict=True)]


def indexed(segments: list[list[Paper]], shadowed: list[tuple[int, ...]] | None = None) -> MemorySegments:
    """As every library is, with the typical average length."""
    return MemorySegments(segments, shadowed=shadowed or [], average=TYPICAL_LENGTH)


def ask(library: MemorySegments, typed: str = "speech translation") -> Ranking:
    return run(LexicalSearcher(library, library).search(parse_query(typed, finished=True), k=1000))


def scores(ranking: Ranking) -> list[tuple[str, float]]:
    return [(result.paper.id, result.score) for result in ranking.papers]


def test_scores_are_those_of_bm25s_with_the_mean_of_the_library() -> None:
    library = long_papers(80)
    corpus = [tokens(f"{paper.title} {paper.abstract}") for paper in library]
    theirs = bm25s.BM25()
    theirs.index(corpus, show_progress=False)
    expected = dict(zip((paper.id for paper in library), theirs.get_scores(tokens("speech data")), strict=True))
    ranking = ask(indexed([library]), "speech data")
    # The stems of one paper are estimated from its words.
    assert dict(scores(ranking)) == pytest.approx({key: score for key, score in expected.items() if score}, rel=0.01)


@pytest.mark.parametrize("size", [1, 7, 33])
def test_segments_change_nothing(size: int) -> None:
    library = long_papers(60)
    parts = [library[start : start + size] for start in range(0, 60, size)]
    assert scores(ask(indexed(parts))) == scores(ask(indexed([library])))


def test_shadowed_papers_count_for_nothing() -> None:
    library = long_papers(60)
    old = [replace(paper, abstract="speech " * 3000) for paper in library[:5]]
    shadowing = indexed([[*old, *library[5:30]], [*library[30:], *library[:5]]], [(0, 1, 2, 3, 4)])
    assert scores(ask(shadowing)) == scores(ask(indexed([library])))


def test_a_library_of_typical_length_counts_with_the_weights_it_has() -> None:
    library = cut(papers(60), 20, average=TYPICAL_LENGTH)
    assert open_live_rows(library.snapshot(), library).length_ratios == (None, None, None)


def test_weights_made_with_another_average_come_to_the_same() -> None:
    library = long_papers(40)
    ours, other = scores(ask(indexed([library]))), scores(ask(MemorySegments([library], average=300.0)))
    assert dict(ours) == pytest.approx(dict(other), rel=0.01)
