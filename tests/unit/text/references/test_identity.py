from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libraries import by, paper

from litterm.model.paper import Author, PaperId
from litterm.text.references.identity import (
    have_conflicting_ids,
    identity_hash,
    identity_key,
    local_id,
    make_id,
    numerals,
    relation_by_id,
    relation_by_title,
    same_first_author,
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


def test_first_authors_agree_by_family_and_initial() -> None:
    def same(one: str, other: str) -> bool:
        return same_first_author(paper("a", authors=by(one)), paper("b", authors=by(other)))

    assert same("Müller, Jörg", "Muller, J.")
    assert same("Søgaard, Anders", "Sogaard, Anders")
    assert same("Lee", "Lee, Ann")
    assert not same("Lee, Ann", "Lee, Bo")
    assert not same("Lee, Ann", "Li, Ann")
    assert not same_first_author(paper("a"), paper("b", authors=(Author("Lee"),)))


def test_two_ids_of_one_scheme_are_never_one_paper() -> None:
    one = paper("P1", aliases=(PaperId("doi:10.1/x"),))
    other = paper("P2", aliases=(PaperId("doi:10.1/x"),))
    assert have_conflicting_ids(one, other)
    assert relation_by_id(one, other) == "version"
    assert relation_by_id(one, paper("doi:10.1/x")) == "same"
    assert not have_conflicting_ids(paper("local:a"), paper("local:b"))


TITLE = "A Study of Things"


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2021}, "same"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2022}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": None}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2020, "authors": by("Wu, Bo")}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "arxiv:1", "year": 2020, "authors": ()}, "doubtful"),
        ({"key": "P1", "year": 2020}, {"key": "W7", "year": 2020}, "version"),
        ({"key": "P1", "year": 2020}, {"key": "W7", "year": 2020, "authors": by("Wu, Bo")}, "different"),
        (
            {"key": "iclr:x", "year": 2020, "decision": "reject", "venue_keys": ("iclr",)},
            {"key": "P1", "year": 2020, "venue_keys": ("acl",)},
            "version",
        ),
        (
            {"key": "iclr:x", "year": 2020, "decision": "reject", "venue_keys": ("iclr",)},
            {"key": "arxiv:1", "year": 2020},
            "same",
        ),
    ],
)
def test_what_an_equal_title_says(one: dict[str, object], other: dict[str, object], relation: str) -> None:
    first = paper(title=TITLE, **({"authors": by("Lee, Ann")} | one))  # type: ignore[arg-type]
    second = paper(title=TITLE, **({"authors": by("Lee, Ann")} | other))  # type: ignore[arg-type]
    assert relation_by_title(first, second) == relation
    assert relation_by_title(second, first) == relation


def test_a_preface_is_a_preface() -> None:
    one = paper("P1", "Preface", year=2020, authors=by("Lee, Ann"))
    other = paper("arxiv:1", "Preface", year=2020, authors=by("Lee, Ann"))
    assert relation_by_title(one, other) == "different"


@given(st.text(), st.text())
def test_keys_survive_any_text(one: str, other: str) -> None:
    assert title_key(title_key(one)) == title_key(one)
    assert (identity_key(one) == identity_key(other)) == (identity_hash(one) == identity_hash(other))
