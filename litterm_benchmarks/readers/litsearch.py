"""Rows of LitSearch as published, its questions and its corpus, and of questions in the same style."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, cast

from litterm.model.library import Parsed
from litterm.model.paper import Paper, PaperId

CORPUS_COLUMNS: Final = ("corpusid", "title", "abstract")
"""What is read of the corpus; the full papers beside them are never looked at."""
_SPECIFIC: Final = {"0": "broad", "1": "specific"}


@dataclass(frozen=True, slots=True)
class LitSearchQuestion:
    """A literature search question. A method may read `query` only."""

    key: str
    query: str
    gold: tuple[str, ...]
    """Keys of the papers that answer it: as the file has them, Semantic Scholar's corpus ids as `s2:NUMBER`."""
    parts: tuple[tuple[str, str], ...]
    """What the data tells of it: `set`, `specificity` (`broad` or `specific`), `quality`."""


def question(row: Mapping[str, object], number: int) -> LitSearchQuestion:
    """The question of a row: published (`corpusids`, `query_set`) or in the same style (`gold`, `set`).

    Raises:
        KeyError, TypeError: a field is missing or is not what it should be.
    """
    published = "corpusids" in row
    keys = [str(key) for key in cast("Iterable[object]", row["corpusids" if published else "gold"])]
    subsets = {
        "set": row.get("query_set") if published else row.get("set"),
        "specificity": _SPECIFIC.get(str(row.get("specificity"))),
        "quality": row.get("quality"),
    }
    return LitSearchQuestion(
        key=str(row.get("id") or number),
        query=str(row["query"]),
        gold=tuple(f"s2:{key}" for key in keys) if published else tuple(keys),
        parts=tuple((name, str(value)) for name, value in subsets.items() if value is not None),
    )


def corpus_record(row: Mapping[str, object]) -> Parsed:
    """The paper of a corpus row, title and abstract only.

    Raises:
        KeyError: a column is missing.
    """
    title, abstract = str(row["title"] or ""), str(row["abstract"] or "")
    return Parsed(Paper(PaperId(f"s2:{row['corpusid']}"), title, abstract))
