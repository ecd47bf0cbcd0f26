"""The default ranking is not worse than plain bm25 outside the field the semantic model was made for."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from litterm.core.tasks import run
from litterm.library.index.static_embeddings import open_static
from litterm.model.index import index_row
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm.search.hybrid import HybridSearcher
from litterm.text.queries.parser import literal_query
from litterm.text.tokens import tokens
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.search.cases import QueryCase
from litterm_benchmarks.search.relevance import compute_metrics
from litterm_benchmarks.speed.plain_bm25 import PlainBM25

MOST = 40
DEPTH = 100


@pytest.mark.parametrize("name", ["bioasq", "cf", "cran"])
def test_the_default_ranking_is_not_worse_than_bm25(shared: Path, name: str) -> None:
    folder = shared / "data" / "bench" / "other-domains" / name
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    papers = [Paper(PaperId(row["id"]), row["title"] or "", row.get("abstract") or "") for row in rows]
    questions = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()[:MOST]]
    cases = [
        QueryCase(each["id"], each["query"], tuple(frozenset({PaperId(key)}) for key in each["gold"]), each["id"])
        for each in questions
    ]
    model = open_static()
    searcher = HybridSearcher(
        MemoryLibrary(map(Parsed, papers)), MemoryIndex(map(index_row, papers), model=model), embedder=model
    )
    plain = PlainBM25([tokens(f"{paper.title} {paper.abstract}") for paper in papers])
    found, words = [], []
    for case in cases:
        ranking = run(searcher.search(literal_query(case.query), k=DEPTH))
        found.append(compute_metrics([each.paper.id for each in ranking.papers], case))
        words.append(compute_metrics([papers[at].id for at in plain.best(tokens(case.query), DEPTH)], case))
    for metric in ("recall@5", "recall@20", "mrr", "map"):
        told = percent(metric, [each[metric] for each in found], base=[each[metric] for each in words])
        assert told.gain is not None and told.gain_se is not None
        assert told.gain >= -told.gain_se, (metric, told)
    assert np.mean([each["map"] for each in found]) > 0
