"""A word that nobody uses, and the one that was meant."""

from __future__ import annotations

import pytest
from rapidfuzz.distance import OSA

from litterm.search.query.spell_checker import correct_spelling


class Vocabulary:
    """One part of an index: words and how many papers use each."""

    def __init__(self, **counts: int) -> None:
        self._counts = counts

    def similar_words(self, word: str, slips: int) -> list[tuple[str, int]]:
        return [(each, count) for each, count in self._counts.items() if OSA.distance(word, each) <= slips]


WORDS = Vocabulary(parser=400, parse=300, translation=900, trees=50, seldom=2)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("tranlsatoin", "translation"),  # two slips in a long word
        ("prser", "parser"),  # one in a short one
        ("trxxs", ""),  # two are too many there
        ("parsre", "parser"),  # letters exchanged count once; of two as near the more frequent
        ("seldon", ""),  # what is rare may be misspelled itself
        ("tre", ""),
        ("2019s", ""),
    ],
)
def test_the_nearest_frequent_word_is_meant(typed: str, meant: str) -> None:
    assert correct_spelling(typed, [WORDS]) == meant  # type: ignore[list-item]


def test_a_word_that_papers_use_gives_way_to_one_far_more_frequent_only() -> None:
    assert correct_spelling("parsee", [WORDS], seen=3) == "parser"  # type: ignore[list-item]
    assert correct_spelling("parsee", [WORDS], seen=5) == ""  # type: ignore[list-item]


def test_counts_of_all_parts_are_added() -> None:
    assert correct_spelling("tokem", [Vocabulary(token=2), Vocabulary(token=1)]) == "token"  # type: ignore[list-item]
