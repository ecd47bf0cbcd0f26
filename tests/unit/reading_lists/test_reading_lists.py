"""A list is a thing: kept, changed with undo, and made again around what is pinned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import by, record, store
from reading_lists import TOPIC, engine_over, library

from litterm import build_engine
from litterm.core.errors import UsageError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest, ReadingList


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_over(tmp_path) as found:
        yield found


@pytest.fixture
def made(engine: Engine) -> ReadingList:
    return run(engine.reading_lists.make(ListRequest(TOPIC, 5)))


def ids(found: ReadingList) -> list[str]:
    return [entry.paper.id for entry in found.entries]


def test_a_list_is_there_again_as_it_was(engine: Engine, made: ReadingList) -> None:
    assert made.id == "neural-parsing"
    again = engine.reading_lists.open("last")
    assert (again.sections, again.links, again.spares, again.by) == (made.sections, made.links, made.spares, made.by)
    assert engine.reading_lists.open("neural").id == made.id


def test_what_was_dropped_never_comes_back_and_what_is_pinned_stays(engine: Engine, made: ReadingList) -> None:
    lists = engine.reading_lists
    first, last = ids(made)[0], ids(made)[-1]
    lists.drop(lists.pin(made, last), first)
    again = run(lists.make(ListRequest("Neural  parsing", 5)))
    assert again.id == made.id
    assert first not in ids(again)
    assert last in ids(again)
    assert next(entry for entry in again.entries if entry.paper.id == last).pinned
    assert len(lists.all()) == 1


def test_every_change_can_be_undone(engine: Engine, made: ReadingList) -> None:
    lists, name = engine.reading_lists, ids(made)[1]
    lists.drop(made, name)
    assert name not in ids(lists.open("last"))
    assert engine.reading_lists.undo() == f"Undone: dropped “{made.entries[1].paper.title}”."
    assert ids(lists.open("last")) == ids(made)
    lists.delete(made.id)
    assert lists.all() == ()
    assert lists.undo() == "Undone: deleted the reading list “neural parsing”."
    assert lists.all()[0].papers == 5


def test_a_paper_is_replaced_by_one_that_was_next(engine: Engine, made: ReadingList) -> None:
    name = ids(made)[2]
    changed = engine.reading_lists.replace(made, name)
    (new,) = set(ids(changed)) - set(ids(made))
    assert ids(changed).index(new) == 2
    assert new in made.spares
    assert name in changed.dropped
    assert new not in changed.spares


def test_a_replacement_is_not_one_more_of_a_series(tmp_path: Path) -> None:
    titles = [
        "Findings of the 2014 Workshop on Neural Parsing",
        "Findings of the 2015 Workshop on Neural Parsing",
        "Findings of the 2016 Workshop on Neural Parsing",
    ]
    series = [record(f"W{number}", title, year=2014, authors=by("Chair, A")) for number, title in enumerate(titles)]
    store(tmp_path / "library", [*library(), *series])
    lists = build_engine(from_home(tmp_path)).reading_lists
    made = run(lists.make(ListRequest(TOPIC, 5, include=(PaperId("acl:W0"), PaperId("acl:W1")))))
    changed = lists.replace(replace(made, spares=(PaperId("acl:W2"), PaperId("acl:M4"))), PaperId("acl:W1"))
    assert "acl:W0" in ids(changed)
    assert "acl:W2" not in ids(changed)
    assert changed.spares == ("acl:W2",)


def test_a_replacement_needs_a_paper_that_is_left(engine: Engine, made: ReadingList) -> None:
    lists = engine.reading_lists
    for _ in range(len(made.spares)):
        made = lists.replace(made, ids(made)[0])
    with pytest.raises(UsageError, match="No other paper"):
        lists.replace(made, ids(made)[0])


def test_papers_move_within_and_between_sections(engine: Engine) -> None:
    made = run(engine.reading_lists.make(ListRequest(TOPIC, 10, sections=True)))
    first = made.sections[0].entries[-1].paper.id
    moved = engine.reading_lists.move(made, first, 1)
    assert moved.sections[0] != made.sections[0]
    assert sorted(ids(moved)) == sorted(ids(made))
    assert ids(engine.reading_lists.move(moved, first, -100))[0] == first


def test_a_section_gets_another_heading(engine: Engine) -> None:
    made = run(engine.reading_lists.make(ListRequest(TOPIC, 10, sections=True)))
    changed = engine.reading_lists.rename(made, made.sections[0].name, "Start  here")
    assert engine.reading_lists.open("last").sections[0].name == changed.sections[0].name == "Start here"
    with pytest.raises(UsageError, match="no section"):
        engine.reading_lists.rename(changed, "nowhere", "x")


def test_notes_and_read_marks_are_kept(engine: Engine, made: ReadingList) -> None:
    lists, name = engine.reading_lists, made.entries[0].paper.id
    lists.write_note(made, name, "start with section 3")
    engine.annotations.set_status(name, "read")
    assert lists.open("last").entries[0].note == "start with section 3"
    assert (lists.all()[0].read, lists.all()[0].papers) == (1, 5)


def test_lists_belong_to_their_project(engine: Engine, made: ReadingList) -> None:
    engine.annotations.projects.use("other")
    assert engine.reading_lists.all() == ()
    with pytest.raises(UsageError, match="no reading list"):
        engine.reading_lists.open(made.id)


def test_a_paper_that_left_the_library_is_told(engine: Engine, made: ReadingList) -> None:
    engine.record_curation.remove([made.entries[0].paper])
    again = engine.reading_lists.open("last")
    assert len(again.entries) == 4
    assert again.notices == ("1 paper of this list left the library.",)


def test_what_a_project_holds_can_be_started_from(engine: Engine) -> None:
    engine.annotations.projects.use("thesis")
    engine.annotations.screen(PaperId("acl:O1"), "included")
    engine.annotations.star(PaperId("acl:O2"), True)
    engine.annotations.screen(PaperId("acl:O3"), "excluded")
    engine.annotations.projects.use("")
    assert engine.reading_lists.papers_of("thesis") == ("acl:O1", "acl:O2")
    with pytest.raises(UsageError, match="no project"):
        engine.reading_lists.papers_of("nowhere")
    made = run(engine.reading_lists.make(ListRequest(TOPIC, 20, seeds=engine.reading_lists.papers_of("thesis"))))
    assert {"acl:O1", "acl:O2"} <= set(ids(made))
    assert engine.reading_lists.open("last").request.seeds == ("acl:O1", "acl:O2")


def test_of_the_starter_library_only_where_that_is_wanted(engine: Engine) -> None:
    own = {parsed.paper.id for parsed in library()}
    lists = engine.reading_lists
    topic = ListRequest("hypothesis evidence papers", 5)
    shipped = run(lists.make(topic, lists.builder("starter")))
    assert shipped.entries
    assert not own & set(ids(shipped))
    again = run(lists.regenerate(shipped.id, lists.builder("starter")))
    assert not own & set(ids(again))


def test_candidates_of_the_starter_library_only_where_that_is_wanted(engine: Engine) -> None:
    own = {parsed.paper.id for parsed in library()}
    text = "Neural parsing of sentences by networks is fast [CITATION]."
    for library_name in (None, "starter"):
        candidates = run(engine.cite(text, k=3, library_name=library_name)).candidates
        assert candidates
        assert bool(own & {candidate.paper.id for candidate in candidates}) is (library_name is None)
