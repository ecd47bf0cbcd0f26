"""MeasEval: paragraphs of articles with their quantities and units; `paragraphs.jsonl`, one paragraph a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from litterm.core.json_fields import integer, items, mapping, text
from litterm_benchmarks.data_rows import read_rows

FILE = "paragraphs.jsonl"


@dataclass(frozen=True, slots=True)
class GoldQuantity:
    """A quantity as it was annotated."""

    text: str
    """With the words that belong to it: `up to 40%`."""
    unit: str
    """As it stands in `text`; empty for none."""
    start: int
    end: int
    """Its place in the paragraph, in characters."""

    @property
    def value(self) -> str:
        """`text` before its unit."""
        place = self.text.rfind(self.unit) if self.unit else -1
        return self.text[:place] if place > 0 else self.text


@dataclass(frozen=True, slots=True)
class MeasuredParagraph:
    """A paragraph with its quantities."""

    article: str
    part: str
    """`train`, `trial` or `eval`, as published."""
    text: str
    quantities: tuple[GoldQuantity, ...]


def read_paragraphs(path: Path) -> tuple[MeasuredParagraph, ...]:
    """Every paragraph of a folder, or of the file itself.

    Raises:
        BadInput: a line is not in the expected form; names file and line.
    """
    return tuple(read_rows(path / FILE if path.is_dir() else path, _paragraph))


def _paragraph(row: Mapping[str, object], _number: int) -> MeasuredParagraph:
    quantities = (mapping(item) for item in items(row["annotations"]))
    return MeasuredParagraph(
        # The number behind the last dash is the paragraph's.
        article=text(row["id"]).rpartition("-")[0],
        part=text(row["part"]),
        text=text(row["text"]),
        quantities=tuple(_quantity(item) for item in quantities if item["type"] == "Quantity"),
    )


def _quantity(item: Mapping[str, object]) -> GoldQuantity:
    return GoldQuantity(text(item["text"]), text(item.get("unit", "")), integer(item["start"]), integer(item["end"]))
