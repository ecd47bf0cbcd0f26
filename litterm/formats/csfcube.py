"""CSFCube: papers as queries for one of their facets, with a graded pool each."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from litterm.errors import BadInput
from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId

RELEVANT: Final = 2
"""Adjudicated grade from which on a candidate is relevant, as in the paper."""
_FACETS: Final = {"background": ("background", "objective"), "method": ("method",), "result": ("result",)}
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
    try:
        papers = {str(row["id"] if "id" in row else row["paper_id"]): row for row in _papers(path, published=published)}
        pools = list(_published_pools(path) if published else _pools(path))
        queries = [_query(paper, facet, pool, papers) for paper, facet, pool in pools]
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error}).") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path}: not CSFCube as this bench knows it ({error!r}).") from error
    return CsfCube(tuple(queries), tuple(_record(key, row) for key, row in papers.items()))


def _papers(path: Path, *, published: bool) -> Iterator[Mapping[str, Any]]:
    if published:
        yield from _lines((path / _PUBLISHED_CORPUS).read_text("utf-8"))
    else:
        yield from _lines(gzip.decompress((path / _CORPUS).read_bytes()).decode("utf-8"))


def _pools(path: Path) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    for row in _lines((path / _QUERIES).read_text("utf-8")):
        yield str(row["query_paper"]), str(row["facet"]), row["pool"]


def _published_pools(path: Path) -> Iterator[tuple[str, str, Mapping[str, int]]]:
    for facet in _FACETS:
        file = path / _PUBLISHED_POOLS.format(facet)
        if file.exists():
            for paper, told in json.loads(file.read_text("utf-8")).items():
                yield paper, facet, dict(zip(told["cands"], told["relevance_adju"], strict=True))


def _query(paper: str, facet: str, pool: Mapping[str, int], papers: Mapping[str, Mapping[str, Any]]) -> FacetQuery:
    labelled = _sentences(papers[paper])
    return FacetQuery(
        key=f"{paper}-{facet}",
        paper=_id(paper),
        facet=facet,
        text=" ".join(text for label, text in labelled if label in _FACETS[facet]),
        grades={_id(each): int(grade) for each, grade in pool.items() if each != paper},
    )


def _sentences(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and text; labels such as `background_label` are cut to their first word."""
    if "sentences" in row:
        return [(str(each["label"]), str(each["text"])) for each in row["sentences"]]
    labels = (str(each).partition("_")[0] for each in row["pred_labels"])
    return list(zip(labels, map(str, row["abstract"]), strict=True))


def _record(key: str, row: Mapping[str, Any]) -> Parsed:
    return Parsed(Paper(_id(key), str(row["title"]), " ".join(text for _, text in _sentences(row))))


def _id(key: str) -> PaperId:
    return PaperId(f"s2:{key}")


def _lines(text: str) -> Iterator[Mapping[str, Any]]:
    return (json.loads(line) for line in text.splitlines() if line.strip())
