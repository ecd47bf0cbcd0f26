"""A word that the semantic model cannot know finds the papers that hold it, however it is asked for."""

from __future__ import annotations

import random

import pytest

from litterm.bench.names import first_places
from litterm.model.paper import Paper, PaperId
from litterm.tasks import run

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


@pytest.mark.parametrize("count", [1, 50, 400])
def test_a_name_nobody_knew_yesterday_finds_its_paper_first(count: int) -> None:
    for form, asked in run(first_places(made(count), most=30)).items():
        # Completed, and mended, are the words of titles and abstracts.
        whole = form not in ("while typing", "one letter missing")
        hits = [each for each in asked if whole or each[0].place != "full text"]
        least = 0.8 if form == "one letter missing" else 0.98
        missed = [planted for planted, hit in hits if not hit]
        assert len(missed) <= (1 - least) * len(hits), (form, missed)
