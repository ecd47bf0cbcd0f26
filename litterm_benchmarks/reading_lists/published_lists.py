"""Published results on ACL-rlg, and the out-of-fold results of our weights."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from litterm.reading_lists.weights import WEIGHTS_FILE
from litterm_benchmarks.report import MethodRow, Metric, SubsetScore

ANNOTATORS = ("A1", "A2", "A3")
_IN_ACL, _ALL = "", " all"
"""Suffixes of metrics over the references in the Anthology, and over all references."""


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One of the authors' systems on the 45 development lists, scored in percent for the keywords of each annotator."""

    name: str
    recall: Sequence[float]
    ndcg: Sequence[float]
    mrr: Sequence[float]
    counts: str = _IN_ACL

    def metrics(self, annotator: int | None = None) -> tuple[Metric, ...]:
        """The metrics of one annotator, by default the mean of all."""
        return tuple(
            Metric(f"{name}@20{self.counts}", sum(values) / len(values) if annotator is None else values[annotator])
            for name, values in (("recall", self.recall), ("ndcg", self.ndcg), ("mrr", self.mrr))
        )


PUBLISHED: Sequence[PublishedRun] = (
    PublishedRun("Semantic Scholar", (7.4, 6.2, 8.5), (4.3, 4.9, 5.9), (5.3, 8.0, 8.6)),
    PublishedRun("Semantic Scholar, first 20 by citations", (7.4, 6.2, 8.5), (5.5, 6.0, 7.6), (9.6, 11.4, 13.6)),
    PublishedRun("Semantic Scholar, most cited of 100", (6.0, 4.3, 12.0), (4.8, 4.1, 8.6), (8.0, 7.9, 11.9)),
    PublishedRun("BM25 of the authors", (7.6, 6.5, 8.6), (6.0, 3.9, 6.3), (11.4, 4.8, 11.2)),
    PublishedRun("SPECTER2 of the authors", (3.3, 3.8, 4.7), (2.0, 2.5, 2.3), (2.6, 4.1, 3.3)),
    PublishedRun("GPT-4o", (10.9, 10.6, 9.9), (11.2, 9.1, 10.2), (20.0, 13.9, 18.2), _ALL),
    PublishedRun("Google Scholar", (7.6, 5.1, 8.8), (7.5, 4.1, 7.2), (13.6, 8.2, 13.6), _ALL),
    PublishedRun("Gemini 1.5 Pro", (7.2, 6.1, 6.8), (6.9, 4.9, 6.3), (14.0, 9.3, 15.2), _ALL),
)
"""Copied from the notes that came with the data, where the authors' runs are scored; not measured here."""


def is_development(path: Path) -> bool:
    """Whether `path` is the development set, on which weights were fitted and results published."""
    fitted_on = cast("Sequence[dict[str, object]]", _read_weights_file()["data"])
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == fitted_on[0]["sha256"]


def published_rows(lists: int) -> Iterator[MethodRow]:
    """A row for each published run over `lists` lists."""
    for run in PUBLISHED:
        parts = tuple(
            SubsetScore("annotator", name, lists, run.metrics(number)) for number, name in enumerate(ANNOTATORS)
        )
        yield MethodRow(f"published: {run.name}", run.metrics(), parts)


def out_of_fold_rows() -> Iterator[MethodRow]:
    """The results of lists on tutorials that the weights were not fitted on."""
    scores = cast("dict[str, dict[str, dict[str, float]]]", _read_weights_file()["scores"])
    for name, form in (("list", "keywords"), ("list-sentence", "sentence")):
        metrics = tuple(Metric(metric, value["mean"], value["se"]) for metric, value in scores[form].items())
        yield MethodRow(f"{name}, out of fold", metrics)


def _read_weights_file() -> dict[str, object]:
    return cast("dict[str, object]", json.loads(WEIGHTS_FILE.read_text("utf-8")))
