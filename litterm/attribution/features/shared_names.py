"""Which of several papers that introduced one name an excerpt speaks of, by the words around the mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litterm.attribution.features.name_match import introduction_strength, name_at_mark, uses_name
from litterm.attribution.supporting_sentence import stem_weights
from litterm.model.attribution.citation import Excerpt
from litterm.model.paper import Paper
from litterm.text.tokens import tokens

_MIN_MARGIN = 0.1
"""Share of the words around the mark by which one paper must lead another of its name to be told from it."""
_MIN_CONTEXT_STEMS = 4
"""Stems around the mark of which a paper that is only known by its name must share one; fewer say nothing."""
_USERS_SHARE = 0.05
"""What all later papers that use the name count beside the words; it decides where these say nothing."""
MAX_CONFIDENCE = 0.45
"""Of a paper that only its name speaks for."""


@dataclass(frozen=True, slots=True)
class NameSupport:
    """How the words around the mark speak for each of some papers; those that did not introduce its name have 0."""

    name: str
    shares: tuple[float, ...]
    introduces: tuple[bool, ...]
    is_telling: bool
    """Whether there are enough words around the mark to tell."""

    @property
    def rivals(self) -> int:
        """Papers that have the name by their titles."""
        return sum(self.introduces)

    def is_doubtful(self, place: int) -> bool:
        """Whether only its name speaks for the paper at `place`, and might speak for another."""
        if not self.introduces[place]:
            return False
        others = [share for other, share in enumerate(self.shares) if other != place and self.introduces[other]]
        if others:
            return self.shares[place] - max(others) < _MIN_MARGIN
        return self.is_telling and self.shares[place] == 0.0


def support_names(excerpt: Excerpt, papers: Sequence[Paper]) -> NameSupport:
    """How the words of `excerpt` speak for those of `papers` that have the name at the mark by their titles."""
    name = name_at_mark(excerpt)
    introduces = [bool(name) and introduction_strength(name, paper) == 1.0 for paper in papers]
    weights = stem_weights(excerpt.words)
    for stem in tokens(name):
        weights.pop(stem, None)
    total = sum(weights.values())
    shares = []
    for paper, is_rival in zip(papers, introduces, strict=True):
        stems = frozenset(tokens(f"{paper.title} {paper.abstract}")) if is_rival else frozenset()
        shares.append(sum(weight for stem, weight in weights.items() if stem in stems) / total if total else 0.0)
    return NameSupport(name, tuple(shares), tuple(introduces), len(weights) >= _MIN_CONTEXT_STEMS)


def best_supported(support: NameSupport, papers: Sequence[Paper]) -> int:
    """The place of the rival that the words, or else those who use its name after it, speak most for."""
    rivals = [place for place, is_rival in enumerate(support.introduces) if is_rival]
    users = [paper.year for paper in papers if paper.year and uses_name(support.name, paper)]
    followers = dict.fromkeys(rivals, 0)
    for year in users:
        earlier = [place for place in rivals if (papers[place].year or 0) <= year]
        if earlier:
            followers[max(earlier, key=lambda place: papers[place].year or 0)] += 1
    return max(
        rivals,
        key=lambda place: (
            support.shares[place] + _USERS_SHARE * followers[place] / max(1, len(users)),
            -(papers[place].year or 0),
        ),
    )
