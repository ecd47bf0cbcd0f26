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
_SOURCES: Final = {"inline": "inline", "manual": "author"}
"""Beginnings of the names of sets, and what the publication calls them."""


@dataclass(frozen=True, slots=True)
class LitSearchQuestion:
    """A literature search question. A method may read `query` only."""

    key: str
    query: str
    gold: tuple[str, ...]
    """Keys of the papers that answer it: as the file has them, Semantic Scholar's corpus ids as `s2:NUMBER`."""
    parts: tuple[tuple[str, str], ...]
    """What the data tells of it: `set`, `specificity` (`broad` or `specific`), `quality`; and the cells of
    the published tables: `cell` (`inline, broad`), and `cell of a quality` of specific questions (`inline, 2`)."""


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
        parts=tuple((name, str(value)) for name, value in (subsets | _cells(subsets)).items() if value is not None),
    )


def _cells(subsets: Mapping[str, object]) -> dict[str, object]:
    """The cells of the published tables: who wrote the question, by its breadth, and if specific by its quality."""
    source = next((name for start, name in _SOURCES.items() if str(subsets["set"]).startswith(start)), "")
    if not source or subsets["specificity"] is None:
        return {}
    cells: dict[str, object] = {"cell": f"{source}, {subsets['specificity']}"}
    if subsets["specificity"] == "specific" and subsets["quality"] is not None:
        cells["cell of a quality"] = f"{source}, {subsets['quality']}"
    return cells


def corpus_record(row: Mapping[str, object]) -> Parsed:
    """The paper of a corpus row, title and abstract only.

    Raises:
        KeyError: a column is missing.
    """
    title, abstract = str(row["title"] or ""), str(row["abstract"] or "")
    return Parsed(Paper(PaperId(f"s2:{row['corpusid']}"), title, abstract))
