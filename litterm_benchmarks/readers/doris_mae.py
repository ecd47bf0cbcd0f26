"""DORIS-MAE: long queries with a pool of abstracts each, graded aspect by aspect."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId
from litterm_benchmarks.readers.fields import read_as

RELEVANT: Final = 1.0
"""Average grade from which on an abstract is relevant, as in the paper."""
_DATA = "DORIS-MAE"
_ASPECTS_OF_SUBQUERY: Final = 2
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
    kind: str = ""
    """What the data says of its origin: from one paper of a field, or composite; empty where it says nothing."""
    source: str = ""
    """Of a sub-query the query that it is a part of; else empty."""


@dataclass(frozen=True, slots=True)
class DorisMae:
    """Queries and the abstracts of their pools."""

    queries: tuple[LongQuery, ...]
    corpus: tuple[Parsed, ...]
    subqueries: tuple[LongQuery, ...] = ()
    """Queries of two aspects each; none where the data has no grades of single aspects."""


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
    subqueries: list[LongQuery] = []
    for number, query in enumerate(dataset["Query"]):
        aspects = list(
            dict.fromkeys(str(judgement) for main, sub in query["aspects"].items() for judgement in (main, *sub))
        )
        pool = {_id(judgement): _average(judgement, aspects, graded) for judgement in query["candidate_pool"]}
        kind = str(query.get("query_type") or "")
        queries.append(LongQuery(str(number), query["query_text"], pool, len(aspects), _texts(dataset, query), kind))
        subqueries += _subqueries(str(number), query, dataset, graded)
    candidates = sorted({judgement for query in dataset["Query"] for judgement in query["candidate_pool"]})
    return DorisMae(
        tuple(queries),
        tuple(_abstract(judgement, dataset["Corpus"][judgement]) for judgement in candidates),
        tuple(subqueries),
    )


def _subqueries(
    key: str, query: Mapping[str, Any], dataset: Mapping[str, Any], graded: Mapping[tuple[str, object], float]
) -> Iterator[LongQuery]:
    """Every pair of aspects of `query`, as in the authors' code: the sentences that ask for one of the two.

    Left out are pairs whose sentences ask for a third aspect, too. Grades are those of the two and their sub-aspects.
    """
    sentences_of: Mapping[str, Sequence[str]] = query.get("aspect_id2sent", {})
    aspects_of: Mapping[str, Sequence[object]] = query.get("sent2aspect_id", {})
    for pair in combinations(map(str, query["aspects"]), _ASPECTS_OF_SUBQUERY):
        chosen = list(dict.fromkeys(sentence for aspect in pair for sentence in sentences_of.get(aspect, ())))
        asked = {str(aspect) for sentence in chosen for aspect in aspects_of.get(sentence, ())}
        if not chosen or len(asked) > len(pair):
            continue
        criteria = list(dict.fromkeys(str(item) for main in pair for item in (main, *query["aspects"][main])))
        pool = {_id(abstract): _average(abstract, criteria, graded) for abstract in query["candidate_pool"]}
        texts = tuple(str(dataset["aspect_id2aspect"][aspect]) for aspect in pair)
        kind = str(query.get("query_type") or "")
        yield LongQuery(f"{key} {'+'.join(pair)}", " ".join(chosen), pool, len(criteria), texts, kind, key)


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
