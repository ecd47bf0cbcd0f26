"""The name right before a citation mark, and what is none."""

from __future__ import annotations

import pytest

from litterm.model.document import Span
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.references.names_before_marks import introduces_name, is_of_authors, name_before_mark, name_form


@pytest.mark.parametrize(
    ("marked", "name"),
    [
        ("We train on the SNLI corpus {[3]}.", "SNLI"),
        ("We train on SNLI ({Bowman et al., 2015}).", "SNLI"),
        ("as in word2vec [{7}] and others", "word2vec"),
        ("trained on the Penn Treebank {(Marcus et al., 1993)}", "Penn Treebank"),
        ("aligned by GIZA++ {[12]}", "GIZA++"),
        ("BERT {[1]} is used", "BERT"),
        ("decoded with Moses{³}", "Moses"),
        ("the GPT-2 model {[9]}", "GPT-2"),
        # Several works, or none that is certain.
        ("We train on SNLI {[3, 4]}.", ""),
        ("We train on SNLI [{3}, 4].", ""),
        ("on SNLI ({Bowman et al., 2015}; Williams et al., 2018)", ""),
        ("on SNLI {(Bowman et al., 2015; Williams et al., 2018)}", ""),
        # The mark is a part of the sentence.
        ("as Bowman {(2015)} says", ""),
        ("SNLI by {Bowman et al. (2015)}", ""),
        # No name, or not right before.
        ("Results {[3]}", ""),
        ("we use SNLI, as others do {[3]}", ""),
        ("BERT-based encoders {[3]}", ""),
        ("BERT-based {[3]}", ""),
        ("of LSTMs {[3]}", ""),
        ("Treebank II {[3]}", ""),
        ("from German to-English {[3]}", ""),
        ("in Section {[3]}", ""),
        ("at a rate of 12 {[3]}", ""),
        ("the study of The Very Long Name Of Something {[3]}", ""),
    ],
)
def test_the_name_before_a_mark(marked: str, name: str) -> None:
    start, end = marked.index("{"), marked.index("}") - 1
    assert name_before_mark(marked.replace("{", "").replace("}", ""), Span(start, end)) == name


def test_how_a_name_is_written() -> None:
    forms = {name: name_form(name) for name in ("SQuAD", "GPT-2", "word2vec", "BLEU", "Penn Treebank", "Moses")}
    assert list(forms.values()) == ["mixed", "mixed", "mixed", "capitals", "words", "word"]


def test_what_a_paper_says_of_a_name() -> None:
    abstract = "We present a new data set, BoolQ, for yes/no questions (YNQ). We present a study of HotpotQA."
    paper = Paper(PaperId("acl:a"), "SQuAD: questions", abstract, authors=(Author("Rajpurkar", "Pranav"),))
    introduced = [name for name in ("SQuAD", "BoolQ", "YNQ", "HotpotQA", "GLUE") if introduces_name(paper, name)]
    assert introduced == ["SQuAD", "BoolQ", "YNQ"]
    assert is_of_authors("Rajpurkar", paper)
    assert not is_of_authors("SQuAD", paper)
