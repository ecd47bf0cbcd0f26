"""Citing sentences of the citation facts as excerpts, and the facts as they are without the text of an excerpt.

Only the bench build is read. Sentences are taken as they come: short and long, with names and without, with marks in
brackets and in the sentence. Nobody says of what year they are, as nobody does who pastes one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.fact_features import FactFeatures
from litterm.citations.count_ranks import CountRanks
from litterm.citations.shipped import anthology_year
from litterm.core.errors import LittermError
from litterm.library.citation_facts.shipped import ShippedFacts
from litterm.model.citations.facts import NETWORK_YEAR
from litterm.model.paper import PaperId
from litterm_training.citances import TrainingCitance
from litterm_training.facts import own_id, read_rows, read_stem_counts
from litterm_training.profiles import text_of

PER_TEXT = 4
"""Sentences of one text at most: a thesis has hundreds of them, most texts fewer than ten."""


def read_contexts(folder: Path, count: int, seed: int = 0) -> list[TrainingCitance]:
    """At most `count` sentences of each kind that cite a paper of the Anthology; those of one text side by side."""
    by_text: dict[tuple[str, bool], list[Mapping[str, Any]]] = defaultdict(list)
    for number, row in enumerate(read_rows(folder / "contexts.jsonl.gz")):
        target = own_id(row["target"]["id"])
        if target.startswith("acl:"):
            by_text[text_of(row["source"]), is_later(PaperId(target))].append({**row, "key": f"context {number}"})
    chance = np.random.default_rng(seed)
    drawn: list[Mapping[str, Any]] = []
    for later in (False, True):
        texts = sorted(text for text, of_later in by_text if of_later == later)
        of_kind: list[Mapping[str, Any]] = []
        for number in chance.permutation(len(texts)).tolist():
            rows = by_text[texts[number], later]
            of_kind += [rows[place] for place in chance.permutation(len(rows))[:PER_TEXT].tolist()]
        drawn += of_kind[:count]
    citances = filter(None, map(_citance, drawn))
    return sorted(citances, key=lambda citance: (citance.text, citance.key))


def is_later(target: PaperId) -> bool:
    """Whether the Network is too old for `target`."""
    return (anthology_year(target) or 0) > NETWORK_YEAR


def _citance(row: Mapping[str, Any]) -> TrainingCitance | None:
    """The sentence of a row; `None` where no word of it can be searched for."""
    try:
        excerpt = read_excerpt(row["text"])
    except LittermError:
        return None
    text = text_of(row["source"])
    citing = PaperId(text if text.startswith("acl:") else "")
    target = PaperId(own_id(row["target"]["id"]))
    return TrainingCitance(row["key"], excerpt, target, citing, None, text) if excerpt.words else None


def facts_without(folder: Path, facts: ShippedFacts) -> Callable[[str], FactFeatures]:
    """The facts of the bench build as they are when a text has not been read.

    A text that the Anthology holds is also left out of the counts, by the id of the citing paper.
    """
    counts, ranks = read_stem_counts(folder), CountRanks(lambda: facts)
    whole = FactFeatures(ranks, counts.profiles)
    # One after the other: all excerpts of one text are asked about before those of the next.
    left_out = lru_cache(maxsize=1)(lambda text: FactFeatures(ranks, lambda: counts.profiles(without=text)))
    return lambda text: left_out(text) if text in counts.texts else whole
