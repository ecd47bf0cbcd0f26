"""Every record of genuine exports of some thirty services comes in, with its abstract where the file has one.

How many there are is counted here in the bytes, not by the importers.
"""

from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import pytest

from litterm.importers.reader import FileReader
from litterm.model.library import Failure, Parsed

SHARED = Path(os.environ.get("LITTERM_SHARED", Path(__file__).resolve().parents[4] / "shared"))
SAMPLES = SHARED / "data" / "export-samples"
RIS_FILES = sorted(path.name for path in SAMPLES.glob("*.ris"))
TABLES = sorted(path.name for ending in ("csv", "tsv") for path in SAMPLES.glob(f"*.{ending}"))
needs_samples = pytest.mark.skipif(not RIS_FILES, reason=f"no samples of exports in {SAMPLES}")


def tagged_counts(text: str) -> tuple[int, int]:
    """Records, and those with an abstract that says something, in RIS or MEDLINE."""
    pieces = re.split(r"(?m)^(?:TY {1,2}-|PMID-)", text)[1:]
    abstract = re.compile(r"(?m)^(?:AB|N2) {1,2}- *\S")
    return len(pieces), sum(abstract.search(piece) is not None for piece in pieces)


def table_counts(path: Path) -> tuple[int, int]:
    """Rows below the header that have a title, and those with an abstract that says something."""
    text = path.read_text("utf-8-sig")
    first = text.splitlines()[0]
    delimiter = max("\t;,", key=first.count)
    csv.field_size_limit(10**8)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    place = next(n for n, row in enumerate(rows) if any("title" in cell.lower() for cell in row) and len(row) > 4)
    header = [cell.strip().casefold() for cell in rows[place]]
    titles = [n for n, name in enumerate(header) if name in ("title", "article title", "title primary")]
    abstracts = [n for n, name in enumerate(header) if name == "abstract"]
    filled = [row for row in rows[place + 1 :] if any(len(row) > n and row[n].strip() for n in titles)]
    return len(filled), sum(any(row[n].strip() for n in abstracts) for row in filled)


def imported(path: Path) -> tuple[list[Parsed], list[Failure]]:
    events = list(FileReader().read(path, lambda _: False))
    return [item for item in events if isinstance(item, Parsed)], [item for item in events if isinstance(item, Failure)]


@needs_samples
@pytest.mark.parametrize("name", RIS_FILES)
def test_every_record_of_a_tagged_export_comes_in_with_its_abstract(name: str) -> None:
    records, abstracts = tagged_counts((SAMPLES / name).read_text("utf-8-sig"))
    parsed, failures = imported(SAMPLES / name)
    assert failures == []
    assert len(parsed) == records > 0
    assert sum(bool(item.paper.abstract) for item in parsed) == abstracts
    assert all(item.paper.year and item.paper.title for item in parsed)


@needs_samples
@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_a_table_comes_in_with_its_abstract(name: str) -> None:
    records, abstracts = table_counts(SAMPLES / name)
    parsed, failures = imported(SAMPLES / name)
    assert failures == []
    assert len(parsed) == records > 0
    assert sum(bool(item.paper.abstract) for item in parsed) == abstracts
    assert all(item.paper.year and item.paper.title and item.paper.authors for item in parsed)
