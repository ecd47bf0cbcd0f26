"""A word that the semantic model cannot know finds the papers that hold it, however it is asked for."""

from __future__ import annotations

import random

import pytest

from litterm.core.tasks import run
from litterm.model.paper import Paper, PaperId
from litterm_benchmarks.search.made_up_names import find_planted

_WORDS = (
    "patients treatment disease standard methods compare results trial therapy clinical effect study data model "
    "language parsing translation neural evaluation control risk dose response protein cell gene mice tumour"
).split()


def made(count: int) -> list[Paper]:
    rng = random.Random(3)
    return [
        Paper(
            PaperId(f"local:{number}"),
            " ".join(rng.choices(_WORDS, k=8)),
            " ".join(rng.choices(_WORDS, k=rng.choice((0, 20, 150)))),
            year=2000 + number % 20,
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(("count", "size"), [(400, None), (60, 50), (30, 1)])
def test_a_name_nobody_knew_yesterday_finds_its_paper_first(count: int, size: int | None) -> None:
    for form, asked in run(find_planted(made(count), max_names=30, size=size)).items():
        assert {planted.place for planted, _ in asked} == {"title", "abstract", "full text"}
        least = 0.8 if form.startswith("one letter") else 0.98
        missed = [planted for planted, hit in asked if not hit]
        assert len(asked) == 30
        assert len(missed) <= (1 - least) * len(asked), (form, missed)
