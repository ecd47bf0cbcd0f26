"""Citing sentences: the hypothesis that a cited paper is said to support."""

from __future__ import annotations

import pytest

from litterm.core.errors import UsageError
from litterm.evidence.citing_sentences import (
    choose_citation,
    citing_sentences,
    find_citing_sentence,
    neighbouring_paragraphs,
    propose_hypothesis,
)
from litterm.model.document import Document, Reference
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, References, build_document
from litterm.text.references.citation_marks import add_contexts

_REFERENCES = (
    Reference(0, "Smith, J. 2010. Sleep and memory.", families=("Smith",), year=2010),
    Reference(1, "Jones, A. and Lee, B. 2012. Light at night.", families=("Jones", "Lee"), year=2012),
    Reference(2, "Brown, C. et al. 2015. Naps.", families=("Brown", "Gray", "Black"), year=2015),
)


def _review(*paragraphs: str) -> Document:
    blocks = [Block("title", "A review of sleep", level=0), Block("heading", "Background", level=1)]
    blocks += [Block("body", paragraph) for paragraph in paragraphs]
    document = build_document(
        PaperId("local:review"), blocks, origin="jsonl", parser="test", references=References(_REFERENCES)
    )
    return add_contexts(document)


def _hypothesis(paragraph: str, number: int | None = None) -> str:
    (citing,) = citing_sentences(_review(paragraph))
    return propose_hypothesis(citing, choose_citation(citing, number)).text


@pytest.mark.parametrize(
    ("sentence", "hypothesis"),
    [
        ("Sleep improves the memory of adults (Smith, 2010).", "Sleep improves the memory of adults."),
        ("Smith (2010) showed that sleep improves the memory of adults.", "Sleep improves the memory of adults."),
        ("Furthermore, naps help students learn words (see Brown et al., 2015).", "Naps help students learn words."),
        ("Smith (2010) used a recall test of nouns.", "Smith used a recall test of nouns."),
        ("Sleep helps adults learn words (Smith, 2010; Brown et al., 2015).", "Sleep helps adults learn words."),
    ],
)
def test_the_hypothesis_is_the_sentence_without_its_marks(sentence: str, hypothesis: str) -> None:
    number = 1 if ";" in sentence else None
    assert _hypothesis(sentence, number) == hypothesis


def test_of_several_places_of_marks_the_clause_of_the_own_mark_is_meant() -> None:
    sentence = (
        "Sleep improves memory in adults (Smith, 2010), whereas light at night delays sleep (Jones and Lee, 2012)."
    )
    assert _hypothesis(sentence, 1) == "Sleep improves memory in adults"
    assert _hypothesis(sentence, 2) == "Light at night delays sleep."


def test_several_cited_works_have_to_be_told_apart() -> None:
    (citing,) = citing_sentences(_review("Sleep helps (Smith, 2010; Brown et al., 2015)."))
    assert [place.reference.index for place in citing.citations] == [0, 2]
    with pytest.raises(UsageError, match="cites 2 works"):
        choose_citation(citing)
    with pytest.raises(UsageError, match="no work 3"):
        choose_citation(citing, 3)


def test_a_sentence_that_cites_nothing_names_the_nearest_one_that_does() -> None:
    document = _review("Nothing is cited in this sentence here. Sleep improves memory (Smith, 2010).")
    with pytest.raises(UsageError, match=r"Sentence 2 cites nothing; the nearest one that does is 3\."):
        find_citing_sentence(document, 2)
    with pytest.raises(UsageError, match="There is no sentence 99"):
        find_citing_sentence(document, 99)
    with pytest.raises(UsageError, match="No citation"):
        find_citing_sentence(_review("Nothing is cited here at all."), 2)


def test_a_sentence_that_says_too_little_or_too_much_is_refused() -> None:
    with pytest.raises(UsageError, match="too little"):
        _hypothesis("See the review (Smith, 2010).")
    with pytest.raises(UsageError, match="61 words"):
        _hypothesis(f"{'Sleep helps adults learn ' * 15}words (Smith, 2010).")


def test_the_context_is_the_paragraphs_around_the_sentence() -> None:
    document = _review("One.", "Two two.", "Sleep improves memory (Smith, 2010).", "Four.", "Five.")
    (citing,) = citing_sentences(document)
    assert neighbouring_paragraphs(document, citing.sentence) == (
        "Two two.",
        "Sleep improves memory (Smith, 2010).",
        "Four.",
    )
