"""What kind of paper a title announces."""

from __future__ import annotations

import pytest

from litterm.text.genres import is_overview, is_tutorial


@pytest.mark.parametrize(
    "title",
    [
        "A Survey on Automated Fact-Checking",
        "Diachronic word embeddings and semantic shifts: a survey",
        "An Overview of Question Answering",
        "Recent Advances in Pre-trained Language Models",
        "Unsupervised Natural Language Parsing (Introductory Tutorial)",
        "A Primer in BERTology",
        "A systematic review of reproducibility",
    ],
)
def test_overviews(title: str) -> None:
    assert is_overview(title)


@pytest.mark.parametrize(
    "title",
    [
        "Reviewing the Reviewers",
        "Sentiment analysis of product reviews",
        "Overview of the 2019 shared task on parsing",
        "Introduction to the CoNLL-2003 Shared Task",
        "A state-of-the-art parser",
    ],
)
def test_other_titles(title: str) -> None:
    assert not is_overview(title)


def test_tutorials() -> None:
    assert is_tutorial("Tutorial: parsing")
    assert not is_tutorial("A Survey of Parsing")
