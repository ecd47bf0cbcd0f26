"""Marks of retraction in titles, and notices, which are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text.references.retractions import retraction_of_title, title_without_mark

TITLE = "Moss as a measure of rain"


@pytest.mark.parametrize(
    ("title", "state"),
    [
        (f"RETRACTED: {TITLE}", "retracted"),
        (f"Retracted: {TITLE}", "retracted"),
        (f"RETRACTED ARTICLE: {TITLE}", "retracted"),
        (f"Retracted Chapter: {TITLE}", "retracted"),
        (f"Article retracted: {TITLE}", "retracted"),
        (f"[Retracted] {TITLE}", "retracted"),
        (f"[RETRACTED ARTICLE] {TITLE}", "retracted"),
        (f"(Retracted) {TITLE}", "retracted"),
        (f"RETRACTED – {TITLE}", "retracted"),
        (f"RETRACTED ARTICLE {TITLE}", "retracted"),
        (f"RETRACTED {TITLE}", "retracted"),
        (f"{TITLE} [Retracted]", "retracted"),
        (f"{TITLE} (Retracted article. See vol. 12, pg. 3, 2010)", "retracted"),
        (f"{TITLE} RETRACTED", "retracted"),
        (f"{TITLE} – RETRACTED", "retracted"),
        (f"WITHDRAWN: {TITLE}", "removed"),
        (f"Withdrawn: {TITLE}", "removed"),
        (f"[Withdrawn] {TITLE}", "removed"),
        (f"ARTICLE WITHDRAWN: {TITLE}", "removed"),
        (f"REMOVED: {TITLE}", "removed"),
        (f"TEMPORARY REMOVAL: {TITLE}", "removed"),
        (f"Expression of concern: {TITLE}", "concern"),
        (f"[Expression of Concern] {TITLE}", "concern"),
        (f"{TITLE} (Expression of concern)", "concern"),
    ],
)
def test_a_mark_is_told_and_left_out_of_comparisons(title: str, state: str) -> None:
    assert (retraction_of_title(title), title_without_mark(title)) == (state, TITLE)


@pytest.mark.parametrize(
    "title",
    [
        TITLE,
        f"Retraction: {TITLE}",
        f"Retraction Note: {TITLE}",
        f"Retraction notice to “{TITLE}”",
        f"Notice of withdrawal: {TITLE}",
        f"Editorial expression of concern: {TITLE}",
        f"Withdrawal notice to {TITLE}",
        f"Retraction to: {TITLE} [Rain 12 (2010) 3]",
        "Removed: how names vanish from maps",
        "Retracted science and the retraction index",
        "Why retracted papers are still cited",
        "RETRACTED PAPERS IN MEDICINE",
        "Citations of papers that were retracted",
        "RETRACTED:",
        "",
    ],
)
def test_what_is_no_mark_stays(title: str) -> None:
    assert (retraction_of_title(title), title_without_mark(title)) == ("", title)


@given(st.text(alphabet="RETACDretacd[](): –x", max_size=80))
def test_a_title_never_becomes_empty(title: str) -> None:
    assert title_without_mark(title) if title else not title_without_mark(title)
