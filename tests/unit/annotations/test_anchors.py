"""Marks found again in another parse: by their words, told apart by their neighbours, or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.annotations.highlights import SentenceAnchors, make_anchor
from litterm.model.annotations import Anchor
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

PAPER = (
    "We study dropout as a way to keep deep networks from overfitting [3].",
    "Dropout lowered the error of deep networks by 3.1 points on two small corpora.",
    "See Table 2.",
    "The gain vanishes on corpora with more than a million labelled sentences.",
    "Training took longer when units were dropped in every layer of the network.",
    "See Table 2.",
    "We thank the reviewers for many helpful remarks on an earlier version of this text.",
)


def document(*sentences: str, parser: str = "new") -> Document:
    return build_document(PaperId("acl:A"), [Block("body", sentences=sentences)], origin="pdf", parser=parser)


def anchor(index: int, sentences: tuple[str, ...] = PAPER) -> Anchor:
    return make_anchor(document(*sentences, parser="old"), index)


def located(index: int, *sentences: str) -> int | None:
    return SentenceAnchors().locate(anchor(index), document(*sentences))


def test_in_the_same_document_the_index_is_true_even_for_equal_sentences() -> None:
    same = document(*PAPER, parser="old")
    assert [SentenceAnchors().locate(anchor(index), same) for index in range(7)] == list(range(7))


def test_an_index_that_no_longer_shows_the_quote_is_not_believed() -> None:
    same = document(*PAPER, parser="old")
    assert SentenceAnchors().locate(replace(anchor(1), index=3), same) == 1


def test_sentences_before_it_move_a_mark_along() -> None:
    assert located(1, "A new first sentence was added here.", *PAPER) == 2


@pytest.mark.parametrize(
    "changed",
    [
        "Dropout lowered the error of deep networks by 3.1 points on two small corpora .",
        "DROPOUT lowered the error of deep net\u00adworks by 3.1 points on two small corpora",
        "Dropout lowered the error of deep networks by 3.1 points on two small corpora [4, 7].",
        "Dropout lowered the error of deep networks by 3.1 points on two smal corpora.",
        "In short, dropout lowered the error of deep networks by 3.1 points on two small corpora.",
    ],
)
def test_what_parsers_differ_on_does_not_lose_a_mark(changed: str) -> None:
    assert located(1, PAPER[0], changed, *PAPER[2:]) == 1


def test_of_a_sentence_cut_in_two_the_larger_piece_is_taken() -> None:
    pieces = ("Dropout lowered the error of deep networks by 3.1 points", "on two small corpora.")
    assert located(1, PAPER[0], *pieces, *PAPER[2:]) == 1


@pytest.mark.parametrize(
    "other",
    [
        "Dropout lowered the error of deep networks by 1.3 points on two small corpora.",
        "A sentence about quite another matter stands here in its place now.",
        "",
    ],
)
def test_a_sentence_with_other_numbers_or_other_words_is_another_sentence(other: str) -> None:
    assert located(1, PAPER[0], *([other] if other else []), *PAPER[2:]) is None


def test_an_alike_sentence_elsewhere_is_not_taken_when_its_neighbours_are_strangers() -> None:
    strangers = ("Nothing of this was there before at all.", "Nor was anything of that there either.")
    alike = "Dropout raised the error of deep networks by 3.1 points on two small corpora."
    assert located(1, strangers[0], alike, strangers[1]) is None


def test_equal_sentences_are_told_apart_by_their_neighbours() -> None:
    moved = ("A new first sentence was added here.", *PAPER)
    assert [located(2, *moved), located(5, *moved)] == [3, 6]


def test_equal_sentences_with_equal_neighbours_are_not_located() -> None:
    assert located(2, *PAPER[1:4], *PAPER[1:4]) is None


def test_short_sentences_must_agree_exactly() -> None:
    assert located(2, *PAPER[:2], "See Table 3.", *PAPER[3:5]) is None
    old, new = (PAPER[0], "The dropout rate matters.", PAPER[1]), (PAPER[0], "The dropout rates matter.", PAPER[1])
    assert SentenceAnchors().locate(anchor(1, old), document(*new)) is None


def test_a_parse_that_numbers_its_citations_otherwise_does_not_lose_a_mark() -> None:
    assert located(0, PAPER[0].replace("[3]", "(12, 14)"), *PAPER[1:]) == 0


def test_a_mark_without_words_is_only_found_in_its_own_document() -> None:
    odd = ("***", "Some words follow the stars here.")
    assert SentenceAnchors().locate(anchor(0, odd), document(*odd)) is None


WORDS = st.sampled_from("dropout error corpus deep network layer 3.1 gain of the small token".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=9).map(" ".join), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS, st.data())
def test_a_mark_is_never_put_on_a_sentence_of_other_words(old: list[str], new: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(old) - 1))
    found = SentenceAnchors().locate(anchor(index, tuple(old)), document(*new))
    if found is not None:
        mine, theirs = set(old[index].split()), set(new[found].split())
        assert len(mine & theirs) >= 0.6 * min(len(mine), len(theirs))
        assert (
            {w for w in mine if w[0].isdigit()} == {w for w in theirs if w[0].isdigit()}
            or mine < theirs
            or theirs < mine
        )


@settings(max_examples=50, deadline=None)
@given(TEXTS, st.data())
def test_an_unchanged_sentence_is_found_unless_it_has_a_double(old: list[str], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(old) - 1))
    found = SentenceAnchors().locate(anchor(index, tuple(old)), document("A quite new beginning.", *old))
    assert found == index + 1 or (found is None and old.count(old[index]) > 1)
