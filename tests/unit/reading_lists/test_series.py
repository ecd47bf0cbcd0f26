"""Papers of one series are told by their titles."""

from __future__ import annotations

import pytest

from litterm.reading_lists.series import series_title


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Findings of the 2014 Workshop on Statistical Machine Translation",
            "Findings of the 2016 Conference on Machine Translation",
        ),
        (
            "Findings of the 2019 Conference on Machine Translation (WMT19)",
            "Findings of the 2023 Conference on Machine Translation (WMT23): LLMs Are Here but Not Quite There Yet",
        ),
        ("SemEval-2013 Task 2: Sentiment Analysis in Twitter", "SemEval-2017 Task 4: Sentiment Analysis in Twitter"),
        ("Overview of the IWSLT 2012 evaluation campaign", "Findings of the IWSLT 2023 Evaluation Campaign"),
        ("Universal Dependencies v1: A Treebank Collection", "Universal Dependencies v2: More Languages Than Ever"),
        ("OpenNMT: Open-Source Toolkit", "OpenNMT: A Demonstration for Everyone"),
        ("Parsing Tables, Part I: Grammars of Old", "Parsing Tables, Part II: Statistical Models Now"),
    ],
)
def test_the_next_of_a_series_is_alike(one: str, other: str) -> None:
    assert series_title(one).is_alike(series_title(other))
    assert series_title(other).is_alike(series_title(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "SemEval-2014 Task 4: Aspect Based Sentiment Analysis",
            "SemEval-2017 Task 4: Sentiment Analysis in Twitter",
        ),
        (
            "Findings of the WMT 2020 Shared Task on Quality Estimation",
            "Findings of the 2014 Workshop on Statistical Machine Translation",
        ),
        ("One at SemEval-2016 Task 4: Sentiment in Twitter", "Two at SemEval-2016 Task 4: Sentiment in Twitter"),
        ("SQuAD: 100,000+ Questions for Machine Comprehension", "Know What You Don't Know: Questions for SQuAD"),
        ("Dependency Parsing: Past, Present, and Future", "Dependency Parsing: Arc-Eager Oracles for Everybody"),
        ("2001", "2002"),
    ],
)
def test_what_only_shares_a_name_or_a_field_is_not(one: str, other: str) -> None:
    assert not series_title(one).is_alike(series_title(other))
