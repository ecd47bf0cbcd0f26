"""The reading list that a tutorial prints: its headings and order, and how `litterm list` uses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from libraries import by, record, store

from litterm import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.events import Notice
from litterm.model.paper import PaperId
from litterm.model.reading_list import ListRequest
from litterm.text.documents.builder import Block, build_document

TUTORIAL = PaperId("acl:T1")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = from_home(tmp_path_factory.mktemp("home"))
    blocks = (
        Block("heading", "Outline"),
        Block("body", sentences=("It has two parts.",)),
        Block("heading", "Prerequisite Readings"),
        Block("heading", "Before networks", level=2),
        Block("body", sentences=("Ada Fern. 2010. Grammars that learn from play. In Proceedings of ACL.",)),
        Block("body", sentences=("Cy Moss. 1999. Work that is not here. In Proceedings of COLING.",)),
        Block("heading", "Networks", level=2),
        Block("body", sentences=("Di Nash. 2018. Attention for small toys. In Proceedings of EMNLP.",)),
        Block("heading", "Presenters"),
        Block("body", sentences=("Tess Tor. 2021. Her thesis on something else. University of Nowhere.",)),
    )
    tutorial = record("T1", "Tutorial on Gadget Parsing", year=2021, abstract="Parsing of gadgets.")
    document = build_document(TUTORIAL, blocks, origin="jsonl", parser="test-1")
    papers = [
        replace(tutorial, document=document),
        record("F1", "Grammars that learn from play", year=2010, authors=by("Fern, Ada")),
        record("N1", "Attention for small toys", year=2018, authors=by("Nash, Di")),
        record("G1", "Gadget parsing in practice", year=2019, authors=by("Green, Gus")),
        record("G2", "Parsing gadgets quickly", year=2017, authors=by("Gray, Gil")),
    ]
    store(home.library, papers)
    yield build_engine(home)


def experts_said(engine: Engine, request: ListRequest) -> tuple[list[str], list[str]]:
    """The notices on experts' lists, and the ids of the list that was made."""
    events: list[object] = []
    built = run(engine.reading_lists.build(request), events.append)
    notices = [event.text for event in events if isinstance(event, Notice) and "expert" in event.text]
    return notices, [entry.paper.id for entry in built.entries]


def test_a_list_keeps_its_headings_and_order(engine: Engine) -> None:
    assert engine.reading_lists.expert_lists is not None
    (found,) = run(engine.reading_lists.expert_lists.all())
    assert found.title == "Prerequisite Readings"
    assert [(section.name, [entry.title for entry in section.references]) for section in found.sections] == [
        ("Before networks", ["Grammars that learn from play", "Work that is not here"]),
        ("Networks", ["Attention for small toys"]),
    ]
    assert found.held == ("acl:F1", "acl:N1")


def test_its_works_come_into_question_for_the_topic(engine: Engine) -> None:
    notices, ids = experts_said(engine, ListRequest("gadget parsing", 10))
    assert len(notices) == 1
    assert "lists 3 works, 2 of them in your library" in notices[0]
    # None of their words is in the topic.
    assert {"acl:F1", "acl:N1"} <= set(ids)


def test_another_topic_or_an_earlier_year_has_no_expert(engine: Engine) -> None:
    assert experts_said(engine, ListRequest("speech synthesis", 10))[0] == []
    assert experts_said(engine, ListRequest("gadget parsing", 10, until=2020))[0] == []


def test_where_the_tutorial_is_left_out_its_list_is_not_used(engine: Engine) -> None:
    # As the bench does, which would otherwise be told the answer.
    notices, ids = experts_said(engine, ListRequest("gadget parsing", 10, exclude=frozenset({TUTORIAL})))
    assert notices == []
    assert "acl:F1" not in ids
