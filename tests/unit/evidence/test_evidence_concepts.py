"""A hypothesis finds its words in the forms the paper gives them."""

from __future__ import annotations

import time

import pytest
from fakes_evidence import plain
from hypothesis import given
from hypothesis import strategies as st

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language import concepts as concepts_module
from litterm.evidence.language.concepts import (
    ConceptOccurrences,
    concept_scores,
    find_abbreviations,
    find_occurrences,
    rarity,
    synonyms_of,
)
from litterm.text.tokens import stem
from litterm_benchmarks.evidence.hard_negatives import PaperHypothesis, foils

SENTENCES = (
    "We treated forty rats with di(2-ethylhexyl) phthalate (DEHP) over two years.",
    "Rats fed DEHP had more hepatic tumours than controls at the end.",
    "Nothing of this kind was seen in any of the other groups.",
)


def held(hypothesis: str, *sentences: str) -> ConceptOccurrences:
    return find_occurrences(read_hypothesis(hypothesis), run(build_candidate_pool(plain(*(sentences or SENTENCES)))))


def named(found: ConceptOccurrences, place: int) -> list[str]:
    return [found.concepts[number].word for number in sorted(found.counts[place])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We used liquid chromatography (LC) here", {"LC": "liquid chromatography"}),
        ("with di(2-ethylhexyl) phthalate (DEHP),", {"DEHP": "di(2-ethylhexyl) phthalate"}),
        ("magnetic resonance imaging [MRI]", {"MRI": "magnetic resonance imaging"}),
        ("in the year (see Table)", {}),
        ("of men (N = 3)", {}),
        ("zinc (QXZ)", {}),
        ("(ABC)", {}),
        ("a b (A-/)", {}),
        ("first second (FS) and forest sites (FS)", {"FS": "first second"}),
    ],
)
def test_abbreviations_are_explained_by_the_words_before_them(text: str, expected: dict[str, str]) -> None:
    assert find_abbreviations([text]) == expected


@given(text=st.text(alphabet="aAbB (-)[]1;,é", max_size=80))
def test_any_text_has_abbreviations_that_stand_in_it(text: str) -> None:
    for short, long in find_abbreviations([text]).items():
        assert short in text
        assert long.split()
        assert long[0].lower() == next(c for c in short.lower() if c.isalnum())


def test_brackets_without_end_cost_linear_time() -> None:
    started = time.process_time()
    find_abbreviations(["(AB) " * 20_000, "[A" * 20_000])
    assert time.process_time() - started < 20


def test_the_short_form_stands_for_the_long_one_and_the_other_way_round() -> None:
    assert named(held("DEHP harms rats"), 0) == ["DEHP", "rats"]
    found = held("2-ethylhexyl phthalate harms rats")
    assert "phthalate" in named(found, 1)
    assert named(found, 2) == []


def test_kindred_words_and_words_of_one_beginning_count() -> None:
    assert stem("tumour") in synonyms_of(stem("cancer"))
    assert "cancer" in named(held("DEHP causes liver cancer"), 1)
    assert named(held("Neurotoxicity in adults", "Two of them were neurotoxic to all of us."), 0) == ["Neurotoxicity"]
    assert synonyms_of("zzz") == frozenset()


def test_a_word_all_papers_use_says_less() -> None:
    assert rarity(stem("results")) < rarity(stem("chromatography")) <= rarity("qxzzy")


def test_without_the_background_all_words_are_equally_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concepts_module, "FREQUENCY_FILE", concepts_module.FREQUENCY_FILE.with_name("nowhere.txt"))
    concepts_module._read_levels.cache_clear()
    try:
        assert rarity("result") == rarity("qxzzy") > 0
    finally:
        concepts_module._read_levels.cache_clear()


def test_shares_are_of_the_whole_hypothesis() -> None:
    found = held("DEHP causes tumours in zebras")
    assert 0 < found.hypothesis_share(0) < found.hypothesis_share(1) < 1
    assert found.hypothesis_share(2) == 0


def test_a_rare_number_counts_little_unless_the_paper_has_it() -> None:
    _, number = held("DEHP 4173").concepts
    assert number.rarity < rarity("4173")
    _, number = held("DEHP 4173", "DEHP was given to 4173 rats of all ages.").concepts
    assert number.rarity == rarity("4173")


def test_relevance_is_highest_where_most_concepts_meet() -> None:
    pool = run(build_candidate_pool(plain(*SENTENCES)))
    scores = concept_scores(find_occurrences(read_hypothesis("DEHP causes liver tumours"), pool), pool)
    assert scores[1] > scores[0] > scores[2] == 0


def test_foils_are_of_other_papers() -> None:
    asked = [
        PaperHypothesis("a", "zinc shortens colds", "zinc colds colds adults"),
        PaperHypothesis("a", "zinc harms adults", "zinc colds colds adults"),
        PaperHypothesis("b", "iron shortens colds", "iron colds children"),
        PaperHypothesis("c", "copper pipes corrode", "copper pipes water zinc"),
    ]
    found = foils(asked)
    assert (found[0].near_hypothesis, found[0].near_paper) == (2, 2)
    assert sorted(found[0].others) == [2, 3]
    assert found == foils(asked)
    with pytest.raises(ValueError, match="one paper"):
        foils(asked[:2])
