from __future__ import annotations

import pytest

from litterm.model.document import Span
from litterm.text.origin_phrases import names_an_origin, names_the_origin_of
from litterm.text.tokens import tokens


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


TOPIC = [frozenset(tokens("dependency parsing"))]


@pytest.mark.parametrize(
    "text",
    [
        "Dependency parsing was first proposed by Hays et al. [1] long ago.",
        "Since the seminal work of [1], dependency parsing is statistical.",
        "They [1] were the first to try dependency parsing.",
    ],
)
def test_sentences_that_say_a_topic_began_with_a_paper(text: str) -> None:
    assert names_the_origin_of(*_marked(text), TOPIC)
    assert not names_the_origin_of(*_marked(text), [frozenset(tokens("speech synthesis"))])


@pytest.mark.parametrize(
    "text",
    [
        "For dependency parsing we use the tagger proposed by [1].",
        "The perceptron was first introduced in [1].",
        "Dependency parsing was first proposed by Hays (1964) and is taken further in [1].",
        "Dependency parsing, first proposed in [7], is done in one pass by [1].",
    ],
)
def test_a_follower_or_another_origin_is_none_of_the_topic(text: str) -> None:
    assert not names_the_origin_of(*_marked(text), TOPIC)


def test_without_a_mark_nobody_knows_whose_origin_it_is() -> None:
    assert not names_the_origin_of("Dependency parsing was first proposed long ago.", None, TOPIC)
