"""Names in texts: what is a name, and what is only a word that is spelt like one."""

from __future__ import annotations

import pytest

from litterm.library.citation_facts.names import NameTable, reason_of
from litterm.library.citation_facts.shipped import open_facts

TABLE = NameTable(open_facts)
ORDINARY_QUESTIONS = """
attention in reading and eye movements
transformer models for time series
a framework for evaluating dialogue systems
students who drop out of school
glove compartments in autonomous cars
paper snips and scissors in early education
race bias in hiring decisions
does a dream have a narrative structure
spring floods and river discharge
access to health care in rural areas
children with a fever and a rash
how people use tools
what makes a good step by step explanation
image captions for blind people
salmon migration and water temperature
muscle fatigue during exercise
stranger danger and trust in online chat
oil price forecasting with news
the break between two dialogue acts
a blend of two words as a new word
hate speech against women in social media
open information extraction from web text
coreference resolution in medical notes
which features of math word problems are hard
a smart home assistant for older adults
the mass of annotated data that a parser needs
mind wandering during lectures
human reasoning about maps and directions
gain of function in viral proteins
statistical machine translation of rare languages
document classification with few labels
sign languages of village communities
a step towards natural questions in tutoring
light verbs and their arguments
the quality of crowd workers
a clip on the ear
bear attacks reported in the news
how do speakers react to insults
bright colours and emotion words
palm reading and superstition
scan paths of readers
moral stories for children
simple questions asked by children
common voice disorders
feature extraction for speech
policy optimization of health care budgets
a glimpse of early writing systems
language models are bad at counting
word problems about trains
self-training for low resource parsing
""".split("\n")


def found(text: str) -> list[tuple[str, str]]:
    """The names in `text`, with the first id of the first paper of each."""
    return [(name.text, next(iter(name.facts[0].ids), "")) for name in TABLE.find(text)]


@pytest.mark.parametrize("question", [line for line in ORDINARY_QUESTIONS if line])
def test_ordinary_questions_hold_no_name_however_their_letters_are(question: str) -> None:
    for typed in (question, question.capitalize(), question.title(), question.upper()):
        assert found(typed) == [], typed


@pytest.mark.parametrize(
    ("typed", "paper"),
    [
        ("SNLI", "acl:D15-1075"),
        ("snli", "acl:D15-1075"),
        ("the SNLI corpus", "acl:D15-1075"),
        ("bert", "acl:N19-1423"),
        ("elmo", "acl:N18-1202"),
        ("byte-pair encoding", "acl:P16-1162"),
        ("bpe", "acl:P16-1162"),
        ("race", None),
        ("RACE", "acl:D17-1082"),
        ("drop", None),
        ("DROP dataset", "acl:N19-1246"),
        ("document classification", None),
    ],
)
def test_a_name_that_is_all_of_the_text(typed: str, paper: str | None) -> None:
    names = TABLE.find(typed)
    assert [name.is_whole for name in names] == ([] if paper is None else [True])
    assert [fact.ids[0] for name in names for fact in name.facts[:1]] == ([] if paper is None else [paper])


def test_words_joined_or_divided_otherwise_are_the_same_name_where_they_are_all_of_the_text() -> None:
    assert found("wiki text") == found("WikiText")[:1] or found("wiki text")[0][1] == found("WikiText")[0][1]
    assert found("commonvoice")[0][1] == found("Common Voice")[0][1]
    assert found("results on wiki text") == []


def test_names_within_other_words() -> None:
    assert found("elmo embeddings for parsing") == [("elmo", "acl:N18-1202")]
    assert found("BPE dropout") == [("BPE", "acl:P16-1162")]
    assert found("bpe dropout") == []
    assert found("RACE Reading Comprehension") == [("RACE", "acl:D17-1082")]
    assert [name for name, _ in found("what do BERT and RoBERTa know")] == ["BERT", "RoBERTa"]
    (name,) = TABLE.find("results on SNLI alone")
    assert "results on SNLI alone"[name.start : name.end] == name.text == "SNLI"
    assert not name.is_whole


def test_a_pasted_text_is_not_looked_up() -> None:
    assert found("BERT " + "and so on " * 40) == []
    assert found("") == found("?!") == []


def test_a_reason_names_the_first_source() -> None:
    (name,) = TABLE.find("ELMo")
    assert reason_of("ELMo", name.facts[0]) == "the name ELMo is used for this paper (NLP-progress)"


def test_the_name_before_a_mark() -> None:
    for text, name in (
        ("We train on SNLI ", "SNLI"),
        ("results on the SNLI corpus (", "SNLI"),
        ("We segment words by byte-pair encoding ", "byte-pair encoding"),
    ):
        at_end = TABLE.at_end(text)
        assert at_end is not None and at_end.text == name
    for text in ("We use SNLI, as others do, ", "SNLI. ", "biases of race ", "", "results (SNLI) "):
        assert TABLE.at_end(text) is None, text
