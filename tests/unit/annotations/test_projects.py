"""Projects: begun, renamed, deleted and restored, and the last one found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.annotations.annotations import Annotations, open_library_annotations
from litterm.core.errors import UsageError
from litterm.library.state.connection import StateDatabase
from litterm.model.annotations import ProjectSize, Session
from litterm.model.paper import PaperId

A, B = PaperId("acl:A"), PaperId("acl:B")


@pytest.fixture
def annotations(tmp_path: Path) -> Annotations:
    return open_library_annotations(StateDatabase(tmp_path))


def filled(annotations: Annotations, name: str) -> None:
    annotations.projects.use(name)
    annotations.save_session(Session(query=f"query of {name}"))
    annotations.screen(A, "included")
    annotations.screen(B, "excluded")
    annotations.star(B, True)


def test_a_renamed_project_keeps_everything_of_its_own(annotations: Annotations, tmp_path: Path) -> None:
    filled(annotations, "Review")
    assert annotations.projects.rename("review", "Thesis 2") == "Thesis 2"
    assert (annotations.projects.current, annotations.projects.all()) == ("Thesis 2", ("", "Thesis 2"))
    assert (annotations.session().query, annotations.included_papers(), annotations.notes(B).starred) == (
        "query of Review",
        (A,),
        True,
    )
    again = open_library_annotations(StateDatabase(tmp_path))
    assert again.projects.use("thesis 2") == "Thesis 2"
    assert again.projects.size("Thesis 2") == ProjectSize(watches=0, included=1, excluded=1, starred=1)
    assert again.projects.size("") == ProjectSize()
    again.undo()
    assert again.projects.current == "Review"


def test_the_first_project_can_be_named_and_is_still_the_first(annotations: Annotations) -> None:
    annotations.screen(A, "included")
    annotations.projects.rename("", "Everyday")
    annotations.projects.use("Review")
    assert annotations.projects.all() == ("Everyday", "Review")
    assert (annotations.projects.use("everyday"), annotations.included_papers()) == ("Everyday", (A,))
    assert annotations.projects.use("") == "Everyday"


def test_a_deleted_project_is_gone_until_undo_and_its_name_begins_an_empty_one(annotations: Annotations) -> None:
    filled(annotations, "Review")
    annotations.projects.delete("Review")
    assert (annotations.projects.current, annotations.projects.all()) == ("", ("",))
    annotations.projects.use("Review")
    assert (annotations.included_papers(), annotations.session()) == ((), Session())
    annotations.projects.delete("Review")
    annotations.undo(), annotations.undo(), annotations.undo()
    annotations.projects.use("Review")
    assert (annotations.included_papers(), annotations.session().query) == ((A,), "query of Review")


def test_what_cannot_be_is_said_and_changes_nothing(annotations: Annotations) -> None:
    annotations.projects.use("Review")
    annotations.projects.use("Other")
    with pytest.raises(UsageError, match="already"):
        annotations.projects.rename("Review", "OTHER")
    with pytest.raises(UsageError, match="at most 40"):
        annotations.projects.rename("Review", "../x")
    with pytest.raises(UsageError, match="cannot be deleted"):
        annotations.projects.delete("")
    with pytest.raises(UsageError, match="no project Nothing"):
        annotations.projects.delete("Nothing")
    assert annotations.projects.all() == ("", "Review", "Other")


def test_the_last_project_is_where_one_begins_again_unless_it_is_gone(annotations: Annotations, tmp_path: Path) -> None:
    annotations.projects.use("Review")
    assert _resumed(tmp_path) == "", "going over to a project alone does not make it the one to begin in"
    annotations.projects.save_current()
    assert _resumed(tmp_path) == "Review"
    annotations.projects.delete("Review")
    assert _resumed(tmp_path) == ""
    annotations.undo()
    assert _resumed(tmp_path) == "Review"


def _resumed(root: Path) -> str:
    projects = open_library_annotations(StateDatabase(root)).projects
    projects.restore_last()
    return projects.current
