"""The candidates for a citation over shards are those of one machine, with the same features to the last digit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graphs import citing, written
from libraries import store
from local_shards import LocalShards

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.learned import open_attributor
from litterm.cluster.citations import ShardCitationSource
from litterm.cluster.shard.shard import Shard
from litterm.cluster.shards import Shards
from litterm.core.tasks import run
from litterm.interfaces import Attributor
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.library.starter import SOURCES, read_papers
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.library import Parsed
from litterm.model.paper import Paper
from litterm.search.citation_candidates import CitationCandidateSearcher
from litterm.search.lexical import LexicalSearcher
from litterm.text.tokens import words

PARTS = 7
EXCERPTS = [
    "We use word vectors [CITATION] as the input of all models.",
    "The transformer [CITATION] is used for machine translation in most systems.",
    "Following [CITATION], we train with dropout and report BLEU.",
    "Zzzxqj embeddings [CITATION] are a name that no model knows.",
    "Zebras have stripes [CITATION], as every okapi knows.",
    "It was shown [CITATION] that hallucination hurts abstractive summarization.",
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of seven segments, with full texts in some of them and a paper that was imported twice."""
    folder = tmp_path_factory.mktemp("sharded")
    everything = papers()
    for part in range(PARTS - 1):
        texts = [citing(f"T{part}", [f"Zebras number {part} have stripes.", "So do okapis."])] if part % 2 else []
        store(folder, [Parsed(paper) for paper in everything[part :: PARTS - 1]] + texts)
    store(folder, [Parsed(replace(everything[0], title=f"{everything[0].title} again")), written("B")])
    return folder


def papers() -> list[Paper]:
    return sorted((record.paper for record in read_papers(SOURCES)), key=lambda paper: paper.id)


def local_shards(root: Path, count: int, cache: Path) -> Shards:
    return Shards(LocalShards([Shard(cache / str(number), (root / "segments").as_uri()) for number in range(count)]))


def one_machine(root: Path) -> CitationCandidateSearcher:
    return CitationCandidateSearcher(DuckLibrary(root), IndexFolder(), embedder=open_static())


def on_shards(root: Path, shards: Shards) -> CitationCandidateSearcher:
    library = DuckLibrary(root)
    source = ShardCitationSource(shards, library, open_static())
    return CitationCandidateSearcher(library, IndexFolder(), embedder=open_static(), source=source)


def all_bounds() -> list[CandidateBounds]:
    """None, a year, and a citing paper that is here or only known by its title."""
    everything = papers()
    return [
        CandidateBounds(),
        CandidateBounds(year=2017),
        CandidateBounds(year=2019, exclude=(everything[0].id, everything[5].id)),
        CandidateBounds(source="A survey of zzzxqj embeddings for parsing"),
    ]


@pytest.mark.parametrize("count", [1, 2, PARTS])
def test_candidates_and_features_are_those_of_one_machine(root: Path, tmp_path: Path, count: int) -> None:
    one, many = one_machine(root), on_shards(root, local_shards(root, count, tmp_path))
    include = [paper.id for paper in papers()[3:40:9]]
    compared = 0
    for number, text in enumerate(EXCERPTS):
        excerpt = read_excerpt(text)
        for bounds in all_bounds():
            pools = [
                run(
                    searcher.pool(
                        excerpt.words, words(text), size=(20, 600)[number % 2], bounds=bounds, include=include[number:]
                    )
                )
                for searcher in (one, many)
            ]
            assert pools[1].ids() == pools[0].ids(), text
            assert pools[1].features.keys() == pools[0].features.keys(), text
            for name, column in pools[0].features.items():
                assert np.array_equal(pools[1].features[name], column), (text, bounds, name)
            compared += len(pools[0].ids())
    assert compared > 1000


def test_attributions_are_those_of_one_machine(root: Path, tmp_path: Path) -> None:
    def attributor(searcher: CitationCandidateSearcher) -> Attributor:
        library = DuckLibrary(root)
        plain: Callable[[], LexicalSearcher] = lambda: LexicalSearcher(library, IndexFolder())  # noqa: E731
        return open_attributor(
            searcher, plain, document=library.document, find_by_author_year=lambda _family, _year: ()
        )

    one, many = attributor(one_machine(root)), attributor(on_shards(root, local_shards(root, 3, tmp_path)))
    for text in EXCERPTS:
        expected = run(one.attribute(read_excerpt(text), k=10))
        assert len(expected.candidates) > 1
        assert run(many.attribute(read_excerpt(text), k=10)) == expected


def test_a_citation_asks_its_shards_four_times(root: Path, tmp_path: Path) -> None:
    shards = local_shards(root, 2, tmp_path)
    excerpt = read_excerpt(EXCERPTS[0])
    run(on_shards(root, shards).pool(excerpt.words, words(EXCERPTS[0]), size=600, bounds=CandidateBounds()))
    # Frequencies, what a high score is, candidates, their features.
    assert shards.rounds == 4


def test_a_shard_that_does_not_answer_is_named(root: Path, tmp_path: Path) -> None:
    dead: set[int] = set()
    shards = [Shard(tmp_path, (root / "segments").as_uri()) for _ in range(2)]
    many = on_shards(root, Shards(LocalShards(shards, dead=lambda shard: shard in dead)))
    excerpt = read_excerpt(EXCERPTS[1])
    whole = run(many.pool(excerpt.words, words(EXCERPTS[1]), size=600, bounds=CandidateBounds()))
    dead.add(1)
    part = run(many.pool(excerpt.words, words(EXCERPTS[1]), size=600, bounds=CandidateBounds()))
    assert not whole.notices and "1 of 2 shards did not answer" in part.notices[0]
    assert 0 < len(part.rows) < len(whole.rows)
