"""Rankings of an EvidenceBench item that litterm is compared with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.events import Progress
from litterm.text.tokens import tokens
from litterm_benchmarks.readers.evidencebench import HEADING, Item

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.search.aspects.sentence_similarity import SentenceEmbedder


def bm25(item: Item) -> list[int]:
    """Lucene's BM25 (k1 1.5, b .75) of the hypothesis over all sentences, headings included, as published."""
    scores = bm25_scores(item.hypothesis, item.sentences)
    order = sorted(range(len(scores)), key=lambda number: (-scores[number], number))
    return [number for number in order if number not in item.withheld]


def lead(item: Item) -> list[int]:
    """The first sentences that are not headings."""
    return [number for number, kind in enumerate(item.types) if kind != HEADING and number not in item.withheld]


def bm25_scores(query: str, sentences: Sequence[str]) -> list[float]:
    """BM25 of `query` for each sentence, its words with repeats; statistics of these sentences alone."""
    rows = [Counter(tokens(sentence)) for sentence in sentences]
    average = sum(row.total() for row in rows) / max(1, len(rows)) or 1.0
    frequency = Counter(stem for row in rows for stem in row)
    scores = [0.0] * len(rows)
    for stem in tokens(query):
        idf = math.log(1 + (len(rows) - frequency[stem] + 0.5) / (frequency[stem] + 0.5))
        for number, row in enumerate(rows):
            count = row[stem]
            scores[number] += idf * count / (count + 1.5 * (0.25 + 0.75 * row.total() / average))
    return scores


def order_by_cosine(items: Sequence[Item], embedder: SentenceEmbedder) -> Task[list[list[int]]]:
    """For each item its sentences by their cosine with the hypothesis, headings included, as published.

    Raises:
        ModelError: the model cannot be used.
    """
    orders: list[list[int]] = []
    for item in items:
        yield Progress(f"{embedder.name} reads", len(orders), len(items))
        asked = yield from embedder.embed([item.hypothesis], kind="query")
        read = yield from embedder.embed(item.sentences, kind="paper")
        nearest = np.argsort(-(read @ asked[0]), kind="stable").tolist()
        orders.append([number for number in nearest if number not in item.withheld])
    return orders
