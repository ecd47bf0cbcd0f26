"""DORIS-MAE: long queries with a pool of abstracts each, graded aspect by aspect."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm_benchmarks.readers.fields import read_as

RELEVANT: Final = 1.0
"""Average grade from which on an abstract is relevant, as in the paper."""
_DATA = "DORIS-MAE"
_CORPUS, _QUERIES, _QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"


@dataclass(frozen=True, slots=True)
class LongQuery:
    """A query of several sentences. A method may read `text` only."""

    key: str
    text: str
    grades: Mapping[PaperId, float]
    """Every abstract of its pool, with the average grade over its aspects and sub-aspects, in [0, 2]."""
    criteria: int = 0
    """Number of its aspects and sub-aspects; 0 where the data does not tell."""
    aspects: tuple[str, ...] = ()
    """Its aspects as people wrote them, without sub-aspects. They are part of the answers: only a method that says so
    may read them."""


@dataclass(frozen=True, slots=True)
class DorisMae:
    """Queries and the abstracts of their pools."""

    queries: tuple[LongQuery, ...]
    corpus: tuple[Parsed, ...]


def read_doris_mae(path: Path) -> DorisMae:
    """A folder with corpus, queries and grades, or the data set as published in one JSON file.

    Of the published corpus only the abstracts of the pools are kept.

    Raises:
        BadInput: a file is missing or is not in the expected form.
    """
    if path.is_dir():
        return _folder(path)
    with read_as(_DATA, path):
        return _parse_dataset(json.loads(path.read_text("utf-8")))


def _folder(path: Path) -> DorisMae:
    grades: defaultdict[str, dict[PaperId, float]] = defaultdict(dict)
    with read_as(_DATA, path / _QRELS), (path / _QRELS).open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            grades[row["query_id"]][_id(row["doc_id"])] = float(row["avg_score"])
    with read_as(_DATA, path / _QUERIES):
        queries = tuple(
            LongQuery(row["id"], row["text"], grades[row["id"]], int(row.get("n_aspects", 0)), _aspects(row))
            for row in _lines(path / _QUERIES)
        )
    with read_as(_DATA, path / _CORPUS):
        return DorisMae(queries, tuple(_abstract(row["id"], row) for row in _lines(path / _CORPUS)))


def _parse_dataset(dataset: Mapping[str, Any]) -> DorisMae:
    graded = {
        (str(judgement["aspect_id"]), judgement["abstract_id"]): max(judgement["score"], 0)
        for judgement in dataset["Annotation"]
    }
    queries: list[LongQuery] = []
    for number, query in enumerate(dataset["Query"]):
        aspects = list(
            dict.fromkeys(str(judgement) for main, sub in query["aspects"].items() for judgement in (main, *sub))
        )
        pool = {_id(judgement): _average(judgement, aspects, graded) for judgement in query["candidate_pool"]}
        queries.append(LongQuery(str(number), query["query_text"], pool, len(aspects), _texts(dataset, query)))
    candidates = sorted({judgement for query in dataset["Query"] for judgement in query["candidate_pool"]})
    return DorisMae(
        tuple(queries), tuple(_abstract(judgement, dataset["Corpus"][judgement]) for judgement in candidates)
    )


def _aspects(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(aspect["text"]) for aspect in row.get("aspects", ()))


def _texts(dataset: Mapping[str, Any], query: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(dataset["aspect_id2aspect"][str(aspect)]) for aspect in query["aspects"])


def _average(abstract: object, aspects: Sequence[str], graded: Mapping[tuple[str, object], float]) -> float:
    return sum(graded.get((aspect, abstract), 0.0) for aspect in aspects) / len(aspects)


def _abstract(key: object, row: Mapping[str, Any]) -> Parsed:
    text = row["text"] if "text" in row else row["original_abstract"]
    return Parsed(Paper(_id(key), str(row.get("title") or ""), str(text)))


def _id(key: object) -> PaperId:
    return PaperId(f"local:doris-{key}")


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        yield from (json.loads(line) for line in stream if line.strip())
