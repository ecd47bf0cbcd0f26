"""The words of a query that the semantic model does not know: what they mean, which they are, and what they weigh.

After Khodak et al. 2018 (a la carte embeddings) the vector of such a word is the mean of the papers around it. Their
vectors are stored with the segments, so that nothing else has to be stored, updated or repaired.

Such a word that is rare, too, is usually the name that is asked about: "Concizumab is used for which diseases?" asks
about concizumab. In BM25 one match of it in a long abstract weighs less than three common words in a short one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from litterm.model.search import WordSources
from litterm.search.open_index import intersect_rows
from litterm.search.search_weights import DEFAULT, SearchWeights
from litterm.search.signals.fusion import PaperPrior, union_rows

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.interfaces import WordFrequencies
    from litterm.interfaces.llm import Vector
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.library.index.vectors import Vectors
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.bm25 import Term

MIN_HOLDERS = 2
"""Papers that must hold a word: a single paper may be about anything."""
MAX_HOLDERS = 2_000
"""A word in more papers tells nothing and takes milliseconds; in a library of less than `_PAPERS_PER_HOLDER` times as
many papers one paper in so many, but at least `_MAX_HOLDERS_IN_SMALL_LIBRARY`."""
_PAPERS_PER_HOLDER, _MAX_HOLDERS_IN_SMALL_LIBRARY = 10, 20
_MAX_RARE_HOLDERS, _PAPERS_PER_RARE_HOLDER, _MAX_RARE_HOLDERS_IN_SMALL_LIBRARY = 20, 100, 3
"""A word is rare if at most `_MAX_RARE_HOLDERS` papers and one in `_PAPERS_PER_RARE_HOLDER` hold it; in a small library
if at most `_MAX_RARE_HOLDERS_IN_SMALL_LIBRARY` do."""
MAX_TYPED_WORDS = 32
"""Longer queries were pasted: a rare word in them is one of many."""
STEPS_PER_UNIT = np.float32(4096)
"""Vectors are summed in whole steps of 1/4096."""

HoldersAndSum = tuple[int, "npt.NDArray[np.float64]"]
"""The number of papers that hold a word, and the sum of their vectors."""


def context_vectors(live: LiveRows, embedder: str, stems: Sequence[str]) -> dict[str, Vector]:
    """The unit mean vector of the holders of each of `stems`, where these are enough and not too many papers.

    No linear map from these means to the vectors of the model is learned: for known words that were held back it
    reaches cosines of .13 to .20, the plain mean .16 to .21 (MED, CF, SciFact).
    """
    max_holders = holder_bounds(live)[1]
    return unit_vectors(
        {stem: count_and_sum_holders(live, embedder, stem, max_holders) for stem in dict.fromkeys(stems)}, max_holders
    )


def count_and_sum_holders(live: LiveRows, embedder: str, stem: str, max_holders: int) -> HoldersAndSum:
    """The number of living papers that hold `stem`, and the sum of their vectors; 0 above `max_holders` papers."""
    rows = live.holders([stem])
    rows_summed = rows if len(rows) <= max_holders else rows[:0]
    return len(rows), sum_vectors(live, embedder, rows_summed, np.ones(len(rows_summed)))


def unit_vectors(sums: Mapping[str, HoldersAndSum], max_holders: int) -> dict[str, Vector]:
    """The unit vector of each stem that at least `MIN_HOLDERS` and at most `max_holders` papers hold."""
    vectors_by_stem = {}
    for stem, (count, total) in sums.items():
        length = float(np.linalg.norm(total))
        if MIN_HOLDERS <= count <= max_holders and length > 0:
            vectors_by_stem[stem] = (total / length).astype(np.float32)
    return vectors_by_stem


def holder_bounds(live: LiveRows) -> tuple[int, int]:
    """The least and the largest number of papers from which the meaning of a word is learned."""
    return MIN_HOLDERS, min(MAX_HOLDERS, max(_MAX_HOLDERS_IN_SMALL_LIBRARY, live.count // _PAPERS_PER_HOLDER))


def sum_vectors(live: LiveRows, embedder: str, rows: Rows, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The sum of the vectors of `rows` (ascending), each times its weight in [0, 1], in steps of 1/4096 squared.

    It is a sum of whole numbers, which depends neither on the order of additions nor on the segments.
    """
    total = np.zeros(
        next((vector.dims for vector in live.vectors if vector is not None and vectors_of(vector, embedder)), 0)
    )
    for vectors, span, local_rows in split_by_segment(live, embedder, rows):
        units = np.rint(vectors.full_vectors(local_rows).astype(np.float64) * STEPS_PER_UNIT)
        total += np.rint(weights[span] * STEPS_PER_UNIT) @ units
    return total


