from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litterm.core.tasks import run
from litterm.text.documents.sentences import split
from litterm_benchmarks.sentences import acl, compare, evidencebench, measure


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split(text)]


ONE = [
    "Smith et al. (2019) found this.",
    "This was shown by Brown et al. 1993 and others.",
    "As shown in Fig. 2 and Eq. 4, it holds.",
    "We use the usual tests, i.e. the Wilcoxon test, e.g. for pairs.",
    "The difference was large (p < 0.05, n = 12).",
    "It rose from 3.5 to 4.25 mg in vol. 12, pp. 3-4.",
    "We thank Dr. A. B. Smith, J.-P. Dupont and Martin H. Ringle for help.",
    "It depends on the U.S. Environmental Protection Agency.",
    "Results for cats vs. Dogs are given in Sec. 3.",
    "The value of x. y and z is not known.",
    "Accession no. 12 and No. 7 were used.",
    "The set {1, ... , n} is finite.",
    "Fig. 2. Growth of the two strains.",
]


@pytest.mark.parametrize("text", ONE)
def test_these_are_one_sentence(text: str) -> None:
    assert sentences(text) == [text]


TWO = [
    ("We ran it.", "It worked."),
    ("This is known (Smith, 2019).", "We add to it."),
    ("This is known [12].", "We add to it."),
    ("This is known.[12,13]", "We add to it."),
    ("The samples were kept for 15 min.", "The rest was discarded."),
    ('He called it "benign."', "We agree."),
    ("Does it hold?", "It does!"),
    ("It does!", "We are sure."),
    ("We counted cats, dogs, etc.", "The rest was ignored."),
    ("It is used in the U.S.", "However, nobody knows why."),
    ("All three carry hepatitis B.", "The fourth does not."),
    ("It was expressed.", "mRNA levels rose."),
    ("All were healthy.", "p-Values were corrected."),
    ("(See the appendix.)", "The rest is below."),
    ("The state of the art.", "We beat it."),
    ("Wir fanden es.", "Änderungen gab es nicht."),
    ("Ποιος είναι;", "Ο Νίκος είναι."),
]


@pytest.mark.parametrize("first, second", TWO)
def test_these_are_two_sentences(first: str, second: str) -> None:
    assert sentences(f"{first} {second}") == [first, second]


def test_a_greek_semicolon_between_small_letters_is_no_question_mark() -> None:
    assert len(sentences("το μήλο; και άλλα")) == 1
    assert len(sentences("one; Two; Three")) == 1


def test_chinese_and_japanese_stops_need_no_blank() -> None:
    assert sentences("我们提出一种方法。它很快！「好。」是的") == ["我们提出一种方法。", "它很快！", "「好。」", "是的"]


def test_a_digit_glued_to_the_stop_is_a_citation_where_the_text_cites_so() -> None:
    text = "Risk is raised by exposure.1 This is old.2,3 The rest is new."
    assert sentences(text) == ["Risk is raised by exposure.1", "This is old.2,3", "The rest is new."]
    assert len(sentences("The chapter starts at section.2 The rest is new.")) == 1


def test_a_structured_abstract_that_lost_its_layout_keeps_its_headings_apart() -> None:
    assert sentences("It is so. Results We found it. Conclusions It holds.") == [
        "It is so.",
        "Results",
        "We found it.",
        "Conclusions",
        "It holds.",
    ]


TEXTS = st.text(
    st.sampled_from("aAbTh .!?…;,:()[]\"'”1290\n\t-–。！？」Αα\u037e\u00a0\u2003mRé"), max_size=120
) | st.text(max_size=80)


@given(TEXTS)
@example("")
@example(" . ")
@example("Results We found.")
def test_spans_are_ordered_disjoint_tight_and_cover_all_that_is_visible(text: str) -> None:
    end = 0
    for span in split(text):
        assert end <= span.start < span.end
        assert text[end : span.start].strip() == ""
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        end = span.end
    assert text[end:].strip() == ""


@given(TEXTS)
def test_no_visible_character_is_lost(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


HOSTILE = [
    ".",
    ". ",
    ".)",
    "?!",
    "[1",
    ".[1][2]",
    "a.1,2,3",
    "(((",
    "A. B. ",
    "x.\n\n\n",
    "。",
    ". (",
    "Results ",
    "et al. ",
    "[111 111 ",
    '."”',
    "\u037e",
]


def _cpu_s(text: str) -> float:
    begun = time.process_time()
    split(text)
    return time.process_time() - begun


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    short, long = unit * (20_000 // len(unit)), unit * (160_000 // len(unit))
    small = min(_cpu_s(short) for _ in range(3))
    large = min(_cpu_s(long) for _ in range(3))
    assert large < 8 * small * 4 + 0.2


def test_boundaries_on_biomedical_papers(shared: Path) -> None:
    assert compare(evidencebench(shared), split).f1 >= 97.5


def test_boundaries_on_acl_papers(shared: Path) -> None:
    assert compare(acl(shared), split).f1 >= 97.0


def test_the_bench_compares_with_the_plain_pattern_and_tells_the_time(shared: Path) -> None:
    report = run(measure(shared))
    assert [row.method for row in report.rows] == ["litterm", "pattern"]
    figures = {metric.name: metric.mean for metric in report.rows[0].metrics}
    assert 0 < figures["ms per 5,000"] < 5000
