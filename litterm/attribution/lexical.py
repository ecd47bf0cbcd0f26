"""Attribution by BM25 over the words around the mark, the nearest weighing most; no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.attribution.candidate_bounds import is_admitted
from litterm.attribution.online_query import online_query
from litterm.attribution.supporting_sentence import find_supporting_sentence, stem_weights
from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.attribution.citation import Attribution, Candidate, CandidateBounds, Excerpt
from litterm.model.document import Document
from litterm.model.events import Progress, ProvisionalRanking
from litterm.model.paper import PaperId
from litterm.model.search import Query, RankedPaper, Ranking

if TYPE_CHECKING:
    from litterm.search.lexical import LexicalSearcher

NO_BOUNDS = CandidateBounds()
_EXTRA_CANDIDATES = 20
"""Candidates asked for beyond those wanted, because some turn out not to be admissible."""


class LexicalAttributor:
    """Implements `interfaces.Attributor`; for where the fitted weights cannot be read, and as a baseline."""

    name = "bm25"

    def __init__(
        self,
        searcher: LexicalSearcher,
        document: Callable[[PaperId], Document | None] = lambda _id: None,
        notice: str = "",
    ) -> None:
        """`document` gives the full text of a paper, where the supporting sentence is then looked for; `notice` is
        said with every answer."""
        self._searcher = searcher
        self._document = document
        self._notice = notice

    def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds = NO_BOUNDS) -> Task[Attribution]:
        """At most `k` candidates within `bounds`; there is no confidence.

        Yields the ranking before it looks for supporting sentences.

        Raises:
            UsageError: `k` is below 1, or no word around the mark can be searched for.
        """
        if k < 1:
            raise UsageError(f"Ask for at least one candidate, not {k}.")
        if not excerpt.words:
            raise UsageError("No word around the mark can be searched for; paste the whole citing sentence.")
        ranked = yield from self._searcher.candidates(
            excerpt.words, k=k + _EXTRA_CANDIDATES, before=bounds.year, exclude=bounds.exclude
        )
        admissible = [item for item in ranked if is_admitted(item.paper, bounds)][:k]
        chosen = tuple(replace(item, rank=rank) for rank, item in enumerate(admissible, 1))
        yield ProvisionalRanking(Ranking(Query(excerpt.text), chosen, found=len(chosen), by=self.name))
        weights = stem_weights(excerpt.words)
        candidates: list[Candidate] = []
        for place, item in enumerate(chosen):
            yield Progress("supporting sentences", place, len(chosen))
            candidates.append(self._candidate(item, weights))
        notices = tuple(
            sentence for sentence in (self._notice, "" if candidates else no_candidates_notice(bounds)) if sentence
        )
        return Attribution(
            excerpt,
            self.name,
            tuple(candidates),
            notices=notices,
            verdict="unsure" if candidates else "absent",
            online_query=online_query(excerpt),
        )

    def _candidate(self, ranked: RankedPaper, weights: Mapping[str, float]) -> Candidate:
        paper = ranked.paper
        document = self._document(paper.id) if paper.full_text else None
        return Candidate(
            rank=ranked.rank,
            paper=paper,
            score=ranked.score or 0.0,
            matched=tuple(word for word, _ in ranked.matched),
            support=find_supporting_sentence(weights, paper, document),
        )


def no_candidates_notice(bounds: CandidateBounds) -> str:
    """What is said when the library has no candidate at all."""
    limit = f" of {bounds.year} or earlier" if bounds.year is not None else ""
    return f"No paper{limit} in the library shares a word with the excerpt."
