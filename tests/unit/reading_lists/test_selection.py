"""The choice keeps places for recent work and overviews, and takes one paper of a series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from libraries import by, paper

from litterm.model.paper import Paper
from litterm.reading_lists.selection import select_diverse, uses_as_means

KEYWORDS = ("neural parsing",)
SUBJECTS = "speech tables tweets poems laws genes maps recipes songs letters novels diaries".split()


def old(number: int, title: str = "") -> Paper:
    return paper(
        f"P{number}", title or f"Neural Parsing of {SUBJECTS[number]}", year=2005 + number, authors=by(f"N{number}, A")
    )


def chosen(papers: list[Paper], *, size: int, until: int = 2025) -> list[str]:
    """The keys of the papers taken, where the first of `papers` is the best and so on."""
    places, _ = select_diverse(papers, -np.arange(len(papers), dtype=np.float64), KEYWORDS, size=size, until=until)
    return [papers[place].id.removeprefix("acl:") for place in places]


def test_some_places_are_kept_for_recent_work_on_the_topic() -> None:
    late = [
        paper("L1", "Cooking for Beginners", year=2025, authors=by("Late, A")),
        paper("L2", "Neural Parsing of Memes", year=2024, authors=by("Late, B")),
        paper("L3", "Neural Parsing of Podcasts", year=2023, authors=by("Late, C")),
    ]
    papers = [*map(old, range(12)), *late]
    assert chosen(papers, size=6) == ["P0", "P1", "P2", "P3", "P4", "L2"]
    assert chosen(papers, size=12)[-2:] == ["L2", "L3"]
    # Up to 2016 the last of the old ones are recent.
    assert chosen(papers[:12], size=6, until=2016) == ["P0", "P1", "P2", "P3", "P4", "P9"]


def test_what_is_off_the_topic_does_not_come_in_for_being_recent() -> None:
    papers = [*map(old, range(8)), paper("L1", "Cooking for Beginners", year=2025, authors=by("Late, A"))]
    assert "L1" not in chosen(papers, size=6)


def test_recent_work_takes_no_place_from_an_overview() -> None:
    papers = [*map(old, range(5)), old(5, "Neural Parsing: A Survey of Formalisms")]
    papers.append(paper("L1", "Neural Parsing of Memes", year=2025, authors=by("Late, A")))
    assert chosen(papers, size=6) == ["P0", "P1", "P2", "P3", "P5", "L1"]


def test_the_best_overview_of_the_topic_has_a_place() -> None:
    surveys = [
        "Cooking with Neural Networks: A Survey",
        "Neural Parsing: A Survey of Formalisms",
        "A Survey of Neural Parsing",
    ]
    papers = [*map(old, range(8)), *(old(8 + number, title) for number, title in enumerate(surveys))]
    assert chosen(papers, size=6) == ["P0", "P1", "P2", "P3", "P4", "P9"]


def test_one_paper_of_a_series_is_enough() -> None:
    reports = [
        old(0, "Findings of the 2014 Workshop on Neural Parsing"),
        old(1, "Findings of the 2016 Conference on Neural Parsing"),
    ]
    others = [old(number) for number in range(2, 8)]
    # Of other people, the second is no repetition of the first.
    assert "P1" in chosen([*reports, *others], size=6)
    papers = [*(replace(report, authors=by("Chair, A")) for report in reports), *others]
    assert "P1" not in chosen(papers, size=6)
    # As long as there is anything else.
    assert "P1" in chosen(papers, size=8)


@pytest.mark.parametrize(
    ("title", "means"),
    [
        ("Generation as Dependency Parsing", True),
        ("Finding Names via dependency parsing of tweets", True),
        ("Dependency Parsing as Sequence Labeling", False),
        ("Parsing Speech", False),
        ("A Survey of Dependency Parsing", False),
    ],
)
def test_a_topic_may_be_the_means_to_something_else(title: str, means: bool) -> None:
    assert uses_as_means(title, ["dependency parsing"]) is means
