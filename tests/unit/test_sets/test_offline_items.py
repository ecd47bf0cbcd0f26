"""A citing sentence becomes a question, an excerpt or a hypothesis, or says why not."""

from __future__ import annotations

import pytest
from citing_passages import FERN, LIM, passage

from litterm.model.test_sets import CitedHypothesis, CitingPassage, MaskedExcerpt, SearchQuestion
from litterm.test_sets import excerpts, hypotheses, questions


def question(found: CitingPassage, overlap: float = 0.3) -> SearchQuestion | str:
    ((sentence, group),) = questions.candidate_groups(found)
    return questions.question_of(found, sentence, group, overlap)


def excerpt(found: CitingPassage) -> MaskedExcerpt | str:
    ((sentence, group),) = excerpts.single_candidates(found)
    return excerpts.excerpt_of(found, sentence, group)


def hypothesis(found: CitingPassage) -> CitedHypothesis | str:
    (outcome,) = hypotheses.hypotheses_of(found)
    return outcome


def test_a_question_is_the_clause_before_the_mark() -> None:
    text = "Speech is noisy; however, small devices parse quickly with hand-written rules (Fern, 2010)."
    made = question(passage(text, cites={"(Fern, 2010)": (FERN,)}))
    assert isinstance(made, SearchQuestion)
    assert made.query == "Which work is behind this statement: small devices parse quickly with hand-written rules?"
    assert made.targets == (FERN,)


def test_where_the_mark_is_the_subject_the_question_asks_for_it() -> None:
    text = "Fern (2010) trains a small perceptron on noisy transcripts of phone calls."
    made = question(passage(text, cites={"Fern (2010)": (FERN,)}))
    assert isinstance(made, SearchQuestion)
    assert made.query == "Which work trains a small perceptron on noisy transcripts of phone calls?"


def test_the_clause_ends_at_the_next_citation() -> None:
    text = "Rules were written by hand for decades (Lim, 2012), and learned from raw speech by others (Fern, 2010)."
    made = passage(text, cites={"(Lim, 2012)": (LIM,), "(Fern, 2010)": (FERN,)})
    (_, (sentence, group)) = questions.candidate_groups(made)
    found = questions.question_of(made, sentence, group, 1.0)
    assert isinstance(found, SearchQuestion)
    assert "decades" not in found.query
    assert "learned from raw speech by others" in found.query


@pytest.mark.parametrize(
    "text",
    [
        "We follow the procedure for training and evaluation of others here (Fern, 2010).",
        "These results were confirmed in several other languages later (Fern, 2010).",
        "Some of it is old (Fern, 2010), which may surprise a few.",
    ],
)
def test_what_a_citation_is_for_must_be_clear(text: str) -> None:
    assert question(passage(text, cites={"(Fern, 2010)": (FERN,)})) == questions.UNCLEAR


def test_the_overlap_counts_the_words_of_the_question_in_titles() -> None:
    # Two of five words: a word of the title that the question lacks does not count.
    assert questions.title_overlap("grammars of speech in noise", (FERN,)) == pytest.approx(2 / 5)
    text = "Learning grammars of gadgets works with little data in practice (Fern, 2010)."
    assert question(passage(text, cites={"(Fern, 2010)": (FERN,)})) == questions.TOO_EASY
    assert isinstance(question(passage(text, cites={"(Fern, 2010)": (FERN,)}), 1.0), SearchQuestion)


def test_a_citation_with_a_work_that_the_library_lacks_gives_no_question() -> None:
    found = passage(
        "Small devices parse quickly with rules written by hand (Moss, 1999).", cites={}, unknown=("(Moss, 1999)",)
    )
    assert list(questions.candidate_groups(found)) == []


def test_an_excerpt_has_the_sentence_before_and_one_mark() -> None:
    found = passage(
        "Small devices have little memory to spare for parsing.",
        "Rules that experts wrote by hand need none of it to run quickly (Fern, 2010).",
        cites={"(Fern, 2010)": (FERN,)},
    )
    made = excerpt(found)
    assert isinstance(made, MaskedExcerpt)
    assert made.text == (
        "Small devices have little memory to spare for parsing. "
        "Rules that experts wrote by hand need none of it to run quickly [CITATION]."
    )
    assert made.target == FERN


@pytest.mark.parametrize(
    "text",
    [
        "The resource of Fern, who is much read, covers spoken language in full (Fern, 2010).",
        "Learning grammars of gadgets is possible from raw recordings of speech (Fern, 2010).",
    ],
)
def test_an_excerpt_must_not_name_what_is_cited(text: str) -> None:
    assert excerpt(passage(text, cites={"(Fern, 2010)": (FERN,)})) == excerpts.NAMED


def test_an_excerpt_must_not_have_a_coined_name_of_the_title() -> None:
    text = "The annotated sentences called ZORP are spoken language for the most part (Lim, 2012)."
    assert excerpt(passage(text, cites={"(Lim, 2012)": (LIM,)})) == excerpts.NAMED


def test_an_excerpt_is_about_one_paper() -> None:
    text = "Rules that experts wrote by hand need little memory to run (Fern, 2010; Lim, 2012)."
    assert excerpt(passage(text, cites={"(Fern, 2010; Lim, 2012)": (FERN, LIM)})) == excerpts.SEVERAL


def test_a_hypothesis_is_the_sentence_without_its_mark() -> None:
    text = "However, hand-written rules improve parsing on small devices (Fern, 2010)."
    made = hypothesis(passage(text, cites={"(Fern, 2010)": (FERN,)}))
    assert isinstance(made, CitedHypothesis)
    assert made.text == "Hand-written rules improve parsing on small devices."


def test_what_the_cited_authors_show_is_the_hypothesis() -> None:
    text = "Fern (2010) has shown that hand-written rules improve parsing on small devices."
    made = hypothesis(passage(text, cites={"Fern (2010)": (FERN,)}))
    assert isinstance(made, CitedHypothesis)
    assert made.text == "Hand-written rules improve parsing on small devices."


def test_a_hypothesis_has_fewer_than_fifty_words() -> None:
    text = f"Rules improve parsing of {'very ' * 45}small devices (Fern, 2010)."
    assert hypothesis(passage(text, cites={"(Fern, 2010)": (FERN,)})) == hypotheses.TOO_LONG


def test_a_paper_that_is_cited_again_gives_no_hypothesis() -> None:
    found = passage(
        "Hand-written rules improve parsing on small devices (Fern, 2010).",
        "They also lead to fewer errors in noise [1].",
        cites={"(Fern, 2010)": (FERN,), "[1]": (FERN,)},
    )
    assert next(iter(hypotheses.hypotheses_of(found))) == hypotheses.CITED_AGAIN
