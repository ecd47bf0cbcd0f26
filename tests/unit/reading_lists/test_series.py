"""Papers of one series are told by their titles."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from libraries import by, paper

from litterm.model.paper import Paper
from litterm.reading_lists.series import analyse_title, as_series_paper, keep_first_of_each_series
from litterm.text.references.same_paper import is_one_work

JOINT = ("Toutan, A", "Hagh, B", "Mann, C")


def work(title: str, year: int, authors: Sequence[str] = JOINT, text: str = "") -> Paper:
    return paper(title[:9], title, year=year, authors=by(*authors), abstract=text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Findings of the 2014 Workshop on Statistical Machine Translation",
            "Findings of the 2016 Conference on Machine Translation",
        ),
        (
            "Findings of the 2019 Conference on Machine Translation (WMT19)",
            "Findings of the 2023 Conference on Machine Translation (WMT23): LLMs Are Here but Not Quite There Yet",
        ),
        ("SemEval-2013 Task 2: Sentiment Analysis in Twitter", "SemEval-2017 Task 4: Sentiment Analysis in Twitter"),
        ("Overview of the IWSLT 2012 evaluation campaign", "Findings of the IWSLT 2023 Evaluation Campaign"),
        ("Universal Dependencies v1: A Treebank Collection", "Universal Dependencies v2: More Languages Than Ever"),
        ("OpenNMT: Open-Source Toolkit", "OpenNMT: A Demonstration for Everyone"),
        ("Parsing Tables, Part I: Grammars of Old", "Parsing Tables, Part II: Statistical Models Now"),
    ],
)
def test_the_next_of_a_series_is_alike(one: str, other: str) -> None:
    assert analyse_title(one).is_alike(analyse_title(other))
    assert analyse_title(other).is_alike(analyse_title(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "SemEval-2014 Task 4: Aspect Based Sentiment Analysis",
            "SemEval-2017 Task 4: Sentiment Analysis in Twitter",
        ),
        (
            "Findings of the WMT 2020 Shared Task on Quality Estimation",
            "Findings of the 2014 Workshop on Statistical Machine Translation",
        ),
        ("One at SemEval-2016 Task 4: Sentiment in Twitter", "Two at SemEval-2016 Task 4: Sentiment in Twitter"),
        ("SQuAD: 100,000+ Questions for Machine Comprehension", "Know What You Don't Know: Questions for SQuAD"),
        ("Dependency Parsing: Past, Present, and Future", "Dependency Parsing: Arc-Eager Oracles for Everybody"),
        ("2001", "2002"),
    ],
)
def test_what_only_shares_a_name_or_a_field_is_not(one: str, other: str) -> None:
    assert not analyse_title(one).is_alike(analyse_title(other))


GRASS, LATER = work("Grading Estimates for Weather Maps", 2004, ("Green, A",)), ("Reed, B", "Fern, C")


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        # The origin of a field, and what others called nearly the same.
        (work("Local Grading Estimates for Weather Maps", 2007, LATER), False),
        (work("Grading Estimates for Weather Maps 2", 2007, LATER), False),
        (work("Grading Estimates for Weather Maps 2", 2009, ("Green, A", "Moss, D", "Sage, E")), True),
        # Neither numbered nor dated, and by another team under the same lead.
        (work("Grading Estimates for Weather Maps of Islands", 2009, ("Green, A", "Moss, D", "Sage, E")), False),
    ],
)
def test_a_series_shares_its_lead_author_and_a_numbered_title(other: Paper, alike: bool) -> None:
    one, second = (as_series_paper(paper, ["weather"]) for paper in (GRASS, other))
    assert one.is_alike(second) is second.is_alike(one) is alike


def test_two_publications_of_one_work_stand_once_and_the_origin_of_a_field_stays() -> None:
    workshop = paper("H1", "Grammars That Remember", year=1992, authors=by("Green, A", "Lafferty, J"))
    conference = paper("P1", "Grammars that remember", year=1993, authors=by("Green, Ann", "Lafrerty, J"))
    namesake = paper("Q1", "Grammars That Remember", year=1993, authors=by("Stone, Z"))
    origin = paper("C1", "Grading Estimates for Maps", year=2004, authors=by("Blue, J", "Reed, N"))
    later = paper("J1", "Word-Level Grading Estimates for Maps", year=2007, authors=by("Reed, N", "Nash, H"))
    papers = [workshop, conference, namesake, later, origin]
    kept = keep_first_of_each_series(papers, lambda each: each, ["grading estimates"])
    assert [each.id for each in kept] == ["acl:H1", "acl:Q1", "acl:J1", "acl:C1"]
    assert is_one_work(workshop, conference)
    assert not is_one_work(workshop, namesake)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        # A conference paper and its journal version, the abstracts of which nobody has.
        (
            work("Joint Learning Improves Role Labeling", 2005),
            work("A Global Joint Model for Role Labeling", 2008, ("Toutan, Anna", "Hagh, B", "Mann, C D")),
            True,
        ),
        # The same without one more word than the topic's.
        (work("Joint Learning Improves Role Labeling", 2005), work("Robust Role Labeling of Speech", 2008), False),
        (
            work("Joint Learning Improves Role Labeling", 2005),
            work("A Global Joint Model for Role Labeling", 2012),
            False,
        ),
        (
            work("Joint Learning Improves Role Labeling", 2005),
            work("A Global Joint Model for Role Labeling", 2007, ("Else, D", "Who, E")),
            False,
        ),
        (
            work("Generation by Gates", 2017, text="Sentences for spoken dialogue come from networks with gates."),
            work("Words for Dialogue", 2018, text="Networks with gates give sentences for spoken dialogue."),
            True,
        ),
        (
            work("Generation by Gates", 2017, text="Sentences for spoken dialogue come from networks with gates."),
            work("Words for Dialogue", 2018, text="Grammars are written by hand, and tested on weather reports."),
            False,
        ),
    ],
)
def test_one_work_of_one_team_is_told_by_authors_years_and_words(one: Paper, other: Paper, alike: bool) -> None:
    first, second = (as_series_paper(paper, ["role labeling"]) for paper in (one, other))
    assert first.is_alike(second) is alike
    assert second.is_alike(first) is alike
