"""Hypotheses in other words, and turned into their opposite: do the same sentences come?

The answers stay those of the published hypothesis: what supports it refutes its opposite.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from litterm.core.tasks import Task
from litterm_benchmarks.evidence.extractors import ExtractorOf, evidence_numbers, evidence_of
from litterm_benchmarks.readers.evidencebench import Item, recalls

FORMS: Final = ("paraphrased", "negated")
ORIGINAL: Final = "as published"
Figures = Sequence[Mapping[str, float]]


def measure(items: Sequence[Item], extractor: ExtractorOf, form: str) -> Task[tuple[Figures, Figures]]:
    """Recalls of the hypotheses in `form`, and of the same hypotheses as published; empty where none was reworded."""
    chosen = [item for item in items if _hash(item) in reworded()]
    other = [replace(item, hypothesis=reworded()[_hash(item)][form]) for item in chosen]
    figures = []
    for asked in (other, chosen):
        answers = yield from evidence_of(asked, extractor, form)
        orders = [(evidence_numbers(answer), evidence_numbers(results)) for answer, results in answers]
        figures.append([recalls(item, *order) for item, order in zip(asked, orders, strict=True)])
    return figures[0], figures[1]


@cache
def reworded() -> Mapping[str, Mapping[str, str]]:
    """Both forms by the hash of a hypothesis, written by hand before anything was measured.

    The twenty are the first by that hash. The hypotheses themselves belong to others, and are not in the file.
    """
    path = Path(__file__).with_name("reworded-hypotheses.jsonl")
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return {row["hypothesis"]: {form: row[form] for form in FORMS} for row in rows}


def _hash(item: Item) -> str:
    return hashlib.sha1(item.hypothesis.encode(), usedforsecurity=False).hexdigest()
