"""The sentence of a candidate paper that best supports an excerpt."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from litterm.model.attribution.citation import WeightedWord
from litterm.model.document import Document
from litterm.model.paper import Paper
from litterm.text.documents.sentences import split
from litterm.text.tokens import stem, tokens

_MIN_SHARED_STEMS = 2
"""Stems of the excerpt in a sentence that supports it: one is shared by accident."""
# Without it the longest sentence wins; with more the shortest does.
_LENGTH_POWER = 0.5
_QUOTABLE_KINDS = frozenset({"abstract", "body", "caption"})


def stem_weights(words: Sequence[WeightedWord]) -> dict[str, float]:
    """Stems of `words`, each with the largest weight it has."""
    weights: dict[str, float] = {}
    for word in words:
        stemmed = stem(word.word)
        weights[stemmed] = max(word.weight, weights.get(stemmed, 0.0))
    return weights


def find_supporting_sentence(weights: Mapping[str, float], paper: Paper, document: Document | None) -> str:
    """The sentence of the full text, or else of the abstract, nearest to the weighted stems.

    Empty where no sentence shares two of them: then nothing supports the excerpt.
    """
    sentences = _sentences(paper, document)
    stems = [frozenset(tokens(sentence)) for sentence in sentences]
    frequency = Counter(stem for row in stems for stem in row if stem in weights)
    best, best_score = "", 0.0
    for sentence, row in zip(sentences, stems, strict=True):
        shared = [stem for stem in row if stem in weights]
        if len(shared) < _MIN_SHARED_STEMS:
            continue
        # Summed in a fixed order: sets of strings have none from run to run, and sums of floats depend on it.
        parts = sorted(weights[stem] * math.log(1 + len(stems) / frequency[stem]) for stem in shared)
        score = sum(parts) / (len(row) ** _LENGTH_POWER)
        if score > best_score:
            best, best_score = sentence, score
    return best


def _sentences(paper: Paper, document: Document | None) -> list[str]:
    if document is not None:
        running = [sentence.text for sentence in document.sentences if sentence.kind in _QUOTABLE_KINDS]
        if running:
            return running
    return [paper.abstract[span.start : span.end] for span in split(paper.abstract)]
