"""The words that only ask for literature are told apart from what is asked about."""

from __future__ import annotations

import pytest

from litterm.text.queries.topic_words import remove_asides, remove_request


@pytest.mark.parametrize(
    ("typed", "topic"),
    [
        ("Give me a reading list on semantic parsing", "semantic parsing"),
        ("Please suggest some introductory reading about word sense disambiguation.", "word sense disambiguation."),
        ("Can you recommend a good reading list for dialogue systems?", "dialogue systems"),
        ("reading list on multi-hop question answering", "multi-hop question answering"),
        ("Where do I start with coreference resolution?", "coreference resolution"),
        ("What should I read to learn about parsing", "parsing"),
        ("I am new to machine translation, where should I start?", "machine translation"),
        ("Give me an introduction to discourse parsing", "discourse parsing"),
        ("Recommend papers to read on topic models", "topic models"),
        ("I want to learn about the topic of entity linking", "entity linking"),
    ],
)
def test_a_request_is_cut_off(typed: str, topic: str) -> None:
    assert remove_request(typed) == topic


@pytest.mark.parametrize(
    "typed",
    [
        "reading comprehension with multiple passages",
        "Introduction to the CoNLL-2003 shared task",
        "where do language models store facts",
        "give and take: strategic dialogue",
        "eye movements during reading of sentences",
        "papers on machine reading",
        "Give me a reading list",
        "",
    ],
)
def test_other_words_stay(typed: str) -> None:
    assert remove_request(typed) == typed


def test_a_request_for_nothing_stays_as_it_was() -> None:
    assert remove_request("Give me a reading list about ...") == "Give me a reading list about ..."


def test_what_the_list_should_cover_is_topic_and_the_rest_is_not() -> None:
    text = "commonsense reasoning. The list should cover articles introducing knowledge graphs"
    assert remove_asides(text).split() == "commonsense reasoning. knowledge graphs".split()


@pytest.mark.parametrize(
    "piece", ["a few good ", "some the a ", "give me ", "please ", "list it ", "where do i start ", ". , "]
)
def test_words_over_and_over_are_read_in_one_pass(piece: str) -> None:
    # Patterns that part a repetition in every way would never end here.
    for count in (50, 2_000):
        assert remove_request(piece * count) is not None
        assert remove_asides(piece * count) is not None
