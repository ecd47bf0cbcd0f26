"""Tells which words of a query the model or the library knows, which decides how much meaning weighs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from litterm.model.search import WordSources

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.scores import Term


def known_share(vectors: StaticModel, terms: Sequence[Term], idfs: Sequence[float]) -> float:
    """The share of the idf mass of `terms` that `vectors` know, in [0, 1]; 1 where no term occurs in the library.

    A rare word that is not known outweighs several that are: it is what such a question asks for. What the library
    tells of it does not change that: papers that hold the word are still surer than papers near to them.
    """
    masses = [idf * term.weight for term, idf in zip(terms, idfs, strict=True)]
    places = vectors.places([term.stems[0] for term in terms]).tolist()
    whole = sum(masses)
    known = sum(mass for mass, place in zip(masses, places, strict=True) if place >= 0)
    return known / whole if whole > 0 else 1.0


def word_sources(vectors: StaticModel, query_terms: QueryTerms, learned: Collection[str]) -> WordSources:
    """What tells the meaning of each word of `want`."""
    heads = [term.stems[0] for term in query_terms.terms]
    words_with_places = list(zip(query_terms.names, heads, vectors.places(heads).tolist(), strict=True))
    return WordSources(
        model=tuple(name for name, _, place in words_with_places if place >= 0),
        library=tuple(name for name, head, place in words_with_places if place < 0 and head in learned),
        unknown=tuple(name for name, head, place in words_with_places if place < 0 and head not in learned),
    )
