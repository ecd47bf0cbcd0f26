"""Papers by how an excerpt fits the words near their marks."""

from __future__ import annotations

import numpy as np
import pytest

from litterm.library.citation_facts.profiles import ProfileIndex
from litterm.library.citation_facts.shipped import ProfileArrays, open_facts
from litterm.model.paper import PaperId

OWLS, BATS, LONG, OTHER = map(PaperId, ("acl:owls", "acl:bats", "acl:long", "acl:other"))
STEMS = ("bat", "fly", "night", "owl", "song")


def index(profiles: dict[str, tuple[int, dict[str, int]]]) -> ProfileIndex:
    stems = [STEMS.index(stem) for _, counts in profiles.values() for stem in counts]
    counts = [count for _, counts in profiles.values() for count in counts.values()]
    lengths = [len(counts) for _, counts in profiles.values()]
    texts = np.array([texts for texts, _ in profiles.values()], np.int64)
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return ProfileIndex(
        ProfileArrays(tuple(profiles), texts, starts, np.array(stems, np.int64), np.array(counts, np.int64), STEMS)
    )


PROFILES = index(
    {OWLS: (4, {"owl": 4, "night": 2}), BATS: (3, {"bat": 3, "night": 3}), LONG: (9, {"fly": 9, "night": 1})}
)


def test_rare_words_that_many_texts_hold_come_first() -> None:
    assert PROFILES.match({"owl": 1.0, "night": 0.2}).best(3) == (OWLS, BATS, LONG)
    assert PROFILES.match({"night": 1.0}).best(1) == (BATS,)
    assert PROFILES.match({"song": 1.0}).best(3) == ()


def test_columns_of_papers_with_and_without_a_profile() -> None:
    columns = PROFILES.match({"owl": 1.0, "song": 5.0}).columns([OTHER, OWLS, BATS])
    assert columns["profiled"].tolist() == [0, 1, 1]
    assert columns["texts"].tolist() == [0, 4, 3]
    assert columns["nearest"].tolist() == [0, 1, 0]
    assert 0 < columns["share"][1] < 1 and columns["share"][[0, 2]].tolist() == [0, 0]


def test_no_profiles_at_all() -> None:
    matches = index({}).match({"owl": 1.0})
    assert matches.best(5) == ()
    assert all(column.tolist() == [0.0] for column in matches.columns([OWLS]).values())


@pytest.mark.parametrize("build", ["full", "bench"])
def test_subwords_are_what_texts_cite_the_paper_on_subwords_for(build: str) -> None:
    matches = ProfileIndex(open_facts(build).profiles()).match({"subword": 1.0, "unit": 1.0, "rare": 1.0})  # type: ignore[arg-type]
    assert "acl:P16-1162" in matches.best(3)
