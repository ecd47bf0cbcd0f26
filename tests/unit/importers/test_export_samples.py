"""Every record of genuine exports of some thirty services comes in, with its abstract where the file has one.

How many there are is counted here in the bytes, not by the importers.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from litterm.importers.reader import FileReader
from litterm.model.library import Failure, Parsed

SHARED = Path(os.environ.get("LITTERM_SHARED", Path(__file__).resolve().parents[4] / "shared"))
SAMPLES = SHARED / "data" / "export-samples"
RIS_FILES = sorted(path.name for path in SAMPLES.glob("*.ris"))
needs_samples = pytest.mark.skipif(not RIS_FILES, reason=f"no samples of exports in {SAMPLES}")


def tagged_counts(text: str) -> tuple[int, int]:
    """Records, and those with an abstract that says something, in RIS or MEDLINE."""
    pieces = re.split(r"(?m)^(?:TY {1,2}-|PMID-)", text)[1:]
    abstract = re.compile(r"(?m)^(?:AB|N2) {1,2}- *\S")
    return len(pieces), sum(abstract.search(piece) is not None for piece in pieces)


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
