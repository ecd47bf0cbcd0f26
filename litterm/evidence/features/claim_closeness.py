"""How close each candidate comes to the claim itself, whatever the paper is mainly about.

Everything here has an absolute meaning in [0, 1]: unlike `features.Closeness` it does not depend on how near the
paper's other sentences are, so it can tell a sentence that states the claim from the best of a paper that does not.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, content_stems, in_stretches
from litterm.evidence.features.feature_values import vector_form
from litterm.evidence.wording.concepts import ConceptOccurrences
from litterm.evidence.wording.stem_similarity import forms_of
from litterm.model.document import Document
from litterm.text.tokens import fold

_PIECE = 4
_MOST_PIECES = 400
"""Of a claim; whoever pastes a paragraph asks for its beginning."""
_NOT_LETTERS = re.compile(r"[\W_]+")

Levels = Mapping[int, float]
"""By number of the concept, how much of it is held, in (0, 1]."""


@dataclass(frozen=True, slots=True)
class ClaimCloseness:
    """One candidate against the claim, every number in [0, 1]."""

    share: float
    """Part of the claim it holds, in any form or by a word that begins alike, weighted by rarity."""
    in_context: float
    """The same with the sentence before it and the title: who or what is meant is often said there."""
    letters: float
    """Share of the claim's runs of four letters, those weighing more that few sentences of the paper hold."""
    all_letters: float
    """The same, all runs alike, also those that the paper does not hold."""
    precision: float
    """Share of its own words that belong to the claim."""


CLOSENESS_TERMS, closeness_values = vector_form(ClaimCloseness)


@dataclass(frozen=True, slots=True)
class ClaimClosenessTable:
    """All candidates of a paper against one claim."""

    rows: tuple[ClaimCloseness, ...]
    levels: tuple[Levels, ...]
    """Per candidate."""
    title: Levels
    rarities: tuple[float, ...]
    """Per concept."""


def measure_closeness(
    document: Document, pool: CandidatePool, occurrences: ConceptOccurrences, claim: str
) -> Task[ClaimClosenessTable]:
    """What every candidate of `pool` has in common with `claim`, whose concepts `occurrences` are."""
    title = frozenset(stem for row in document.sentences if row.kind == "title" for stem in content_stems(row.text))
    forms = forms_of(occurrences.concepts, title.union(pool.idf))
    rarities = tuple(concept.rarity for concept in occurrences.concepts)
    whole = sum(rarities)
    levels = yield from in_stretches(pool.counts, lambda counts: _levels(counts, forms), "comparing with the claim")
    entitled = _levels(dict.fromkeys(title, 1), forms)
    letters = yield from _letters(pool, claim)
    rows = [
        ClaimCloseness(
            share=_weighed(own, rarities) / whole,
            in_context=_weighed(_most(own, levels[place - 1] if place else {}, entitled), rarities) / whole,
            letters=by_rarity,
            all_letters=alike,
            precision=min(1.0, len(own) / max(1, len(pool.counts[place]))),
        )
        for place, (own, (by_rarity, alike)) in enumerate(zip(levels, letters, strict=True))
    ]
    return ClaimClosenessTable(tuple(rows), tuple(levels), entitled, rarities)


def _levels(counts: Mapping[str, int], forms: Mapping[str, Sequence[tuple[int, float]]]) -> dict[int, float]:
    levels: dict[int, float] = {}
    for stem in counts:
        for number, worth in forms.get(stem, ()):
            levels[number] = max(levels.get(number, 0.0), worth)
    return levels


def _most(*levels: Levels) -> Levels:
    merged: dict[int, float] = {}
    for level in levels:
        for number, worth in level.items():
            merged[number] = max(merged.get(number, 0.0), worth)
    return merged


def _weighed(levels: Levels, rarities: Sequence[float]) -> float:
    return math.fsum(rarities[number] * worth for number, worth in levels.items())


def _letters(pool: CandidatePool, claim: str) -> Task[list[tuple[float, float]]]:
    pieces = pieces_of(claim)
    # Letters beside stems: "immunotherapy" and "immune therapy" share no stem.
    texts = yield from in_stretches(pool.sentences, lambda row: _bare(row.text), "spelling it out")
    shared_pieces = yield from in_stretches(
        texts, lambda text: [piece for piece in pieces if piece in text], "comparing letters"
    )
    frequency = Counter(piece for shared in shared_pieces for piece in shared)
    total = len(texts)
    weights = {piece: math.log(1 + (total - df + 0.5) / (df + 0.5)) for piece, df in frequency.items()}
    whole = math.fsum(weights.values()) or 1.0
    return [
        (math.fsum(weights[piece] for piece in shared) / whole, len(shared) / max(1, len(pieces)))
        for shared in shared_pieces
    ]


def pieces_of(claim: str) -> tuple[str, ...]:
    """The distinct runs of four characters of a claim, blanks counting as one character."""
    bare = _bare(claim)
    runs = (bare[start : start + _PIECE] for start in range(max(1, len(bare) - _PIECE + 1)))
    return tuple(dict.fromkeys(runs))[:_MOST_PIECES]


def _bare(text: str) -> str:
    # Blanks at both ends, so that a run knows where a word begins.
    return f" {_NOT_LETTERS.sub(' ', fold(text)).strip()} "
