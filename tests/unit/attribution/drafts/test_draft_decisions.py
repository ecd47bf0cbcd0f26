"""What the user decided about open marks: kept by the words around them, and the newest drafts only."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.attribution.drafts.decisions import REFUSED, DraftDecisions
from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import SessionRow, draft_decisions
from litterm.model.attribution.draft import DraftMark
from litterm.model.paper import PaperId
from litterm.text.drafts.parser import read_draft

A, B = PaperId("acl:A"), PaperId("acl:B")
DRAFT = Path("/somewhere/paper.tex")


@pytest.fixture
def row(tmp_path: Path) -> SessionRow:
    return draft_decisions(StateDatabase(tmp_path))


def marks_of(text: str) -> tuple[DraftMark, ...]:
    return read_draft(text, "tex").marks


MARKS = marks_of("Zebras run [?].\n\nHorses gallop [?].\n\nPonies rest [?].\n")


def test_decisions_are_kept_changed_and_taken_back(row: SessionRow) -> None:
    decisions = DraftDecisions(row)
    assert decisions.decisions_of(DRAFT, MARKS) == {}
    decisions.set(DRAFT, MARKS, 0, A)
    decisions.set(DRAFT, MARKS, 2, REFUSED)
    assert DraftDecisions(row).decisions_of(DRAFT, MARKS) == {0: A, 2: REFUSED}
    decisions.set(DRAFT, MARKS, 0, B)
    decisions.set(DRAFT, MARKS, 2, None)
    decisions.set(DRAFT, MARKS, 1, None)
    assert decisions.decisions_of(DRAFT, MARKS) == {0: B}
    assert decisions.decisions_of(DRAFT.with_name("other.tex"), MARKS) == {}


def test_a_decision_follows_its_words_and_ends_with_them(row: SessionRow) -> None:
    decisions = DraftDecisions(row)
    decisions.set(DRAFT, MARKS, 1, A)
    moved = marks_of("New words [?].\n\nZebras walk [?].\n\nHorses gallop [?].\n")
    assert decisions.decisions_of(DRAFT, moved) == {2: A}
    assert decisions.decisions_of(DRAFT, marks_of("Horses trot [?].\n")) == {}


def test_of_marks_with_the_same_words_each_has_its_own_decision(row: SessionRow) -> None:
    decisions, alike = DraftDecisions(row), marks_of("Zebras run [?].\n\nZebras run [?].\n\nZebras run [?].\n")
    decisions.set(DRAFT, alike, 1, B)
    assert decisions.decisions_of(DRAFT, alike) == {1: B}
    decisions.set(DRAFT, alike, 2, A)
    assert decisions.decisions_of(DRAFT, alike[:2]) == {1: B}


def test_half_a_character_in_a_draft_costs_no_decision(row: SessionRow) -> None:
    decisions, broken = DraftDecisions(row), marks_of("Zebras \ud800 run [?].\n")
    decisions.set(DRAFT, broken, 0, A)
    assert decisions.decisions_of(DRAFT, broken) == {0: A}


def test_the_newest_draft_is_the_one_decided_about_last(
    row: SessionRow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = DraftDecisions(row)
    assert decisions.newest_draft() is None
    monkeypatch.chdir(tmp_path)
    for name in ("one.tex", "two.tex", "one.tex"):
        decisions.set(Path(name), MARKS, 0, A)
    assert decisions.newest_draft() == tmp_path / "one.tex"
    assert decisions.decisions_of(tmp_path / "two.tex", MARKS) == {0: A}


def test_a_hundred_drafts_are_kept_and_the_oldest_is_forgotten_first(row: SessionRow) -> None:
    row.save({f"/old/{number}.tex": {} for number in range(100)})
    decisions = DraftDecisions(row)
    decisions.set(Path("/old/0.tex"), MARKS, 0, A)
    assert len(row.load()) == 100
    decisions.set(Path("/new.tex"), MARKS, 0, A)
    assert list(row.load()) == [*(f"/old/{number}.tex" for number in range(2, 100)), "/old/0.tex", "/new.tex"]


def test_what_is_no_decision_in_the_state_is_passed_over(row: SessionRow) -> None:
    decisions = DraftDecisions(row)
    decisions.set(DRAFT, MARKS, 0, A)
    (kept,) = row.load().values()
    row.save({str(DRAFT): {**dict(kept), "x": 3, "y": None}})  # type: ignore[call-overload]
    assert decisions.decisions_of(DRAFT, MARKS) == {0: A}
    row.save({str(DRAFT): ["acl:A"]})
    assert decisions.decisions_of(DRAFT, MARKS) == {}
