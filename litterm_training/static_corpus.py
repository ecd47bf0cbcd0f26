"""Texts as numbers, and two views of one paper at a time: the numpy side of training the semantic model."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from litterm_training.static_texts import Text, TextPair

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

MIN_PAPERS_PER_STEM = 3
"""Papers a stem must occur in to get a vector."""

# How often a paper is shown as title and abstract, first and second half, one sentence and the rest, keywords and text.
# The shares are in this order.
_TITLE, _HALVES, _SENTENCE, _KEYWORDS = range(4)
_SHARES = (0.45, 0.22, 0.23, 0.10)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one table is trained; on what is the corpus."""

    dims: int = 256
    epochs: int = 10
    batch: int = 1024
    temperature: float = 0.07
    rate: float = 0.1
    """Of the root mean square of the first vectors."""
    lexical_dropout: float = 0.5
    token_dropout: float = 0.2
    shares: tuple[float, ...] = ()
    """Of a batch, from each group of pairs."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Bags:
    """Bags of stems, one a row; entries in the order of rows, a stem once a row."""

    rows: Ints
    stems: Ints
    weights: Floats
    """1 + ln tf."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Papers as runs of stem numbers: title, each sentence of the abstract, keywords; then the sides of pairs."""

    stems: tuple[str, ...]
    """The vocabulary, sorted."""
    idf: Floats
    flat: Ints
    edges: tuple[Ints, ...]
    """Per paper, where each run starts and the last ends."""
    usable: Ints
    """Papers that have two sides of their own."""
    groups: tuple[Ints, ...]
    """Of each group of pairs: start and past of a text in `flat` and the paper it is about, a row each."""

    @property
    def digest(self) -> str:
        """SHA-256 of all there is to learn from: the same where the same files were read and split the same way."""
        digest = hashlib.sha256("\n".join(self.stems).encode())
        for array in (self.flat, *self.edges, self.usable, *self.groups):
            digest.update(array.tobytes())
        return digest.hexdigest()


def make_corpus(
    texts: Sequence[Text], groups: Sequence[Sequence[TextPair]] = (), *, fewest: int = MIN_PAPERS_PER_STEM
) -> Corpus:
    """The corpus of `texts` and of `groups` of pairs, whose papers are places in `texts`."""
    frequency: Counter[str] = Counter()
    for text in texts:
        frequency.update({stem for run in text.runs for stem in run})
    stems = sorted(stem for stem, count in frequency.items() if count >= fewest)
    number = {stem: index for index, stem in enumerate(stems)}
    flat: list[int] = []

    def put(run: Sequence[str]) -> int:
        flat.extend(number[stem] for stem in run if stem in number)
        return len(flat)

    edges = [np.array([len(flat), *map(put, text.runs)], np.int64) for text in texts]
    pairs = [np.array([(len(flat), put(pair.stems), pair.paper) for pair in group], np.int64) for group in groups]
    usable = [index for index, bounds in enumerate(edges) if bounds[1] > bounds[0] and bounds[-1] > bounds[1]]
    counts = np.array([frequency[stem] for stem in stems], np.float32)
    return Corpus(
        stems=tuple(stems),
        idf=np.log(len(texts) / counts).astype(np.float32),
        flat=np.array(flat, np.int64),
        edges=tuple(edges),
        usable=np.array(usable, np.int64),
        groups=tuple(bounds.reshape(-1, 3) for bounds in pairs),
    )


def batches(corpus: Corpus, chance: np.random.Generator, *, size: int, shares: Sequence[float]) -> Iterator[Ints]:
    """One epoch in batches of `size`: places of papers, and -1 - n for pair n of the groups one after the other.

    Of each batch `shares` come from the groups; every usable paper comes at most once.
    """
    order = chance.permutation(corpus.usable)
    starts = np.cumsum([0, *map(len, corpus.groups)])
    counts = [min(round(size * share), len(group)) for share, group in zip(shares, corpus.groups, strict=True)]
    own_count = size - sum(counts)
    for start in range(0, len(order) - own_count + 1, own_count):
        drawn = [
            -1 - first - chance.choice(len(group), count, replace=False)
            for first, group, count in zip(starts, corpus.groups, counts, strict=False)
            if count
        ]
        yield np.concatenate([order[start : start + own_count], *drawn])


def views(corpus: Corpus, places: Ints, chance: np.random.Generator) -> tuple[list[Ints], list[Ints], Ints]:
    """Two sides of each of `places` as stem numbers, and which paper each is about."""
    pairs = np.concatenate([*corpus.groups, np.empty((0, 3), np.int64)])
    kinds = chance.choice(len(_SHARES), len(places), p=_SHARES).tolist()
    left, right, papers = [], [], places.copy()
    for index, (place, kind) in enumerate(zip(places.tolist(), kinds, strict=True)):
        if place < 0:
            start, past, papers[index] = pairs[-1 - place].tolist()
            edges = corpus.edges[papers[index]]
            left_side, right_side = corpus.flat[start:past], corpus.flat[edges[0] : edges[-2]]
        else:
            left_side, right_side = _sides(corpus.flat, corpus.edges[place], kind, chance)
        left.append(left_side)
        right.append(right_side)
    return left, right, papers


def _sides(flat: Ints, edges: Ints, kind: int, chance: np.random.Generator) -> tuple[Ints, Ints]:
    last = len(edges) - 2
    if edges[-1] > edges[-2] and (kind == _KEYWORDS or last == 1):
        return flat[edges[-2] : edges[-1]], flat[edges[0] : edges[-2]]
    if last < 3 or kind in (_TITLE, _KEYWORDS):
        return flat[edges[0] : edges[1]], flat[edges[1] : edges[last]]
    if kind == _HALVES:
        middle = edges[last // 2 + 1]
        return flat[edges[0] : middle], flat[middle : edges[last]]
    chosen = int(chance.integers(1, last))
    rest = np.concatenate([flat[edges[0] : edges[chosen]], flat[edges[chosen + 1] : edges[last]]])
    return flat[edges[chosen] : edges[chosen + 1]], rest


def bags(sides: Sequence[Ints], vocabulary: int) -> Bags:
    """Each side as a bag."""
    rows = np.repeat(np.arange(len(sides), dtype=np.int64), np.fromiter(map(len, sides), np.int64, len(sides)))
    keys, counts = np.unique(rows * vocabulary + np.concatenate(sides), return_counts=True)
    return Bags(keys // vocabulary, keys % vocabulary, (1 + np.log(counts)).astype(np.float32))


def thin_bags(
    left: Bags, right: Bags, chance: np.random.Generator, *, vocabulary: int, shared: float, any_stem: float
) -> Bags:
    """`right` without some stems: with probability `shared` one that `left` has in the same row, with `any_stem` any.

    So nothing is learned by matching words alone.
    """
    shared_stems = np.isin(
        right.rows * vocabulary + right.stems, left.rows * vocabulary + left.stems, assume_unique=True
    )
    keep = chance.random(len(shared_stems)) >= np.where(shared_stems, max(shared, any_stem), any_stem)
    return Bags(right.rows[keep], right.stems[keep], right.weights[keep])
