"""ACL-rlg: reading lists of tutorials, with what three annotators would type to get them."""

from __future__ import annotations

import ast
import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from litterm_benchmarks.readers.fields import read_as

_DATA: Final = "ACL-rlg"
_LISTS, _ANNOTATIONS = "reading_lists.csv", "annotations/annotation_*.csv"


@dataclass(frozen=True, slots=True)
class TutorialPaper:
    """A paper of a reading list."""

    title: str
    acl: str
    """Its key in the Anthology; empty where it is not there."""


@dataclass(frozen=True, slots=True)
class TutorialList:
    """A tutorial's list. A method may read `queries` and `year` only."""

    key: str
    """The tutorial's own paper, which is no candidate."""
    title: str
    year: int
    queries: tuple[tuple[str, str, str], ...]
    """Annotator, keywords, sentence."""
    in_acl: tuple[TutorialPaper, ...]
    """The references that are in the Anthology, whatever part of it a library holds."""
    references: tuple[TutorialPaper, ...] = ()
    """All of them, in the order of the tutorial."""


def reading_list(row: Mapping[str, object], _number: int) -> TutorialList:
    """The list of a row.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or is not what it should be.
    """
    queries = cast("Mapping[str, Mapping[str, str]]", row["queries"])
    references = [cast("Mapping[str, object]", reference) for reference in cast("Iterable[object]", row["references"])]
    return TutorialList(
        key=str(row["id"]),
        title=str(row["title"]),
        year=int(str(row["year"])),
        queries=tuple((name, forms["keywords"], forms["sentence"]) for name, forms in queries.items()),
        in_acl=tuple(_parse_reference(reference) for reference in references if reference["in_acl"]),
        references=tuple(map(_parse_reference, references)),
    )


def read_published(folder: Path) -> tuple[TutorialList, ...]:
    """The lists of the folder as published: `reading_lists.csv`, and a file of queries an annotator.

    A reference is in the Anthology where the file gives its key there.

    Raises:
        BadInput: a file is missing or is not in the expected form.
    """
    queries: defaultdict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for file in sorted(folder.glob(_ANNOTATIONS)):
        name = f"A{file.stem.rpartition('_')[2]}"
        with read_as(_DATA, file):
            for row in _table(file):
                queries[row["id"]].append((name, row["query_keywords"], row["query_sentence"]))
    with read_as(_DATA, folder / _LISTS):
        return tuple(_parse_list(row, tuple(queries[row["id"]])) for row in _table(folder / _LISTS))


def _parse_list(row: Mapping[str, str], queries: tuple[tuple[str, str, str], ...]) -> TutorialList:
    # The cell is a list as Python writes it.
    references = cast("Iterable[Mapping[str, object]]", ast.literal_eval(row["reading_list"]))
    listed = tuple(map(_parse_reference, references))
    in_acl = tuple(paper for paper in listed if paper.acl)
    return TutorialList(row["id"], row["title"], int(row["year"]), queries, in_acl, listed)


def _parse_reference(reference: Mapping[str, object]) -> TutorialPaper:
    return TutorialPaper(str(reference["title"]), str(reference["acl_id"] or ""))


def _table(file: Path) -> Iterator[Mapping[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        try:
            yield from csv.DictReader(stream)
        except csv.Error as error:
            raise ValueError(str(error)) from error
