"""Trajectories on disk: what was written is read, whoever writes holds the lease, and strange lines do no harm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from litterm.attribution.agent.storage import TrajectoryStore
from litterm.core.errors import UnknownTrajectory
from litterm.library.state.connection import StateDatabase
from litterm.library.state.runs import Runs
from litterm.model.attribution.agent import Action, AgentChoice, AgentHit, AgentStep, TrajectoryRequest
from litterm.model.attribution.citation import CandidateBounds
from litterm.model.document import Span
from litterm.model.llm import ModelCost
from litterm.model.paper import Author, Paper, PaperId

FOUND = Paper(
    PaperId("arxiv:1"),
    "Found elsewhere",
    "An abstract.",
    (Author("Li", "Ann"),),
    2001,
    aliases=(PaperId("doi:10.1/1"),),
)
ASKED = TrajectoryRequest(
    "Said before [CITATION].",
    0,
    Span(0, 23),
    CandidateBounds(2012, 7, (PaperId("acl:C"),), "A title"),
    "m",
    "h",
    15,
    True,
)
STEPS = (
    AgentStep(1, "hm", Action("search", "q"), "Paper ID: …", "done", True, (FOUND.id,), (AgentHit(FOUND, None, "s2"),)),
    AgentStep(2, "", Action("search", "q2"), "down", "failed", counted=False, spent=ModelCost(1, None, 30, True)),
)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    store = TrajectoryStore(StateDatabase(tmp_path))
    made = store.begin(ASKED)
    for step in STEPS:
        store.put(made, step)
    kept = TrajectoryStore(StateDatabase(tmp_path)).open(made)
    assert kept.request == ASKED
    assert tuple(replace(step, at="") for step in kept.steps) == STEPS
    assert all(step.at for step in kept.steps)
    assert (kept.choice, kept.spent) == (AgentChoice(""), ModelCost(1, None, 30, True))
    chosen = AgentChoice("selected", FOUND, "s2", "A sentence.", "it fits")
    store.end(made, AgentChoice("stopped"))
    store.end(made, chosen)
    assert store.open(made).choice == chosen
    store.put(made, replace(STEPS[0], number=3))
    assert store.open(made).choice == AgentChoice(""), "it goes on"


def test_it_is_found_by_its_beginning_and_last_is_the_newest(tmp_path: Path) -> None:
    store = TrajectoryStore(StateDatabase(tmp_path))
    with pytest.raises(UnknownTrajectory):
        store.open("last")
    first = store.begin(ASKED)
    second = store.begin(replace(ASKED, text="Another [CITATION]."))
    newest = max(first, second)
    assert store.open("last").id == newest
    assert store.open(first.upper()).id == first
    assert [each.id for each in store.all()] == sorted((first, second), reverse=True)
    for wanted in (first[:2], "", "../journal", "nothing"):
        with pytest.raises(UnknownTrajectory):
            store.open(wanted)


def test_one_at_a_time(tmp_path: Path) -> None:
    store = TrajectoryStore(StateDatabase(tmp_path))
    made = store.begin(ASKED)
    lease = store.lease(made)
    assert lease is not None
    assert TrajectoryStore(StateDatabase(tmp_path)).lease(made) is None
    lease.release()
    again = store.lease(made)
    assert again is not None
    again.release()


def test_lines_of_another_version_are_passed_over(tmp_path: Path) -> None:
    store = TrajectoryStore(StateDatabase(tmp_path))
    made = store.begin(ASKED)
    runs = Runs(StateDatabase(tmp_path), "trajectory")
    runs.append(made, "dance", {})
    runs.append(made, "step", {"number": "x"})
    store.put(made, STEPS[0])
    assert [step.number for step in store.open(made).steps] == [1]
    assert [each.id for each in store.all()] == [made]


def test_a_beginning_that_none_has_and_one_that_several_have_are_told_apart(tmp_path: Path) -> None:
    store = TrajectoryStore(StateDatabase(tmp_path))
    first, second = store.begin(ASKED), store.begin(replace(ASKED, text="Another [CITATION]."))
    shared = first[: next(at for at, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)]
    with pytest.raises(UnknownTrajectory, match=f"2 trajectories begin with {shared}"):
        store.open(shared)
    with pytest.raises(UnknownTrajectory, match="There is no trajectory “nope”"):
        store.open("nope")


def test_a_trajectory_without_a_request_that_can_be_read_is_not_there(tmp_path: Path) -> None:
    store = TrajectoryStore(StateDatabase(tmp_path))
    made = Runs(StateDatabase(tmp_path), "trajectory").begin({"text": 3})
    with pytest.raises(UnknownTrajectory, match=f"There is no trajectory “{made}”"):
        store.open(made)
    assert store.all() == ()
