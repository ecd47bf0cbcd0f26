"""Sub-queries of two aspects with graded pools, after DORIS-MAE (Wang et al. 2023), without a model.

The aspects are what one paragraph cites papers for. A paper that is cited for an aspect is graded 2 on it, any other 0,
and the grade of a sub-query follows from those of its two aspects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from typing import TYPE_CHECKING

from litterm.model.events import Progress
from litterm.model.test_sets import CitingPassage, SubQuery
from litterm.test_sets.questions import CLAUSE, TOO_EASY, UNCLEAR, candidate_groups, read_clause, title_overlap

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import PaperSearcher
    from litterm.model.paper import Paper, PaperId
    from litterm.test_sets.llm_writers import Candidate

POOL_SIZE = 100
"""Papers of a pool: DORIS-MAE's have 99 to 138."""
ONE_ASPECT = "the paragraph cites papers for one thing only"


def sub_queries_of(passage: CitingPassage, max_overlap: float) -> Iterator[SubQuery | str]:
    """The pairs of things that a paragraph cites different papers for, without pools yet; or why there is none."""
    aspects: list[tuple[str, tuple[PaperId, ...]]] = []
    for sentence, group in candidate_groups(passage):
        targets = tuple(passage.papers[paper] for paper in group.cited)
        clause = read_clause(sentence, group, targets).removeprefix("[it]").strip()
        if not clause or title_overlap(clause, targets) > max_overlap:
            yield TOO_EASY if clause else UNCLEAR
        else:
            aspects.append((clause, group.cited))
    pairs = [pair for pair in combinations(aspects, 2) if set(pair[0][1]).isdisjoint(pair[1][1])]
    if aspects and not pairs:
        yield ONE_ASPECT
    for number, (first, second) in enumerate(pairs):
        yield SubQuery(f"{passage.key}.p{number}", (first, second), passage.source, CLAUSE)


@dataclass(frozen=True, slots=True)
class PoolSearch:
    """Finds the pool of each sub-query."""

    searcher: Callable[[], PaperSearcher]
    load: Callable[[Sequence[PaperId]], Sequence[Paper]]

    def write(self, candidates: Sequence[Candidate]) -> Task[list[Candidate]]:
        """The sub-queries with their pools.

        A pool holds the cited papers, and what the library's search finds for the whole and for each aspect in turn,
        without the citing paper.
        """
        filled: list[Candidate] = []
        for item in candidates:
            if not isinstance(item, SubQuery):
                continue
            found = []
            for text in (item.text, *(clause for clause, _ in item.aspects)):
                yield Progress("looking for the pool of a sub-query")
                found.append((yield from self._search(text)))
            cited = dict.fromkeys(paper for _, papers in item.aspects for paper in papers)
            in_turn = [paper for row in zip_longest(*found) for paper in row if paper is not None]
            ids = [paper for paper in dict.fromkeys((*cited, *in_turn)) if paper != item.source.id]
            filled.append(replace(item, pool=tuple(self.load(ids[:POOL_SIZE]))))
        return filled

    def _search(self, text: str) -> Task[list[PaperId]]:
        from litterm.text.queries.parser import literal_query

        ranking = yield from self.searcher().search(literal_query(text), k=POOL_SIZE)
        return [ranked.paper.id for ranked in ranking.papers if ranked.is_own]
