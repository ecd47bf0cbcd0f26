"""Decisions on evidence belong to a hypothesis and a project; those of earlier versions stay where they were shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from litterm.annotations.annotations import Annotations, open_library_annotations
from litterm.library.state.connection import StateDatabase
from litterm.model.annotations import ProjectSize
from litterm.model.document import Document
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.builder import abstract_document

EARLIER = Path(__file__).parents[2] / "data" / "decisions_without_projects.jsonl"
"""A journal as the version before wrote it, in the project `thesis`: one sentence rejected, one marked, one cell."""
CLAIM, OTHER = "Pruning shrinks models", "Pruning costs accuracy"
PAPER = Paper(
    id=PaperId("acl:A"),
    title="Pruning",
    abstract="Pruning makes models small. It costs accuracy. Small models are fast.",
    authors=(),
    year=2020,
    venue="ACL",
    venue_keys=("acl",),
    type="inproceedings",
)


@pytest.fixture
def text() -> Document:
    return abstract_document(PAPER)


@pytest.fixture
def earlier(tmp_path: Path) -> Annotations:
    (tmp_path / "journal").mkdir()
    shutil.copy(EARLIER, tmp_path / "journal" / "journal.jsonl")
    return open_library_annotations(StateDatabase(tmp_path))


def shown(annotations: Annotations, text: Document) -> list[tuple[int | None, str, str]]:
    return [(each.index, each.mark.kind, each.mark.hypothesis) for each in annotations.marks(text)]


def test_a_new_project_has_no_decision_of_an_old_one(tmp_path: Path, text: Document) -> None:
    annotations = open_library_annotations(StateDatabase(tmp_path))
    annotations.mark(text, 2, "accepted", CLAIM)
    annotations.decide(PAPER.id, CLAIM, "accepted")
    annotations.projects.use("ch2")
    assert annotations.marks(text) == ()
    assert annotations.quoted_papers() == ()
    assert annotations.decisions([PAPER.id], [CLAIM]) == ((None,),)
    assert annotations.decisions_by_coder() == {"": ()}
    annotations.mark(text, 2, "rejected", CLAIM)
    annotations.decide(PAPER.id, CLAIM, "rejected")
    assert annotations.projects.sizes() == (ProjectSize(quoted=1), ProjectSize(quoted=1))
    annotations.projects.use("")
    assert shown(annotations, text) == [(2, "accepted", CLAIM)]
    assert annotations.decisions([PAPER.id], [CLAIM]) == (("accepted",),)


def test_a_sentence_rejected_for_one_hypothesis_is_open_for_another(tmp_path: Path, text: Document) -> None:
    annotations = open_library_annotations(StateDatabase(tmp_path))
    annotations.mark(text, 2, "rejected", CLAIM)
    annotations.mark(text, 2, "accepted", OTHER)
    annotations.unmark(text, 2, CLAIM)
    assert shown(annotations, text) == [(2, "accepted", OTHER)]


def test_earlier_decisions_stay_in_every_project_there_was_and_in_no_later_one(
    earlier: Annotations, text: Document
) -> None:
    expected = [(2, "rejected", CLAIM), (3, "hand", "")]
    for project in ("", "thesis"):
        earlier.projects.use(project)
        assert shown(earlier, text) == expected
        assert earlier.decisions([PAPER.id], [CLAIM]) == (("accepted",),)
    earlier.projects.use("ch2")
    assert shown(earlier, text) == []
    assert earlier.decisions([PAPER.id], [CLAIM]) == ((None,),)
    assert earlier.quoted_papers() == ()


def test_deciding_anew_in_one_project_leaves_the_earlier_decision_to_the_others(
    earlier: Annotations, tmp_path: Path, text: Document
) -> None:
    earlier.projects.use("thesis")
    earlier.mark(text, 2, "accepted", CLAIM)
    earlier.unmark(text, 3)
    earlier.decide(PAPER.id, CLAIM, None)
    again = open_library_annotations(StateDatabase(tmp_path))
    assert shown(again, text) == [(2, "rejected", CLAIM), (3, "hand", "")]
    assert again.decisions([PAPER.id], [CLAIM]) == (("accepted",),)
    again.projects.use("thesis")
    assert shown(again, text) == [(2, "accepted", CLAIM)]
    assert again.decisions([PAPER.id], [CLAIM]) == ((None,),)
    again.undo(), again.undo(), again.undo()
    assert shown(again, text) == [(2, "rejected", CLAIM), (3, "hand", "")]
    assert again.decisions([PAPER.id], [CLAIM]) == (("accepted",),)
