"""Attribution by BM25 over the words around the mark, the nearest weighing most; no model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from litterm.cite.support import stem_weights, supporting_sentence
from litterm.errors import UsageError
from litterm.model.citation import Attribution, Candidate, Excerpt
from litterm.model.document import Document
from litterm.model.events import Progress, Ranked
from litterm.model.paper import PaperId
from litterm.model.search import Query, RankedPaper, Ranking
from litterm.protocols import WeightedSearcher
from litterm.tasks import Task


class LexicalAttributor:
    """The floor under every other attributor; fits `protocols.Attributor`."""

    name = "bm25"

    def __init__(
        self, searcher: WeightedSearcher, document: Callable[[PaperId], Document | None] = lambda _id: None
    ) -> None:
        """`document` gives the full text of a paper, where the supporting sentence is then looked for."""
        self._searcher = searcher
        self._document = document

    def attribute(
        self, excerpt: Excerpt, *, k: int, before: int | None, exclude: Collection[PaperId] = ()
    ) -> Task[Attribution]:
        """At most `k` candidates of the year `before` or earlier; `exclude` holds the citing paper, if known.

        Yields the ranking before it looks for supporting sentences.

        Raises:
            UsageError: `k` is below 1, or no word around the mark can be searched for.
        """
        if k < 1:
            raise UsageError(f"Ask for at least one candidate, not {k}.")
        if not excerpt.words:
            raise UsageError("No word around the mark can be searched for; paste the whole sentence that cites.")
        found = yield from self._searcher.candidates(excerpt.words, k=k, before=before, exclude=exclude)
        yield Ranked(Ranking(Query(excerpt.text), found, found=len(found), by=self.name))
        weights = stem_weights(excerpt.words)
        candidates: list[Candidate] = []
        for place, ranked in enumerate(found):
            yield Progress("supporting sentences", place, len(found))
            candidates.append(self._candidate(ranked, weights))
        notices = () if candidates else (_nothing_found(before),)
        return Attribution(excerpt, self.name, tuple(candidates), notices=notices)

    def _candidate(self, ranked: RankedPaper, weights: Mapping[str, float]) -> Candidate:
        paper = ranked.paper
        document = self._document(paper.id) if paper.full_text else None
        return Candidate(
            rank=ranked.rank,
            paper=paper,
            score=ranked.score or 0.0,
            matched=tuple(word for word, _ in ranked.matched),
            support=supporting_sentence(weights, paper, document),
        )


def _nothing_found(before: int | None) -> str:
    limit = f" of {before} or earlier" if before is not None else ""
    return f"No paper{limit} in the library shares a word with the excerpt."
