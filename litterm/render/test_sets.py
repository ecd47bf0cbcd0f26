"""Items of test sets as lines of the files in which such sets are published."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Final, TypedDict

from litterm.model.paper import PaperId
from litterm.model.test_sets import CitedHypothesis, MaskedExcerpt, QueriedList, SearchQuestion, SubQuery
from litterm.render.reading_lists.expert_list import expert_data
from litterm.text.escape import plain


class MadeData(TypedDict):
    """The answer of `make`."""

    made: int
    looked_at: int
    left_out: dict[str, int]


class RequestsData(TypedDict):
    """The answer of `make --model --dry-run`."""

    requests: int
    cost: float | None
    tokens: int


EXCERPT_COLUMNS: Final = (
    *("id", "excerpt", "target_paper_title", "source_paper_title", "year", "split"),
    *("target_paper_id", "source_paper_id", "by"),
)
"""CiteME's, then ours."""


def question_line(item: SearchQuestion) -> str:
    """A question as a line of JSON that `litterm bench litsearch` reads.

    The judgements of a person, `specificity` and `quality`, are added by `litterm make judge`.
    """
    return _json_line(
        {
            "id": item.key,
            "query": plain(item.query),
            "gold": [target.id for target in item.targets],
            "set": "inline",
            "titles": [plain(target.title) for target in item.targets],
            "overlap": round(item.overlap, 3),
            "source": item.source.id,
            "source_title": plain(item.source.title),
            "passage": plain(item.passage),
            "by": item.by,
        }
    )


def excerpt_line(item: MaskedExcerpt) -> str:
    """An excerpt as a row of CiteME's file; the heading is `excerpt_heading`."""
    return _csv_line(
        item.key,
        " ".join(plain(item.text).split()),
        plain(item.target.title),
        plain(item.source.title),
        str(item.source.year or ""),
        "made",
        item.target.id,
        item.source.id,
        item.by,
    )


def excerpt_heading() -> str:
    """The first line of a file of excerpts."""
    return _csv_line(*EXCERPT_COLUMNS)


def list_line(item: QueriedList) -> str:
    """A reading list as a line of JSON that `litterm bench acl-rlg` reads."""
    query = {"keywords": plain(item.keywords), "sentence": plain(item.sentence)}
    return _json_line({**expert_data(item.expert), "queries": {"title": query}, "by": "title"})


def subquery_rows(item: SubQuery) -> tuple[str, Mapping[PaperId, str], tuple[str, ...]]:
    """A sub-query as rows that `litterm bench doris-mae` reads: the query, papers by id, and their grades."""
    query = {
        "id": item.key,
        "text": plain(item.text),
        "aspects": [{"text": plain(clause), "cited": list(cited)} for clause, cited in item.aspects],
        "source": item.source.id,
        "by": item.by,
    }
    papers = {
        paper.id: _json_line({"id": paper.id, "title": plain(paper.title), "text": plain(paper.abstract)})
        for paper in item.pool
    }
    return _json_line(query), papers, tuple(f"{item.key}\t{paper.id}\t{item.grade(paper.id)}\n" for paper in item.pool)


def hypothesis_line(item: CitedHypothesis) -> str:
    """A hypothesis as a line of JSON that `litterm bench litsearch` reads: its paper is the answer."""
    return _json_line(
        {
            "id": item.key,
            "query": plain(item.text),
            "gold": [item.paper.id],
            "set": "hypotheses",
            "titles": [plain(item.paper.title)],
            "source": item.source.id,
            "source_title": plain(item.source.title),
            "passage": plain(item.passage),
            "by": item.by,
        }
    )


def _csv_line(*values: str) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerow(values)
    return file.getvalue()


def _json_line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"
