"""Citing sentences with the sentences they refer to: `topics.jsonl`, one cited paper a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import cast

from litterm.core.errors import BadInput
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.documents.sections import classify

FILE = "topics.jsonl"


@dataclass(frozen=True, slots=True)
class CitedSpanCitance:
    """A citing sentence. A method may read `text` only."""

    text: str
    targets: frozenset[int]
    """Positions in `CitedPaper.sentences` of what it refers to; never empty."""


@dataclass(frozen=True, slots=True)
class CitedPaper:
    """A cited paper and what is said of it."""

    key: str
    sentences: tuple[tuple[str, str], ...]
    """Section and text of each."""
    citances: tuple[CitedSpanCitance, ...]


def read_topics(folder: Path) -> tuple[CitedPaper, ...]:
    """Every cited paper of a folder, or of the file itself.

    Raises:
        BadInput: a line is not in the expected form; names file and line.
    """
    path = folder / FILE if folder.is_dir() else folder
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({error}).") from error
    topics: list[CitedPaper] = []
    for number, line in enumerate(lines, 1):
        try:
            topics.append(_topic(cast("Mapping[str, object]", json.loads(line))))
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(f"{path}:{number}: not a cited paper ({error!r}).") from error
    return tuple(topics)


def as_document(topic: CitedPaper) -> tuple[Document, tuple[int, ...]]:
    """The paper as a document, and for each of its rows the position in `CitedPaper.sentences`."""
    numbers = [index for index, (_, text) in enumerate(topic.sentences) if text.split()]
    document = build_document(
        PaperId(f"acl:{topic.key}"), _blocks(topic, numbers), origin="jsonl", parser="cited-span-1"
    )
    return document, tuple(numbers)


def _blocks(topic: CitedPaper, numbers: Sequence[int]) -> Iterator[Block]:
    """Headings stand without text: they are no rows of the file."""
    for section, group in groupby(numbers, key=lambda index: topic.sentences[index][0]):
        abstract = section.lower() == "abstract"
        yield Block("heading", section_kind="abstract" if abstract else classify(section))
        yield Block("abstract" if abstract else "body", sentences=tuple(topic.sentences[index][1] for index in group))


def _topic(fields: Mapping[str, object]) -> CitedPaper:
    rows = [cast("Mapping[str, object]", row) for row in cast("Iterable[object]", fields["sentences"])]
    place_of = {row["sid"]: index for index, row in enumerate(rows)}
    citances = [cast("Mapping[str, object]", row) for row in cast("Iterable[object]", fields["citances"])]
    return CitedPaper(
        str(fields["topic"]),
        tuple((str(row["section"]), str(row["text"])) for row in rows),
        tuple(citance for row in citances if (citance := _citance(row, place_of)).targets),
    )


def _citance(fields: Mapping[str, object], place_of: Mapping[object, int]) -> CitedSpanCitance:
    targets = cast("Iterable[object]", fields["gold_sids"])
    return CitedSpanCitance(str(fields["citance"]), frozenset(place_of[sid] for sid in targets if sid in place_of))
