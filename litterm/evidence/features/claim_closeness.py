"""How close each candidate comes to the claim itself, whatever the paper is mainly about.

Everything here has an absolute meaning in [0, 1]: unlike `RelativeCloseness` it does not depend on how near the
paper's other sentences are, so it can tell a sentence that states the claim from the best of a paper that does not.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, content_stems, map_in_batches
from litterm.evidence.features.feature_values import feature_vector
from litterm.evidence.language.concepts import ConceptOccurrences
from litterm.evidence.language.stem_similarity import match_stems
from litterm.model.document import Document
from litterm.text.tokens import fold

_NGRAM_LENGTH = 4
_MAX_NGRAMS = 400
"""Of a claim; whoever pastes a paragraph asks for its beginning."""
_NOT_LETTERS = re.compile(r"[\W_]+")

ConceptLevels = Mapping[int, float]
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


CLOSENESS_NAMES, closeness_values = feature_vector(ClaimCloseness)


@dataclass(frozen=True, slots=True)
class ClaimClosenessTable:
    """All candidates of a paper against one claim."""

    rows: tuple[ClaimCloseness, ...]
    levels: tuple[ConceptLevels, ...]
    """Per candidate."""
    title: ConceptLevels
    rarities: tuple[float, ...]
    """Per concept."""


def measure_closeness(
    document: Document, pool: CandidatePool, occurrences: ConceptOccurrences, claim: str
) -> Task[ClaimClosenessTable]:
    """What every candidate of `pool` has in common with `claim`, whose concepts `occurrences` are."""
    title = frozenset(stem for row in document.sentences if row.kind == "title" for stem in content_stems(row.text))
    forms = match_stems(occurrences.concepts, title.union(pool.idf))
    rarities = tuple(concept.rarity for concept in occurrences.concepts)
    total_rarity = sum(rarities)
    levels = yield from map_in_batches(
        pool.counts, lambda counts: _concept_levels(counts, forms), "comparing with the claim"
    )
    entitled = _concept_levels(dict.fromkeys(title, 1), forms)
    letters = yield from _ngram_shares(pool, claim)
    rows = [
        ClaimCloseness(
            share=_weighted_sum(own, rarities) / total_rarity,
            in_context=_weighted_sum(_max_levels(own, levels[place - 1] if place else {}, entitled), rarities)
            / total_rarity,
            letters=by_rarity,
            all_letters=alike,
            precision=min(1.0, len(own) / max(1, len(pool.counts[place]))),
        )
        for place, (own, (by_rarity, alike)) in enumerate(zip(levels, letters, strict=True))
    ]
    return ClaimClosenessTable(tuple(rows), tuple(levels), entitled, rarities)


def _concept_levels(counts: Mapping[str, int], forms: Mapping[str, Sequence[tuple[int, float]]]) -> dict[int, float]:
    levels: dict[int, float] = {}
    for stem in counts:
        for number, level_share in forms.get(stem, ()):
            levels[number] = max(levels.get(number, 0.0), level_share)
    return levels


def _max_levels(*levels: ConceptLevels) -> ConceptLevels:
    merged: dict[int, float] = {}
    for level in levels:
        for number, level_share in level.items():
            merged[number] = max(merged.get(number, 0.0), level_share)
    return merged


def _weighted_sum(levels: ConceptLevels, rarities: Sequence[float]) -> float:
    return math.fsum(rarities[number] * level_share for number, level_share in levels.items())


def _ngram_shares(pool: CandidatePool, claim: str) -> Task[list[tuple[float, float]]]:
    pieces = letter_ngrams(claim)
    # Letters in addition to stems: "immunotherapy" and "immune therapy" share no stem.
    texts = yield from map_in_batches(
        pool.sentences, lambda row: _letters_and_blanks(row.text), "preparing its sentences"
    )
    shared_pieces = yield from map_in_batches(
        texts, lambda text: [piece for piece in pieces if piece in text], "comparing letters"
    )
    frequency = Counter(piece for shared in shared_pieces for piece in shared)
    total = len(texts)
    weights = {piece: math.log(1 + (total - df + 0.5) / (df + 0.5)) for piece, df in frequency.items()}
    total_weight = math.fsum(weights.values()) or 1.0
    return [
        (math.fsum(weights[piece] for piece in shared) / total_weight, len(shared) / max(1, len(pieces)))
        for shared in shared_pieces
    ]


def letter_ngrams(claim: str) -> tuple[str, ...]:
    """The distinct runs of four characters of a claim, blanks counting as one character."""
    bare = _letters_and_blanks(claim)
    runs = (bare[start : start + _NGRAM_LENGTH] for start in range(max(1, len(bare) - _NGRAM_LENGTH + 1)))
    return tuple(dict.fromkeys(runs))[:_MAX_NGRAMS]


def _letters_and_blanks(text: str) -> str:
    # Blanks at both ends, so that a run knows where a word begins.
    return f" {_NOT_LETTERS.sub(' ', fold(text)).strip()} "
