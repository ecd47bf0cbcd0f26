"""What the citation facts say of a candidate: how much it is cited, and how an excerpt fits the words near its marks.

A paper of which the facts know nothing has 0 in every column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from litterm.attribution.supporting_sentence import stem_weights
from litterm.citations.count_ranks import EXPECTED_RANK
from litterm.library.citation_facts.profiles import ProfileIndex, ProfileMatches

if TYPE_CHECKING:
    from litterm.citations.count_ranks import CountRanks
    from litterm.interfaces.arrays import Column
    from litterm.library.citation_facts.shipped import ProfileArrays
    from litterm.model.attribution.citation import CandidateBounds, Excerpt
    from litterm.model.paper import PaperId

PROFILE_CANDIDATES = 200
"""Papers that are candidates for the words near their marks, whatever their own words are."""
FACT_FEATURES = (
    "count_rank",
    "lone_count_rank",
    "profiled",
    "profile_texts",
    "profile",
    "profile_share",
    "profile_square",
)
"""The rank of its count among the papers of its year, less what is to be expected, and the same where nothing else is
known; whether it has a profile (is *covered*), and the logarithm of the texts that this is made of; how well the
excerpt fits it beside the best profile, how much of the excerpt that is, and the square of that: a good fit says more
than two poor ones."""


class FactFeatures:
    """Reads the facts for excerpts; safe from any thread."""

    def __init__(self, ranks: CountRanks, profiles: Callable[[], ProfileArrays]) -> None:
        """`profiles` is called when they are first needed."""
        self._ranks = ranks
        self._read_profiles = profiles

    @cached_property
    def _profiles(self) -> ProfileIndex:
        return ProfileIndex(self._read_profiles())

    def has_profile(self, paper_id: PaperId) -> bool:
        """Whether anything is known of the words near the marks of a paper."""
        return paper_id in self._profiles.places

    def match(self, excerpt: Excerpt) -> ProfileMatches:
        """How well each profile fits `excerpt`."""
        return self._profiles.match(stem_weights(excerpt.words))

    def columns(self, ids: Sequence[PaperId], matches: ProfileMatches, bounds: CandidateBounds) -> dict[str, Column]:
        """Per paper of `ids` every feature of `FACT_FEATURES`; who cites it is counted within `bounds`."""
        profiles = matches.columns(ids)
        ranks = self._ranks.ranks(ids, until=bounds.year, exclude=bounds.exclude)
        return {
            "count_rank": ranks - EXPECTED_RANK,
            "lone_count_rank": (ranks - EXPECTED_RANK) * (1 - profiles["profiled"]),
            "profiled": profiles["profiled"],
            "profile_texts": np.log1p(profiles["texts"]),
            "profile": profiles["nearest"],
            "profile_share": profiles["share"],
            "profile_square": profiles["share"] ** 2,
        }
