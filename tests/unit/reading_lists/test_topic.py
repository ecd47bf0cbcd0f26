"""A request is read as keywords or as a sentence."""

from __future__ import annotations

import pytest

from litterm.reading_lists.topic import MAX_KEYWORDS, read_topic


@pytest.mark.parametrize(
    ("typed", "keywords"),
    [
        ("commonsense reasoning", ("commonsense reasoning",)),
        ("commonsense reasoning, evaluation", ("commonsense reasoning", "evaluation")),
        ("graph neural networks (GNNs), nlp", ("graph neural networks",)),
        ("natural language processing (nlp)", ("natural language processing",)),
        ("parsing; parsers, syntax", ("parsing", "parsers", "syntax")),
        ("event extraction || event prediction", ("event extraction", "event prediction")),
        ("opinion mining, mining opinions", ("opinion mining",)),
        ("parsing, unsupervised parsing", ("unsupervised parsing",)),
    ],
)
def test_keywords_stand_between_commas(typed: str, keywords: tuple[str, ...]) -> None:
    topic = read_topic(typed)
    assert topic.kind == "keywords"
    assert topic.keywords == keywords


@pytest.mark.parametrize(
    ("typed", "keywords"),
    [
        ("Give me a reading list about financial opinion mining", ("financial opinion mining",)),
        (
            "Give me a reading list on long sequences and document-level representation learning.",
            ("long sequences", "document-level representation learning"),
        ),
        (
            "how long documents are handled by transformers in the context of summarization",
            ("long documents", "handled", "transformers", "summarization"),
        ),
    ],
)
def test_a_sentence_is_cut_into_its_telling_phrases(typed: str, keywords: tuple[str, ...]) -> None:
    topic = read_topic(typed)
    assert topic.kind == "question"
    assert topic.keywords == keywords
    assert "reading list" not in topic.text


def test_a_whole_discipline_says_little_beside_a_topic() -> None:
    topic = read_topic("Give me a reading list about parsing in the field of natural language processing (nlp)")
    assert (topic.text, topic.keywords) == ("parsing", ("parsing",))
    assert read_topic("Give me a reading list about machine learning").text == "machine learning"


def test_there_are_at_most_eight_keywords() -> None:
    assert len(read_topic(", ".join(f"subject{n} number{n}" for n in range(20))).keywords) == MAX_KEYWORDS
