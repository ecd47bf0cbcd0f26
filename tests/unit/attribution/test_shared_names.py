"""Of several works of one name the words around the mark tell which is meant; its name alone makes none certain."""

from __future__ import annotations

import pytest
from libraries import paper as record

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.features import find_introducing, introduction_points, support_names

OLD = record(
    "x:old", "PEAT: A Toolkit for Parsing Trees", year=2006, abstract="We release a toolkit that parses trees."
)
NEW = record("x:new", "PEAT: Pre-training for Speech", year=2021, abstract="We pre-train a model on hours of speech.")
USER = record("x:user", "Dialogue with PEAT", year=2023, abstract="We use PEAT in dialogue.")


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("We recognise speech with PEAT [CITATION].", 1),
        ("Trees are parsed by PEAT [CITATION].", 0),
        # No word tells: whoever is used by later papers is meant.
        ("Everybody in this lovely garden likes PEAT [CITATION].", 1),
        # Nor are there enough words: whoever was first.
        ("Everybody likes PEAT [CITATION].", 0),
    ],
)
def test_the_words_around_the_mark_tell_which_is_meant(text: str, best: int) -> None:
    points = introduction_points(read_excerpt(text), (OLD, NEW, USER)).tolist()
    assert points.index(max(points)) == best
    assert points[2] == 0


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        ("We recognise speech with PEAT [CITATION].", False),
        ("Everybody likes PEAT [CITATION].", True),
        ("The clinical trial of insulin dosage in children used PEAT [CITATION].", True),
    ],
)
def test_a_name_alone_is_doubtful_where_another_has_it(text: str, doubtful: bool) -> None:
    assert support_names(read_excerpt(text), (OLD, NEW, USER)).is_doubtful(1) is doubtful


def test_a_name_alone_is_doubtful_in_a_sentence_of_something_else() -> None:
    text = "The clinical trial of insulin dosage in children used PEAT [CITATION]."
    assert support_names(read_excerpt(text), (NEW,)).is_doubtful(0)
    assert not support_names(read_excerpt("We use PEAT [CITATION]."), (NEW,)).is_doubtful(0)


def test_a_paper_known_by_a_name_from_elsewhere_introduces_it() -> None:
    plain = record("x:plain", "Deep Vectors of Words in Context", year=2018, abstract="We present vectors.")
    summary = record("s:plain", "Deep Vectors of Words in Context", year=2018, abstract="Vectors depend. VeCo reads.")
    later = record("s:later", "Uses", year=2019, abstract="This compares VeCo with others.")
    assert find_introducing("VeCo", (later, summary)) == summary
    assert find_introducing("VeCo", (later,)) is None
    points = introduction_points(read_excerpt("We use VeCo [CITATION]."), (USER, plain), {plain.id}).tolist()
    assert points[1] > points[0] == 0
