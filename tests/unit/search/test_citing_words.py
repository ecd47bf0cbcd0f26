"""What is said of papers where others cite them, as a part of search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from libraries import paper, store

from litterm.core.tasks import run
from litterm.library.citation_facts.shipped import ProfileArrays
from litterm.library.index.reader import IndexFolder
from litterm.library.segments.library import DuckLibrary
from litterm.model.library import Parsed
from litterm.model.search import Query, Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.search.signals.citing_words import REASON, CitingWords
from litterm.text.queries.parser import parse_query

STEMS = ("segment", "subword", "unit")


def profiles() -> ProfileArrays:
    """`acl:A` is cited for subword units by three texts, `acl:GONE` for subwords by two."""
    return ProfileArrays(
        papers=("acl:A", "acl:GONE"),
        texts=np.array([3, 2]),
        starts=np.array([0, 2, 3]),
        stem_numbers=np.array([1, 2, 1]),
        counts=np.array([3, 3, 2]),
        stems=STEMS,
    )


@pytest.fixture
def library(tmp_path: Path) -> DuckLibrary:
    titles = {"A": "Translation of rare words", "B": "Words and subword vocabularies", "C": "Parsing of trees"}
    store(tmp_path, [Parsed(paper(key, title=title)) for key, title in titles.items()])
    return DuckLibrary(tmp_path)


def found(library: DuckLibrary, typed: str | Query, *, with_citing_words: bool = True) -> Ranking:
    words = CitingWords(profiles) if with_citing_words else None
    searcher = HybridSearcher(library, IndexFolder(), embedder=None, citing_words=words)
    return run(searcher.search(parse_query(typed) if isinstance(typed, str) else typed, k=10))


def ids(ranking: Ranking) -> list[str]:
    return [ranked.paper.id for ranked in ranking.papers]


def test_a_paper_is_found_by_the_words_with_which_others_cite_it_and_says_so(library: DuckLibrary) -> None:
    assert ids(found(library, "subword units", with_citing_words=False)) == ["acl:B"]
    ranking = found(library, "subword units")
    assert sorted(ids(ranking)) == ["acl:A", "acl:B"]
    why = {ranked.paper.id: ranked.why for ranked in ranking.papers}
    assert [(prior.name, prior.points) for prior in why["acl:A"].priors] == [(REASON, 4.0)]  # type: ignore[union-attr]
    assert not why["acl:B"].priors  # type: ignore[union-attr]


def test_filters_hold_for_it_and_other_words_leave_all_as_it_was(library: DuckLibrary) -> None:
    assert "acl:A" not in ids(found(library, "subword units year:1990"))
    for typed in ("parsing of trees", "vocabularies"):
        before, after = (found(library, typed, with_citing_words=used) for used in (False, True))
        assert [(each.paper.id, each.score) for each in before.papers] == [
            (each.paper.id, each.score) for each in after.papers
        ]
