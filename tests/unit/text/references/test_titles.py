"""Whether two titles name one paper: subtitles may be missing, numbers may not differ."""

from __future__ import annotations

import pytest

from litterm.text.references.titles import main_title, same_title


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Attention Is All You Need", "Attention is all you need."),
        ("Deep contextualized word representations", "Deep Contextualised Word Representations"),
        ("Reading Wikipedia to Answer Questions", "Reading Wikipedia to Answer Questions: A Long Subtitle of Nobody"),
        ("YOLOv3: An Incremental Improvement", "YOLOv3: an incremental improvement"),
    ],
)
def test_spelling_and_a_missing_subtitle_do_not_tell_titles_apart(one: str, other: str) -> None:
    assert same_title(one, other)
    assert same_title(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("YOLOv3: An Incremental Improvement", "YOLOv4: An Incremental Improvement"),
        (
            "Findings of the 2016 Conference on Machine Translation",
            "Findings of the 2017 Conference on Machine Translation",
        ),
        ("The theory of parsing, part II", "The theory of parsing, part III"),
        ("Neural machine translation of rare words", "Statistical phrase-based translation"),
        ("Preface", "Preface"),
        ("BERT: Pre-training of Deep Bidirectional Transformers", "BERT: Post-training for Review Reading"),
        ("", "Attention"),
    ],
)
def test_numerals_and_other_words_do(one: str, other: str) -> None:
    assert not same_title(one, other)
    assert not same_title(other, one)


def test_a_coined_name_is_no_main_title() -> None:
    assert (
        main_title("GloVe: Global Vectors for Word Representation") == "GloVe: Global Vectors for Word Representation"
    )
    assert main_title("Reading Wikipedia for answers: a study") == "Reading Wikipedia for answers"
