"""The rank of a count among the papers of its year, and what is expected where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from litterm.citations.count_ranks import EXPECTED_RANK, CountRanks
from litterm.library.citation_facts.shipped import EdgeArrays, open_facts
from litterm.model.paper import PaperId

A, B, C, LATER = map(PaperId, ("acl:P00-0001", "acl:P00-0002", "acl:P00-0003", "acl:2020.acl-main.1"))
BY_01, BY_05 = PaperId("acl:P01-0001"), PaperId("acl:P05-0001")


class Facts:
    """Three papers of one year: A is cited in 2001 and 2005, B in 2005, and the counts say 9, 2 and 2."""

    def counts(self) -> tuple[list[str], np.ndarray]:
        return [A, B, C], np.array([9, 2, 2])

    def edges(self) -> EdgeArrays:
        papers = (A, B, BY_01, BY_05)
        return EdgeArrays(papers, np.array([0, 0, 1]), np.array([2, 3, 3]))

    def references(self, paper_id: str) -> tuple[PaperId, ...]:
        return {BY_01: (A,), BY_05: (A, B)}.get(PaperId(paper_id), ())


RANKS = CountRanks(Facts)  # type: ignore[arg-type]


def test_ties_count_half_and_an_unknown_paper_has_what_is_expected() -> None:
    assert RANKS.ranks([A, B, C, LATER]).tolist() == pytest.approx([5 / 6, 1 / 3, 1 / 3, EXPECTED_RANK])


def test_only_what_was_written_by_then_counts() -> None:
    assert RANKS.ranks([A, B, C], until=2003).tolist() == [0.5, EXPECTED_RANK, EXPECTED_RANK]
    assert RANKS.ranks([A, B], until=2005).tolist() == [0.75, 0.25]
    assert RANKS.ranks([A, B], until=2026).tolist() == RANKS.ranks([A, B]).tolist()


def test_the_citing_paper_itself_does_not_count() -> None:
    assert RANKS.ranks([A, B], until=2005, exclude=[BY_05]).tolist() == [0.25, EXPECTED_RANK]
    assert RANKS.ranks([C], exclude=[BY_05]).tolist() == RANKS.ranks([C]).tolist()


def test_much_cited_papers_of_the_network_rank_high() -> None:
    bleu, other = CountRanks(open_facts).ranks([PaperId("acl:P02-1040"), LATER])
    assert bleu > 0.99 and other == EXPECTED_RANK
