from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text.tokens import fold, has_signs, phrase_test, words


@pytest.mark.parametrize(
    ("phrase", "text", "holds"),
    [
        ("language model", "A Language-Model for all", True),
        ("language model", "language models", False),
        ("language model", "sublanguage model", False),
        ("language model", "model of language", False),
        ("state-of-the-art", "state of the art", True),
        ("naïve Bayes", "NAIVE BAYES", True),
        ("C++", "teaching C and D", False),
        ("C++", "teaching C++.", True),
        ("C#", "in c# only", True),
        ("attention is all", "Attention, is all you need", True),
        ("…", "anything", True),
    ],
)
def test_a_phrase_is_words_in_a_row(phrase: str, text: str, holds: bool) -> None:
    assert phrase_test(phrase)(fold(text)) is holds


@given(st.text("ab c-é.", max_size=20), st.text("ab c-é.", min_size=1, max_size=5))
def test_it_agrees_with_the_tokenizer(text: str, phrase: str) -> None:
    sought, found = words(phrase), words(text)
    expected = not sought or any(found[at : at + len(sought)] == sought for at in range(len(found)))
    assert phrase_test(phrase)(fold(text)) is expected


def test_signs_after_a_letter_are_part_of_a_name() -> None:
    assert [has_signs(phrase) for phrase in ("C++", "in C# only", "a + b", "language model")] == [
        True,
        True,
        False,
        False,
    ]