def split_by_segment(live: LiveRows, embedder: str, rows: Rows) -> Iterator[tuple[Vectors, slice, Rows]]:
    """Each segment with vectors that has some of `rows`: its vectors, their slice of `rows`, and the rows within it."""
    edges = np.searchsorted(rows, live.offsets).tolist()
    for index, vectors in enumerate(live.vectors):
        segment_vectors = vectors_of(vectors, embedder)
        if segment_vectors is not None and edges[index] < edges[index + 1]:
            span = slice(edges[index], edges[index + 1])
            yield segment_vectors, span, rows[span] - live.offsets[index]


def vectors_of(vectors: Vectors | None, embedder: str) -> Vectors | None:
    """`vectors` if `embedder` made them, else `None`."""
    return vectors if vectors is not None and vectors.embedder == embedder else None


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


class FullTextVocabulary(Protocol):
    """The words of the full texts of a library: `FullTexts` on this machine, `ShardTexts` of a cluster."""

    @property
    def words(self) -> Sequence[WordFrequencies]:
        """The stems of each segment's texts."""
        ...

    def holders(self, term: Term) -> Rows:
        """The rows of the papers with a full text that holds `term`, ascending."""
        ...


@dataclass(frozen=True, slots=True)
class RareWord:
    """A rare word and the papers that hold it."""

    holders: Rows
    """Ascending."""
    idf: float
    points: float
    """Points of a holder where this is the only rare word of the query."""


@dataclass(frozen=True, slots=True)
class RareWords:
    """The rare words of one query."""

    words: tuple[RareWord, ...]

    def rows(self, live: LiveRows, allowed: Rows) -> Rows:
        """The rows of `allowed` (ascending) that hold a rare word, ascending."""
        holders = union_rows(live.size, *(word.holders for word in self.words))
        # Not `intersect1d`, which would sort all papers: 5 ms for 109,000.
        return intersect_rows(holders, allowed)

    def priors(self, pool: Rows) -> tuple[PaperPrior, ...]:
        """The prior of papers of the `pool` (ascending) that hold rare words; empty where none does."""
        points = np.zeros(len(pool))
        total_idf = sum(word.idf for word in self.words) or 1.0
        for word in self.words:
            points[np.isin(pool, word.holders)] += word.points * word.idf / total_idf
        return (PaperPrior("holds the rare word", points.round(6)),) if points.any() else ()


def max_rare_holders(live: LiveRows) -> int:
    """The largest number of papers that may hold a rare word."""
    return max(_MAX_RARE_HOLDERS_IN_SMALL_LIBRARY, min(_MAX_RARE_HOLDERS, live.count // _PAPERS_PER_RARE_HOLDER))


def find_rare_words(
    live: LiveRows,
    terms: Sequence[Term],
    frequencies: Sequence[int],
    vectors: StaticModel,
    texts: Callable[[], FullTextVocabulary],
    weights: SearchWeights = DEFAULT,
) -> RareWords:
    """The rare words among `terms`; words that no title or abstract holds are looked up in the full texts.

    `frequencies` has the number of papers that hold each term.
    """
    if len(terms) > MAX_TYPED_WORDS:
        # In a pasted text a rare word is one of many, and not the subject.
        return RareWords(())
    stem_numbers = vectors.places([term.stems[0] for term in terms]).tolist()
    max_holders = max_rare_holders(live)
    words: list[RareWord] = []
    for term, stem_number, frequency in zip(terms, stem_numbers, frequencies, strict=True):
        if stem_number >= 0 or frequency > max_holders:
            continue
        holders, points = live.holders(term.stems), weights.rare
        if not len(holders):
            holders, points = texts().holders(term), weights.rare_full_text
        if 0 < len(holders) <= max_holders:
            idf = math.log(1 + (live.count - len(holders) + 0.5) / (len(holders) + 0.5))
            words.append(RareWord(holders, idf, points))
    return RareWords(tuple(words))
