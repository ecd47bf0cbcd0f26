"""What kind of paper a title announces."""

from __future__ import annotations

import pytest

from litterm.text.genres import is_notice, is_overview, is_participant, is_tutorial


@pytest.mark.parametrize(
    "title",
    [
        "A Survey on Automated Fact-Checking",
        "Diachronic word embeddings and semantic shifts: a survey",
        "An Overview of Question Answering",
        "Recent Advances in Pre-trained Language Models",
        "Unsupervised Natural Language Parsing (Introductory Tutorial)",
        "A Primer in BERTology",
        "A systematic review of reproducibility",
        "Object Naming in Language and Vision: A Survey and a New Dataset",
        "Automatic summarization of medical conversations, a review",
        "Controlled languages for machine translation: state of the art",
        "An Introduction to Machine Translation",
    ],
)
def test_overviews(title: str) -> None:
    assert is_overview(title)


@pytest.mark.parametrize(
    "title",
    [
        "Reviewing the Reviewers",
        "Sentiment analysis of product reviews",
        "Overview of the 2019 shared task on parsing",
        "Introduction to the CoNLL-2003 Shared Task",
        "A state-of-the-art parser",
        "Mining Social Science Publications for Survey Variables",
        "What Makes a Review helpful?",
        "ASAP: A Chinese Review Dataset",
        "Taxonomy Induction Using Hierarchical Random Graphs",
        "Textbook Question Answering with Context Graphs",
        "Overview of the Fifth Social Media Mining Shared Tasks",
        "Automating the Systematic Review Process",
        "Exploring User Satisfaction in a Tutorial Dialogue System",
        "Book Reviews: Survey of the State of the Art in Human Language Technology",
        "Introduction to the Special Issue on Dialogue",
    ],
)
def test_other_titles(title: str) -> None:
    assert not is_overview(title)


@pytest.mark.parametrize(
    ("title", "abstract", "overview"),
    [
        ("Verbs without Subjects: Challenges and Opportunities", "We label verbs.", False),
        ("Verbs without Subjects: Challenges and Opportunities", "", False),
        ("Verbs without Subjects: Challenges and Opportunities", "This paper surveys recent work on verbs.", True),
        ("Benchmarking: Past, Present and Future", "We argue for other benchmarks.", False),
        ("Parsing: Past, Present and Future", "", True),
        ("An Overview of Sign Language Corpora", "We give a short overview of the corpora there are.", True),
        ("Language Grid: An Overview", "The grid is a platform for tools.", False),
        ("Task 2013: An Overview of the Bacteria Biotope Task", "", False),
        ("An Overview of the SUNDIAL project", "", False),
        ("Causes in Language: Estimation and Prediction", "In this survey, we bring research together.", True),
        ("Opinions on Trains", "We present a survey of 300 passengers.", False),
    ],
)
def test_where_a_title_leaves_it_open_the_abstract_decides(title: str, abstract: str, overview: bool) -> None:
    assert is_overview(title, abstract) is overview


@pytest.mark.parametrize(
    ("title", "participant"),
    [
        ("Team at SemEval-2019 Task 5: A Neural Network for Detecting Hate Speech", True),
        ("BLCU-NLP at COIN-Shared Task1: Stagewise Fine-tuning for Commonsense Inference", True),
        ("The UMD machine translation systems at IWSLT 2015", True),
        ("Huawei's Submissions to the WMT20 Biomedical Translation Task", True),
        ("SemEval-2019 Task 5: Multilingual Detection of Hate Speech", False),
        ("Findings of the 2019 Conference on Machine Translation (WMT19)", False),
        ("Looking at Attention: What Heads See", False),
        ("Dialogue Systems for Children", False),
    ],
)
def test_one_system_of_a_shared_task(title: str, participant: bool) -> None:
    assert is_participant(title) is participant


def test_tutorials() -> None:
    assert is_tutorial("Tutorial: parsing")
    assert not is_tutorial("A Survey of Parsing")
    assert not is_tutorial("Question Ranking and Selection in Tutorial Dialogues")


@pytest.mark.parametrize(
    ("title", "notice"),
    [
        ("Book Reviews: Commonsense Reasoning, by Erik T. Mueller", True),
        ("Modality and Negation: An Introduction to the Special Issue", True),
        ("Panel: The State of the Art in Thai Language Processing", True),
        ("Last Words: Reviewing the Reviewers", False),
        ("Book recommendation by reviews", False),
    ],
)
def test_notices(title: str, notice: bool) -> None:
    assert is_notice(title) is notice
