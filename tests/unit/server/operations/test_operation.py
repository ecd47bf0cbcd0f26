"""A row of the table is all that an operation needs: request, checks, answer and description follow from its method."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from libraries import store
from library_servers import papers

from litterm.build import build_engine
from litterm.core.errors import UnknownPaper, UsageError
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.paper import Paper, PaperId, Provenance, SourceRecord
from litterm.server.client.engine import RemoteEngine
from litterm.server.http.openapi import describe_operation
from litterm.server.operations.operation import Limit, Operation
from litterm.server.operations.table import OPERATIONS, operation_of
from litterm.server.protocol import codec
from litterm.server.protocol.codec import NotDecodable
from litterm.server.protocol.disk_paths import hide_paths

NEW = Operation(
    "by-key", Engine.papers_by_key, limits=(Limit(2, "the number of keys", ("keys",)),), result_field="papers"
)
"""A row for a method of the engine that the server does not offer."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    settings = replace(from_home(tmp_path_factory.mktemp("home")), offline=True)
    store(settings.library, papers(Path("/srv/secret-folder")))
    yield build_engine(settings)


def ask(engine: Engine, operation: Operation, content: bytes) -> bytes:
    """What the server does with a request of litterm."""
    request = codec.loads(operation.request, content)
    return codec.dumps(operation.make_answer(run(operation.perform(engine, request))))


def test_a_row_makes_a_method_of_the_engine_an_operation(engine: Engine) -> None:
    content = codec.dumps(NEW.make_request(["P18-1001", "acl:P20-1003"]))
    assert json.loads(content) == {"keys": ["P18-1001", "acl:P20-1003"]}
    answer = codec.loads(NEW.answer, ask(engine, NEW, content))
    sent: tuple[Paper, ...] = NEW.result_of(answer)
    assert [paper.id for paper in sent] == ["acl:P18-1001", "acl:P20-1003"]
    assert [paper.provenance.origin for paper in sent] == ["papers.jsonl"] * 2
    assert NEW.meaning == "Like `paper`, for several keys at once."


def test_a_row_alone_gives_documented_json_and_a_description(engine: Engine) -> None:
    request = NEW.make_request(["P18-1001"])
    body: Any = run(NEW.perform_for_body(engine, request))
    assert [paper["id"] for paper in body["papers"]] == ["acl:P18-1001"]
    schemas: dict[str, dict[str, object]] = {}
    described = describe_operation(NEW, schemas)
    assert described["summary"] == NEW.meaning
    assert schemas["ByKeyRequest"] == {
        "type": "object",
        "description": NEW.meaning,
        "properties": {"keys": {"type": "array", "items": {"type": "string"}, "description": "At most 2."}},
        "required": ["keys"],
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{}", "keys is missing"),
        (b'{"keys": "P18-1001"}', "keys: .* is not a list"),
        (b'{"keys": [1]}', "keys: 1 is not a text"),
        (b'{"keys": [], "more": 1}', 'no field "more"; known are keys'),
    ],
)
def test_a_request_is_checked_by_the_parameters_of_the_method(engine: Engine, content: bytes, words: str) -> None:
    with pytest.raises(NotDecodable, match=words):
        ask(engine, NEW, content)


def test_a_request_is_refused_beyond_the_limits_of_the_row(engine: Engine) -> None:
    with pytest.raises(UsageError, match="the number of keys is 3, but the server takes at most 2 at once"):
        ask(engine, NEW, b'{"keys": ["a", "b", "c"]}')
    first = operation_of(Engine.first)
    with pytest.raises(UsageError, match="k is -1"):
        ask(engine, first, b'{"query": "pruning", "k": -1}')


def test_queries_and_papers_are_written_as_text_and_read_for_the_method(engine: Engine) -> None:
    facets, evidence = operation_of(Engine.facets), operation_of(Engine.evidence)
    query = engine.parse("pruning")
    typed = ask(engine, facets, b'{"query": "pruning"}')
    assert typed == ask(engine, facets, codec.dumps(facets.make_request(query)))
    assert json.loads(codec.dumps(evidence.make_request(PaperId("acl:P18-1001"), "h", k=3))) == {
        "paper": "acl:P18-1001",
        "hypothesis": "h",
        "k": 3,
    }
    with pytest.raises(UnknownPaper):
        ask(engine, evidence, b'{"paper": "nope", "hypothesis": "pruning"}')
    with pytest.raises(UsageError, match="leave them out of the query"):
        ask(engine, facets, b'{"query": "tag:mine"}')


def test_every_operation_can_be_called_and_answered_and_has_an_address_of_its_own() -> None:
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)
    for operation in OPERATIONS:
        assert operation.meaning.endswith(".")
        assert operation_of(operation.method) is operation
        assert codec.types_of(operation.request) is not None
        assert codec.types_of(operation.answer)


def test_the_engine_over_a_server_asks_it_for_every_method_of_the_table() -> None:
    methods = {operation.method.__name__ for operation in OPERATIONS if operation.method in vars(Engine).values()}
    assert methods >= {"evidence", "facets", "first"}
    assert methods <= vars(RemoteEngine).keys()


def test_no_paper_in_an_answer_names_a_folder_however_deep_it_is() -> None:
    inner = replace(papers(Path("/srv"))[0].paper, provenance=Provenance("jsonl", "/srv/inner.zip!a.jsonl", ""))
    outer = replace(papers(Path("/srv"))[1].paper, sources=(SourceRecord(inner),))
    hidden = hide_paths((("kept", outer),))
    assert b"/srv" not in codec.dumps(hidden)
    assert b"inner.zip!a.jsonl" in codec.dumps(hidden)
    assert hide_paths(hidden) is hidden
