"""How much of a query the semantic model knows: what its word on nearness is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.protocols import StemVectors
    from litterm.retrieve.scores import Term


def known_share(vectors: StemVectors, terms: Sequence[Term], idfs: Sequence[float]) -> float:
    """The share of the idf mass of `terms` that `vectors` know, in [0, 1]; 1 where no term occurs in the library.

    A rare word that is not known outweighs several that are: it is what such a question asks for.
    """
    masses = [idf * term.weight for term, idf in zip(terms, idfs, strict=True)]
    places = vectors.places([term.stems[0] for term in terms]).tolist()
    whole = sum(masses)
    known = sum(mass for mass, place in zip(masses, places, strict=True) if place >= 0)
    return known / whole if whole > 0 else 1.0
