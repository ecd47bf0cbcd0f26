from __future__ import annotations

import pytest

from litterm.text.queries.topic_words import topic_words


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Is there any paper that prunes attention heads?", "prunes attention heads"),
        ("How can I train a parser without treebanks?", "train parser treebanks"),
        ("Why don't models see negation, and what's known about it?", "models see negation"),
        ("taggers rather than parsers, instead of rules, not lexicons", "taggers parsers rules lexicons"),
        ("hate speech in languages other than English and German in forums", "hate speech languages forums"),
        ("summarization except for news", "summarization"),
        ("Apart from tagging, what are rules for?", "rules"),
        ("other than news", "news"),
        ("do language models know when they are wrong", "language models know wrong"),
        ("can judges tell statutes from laws?", "judges statutes laws"),
        ("what do we know about negation", "negation"),
        ("can you tell me about parsing", "parsing"),
        ("how good is ChatGPT at diagnosis", "chatgpt diagnosis"),
        ("Is aspirin good for the heart?", "aspirin heart"),
        ("is BLEU a good metric", "bleu metric"),
        ("Do early carcinomas have good survival rates?", "early carcinomas good survival rates"),
        ("which of these", "which of these"),
        ("", ""),
    ],
)
def test_words_that_only_talk_and_what_is_excepted_are_left_out(text: str, topic: str) -> None:
    assert topic_words([text]) == topic.split()


def test_what_is_excepted_may_be_one_long_name_and_no_more() -> None:
    assert topic_words(["parsing other than a1 a2 a3 a4 a5 a6 a7"]) == ["parsing", "a7"]
