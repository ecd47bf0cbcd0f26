"""A library on shards is ranked as on one machine, to the last digit."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graphs import citing, written
from libraries import store
from local_shards import LocalShards

from litterm.attribution.excerpt import read_excerpt
from litterm.cluster.ray_shards import ShardActor
from litterm.cluster.row_source import ShardSource
from litterm.cluster.shard.shard import Shard, SnapshotNotHeld
from litterm.cluster.shards import Shards, place_segments
from litterm.core.errors import ClusterError
from litterm.core.tasks import run
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.library.segments.library import DuckLibrary
from litterm.library.starter import SOURCES, read_papers
from litterm.model.library import Parsed
from litterm.model.paper import Paper
from litterm.model.search import Ranking
from litterm.search.hybrid import HybridSearcher
from litterm.search.open_index import open_live_rows
from litterm.search.row_source import RowSource
from litterm.text.queries.parser import parse_query

PARTS = 7
QUERIES = [
    "attention",
    "BERT",
    "attentoin is all you need",
    "transformr models",
    "summariz*",
    "Devlin et al. 2019 pretraining",
    "which papers study hallucination in summarization?",
    "machine translation year:2015..",
    'venue:acl "neural machine translation" -statistical',
    "translation year:~2016",
    "We use word vectors [CITATION] as the input of all models.",
    "author:vaswani attention",
    "zzzxqj translation",
    "flurbix",
    "zebra stripes in:fulltext",
    "okapis",
    "how stable are representations of syntax",
    "title:attention need",
    "type:article parsing",
    "bert AND NOT roberta",
    "C++ parser",
    "bert OR author:devlin",
    "the of",
    "",
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of seven segments; of one paper the text lies in another segment than the record shown."""
    folder = tmp_path_factory.mktemp("sharded")
    everything = sorted(papers(), key=lambda paper: paper.id)
    for part in range(PARTS - 1):
        store(folder, [Parsed(paper) for paper in everything[part :: PARTS - 1]] + texts(part))
    store(folder, [written("A", title="The first paper under a longer title"), *texts(PARTS)])
    return folder


def papers() -> list[Paper]:
    return [record.paper for record in read_papers(SOURCES)]


def texts(part: int) -> list[Parsed]:
    """Full texts in some of the parts."""
    if part % 3:
        return []
    return [citing("A" if not part else f"T{part}", [f"Zebras number {part} have stripes.", "So do okapis."])]


def searcher(root: Path, source: RowSource | None = None) -> HybridSearcher:
    return HybridSearcher(DuckLibrary(root), IndexFolder(), embedder=open_static(), excerpt=read_excerpt, source=source)


def local_shards(root: Path, count: int, cache: Path) -> Shards:
    return Shards(LocalShards([Shard(cache / str(at), (root / "segments").as_uri()) for at in range(count)]))


def sharded(root: Path, count: int, cache: Path) -> HybridSearcher:
    return spread_over(root, local_shards(root, count, cache))


def spread_over(root: Path, shards: Shards) -> HybridSearcher:
    return searcher(root, ShardSource(shards, DuckLibrary(root), open_static()))


def titles(root: Path) -> Iterator[str]:
    """Words of papers, as titles, as a few of their words and as whole abstracts."""
    for place, paper in enumerate(sorted(papers(), key=lambda paper: paper.title)[::9]):
        yield (paper.title, " ".join(paper.title.split()[:2]), paper.abstract[:1200] or paper.title)[place % 3]


def ranked(engine: HybridSearcher, query: str, **options: object) -> Ranking:
    return run(engine.search(parse_query(query), k=20, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 2, PARTS])
def test_ranking_is_that_of_one_machine(root: Path, tmp_path: Path, count: int) -> None:
    one, many = searcher(root), sharded(root, count, tmp_path)
    queries = [*QUERIES, *titles(root)]
    assert len(queries) >= 40
    for query in queries:
        assert ranked(many, query) == ranked(one, query), query


def test_ranking_within_some_papers_is_that_of_one_machine(root: Path, tmp_path: Path) -> None:
    one, many = searcher(root), sharded(root, 3, tmp_path)
    within = [paper.id for paper in papers()][::5]
    for query in ("attention", "which papers study parsing?", "translation year:2015.."):
        assert ranked(many, query, within=within) == ranked(one, query, within=within)


