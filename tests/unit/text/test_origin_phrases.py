from __future__ import annotations

import pytest

from litterm.model.document import Span
from litterm.text.origin_phrases import names_an_origin


def _marked(text: str) -> tuple[str, Span]:
    at = text.index("[1]")
    return text, Span(at, at + 3)


@pytest.mark.parametrize(
    "text",
    [
        "Attention was first proposed by Bahdanau et al. [1] for translation.",
        "The perceptron was originally introduced in [1].",
        "Since the seminal work of [1], parsers are neural.",
        "This idea dates back to [1].",
        "They [1] were the first to parse Czech.",
        "The term was coined in [1].",
        "We use the tagger proposed by [1].",
    ],
)
def test_sentences_that_name_an_origin(text: str) -> None:
    assert names_an_origin(*_marked(text))


@pytest.mark.parametrize(
    "text",
    [
        "We use the corpus of [1].",
        "First, we tag the text with [1].",
        "Results are better than those of [1].",
        "Nets were first introduced by others long ago, and after many years in which nobody looked at the matter at "
        "all, not even once, some of us now use the corpus of [1].",
    ],
)
def test_sentences_that_name_none(text: str) -> None:
    assert not names_an_origin(*_marked(text))


def test_without_a_mark_the_whole_sentence_counts() -> None:
    assert names_an_origin("Attention was first introduced for translation.", None)
