"""Tells which words the semantic model knows, which the library explains, and which nothing explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.model.search import WordSources
from litterm.search.signals.unknown_words import holder_bounds

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.open_index import LiveRows
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.bm25 import Term


@dataclass(frozen=True, slots=True)
class VocabularyCounts:
    """Word stems of all titles and abstracts, those of replaced papers included, by what explains their meaning."""

    model: int
    """Known to the semantic model."""
    library: int
    """Unknown to the model, but held by enough papers to tell the meaning."""
    unknown: int
    """Neither: such a stem only matches itself."""


def known_idf_share(model: StaticModel, terms: Sequence[Term], idfs: Sequence[float]) -> float:
    """The share of the weighted idf of `terms` that `model` knows, in [0, 1]; 1 where no term occurs in the library.

    A rare unknown word outweighs several known ones, because such a question asks for that word. A meaning learned from
    the library does not count: papers that hold the word are still surer than papers close to them.
    """
    masses = [idf * term.weight for term, idf in zip(terms, idfs, strict=True)]
    stem_numbers = model.places([term.stems[0] for term in terms]).tolist()
    total = sum(masses)
    known = sum(mass for mass, number in zip(masses, stem_numbers, strict=True) if number >= 0)
    return known / total if total > 0 else 1.0


def word_sources(model: StaticModel, query_terms: QueryTerms, learned: Collection[str]) -> WordSources:
    """The words of `query_terms` by what explains them; `learned` are the stems that the library explains."""
    first_stems = [term.stems[0] for term in query_terms.terms]
    words = list(zip(query_terms.names, first_stems, model.places(first_stems).tolist(), strict=True))
    return WordSources(
        model=tuple(name for name, _, number in words if number >= 0),
        library=tuple(name for name, stem, number in words if number < 0 and stem in learned),
        unknown=tuple(name for name, stem, number in words if number < 0 and stem not in learned),
    )


def count_vocabulary(live: LiveRows, model: StaticModel) -> VocabularyCounts:
    """Counts the stems of all papers; takes half a second for 100,000 papers."""
    counts: Counter[str] = Counter()
    for part in live.parts:
        stems, holders = part.stems()
        counts.update(dict(zip(stems, holders.tolist(), strict=True)))
    is_known = model.places(list(counts)) >= 0
    min_holders, max_holders = holder_bounds(live)
    learned = sum(
        min_holders <= count <= max_holders
        for count, known in zip(counts.values(), is_known.tolist(), strict=True)
        if not known
    )
    return VocabularyCounts(int(is_known.sum()), learned, len(counts) - int(is_known.sum()) - learned)
