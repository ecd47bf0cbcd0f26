"""Priors for the paper that bears the name typed: "BERT" asks for the paper titled "BERT: ...".

By words alone that paper is one of hundreds, and its abstract puts it behind titles that hold little else. Told
apart from topics ("Machine translation: ...") by being new in its year: hardly a title used these words before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from litterm.search.signals.fusion import PaperPrior
from litterm.text.tokens import STOP_WORDS, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.scores import Term

POINTS = 8.0
"""Of a paper whose name is all that was typed; less where the name is only part of it, by the rarity of its words. With
8 points 54 % of the papers meant by a bare name come first, with 2 38 % (`litterm bench known-items`)."""
_MOST_TERMS = 6
"""Words up to which a query may be a name and a word or two beside it."""
_BEFORE = 2
"""Titles of earlier years that may hold the words of a name by chance."""


def named(live: LiveRows, terms: Sequence[Term], idfs: Sequence[float], pool: Rows) -> tuple[PaperPrior, ...]:
    """What speaks for papers of the `pool` (ascending) that bear a name which `terms` hold in full; empty if none does.

    `idfs` are one a term; those of terms that occur nowhere are 0.
    """
    rarity = rarity_of(terms, idfs)
    if not rarity:
        return ()
    holds = titles_holding(live, list(rarity))
    inside = holds[pool]
    # One pass for all rows that hold the same of the words: there are at most 64 such sets, and thousands of rows.
    years = {pattern: title_years(live, holds, pattern) for pattern in np.flatnonzero(np.bincount(inside)).tolist()}
    new = first_of_their_kind(inside, live.column("year", pool), years)
    return name_prior(rarity, names(live, pool[new]), pool)


def rarity_of(terms: Sequence[Term], idfs: Sequence[float]) -> dict[str, float]:
    """The idf of each stem that may be part of a name; empty where the words are none, or too many."""
    rarity = {term.stems[0]: idf for term, idf in zip(terms, idfs, strict=True) if idf > 0 and len(term.stems) == 1}
    return rarity if len(rarity) <= _MOST_TERMS else {}


def name_prior(
    rarity: Mapping[str, float], named_rows: Iterable[tuple[int, frozenset[str]]], pool: Rows
) -> tuple[PaperPrior, ...]:
    """The prior of those `named_rows` of the `pool` whose name is among the words of `rarity` in full."""
    points = np.zeros(len(pool))
    for row, name in named_rows:
        if name and name <= rarity.keys():
            share = sum(rarity[name_stem] for name_stem in name) / sum(rarity.values())
            points[np.searchsorted(pool, row)] = POINTS * share
    return (PaperPrior("bears the name typed", points.round(6)),) if points.any() else ()


def first_of_their_kind(
    inside: npt.NDArray[np.uint8], own: npt.NDArray[np.int64], years: Mapping[int, npt.NDArray[np.int64]]
) -> npt.NDArray[np.bool_]:
    """Which titles hold words that hardly any title of an earlier year held.

    One entry of `inside` and `own` a title: the pattern of the words it holds, and its year; `years` counts by year, as
    `title_years` does, the titles that hold all words of a pattern.
    """
    new = np.zeros(len(inside), np.bool_)
    for pattern, counts in years.items():
        if not pattern:
            continue
        until = np.cumsum(counts)
        mine = np.flatnonzero(inside == pattern)
        # A year of 0 is not known.
        new[mine] = (own[mine] > 0) & (until[np.minimum(own[mine], len(until)) - 1] <= _BEFORE)
    return new


def title_years(live: LiveRows, holds: npt.NDArray[np.uint8], pattern: int) -> npt.NDArray[np.int64]:
    """By year, how many titles hold all words of `pattern`; those of an unknown year are left out."""
    years = live.column("year", np.flatnonzero((holds & pattern) == pattern))
    return np.bincount(years[years > 0], minlength=1)


def titles_holding(live: LiveRows, stems: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Per row, bit n is set where its title holds `stems[n]`; nothing of papers that are shadowed."""
    bits = np.zeros(live.size, np.uint8)
    for index, typed_stem in enumerate(stems):
        for part, span in live.slices():
            bits[span][part.title_postings(typed_stem)[0]] |= 1 << index
    if live.alive is not None:
        bits[~live.alive] = 0
    return bits


def names(live: LiveRows, rows: Rows) -> Iterator[tuple[int, frozenset[str]]]:
    """Each of `rows` whose title has a name, and the stems of that name."""
    for part, span, inside in live.split(rows):
        lengths = part.columns.name_length[inside]
        chosen = np.flatnonzero((lengths > 0) & (lengths <= 2 * _MOST_TERMS))
        if not len(chosen):
            continue
        words, counts = part.texts(inside[chosen])
        starts = np.cumsum(counts) - counts
        for index, start in zip(chosen.tolist(), starts.tolist(), strict=True):
            typed = (part.word(place) for place in words[start : start + int(lengths[index])].tolist())
            name = frozenset(stem(word) for word in typed if word not in STOP_WORDS)
            yield int(rows[span][index]), name
