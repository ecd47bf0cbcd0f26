"""How much of a query's meaning is known, and from where: what nearness in meaning is worth."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from litterm.model.search import WordSources
from litterm.retrieve.search_weights import DEFAULT

if TYPE_CHECKING:
    from litterm.protocols import StemVectors
    from litterm.retrieve.scores import Term
    from litterm.retrieve.wanted import Wanted


def known_share(
    vectors: StemVectors,
    terms: Sequence[Term],
    idfs: Sequence[float],
    learned: Collection[str] = (),
    *,
    worth: float = DEFAULT.learned,
) -> float:
    """The share of the idf mass of `terms` whose meaning is known, in [0, 1]; 1 where no term occurs in the library.

    A rare word that is not known outweighs several that are: it is what such a question asks for. `learned` are stems
    whose meaning the library tells; they count `worth`.
    """
    masses = [idf * term.weight for term, idf in zip(terms, idfs, strict=True)]
    heads = [term.stems[0] for term in terms]
    shares = [
        1.0 if place >= 0 else worth * (head in learned)
        for place, head in zip(vectors.places(heads).tolist(), heads, strict=True)
    ]
    whole = sum(masses)
    known = sum(mass * share for mass, share in zip(masses, shares, strict=True))
    return known / whole if whole > 0 else 1.0


def word_sources(vectors: StemVectors, want: Wanted, learned: Collection[str]) -> WordSources:
    """What tells the meaning of each word of `want`."""
    heads = [term.stems[0] for term in want.terms]
    told = list(zip(want.names, heads, vectors.places(heads).tolist(), strict=True))
    return WordSources(
        model=tuple(name for name, _, place in told if place >= 0),
        library=tuple(name for name, head, place in told if place < 0 and head in learned),
        unknown=tuple(name for name, head, place in told if place < 0 and head not in learned),
    )
