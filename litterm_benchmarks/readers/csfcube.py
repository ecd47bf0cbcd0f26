"""CSFCube: papers as queries for one of their facets, with a graded pool each."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm_benchmarks.readers.fields import read_as

RELEVANT: Final = 2
"""Adjudicated grade from which on a candidate is relevant, as in the paper."""
_FACETS: Final = {"background": ("background", "objective"), "method": ("method",), "result": ("result",)}
_DATA = "CSFCube"
_CORPUS, _QUERIES = "corpus.jsonl.gz", "queries.jsonl"
_PUBLISHED_CORPUS, _PUBLISHED_POOLS = "abstracts-csfcube-preds.jsonl", "test-pid2anns-csfcube-{}.json"


@dataclass(frozen=True, slots=True)
class FacetQuery:
    """A paper and a facet of it. A method may read all but `grades`."""

    key: str
    paper: PaperId
    facet: str
    """`background`, `method` or `result`."""
    text: str
    """The paper's sentences of that facet."""
    grades: Mapping[PaperId, int]
    """Every candidate, 0 to 3."""


@dataclass(frozen=True, slots=True)
class CsfCube:
    """Queries and the papers they are about or ask for."""

    queries: tuple[FacetQuery, ...]
    corpus: tuple[Parsed, ...]


def read_csfcube(path: Path) -> CsfCube:
    """A folder with corpus and queries, or with the files as published.

    Raises:
        BadInput: a file is missing or is not in the expected form.
    """
    published = (path / _PUBLISHED_CORPUS).exists()
    papers = _papers(path, published=published)
    pools = _published_pools(path) if published else _pools(path)
    queries: list[FacetQuery] = []
    for file, paper, facet, pool in pools:
        with read_as(_DATA, file):
            queries.append(_query(paper, facet, pool, papers))
    return CsfCube(tuple(queries), tuple(_record(key, row) for key, row in papers.items()))


def _papers(path: Path, *, published: bool) -> dict[str, Mapping[str, Any]]:
    """The rows by the paper's key, each with what is read of it."""
    file = path / (_PUBLISHED_CORPUS if published else _CORPUS)
    with read_as(_DATA, file):
        text = file.read_bytes() if published else gzip.decompress(file.read_bytes())
        rows = list(_lines(text.decode("utf-8")))
        papers = {str(row["id"] if "id" in row else row["paper_id"]): row for row in rows}
        for key, row in papers.items():
            _record(key, row)
    return papers


def _pools(path: Path) -> Iterator[tuple[Path, str, str, Mapping[str, int]]]:
    file = path / _QUERIES
    with read_as(_DATA, file):
        rows = list(_lines(file.read_text("utf-8")))
        pools = [(str(row["query_paper"]), str(row["facet"]), row["pool"]) for row in rows]
    for pool in pools:
        yield (file, *pool)


def _published_pools(path: Path) -> Iterator[tuple[Path, str, str, Mapping[str, int]]]:
    for facet in _FACETS:
        file = path / _PUBLISHED_POOLS.format(facet)
        if not file.exists():
            continue
        with read_as(_DATA, file):
            ratings = json.loads(file.read_text("utf-8")).items()
            pools = [(paper, dict(zip(row["cands"], row["relevance_adju"], strict=True))) for paper, row in ratings]
        for paper, pool in pools:
            yield file, paper, facet, pool


def _query(paper: str, facet: str, pool: Mapping[str, int], papers: Mapping[str, Mapping[str, Any]]) -> FacetQuery:
    labelled = _sentences(papers[paper])
    return FacetQuery(
        key=f"{paper}-{facet}",
        paper=_id(paper),
        facet=facet,
        text=" ".join(text for label, text in labelled if label in _FACETS[facet]),
        grades={_id(candidate): int(grade) for candidate, grade in pool.items() if candidate != paper},
    )


def _sentences(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and text; labels such as `background_label` are cut to their first word."""
    if "sentences" in row:
        return [(str(sentence["label"]), str(sentence["text"])) for sentence in row["sentences"]]
    labels = (str(sentence).partition("_")[0] for sentence in row["pred_labels"])
    return list(zip(labels, map(str, row["abstract"]), strict=True))


def _record(key: str, row: Mapping[str, Any]) -> Parsed:
    return Parsed(Paper(_id(key), str(row["title"]), " ".join(text for _, text in _sentences(row))))


def _id(key: str) -> PaperId:
    return PaperId(f"s2:{key}")


def _lines(text: str) -> Iterator[Mapping[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line.strip())
