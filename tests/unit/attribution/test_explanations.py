"""What is said for a candidate."""

from __future__ import annotations

import pytest

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.features import FEATURE_NAMES
from litterm.attribution.learned import explain_candidate
from litterm.model.paper import Author, Paper, PaperId

PAPER = Paper(PaperId("acl:S"), "Rare words in translation", authors=(Author("Sennrich"),), year=2016)


def said(excerpt: str, **lead: float) -> tuple[str, ...]:
    return explain_candidate(read_excerpt(excerpt), PAPER, [lead.get(term, 0.0) for term in FEATURE_NAMES])


def test_authors_are_named_only_where_they_are_stated_and_agree() -> None:
    agree = "authors at the mark agree"
    assert agree in said("Subwords help (Sennrich, 2016).")
    assert agree in said("Subwords help (Sennrich, 2017).")
    assert agree not in said("Subwords help (Gage, 2016).")
    assert agree not in said("Subwords help [CITATION].")


def test_a_lead_of_a_quarter_of_a_point_is_worth_a_word_and_the_largest_comes_first() -> None:
    told = said("Subwords help [CITATION].", text=0.25, phrase=0.9, journal=0.24, cited_as=0.5)
    assert told == ("shares a phrase", "others cite it in such words", "similar wording and meaning")


def test_what_is_shared_with_the_citing_paper_is_said() -> None:
    told = said("Subwords help [CITATION].", same_author=2.0, same_topic=1.0)
    assert told == ("shares an author with the citing paper", "near the citing paper's topic")


def test_at_most_four_things_are_said_each_once() -> None:
    told = said("Subwords help [CITATION].", age=0.9, log_age=0.8, text=0.7, author=0.6, phrase=0.5, journal=0.4)
    assert told == ("age", "similar wording and meaning", "prolific author", "shares a phrase")


def test_the_name_that_a_paper_introduced_is_said_as_the_excerpt_writes_it() -> None:
    bleu = Paper(PaperId("acl:B"), "BLEU: a method for automatic evaluation of translation", year=2002)
    why = explain_candidate(
        read_excerpt("Translations are scored by BLEU [CITATION]."), bleu, [0.0] * len(FEATURE_NAMES)
    )
    assert why == ("introduced “BLEU”",)


@pytest.mark.parametrize(
    "title", ["A structured review of the validity of BLEU", "Differentiable BLEU for text generation"]
)
def test_a_title_that_uses_a_name_is_not_said_to_have_introduced_it(title: str) -> None:
    user = Paper(PaperId("acl:R"), title, year=2018)
    why = explain_candidate(
        read_excerpt("Translations are scored by BLEU [CITATION]."), user, [0.0] * len(FEATURE_NAMES)
    )
    assert why == ("its title has “BLEU”",)


def test_the_acronym_of_a_title_is_said() -> None:
    scores = Paper(PaperId("acl:T"), "Translation error rates", year=2006)
    lead = [1.0 if term == "acronym" else 0.0 for term in FEATURE_NAMES]
    assert explain_candidate(read_excerpt("We report TER [CITATION]."), scores, lead) == (
        "its title abbreviates to “TER”",
    )
