"""Cited spans: does a citing sentence lead to the sentences it refers to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.model.events import Progress
from litterm_benchmarks.evidence.baselines import bm25_scores
from litterm_benchmarks.evidence.cited_sentences import rank_cited_sentences
from litterm_benchmarks.metrics import columns
from litterm_benchmarks.readers.cited_spans import CitedPaper, as_document, read_topics
from litterm_benchmarks.report import BenchReport, MethodRow

_DEPTH = 3
"""Sentences of the cited paper that count as the answer."""


def measure(folder: Path) -> Task[BenchReport]:
    """F1 of the first three sentences and recall of the first ten, a mean over citing sentences.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: it holds no citing sentence.
    """
    topics = read_topics(folder)
    total = sum(len(topic.citances) for topic in topics)
    if not total:
        raise UsageError(f"{folder} holds no citing sentence")
    values: dict[str, defaultdict[str, list[float]]] = {name: defaultdict(list) for name in ("litterm", "bm25", "lead")}
    counted = 0
    for topic in topics:
        ranked = yield from _rank_topic(topic, counted, total)
        counted += len(topic.citances)
        for name, orders in ranked.items():
            for citance, order in zip(topic.citances, orders, strict=True):
                for metric, value in figures(order, citance.targets).items():
                    values[name][metric].append(value)
    rows = tuple(MethodRow(name, columns(column)) for name, column in values.items())
    return BenchReport("cited-span", folder.name, total, rows)


def figures(order: Sequence[int], targets: frozenset[int]) -> Mapping[str, float]:
    """Each metric for one citing sentence, in [0, 1]."""
    hits = len(targets.intersection(order[:_DEPTH]))
    return {
        f"f1@{_DEPTH}": 2 * hits / (_DEPTH + len(targets)),
        "r@10": len(targets.intersection(order[:10])) / len(targets),
    }


def _rank_topic(topic: CitedPaper, done: int, total: int) -> Task[Mapping[str, Sequence[Sequence[int]]]]:
    document, places = as_document(topic)
    pool = yield from build_candidate_pool(document)
    texts = [text for _, text in topic.sentences]
    ours: list[Sequence[int]] = []
    bm25: list[Sequence[int]] = []
    for number, citance in enumerate(topic.citances):
        yield Progress("cited spans", done + number, total)
        ours.append([places[index] for index in rank_cited_sentences(pool, citance.text)])
        scores = bm25_scores(citance.text, texts)
        bm25.append(sorted(range(len(texts)), key=lambda place: (-scores[place], place)))
    lead = [list(range(len(texts)))] * len(topic.citances)
    return {"litterm": ours, "bm25": bm25, "lead": lead}
