"""Projects: begun, renamed, deleted and restored, and the last one found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.annotations.annotations import Annotations
from litterm.container.constructors import desk_of
from litterm.core.errors import UsageError
from litterm.model.annotations import ProjectSize, Session
from litterm.model.paper import PaperId

A, B = PaperId("acl:A"), PaperId("acl:B")


@pytest.fixture
def desk(tmp_path: Path) -> Annotations:
    return desk_of(tmp_path)


def filled(desk: Annotations, name: str) -> None:
    desk.projects.use(name)
    desk.save_session(Session(query=f"query of {name}"))
    desk.screen(A, "included")
    desk.screen(B, "excluded")
    desk.star(B, True)


def test_a_renamed_project_keeps_everything_of_its_own(desk: Annotations, tmp_path: Path) -> None:
    filled(desk, "Review")
    assert desk.projects.rename("review", "Thesis 2") == "Thesis 2"
    assert (desk.projects.current, desk.projects.all()) == ("Thesis 2", ("", "Thesis 2"))
    assert (desk.session().query, desk.included(), desk.notes(B).starred) == ("query of Review", (A,), True)
    again = desk_of(tmp_path)
    assert again.projects.use("thesis 2") == "Thesis 2"
    assert again.projects.size("Thesis 2") == ProjectSize(watches=0, included=1, excluded=1, starred=1)
    assert again.projects.size("") == ProjectSize()
    again.undo()
    assert again.projects.current == "Review"


def test_the_first_project_can_be_named_and_is_still_the_first(desk: Annotations) -> None:
    desk.screen(A, "included")
    desk.projects.rename("", "Everyday")
    desk.projects.use("Review")
    assert desk.projects.all() == ("Everyday", "Review")
    assert (desk.projects.use("everyday"), desk.included()) == ("Everyday", (A,))
    assert desk.projects.use("") == "Everyday"


def test_a_deleted_project_is_gone_until_undo_and_its_name_begins_an_empty_one(desk: Annotations) -> None:
    filled(desk, "Review")
    desk.projects.delete("Review")
    assert (desk.projects.current, desk.projects.all()) == ("", ("",))
    desk.projects.use("Review")
    assert (desk.included(), desk.session()) == ((), Session())
    desk.projects.delete("Review")
    desk.undo(), desk.undo(), desk.undo()
    desk.projects.use("Review")
    assert (desk.included(), desk.session().query) == ((A,), "query of Review")


def test_what_cannot_be_is_said_and_changes_nothing(desk: Annotations) -> None:
    desk.projects.use("Review")
    desk.projects.use("Other")
    with pytest.raises(UsageError, match="already"):
        desk.projects.rename("Review", "OTHER")
    with pytest.raises(UsageError, match="at most 40"):
        desk.projects.rename("Review", "../x")
    with pytest.raises(UsageError, match="always there"):
        desk.projects.delete("")
    with pytest.raises(UsageError, match="no project Nothing"):
        desk.projects.delete("Nothing")
    assert desk.projects.all() == ("", "Review", "Other")


def test_the_last_project_is_where_one_begins_again_unless_it_is_gone(desk: Annotations, tmp_path: Path) -> None:
    desk.projects.use("Review")
    assert _resumed(tmp_path) == "", "going over to a project alone does not make it the one to begin in"
    desk.projects.remember()
    assert _resumed(tmp_path) == "Review"
    desk.projects.delete("Review")
    assert _resumed(tmp_path) == ""
    desk.undo()
    assert _resumed(tmp_path) == "Review"


def _resumed(root: Path) -> str:
    projects = desk_of(root).projects
    projects.resume()
    return projects.current
