"""Orders papers sentence by sentence, by how near each sentence of a query is to a sentence of an abstract.

Equation 4 of DORIS-MAE: the mean, over the sentences of the query, of the largest cosine with a sentence of the paper.
Its title counts as one of them, as many papers have no abstract here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from litterm.core.errors import ModelError
from litterm.model.attribution.citation import WeightedWord
from litterm.model.events import Progress
from litterm.model.search import RetrieverShare, ScoreExplanation
from litterm.search.aspects.scores import content_words
from litterm.text.documents import sentences
from litterm.text.queries.parser import ASPECT_SEPARATOR

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces.llm import Vector
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.paper import Paper
    from litterm.model.search import RankedPaper, Ranking

_TEXTS_PER_EVENT = 200
"""Sentences between two reports of progress."""


class SentenceEmbedder(Protocol):
    """Sentences to unit vectors: `SentenceEncoder`, or `BuiltInSentences`."""

    name: str

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "paper"]) -> Task[Vector]:
        """Float32 `[len(texts), dims]`, one a text, in order.

        Raises:
            ModelError: the model cannot be used.
        """
        ...


class BuiltInSentences:
    """Sentences by the built-in word vectors; one without a known word is near to nothing."""

    name = "built-in vectors"

    def __init__(self, model: StaticModel) -> None:
        self._model = model

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "paper"]) -> Task[Vector]:
        """Float32 `[len(texts), dims]`, unit vectors or zeros; queries and papers are read alike."""
        vectors = np.zeros((len(texts), self._model.dims), np.float32)
        for number, text in enumerate(texts):
            if number % _TEXTS_PER_EVENT == 0:
                yield Progress(f"reading sentences of the {kind}", number, len(texts))
            vector = self._model.query_vector([WeightedWord(word, 1.0) for word in content_words(text)])
            if vector is not None:
                vectors[number] = vector
        return vectors


def rank_by_sentences(
    ranking: Ranking,
    query_sentences: Sequence[str],
    *,
    embedder: SentenceEmbedder,
    fallback: Callable[[], SentenceEmbedder],
    count: int,
) -> Task[Ranking]:
    """`ranking` with its first `count` papers by the mean of their best cosines in [-1, 1]; ties keep their order.

    Where `embedder` cannot be used `fallback` is, with a notice. Without a sentence the ranking stays as it is.
    """
    first = ranking.papers[:count]
    if not query_sentences or not first:
        return ranking
    try:
        nearest, name = (yield from _nearest(query_sentences, first, embedder)), embedder.name
    except ModelError as error:
        other = fallback()
        nearest, name = (yield from _nearest(query_sentences, first, other)), other.name
        ranking = replace(ranking, notices=(*ranking.notices, f"Sentences are compared by the {name}: {error}"))
    places = (-nearest).argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") + 1
    by = f"sentences, {name} · {ranking.by}"
    scored = [
        replace(
            ranked,
            score=float(row.mean()),
            by=by,
            why=_explanation(query_sentences, row, ranks),
            local_rank=ranked.rank,
        )
        for ranked, row, ranks in zip(first, nearest, places, strict=True)
    ]
    scored.sort(key=lambda ranked: (not ranked.is_own, -(ranked.score or 0.0), ranked.rank))
    ordered = (replace(ranked, rank=rank) for rank, ranked in enumerate(scored, 1))
    return replace(ranking, papers=(*ordered, *ranking.papers[count:]), by=by)


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text` that hold a word; a separator or an end of line ends one, too."""
    parts = (" ".join(line.split()) for part in text.split(ASPECT_SEPARATOR) for line in part.splitlines())
    found = (part[span.start : span.end] for part in parts for span in sentences.split(part))
    return tuple(dict.fromkeys(sentence for sentence in found if content_words(sentence)))


def _nearest(query_sentences: Sequence[str], papers: Sequence[RankedPaper], embedder: SentenceEmbedder) -> Task[Vector]:
    """Float32 `[papers, query sentences]`: the largest cosine with a sentence of the paper; 0 where it has none."""
    texts = [_sentences_of(ranked.paper) for ranked in papers]
    # Papers share few sentences, but their titles may be asked for again.
    distinct = {text: place for place, text in enumerate(dict.fromkeys(text for of_one in texts for text in of_one))}
    asked = yield from embedder.embed(query_sentences, kind="query")
    read = yield from embedder.embed(list(distinct), kind="paper")
    nearest = np.zeros((len(papers), len(query_sentences)), np.float32)
    for number, of_one in enumerate(texts):
        if of_one:
            nearest[number] = (read[[distinct[text] for text in of_one]] @ asked.T).max(axis=0)
    return nearest


def _sentences_of(paper: Paper) -> tuple[str, ...]:
    return (*split_sentences(paper.title), *split_sentences(paper.abstract))


def _explanation(query_sentences: Sequence[str], cosines: Vector, ranks: Vector) -> ScoreExplanation:
    return ScoreExplanation(
        tuple(
            RetrieverShare(f"for “{text}”", int(rank), float(cosine), float(cosine) / len(query_sentences))
            for text, cosine, rank in zip(query_sentences, cosines, ranks, strict=True)
        )
    )
