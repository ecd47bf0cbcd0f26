"""A claim as it was typed, and the words that are looked for."""

from __future__ import annotations

import pytest

from litterm.core.errors import UsageError
from litterm.evidence.hypothesis import read_hypothesis


@pytest.mark.parametrize(
    ("typed", "why"), [("", "is empty"), (" \n ", "is empty"), ("of the", "has no word to look for")]
)
def test_a_claim_without_a_word_is_refused_for_what_it_is(typed: str, why: str) -> None:
    with pytest.raises(UsageError, match=f"The hypothesis {why};"):
        read_hypothesis(typed)


def test_words_stand_as_they_were_first_typed() -> None:
    found = read_hypothesis("  Parsers  parse; the parser helps ")
    assert found.text == "Parsers parse; the parser helps"
    assert next(iter(found.words.values())) == "Parsers"
    assert "helps" in found.words.values()
    assert "the" not in found.words.values()
