from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libraries import by

from litterm.text.references.identity import (
    identity_hash,
    identity_key,
    local_id,
    make_id,
    numerals,
    title_key,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Pre-training of Deep Models", "Pretraining of deep models."),
        ("Naïve Bayes", "Naive Bayes"),
        ("The ﬁrst eﬀort", "The first effort"),
        ("BERT: Pre-training", "BERT – Pre-training"),
    ],
)
def test_spelling_does_not_tell_titles_apart(one: str, other: str) -> None:
    assert identity_key(one) == identity_key(other)
    assert identity_hash(one) == identity_hash(other) != 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("YOLOv3: An Improvement", "YOLOv4: An Improvement"),
        ("GPT 2.0 revisited", "GPT 20 revisited"),
        ("Learning C++", "Learning C"),
        ("Part 1 2 of it", "Part 12 of it"),
    ],
)
def test_numbers_and_signs_do(one: str, other: str) -> None:
    assert identity_key(one) != identity_key(other)


def test_a_title_without_letters_has_no_key() -> None:
    assert (title_key("?!"), identity_key("?!"), identity_hash("?!")) == ("", "", 0)
    assert title_key("语言模型") == "语言模型"


def test_numerals_are_told_in_order() -> None:
    assert numerals("From 1,000 to 2.5 in ² steps") == ("1,000", "2.5", "2")


@pytest.mark.parametrize(
    ("scheme", "key", "told"),
    [
        ("doi", "https://doi.org/10.1/ABC", "doi:10.1/abc"),
        ("doi", "10.48550/arXiv.1706.03762", "arxiv:1706.03762"),
        ("arxiv", "arXiv:1706.03762v5", "arxiv:1706.03762"),
        ("arxiv", "cs/0112017v1", "arxiv:cs/0112017"),
        ("pmc", "123", "pmc:PMC123"),
        ("acl", "P18-1001", "acl:P18-1001"),
        ("s2", " ", None),
    ],
)
def test_ids_have_one_spelling(scheme: str, key: str, told: str | None) -> None:
    assert make_id(scheme, key) == told


def test_a_local_id_stands_for_title_author_and_year() -> None:
    one = local_id("A Study, again", by("Lee, Ann"), 2020)
    assert one == local_id("A study again", by("LEE, Ann B."), 2020)
    assert one != local_id("A study again", by("Lee, Ann"), 2021)
    assert one.startswith("local:")


@given(st.text(), st.text())
def test_keys_survive_any_text(one: str, other: str) -> None:
    assert title_key(title_key(one)) == title_key(one)
    assert (identity_key(one) == identity_key(other)) == (identity_hash(one) == identity_hash(other))
