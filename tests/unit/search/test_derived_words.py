"""Families of words that the stemmer keeps apart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from litterm import data
from litterm.search.query.query_terms import derived_words
from litterm.text.tokens import stem

LINES = [
    line.split()
    for line in Path(data.__file__).with_name("derived.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


def test_a_word_has_the_others_of_its_family() -> None:
    assert derived_words(stem("stable")) == {stem("stability"): "stability"}
    assert set(derived_words(stem("hypothesis")).values()) == {"hypotheses", "hypothetical"}
    assert derived_words(stem("parsing")) == {}


def test_each_word_stands_in_one_family_and_is_kept_apart_by_the_stemmer() -> None:
    stems = [stem(word) for line in LINES for word in line]
    assert len(LINES) > 250
    assert [word for word, count in Counter(stems).items() if count > 1] == []
    assert [line for line in LINES if len(line) < 2] == []
