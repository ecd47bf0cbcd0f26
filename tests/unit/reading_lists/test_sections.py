"""Headings of a list: words of its titles and keywords, in the order in which the list is read."""

from __future__ import annotations

from libraries import record

from litterm.model.reading_list import ListEntry, ListStage
from litterm.reading_lists.sections import group_into_sections
from litterm.reading_lists.topic import read_topic


def entries(*titles: str, stage: ListStage = "method") -> list[ListEntry]:
    """A list of papers with these titles."""
    return [ListEntry(record(f"P{number}", title).paper, stage) for number, title in enumerate(titles)]


def headings(found: list[ListEntry], topic: str) -> list[str]:
    return [section.name for section in group_into_sections(found, read_topic(topic))]


def test_headings_come_in_the_order_of_their_first_papers() -> None:
    found = entries(
        "Speech synthesis of numbers",
        "Trees in neural parsing",
        "Neural parsing of tweets",
        "Neural parsing by reward",
        "Speech synthesis of names",
    )
    assert headings(found, "neural parsing, speech synthesis") == ["Speech synthesis", "Neural parsing"]


def test_the_only_keyword_is_no_heading() -> None:
    found = entries(
        "Dialogue summarization of meetings",
        "Dialogue summarization of chats",
        "Language models as annotators",
        "Language models for summaries",
        "Evaluation of summaries",
    )
    assert "Dialogue summarization" not in headings(found, "dialogue summarization")


def test_a_keyword_with_one_word_more_is_no_heading_of_its_own() -> None:
    found = entries(
        "Shared attention mechanism in translation",
        "An attention mechanism with keys in translation",
        "Supervised attention in translation",
        "Deep recurrent translation",
        "Context gates in translation",
    )
    assert "Attention mechanism" not in headings(found, "translation, attention")


def test_a_heading_keeps_acronyms_and_hyphens() -> None:
    found = entries(
        "COMET for MT Evaluation",
        "Metrics of automatic MT evaluation",
        "Cross-Lingual Transfer of Metrics",
        "Cross-Lingual Transfer by Pivots",
        "Human judgement",
    )
    assert set(headings(found, "translation quality")) >= {"MT evaluation", "Cross-lingual"}


def test_a_heading_does_not_cut_the_topic_in_two() -> None:
    found = entries(
        "Pairwise Neural Machine Translation",
        "Neural Machine Translation of English",
        "Human judgement of quality",
        "Statistical tests",
    )
    assert "Neural machine translation" in headings(found, "evaluation of machine translation systems")
