"""The words near marks as a field of their own: papers by how well an excerpt fits what stands where others cite them.

BM25 over the profiles of the citation facts, a stem counting as often as texts hold it. A profile is small (2 to some
hundred stems), so all of them are scored at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.library.citation_facts.shipped import ProfileArrays

_SATURATION, _LENGTH_SHARE = 1.2, 0.75
"""The usual constants of BM25; others were not tried."""


@dataclass(frozen=True, slots=True)
class ProfileMatches:
    """How well each profile fits one excerpt."""

    papers: Sequence[str]
    """All papers with a profile."""
    places: Mapping[str, int]
    """Where each is in `papers`."""
    texts: Column
    """A number a paper: the texts that cite it."""
    scores: Column
    """A number a paper; 0 where nothing is shared."""
    total: float
    """The rarity of all stems of the excerpt that any profile holds, each times its weight."""

    def best(self, count: int) -> tuple[PaperId, ...]:
        """At most `count` papers that share a stem with the excerpt, the best first, ties in the order of the ids."""
        order = np.argsort(-self.scores, kind="stable")[:count]
        return tuple(PaperId(self.papers[place]) for place in order.tolist() if self.scores[place] > 0)

    def columns(self, ids: Sequence[PaperId]) -> dict[str, Column]:
        """Per paper of `ids`: `profiled` (1 or 0), `texts`, `share` of the excerpt, and `nearest` to the best profile.

        The last two are in [0, 1]; all are 0 for a paper without a profile.
        """
        places = np.array([self.places.get(paper_id, -1) for paper_id in ids], np.int64)
        profiled = places >= 0
        scores, texts = np.zeros(len(ids)), np.zeros(len(ids))
        scores[profiled], texts[profiled] = self.scores[places[profiled]], self.texts[places[profiled]]
        best = float(self.scores.max(initial=0.0))
        return {
            "profiled": profiled.astype(np.float64),
            "texts": texts,
            "share": scores / self.total if self.total > 0 else np.zeros(len(ids)),
            "nearest": scores / best if best > 0 else np.zeros(len(ids)),
        }


class ProfileIndex:
    """Scores all profiles by the stems of an excerpt; safe from any thread.

    `places` holds the papers with a profile.
    """

    def __init__(self, profiles: ProfileArrays) -> None:
        self._papers = profiles.papers
        self._texts = profiles.texts.astype(np.float64)
        self.places: Mapping[str, int] = {paper: place for place, paper in enumerate(profiles.papers)}
        self._numbers = {stem: number for number, stem in enumerate(profiles.stems)}
        count, lengths = len(profiles.papers), np.diff(profiles.starts)
        paper_of = np.repeat(np.arange(count), lengths)
        by_stem = np.argsort(profiles.stem_numbers, kind="stable")
        self._paper_of = paper_of[by_stem]
        held = profiles.counts[by_stem].astype(np.float64)
        self._starts = np.searchsorted(profiles.stem_numbers[by_stem], np.arange(len(profiles.stems) + 1))
        holding = np.diff(self._starts)
        self._rarity = np.log(1 + (count - holding + 0.5) / (holding + 0.5))
        words = np.bincount(paper_of, profiles.counts, minlength=count)
        length = words / max(1.0, float(words.mean()) if count else 1.0)
        self._worth = held / (held + _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length[self._paper_of]))

    def match(self, weights: Mapping[str, float]) -> ProfileMatches:
        """How well each profile fits an excerpt with `weights` of stems."""
        scores, total = np.zeros(len(self._papers)), 0.0
        for stem, weight in weights.items():
            number = self._numbers.get(stem)
            if number is None:
                continue
            start, end = self._starts[number : number + 2].tolist()
            rarity = weight * float(self._rarity[number])
            scores[self._paper_of[start:end]] += rarity * self._worth[start:end]
            total += rarity
        return ProfileMatches(self._papers, self.places, self._texts, scores, total)
