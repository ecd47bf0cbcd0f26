from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litterm.text.tokens import STOP_WORDS, fold, stem_spans, stems, tokens, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Søgaard, Wałęsa & Gómez-Rodríguez", ["sogaard", "walesa", "gomez", "rodriguez"]),
        ("the C language, R and 5-shot", ["the", "c", "language", "r", "and", "5", "shot"]),
        ("eﬃcient ﬁne-tuning", ["efficient", "fine", "tuning"]),
        ("infor\u00admation\u200b re\u0301sume\u0301", ["information", "resume"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("x² H₂O snake_case", ["x2", "h2o", "snake", "case"]),
        ("한국어 처리", ["한국어", "처리"]),
        ("", []),
    ],
)
def test_words_are_folded_and_cut_at_what_is_no_letter_or_digit(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_chinese_runs_become_pairs_so_that_part_of_a_title_finds_it() -> None:
    assert words("神经机器翻译 model") == ["神经", "经机", "机器", "器翻", "翻译", "model"]
    assert set(words("机器翻译")) <= set(words("神经机器翻译"))


def test_profiles_differ_in_stop_words_only() -> None:
    text = "The parsers of the languages are not in this"
    assert tokens(text) == ["parser", "languag"]
    kept = [each for each in tokens(text, "evidence") if each in ("parser", "languag")]
    assert kept == tokens(text)
    assert len(tokens(text, "evidence")) == 9


def test_there_are_the_33_stop_words_of_lucene() -> None:
    assert len(STOP_WORDS) == 33


def test_bulk_stems_are_single_stems() -> None:
    found = ["translation", "translations", "models", "bert"]
    assert stems(found) == [tokens(word)[0] for word in found]


def test_spans_point_into_the_text_as_it_stands() -> None:
    text = "Gómez ﬁnds re\u0301sume\u0301s"
    assert [(text[start:end], found) for start, end, found in stem_spans(text)] == [
        ("Gómez", "gomez"),
        ("ﬁnds", "find"),
        ("re\u0301sume\u0301s", "resum"),
    ]


@given(st.text())
def test_folding_what_is_folded_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(), st.text())
def test_a_blank_always_parts_words(left: str, right: str) -> None:
    assert words(f"{left} {right}") == words(left) + words(right)


@given(st.text())
def test_every_index_token_is_an_evidence_token(text: str) -> None:
    assert set(tokens(text)) <= set(tokens(text, "evidence"))
