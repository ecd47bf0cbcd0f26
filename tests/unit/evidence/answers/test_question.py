"""A question as what is looked for: a statement, or one for each of its aspects."""

from __future__ import annotations

import pytest

from litterm.core.errors import UsageError
from litterm.evidence.answers.question import read_question, statement_of


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Does tulsi lower blood glucose in adults?", "tulsi lower blood glucose in adults"),
        ("Is there evidence that statins prevent stroke?", "statins prevent stroke"),
        ("Do studies show that coffee harms sleep?", "coffee harms sleep"),
        ("What causes asthma in children?", "causes asthma in children"),
        ("Which data sets are used for summarization?", "data sets are used for summarization"),
        ("Tulsi lowers blood glucose.", "Tulsi lowers blood glucose"),
        ("Why?", "Why"),
    ],
)
def test_the_words_that_only_ask_are_left_out(question: str, statement: str) -> None:
    assert statement_of(question) == statement


@pytest.mark.parametrize(
    ("question", "is_polar"),
    [
        ("Does tulsi lower blood glucose?", True),
        ("Tulsi lowers blood glucose.", True),
        ("What lowers blood glucose?", False),
        ("Is tulsi or metformin better for blood glucose?", False),
        ("Does tulsi lower blood glucose, and how does it work?", False),
    ],
)
def test_only_what_yes_or_no_answers_has_sides(question: str, is_polar: bool) -> None:
    assert read_question(question).is_polar == is_polar


@pytest.mark.parametrize(
    ("question", "statements"),
    [
        ("What causes asthma? How is asthma treated?", ["causes asthma", "asthma treated"]),
        (
            "Which corpora and metrics are used for summarization?",
            ["corpora are used for summarization", "metrics are used for summarization"],
        ),
        ("speed of pruning || accuracy of pruning", ["speed of pruning", "accuracy of pruning"]),
    ],
)
def test_several_things_asked_are_looked_for_each_by_itself(question: str, statements: list[str]) -> None:
    assert [aspect.statement for aspect in read_question(question).aspects] == statements


def test_a_part_that_refers_to_the_first_is_looked_for_with_its_words() -> None:
    first, second = read_question("What causes asthma in children and how is it treated?").aspects
    assert first.statement == "causes asthma in children"
    assert second.statement.endswith("causes asthma in children") and "treated" in second.statement


def test_a_question_without_a_word_to_look_for_is_refused() -> None:
    for typed in ("", "what is it?"):
        with pytest.raises(UsageError, match="question"):
            read_question(typed)
