"""Saved searches, and projects that keep their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from libraries import record, store

from litterm.build import build_engine
from litterm.core.errors import UsageError
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.annotations import Session
from litterm.model.library import Parsed
from litterm.model.paper import PaperId, Provenance

QUERY = "zebra crossing"
FIRST, SECOND = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def seen(key: str, at: str, title: str = "") -> Parsed:
    found = record(key, title or f"A zebra crossing in {key}")
    return replace(found, paper=replace(found.paper, provenance=Provenance("jsonl", "x.jsonl", at)))


@pytest.fixture
def settings(home: Path) -> Settings:
    settings = from_home(home)
    store(settings.library, [seen("A", FIRST), seen("B", FIRST, "Of lions")])
    return settings


@pytest.fixture
def engine(settings: Settings) -> Engine:
    return build_engine(settings)


def news(engine: Engine) -> dict[str, list[str]]:
    return {each.query: [paper.id for paper in each.papers] for each in run(engine.saved_searches.news())}


def test_what_comes_after_the_last_look_is_new(engine: Engine, settings: Settings) -> None:
    assert run(engine.saved_searches.add(f"  {QUERY} "))
    assert not run(engine.saved_searches.add(QUERY))
    assert news(engine) == {QUERY: []}
    store(settings.library, [seen("C", SECOND), seen("D", SECOND, "Of tigers")])
    assert news(engine) == {QUERY: ["acl:C"]} == news(build_engine(settings))
    assert [paper.id for paper in run(engine.saved_searches.take_news(QUERY)).papers] == ["acl:C"]
    assert news(engine) == {QUERY: []} == news(build_engine(settings))


def test_a_look_in_the_middle_of_an_import_misses_nothing_of_it(engine: Engine, settings: Settings) -> None:
    run(engine.saved_searches.add(QUERY))
    store(settings.library, [seen("C", SECOND)])
    run(engine.saved_searches.take_news(QUERY))
    store(settings.library, [seen("D", SECOND)])
    assert news(engine) == {QUERY: ["acl:D"]}


def test_a_record_merged_into_a_known_paper_is_not_new(engine: Engine, settings: Settings) -> None:
    run(engine.saved_searches.add(QUERY))
    later = seen("A", SECOND)
    store(settings.library, [replace(later, paper=replace(later.paper, venue="Somewhere"))])
    assert news(engine) == {QUERY: []}


def test_a_watch_is_forgotten_and_that_is_undone(engine: Engine) -> None:
    run(engine.saved_searches.add(QUERY))
    assert engine.saved_searches.forget(QUERY)
    assert not engine.saved_searches.forget(QUERY)
    assert engine.saved_searches.all() == ()
    with pytest.raises(UsageError):
        run(engine.saved_searches.take_news(QUERY))
    engine.annotations.undo()
    assert engine.saved_searches.all() == (QUERY,)
    with pytest.raises(UsageError):
        run(engine.saved_searches.add(" "))


def test_a_look_is_nothing_that_undo_takes_back(engine: Engine, settings: Settings) -> None:
    run(engine.saved_searches.add(QUERY))
    engine.annotations.star(PaperId("acl:A"), True)
    store(settings.library, [seen("C", SECOND)])
    run(engine.saved_searches.take_news(QUERY))
    assert "star" in str(engine.annotations.undo())


def test_each_project_keeps_its_query_decisions_and_watches(engine: Engine, settings: Settings) -> None:
    annotations, a = engine.annotations, PaperId("acl:A")
    annotations.save_session(Session(query="lions", hypothesis="They roar."))
    annotations.screen(a, "included")
    annotations.star(a, True)
    run(engine.saved_searches.add(QUERY))
    assert annotations.projects.use("Review 2026") == "Review 2026"
    assert annotations.session() == Session()
    assert (annotations.included_papers(), engine.saved_searches.all()) == ((), ())
    assert not annotations.notes(a).starred, "stars are a list, and lists are the project's"
    annotations.screen(a, "excluded")
    annotations.save_session(Session(query="tigers"))
    assert annotations.projects.use("") == ""
    assert (annotations.session().query, annotations.session().hypothesis) == ("lions", "They roar.")
    assert (annotations.included_papers(), engine.saved_searches.all()) == ((a,), (QUERY,))
    again = build_engine(settings).annotations
    assert again.projects.all() == ("", "Review 2026")
    assert again.projects.use("review 2026") == "Review 2026"
    assert (again.session().query, again.notes(a).screening) == ("tigers", "excluded")
    assert [each.paper.id for each in run(engine.search("tag:included")).papers] == [a]


@pytest.mark.parametrize("name", ["../x", "a\nb/c", "x" * 41, "-x"])
def test_a_name_that_cannot_be_one_begins_no_project(engine: Engine, name: str) -> None:
    with pytest.raises(UsageError):
        engine.annotations.projects.use(name)
    assert engine.annotations.projects.all() == ("",)