def test_papers_like_one_are_those_of_one_machine(root: Path, tmp_path: Path) -> None:
    paper = max(papers(), key=lambda paper: len(paper.abstract))
    query = f"like:{paper.id} translation"
    assert ranked(sharded(root, 3, tmp_path), query) == ranked(searcher(root), query)


def test_other_weights_change_the_ranking_on_shards_alike(root: Path, tmp_path: Path) -> None:
    one, many = searcher(root), sharded(root, 3, tmp_path)
    as_shipped = ranked(one, "machine translation")
    for searching in (one, many):
        searching.weights = replace(searching.weights, words=0.1, title=2.0)
    assert ranked(many, "machine translation") == ranked(one, "machine translation") != as_shipped


def test_papers_unlike_one_are_found_on_shards_as_on_one_machine(root: Path, tmp_path: Path) -> None:
    query = f"translation -like:{papers()[3].id}"
    assert ranked(sharded(root, 3, tmp_path), query) == ranked(searcher(root), query)


def test_long_abstracts_count_with_the_average_of_all_shards(tmp_path: Path) -> None:
    root, everything = tmp_path / "library", papers()
    longer = [
        replace(paper, abstract=" ".join([paper.abstract] * (2 + place % 3))) for place, paper in enumerate(everything)
    ]
    for part in range(3):
        store(root, [Parsed(paper) for paper in longer[part::3]])
    one, many = searcher(root), sharded(root, 3, tmp_path / "cache")
    library = DuckLibrary(root)
    assert all(ratios is not None for ratios in open_live_rows(library.snapshot(), IndexFolder()).length_ratios)
    for query in ("attention", "which papers study parsing?", "language models of translation"):
        assert ranked(many, query) == ranked(one, query), query


def test_a_shard_that_does_not_answer_is_named(root: Path, tmp_path: Path) -> None:
    whole = ranked(searcher(root), "attention")
    dead: set[int] = set()
    shards = [Shard(tmp_path, (root / "segments").as_uri()) for _ in range(2)]
    spread = spread_over(root, Shards(LocalShards(shards, dead=lambda at: at in dead)))
    assert ranked(spread, "attention") == whole
    dead.add(1)
    part = ranked(spread, "attention")
    assert 0 < part.found < whole.found
    assert [notice for notice in part.notices if "1 of 2 shards did not answer within 10 s" in notice]
    dead.clear()
    assert ranked(spread, "attention") == whole
    dead.update((0, 1))
    with pytest.raises(ClusterError, match="No shard answered"):
        ranked(spread, "attention")


@pytest.mark.parametrize(
    ("query", "rounds"),
    [
        # Frequencies, candidates, features of the best, followers of the first of them.
        ("machine translation", 4),
        ("which papers study hallucination in summarization?", 4),
        ("models year:1990..", 4),
        # How many papers the filters hide, as they leave few.
        ("translation year:2015.. venue:acl", 5),
        ("BERT", 4),
        ("zebra stripes in:fulltext", 4),
        ("We use word vectors [CITATION] as the input of all models.", 3),
        # Likely spellings, and their frequencies.
        ("attentoin is all you need", 6),
    ],
)
def test_a_query_asks_its_shards_few_times(root: Path, tmp_path: Path, query: str, rounds: int) -> None:
    shards = local_shards(root, 2, tmp_path)
    ranked(spread_over(root, shards), query)
    assert shards.rounds <= rounds


@pytest.mark.parametrize("count", [1, 5])
def test_an_answer_travels_in_parts(root: Path, tmp_path: Path, count: int) -> None:
    actor = ShardActor(tmp_path, (root / "segments").as_uri())
    (view,) = place_segments(DuckLibrary(root).snapshot(), 1)
    actor.open(view)
    request = "ids", (np.arange(20),)
    answer = actor.answer_pickled(view.snapshot, pickle.dumps(request), count)
    parts = (answer,) if isinstance(answer, bytes) else answer
    assert len(parts) == count and max(map(len, parts)) <= 1 + sum(map(len, parts)) // count
    assert pickle.loads(b"".join(parts)) == actor.answer(view.snapshot, "ids", np.arange(20))
    with pytest.raises(SnapshotNotHeld):
        actor.answer_pickled("another", pickle.dumps(request), count)
