"""Commands of the network print as JSON what the reference says: the same fields, no more and no fewer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from arxiv_server import collection
from documents import page
from fakes_web_server import WebServer, as_json
from json_answers import answer

from litterm.cli.main import main

REFERENCE = page("docs/reference/json.md")
Shape = dict[str, Any]
"""Field to the shape of the objects it holds, or to an empty one."""


def documented(*verbs: str) -> Shape:
    """The template that stands in the reference behind these verbs, printed in bold."""
    heading = ", ".join(rf"\*\*{verb}\*\*" for verb in verbs)
    found = re.search(rf"{heading}[^:`]*: `({{.*?}})`", REFERENCE, re.DOTALL)
    assert found, verbs
    tokens = re.findall(r'[{}\[\],:]|"[^"]*"', found[1])
    shape, rest = parsed(tokens)
    assert not rest
    return shape


def parsed(tokens: list[str]) -> tuple[Shape, list[str]]:
    """`{"a", "b": [{"c"}]}` as a shape, and what stands behind it."""
    shape: Shape = {}
    if tokens[0] == "[":
        shape, rest = parsed(tokens[1:])
        return shape, rest[1:]
    rest = tokens[1:]
    while rest[0] != "}":
        name, rest = rest[0].strip('"'), rest[1:]
        shape[name] = {}
        if rest[0] == ":":
            shape[name], rest = parsed(rest[1:])
        rest = rest[1:] if rest[0] == "," else rest
    return shape, rest[1:]


def shape_of(value: object) -> Shape:
    """The fields of an object, or of all objects of a list together."""
    if isinstance(value, dict):
        return {name: shape_of(each) for name, each in value.items()}
    shape: Shape = {}
    for each in value if isinstance(value, list) else ():
        shape = united(shape, shape_of(each))
    return shape


def united(one: Shape, other: Shape) -> Shape:
    return {name: united(one.get(name, {}), other.get(name, {})) for name in (*one, *other)}


@pytest.fixture
def printed(home: Path, server: WebServer, capsys: pytest.CaptureFixture[str]) -> Any:
    def shape(*argv: str) -> Shape:
        main([*argv, "--json"])
        return shape_of(answer(capsys.readouterr().out))

    return shape


def known_rows(folder: Path, *rows: str) -> str:
    """A file with records that the library is to have before another source states them."""
    (folder / "known.jsonl").write_text("\n".join(rows))
    return str(folder / "known.jsonl")


def test_sync_and_its_list(printed: Any, server: WebServer, tmp_path: Path) -> None:
    known = ('{"id": "doi:10.1000/a", "title": "A subject"}', '{"id": "doi:10.1000/c", "title": "Larks"}')
    printed("add", known_rows(tmp_path, *known))
    works = [
        {"paperId": "b" * 40, "corpusId": 2, "title": ""},
        {"paperId": "d" * 40, "corpusId": 4, "title": "A subject of its own"},
        # One is merged, one has the DOI of another work.
        {"paperId": "a" * 40, "corpusId": 1, "title": "A subject", "externalIds": {"DOI": "10.1000/a"}},
        {"paperId": "c" * 40, "corpusId": 3, "title": "Wrens", "externalIds": {"DOI": "10.1000/c"}},
    ]
    server.on("/s2/paper/search/bulk", as_json({"total": 4, "data": works}))
    printed("watch", "subject")
    assert printed("sync", "s2", "subject") == documented("sync")
    assert printed("sync", "--list") == documented("sync --list")


def test_watches(printed: Any, server: WebServer) -> None:
    server.on("/arxiv/api/query", collection(2))  # type: ignore[arg-type]
    assert printed("watch", "subject") == {"query": {}, "added": {}, "new": {}, "papers": {}}
    printed("sync", "arxiv", "x")
    watch = documented("sync")["watches"]
    assert printed("watch") == {"watches": watch}
    assert printed("watch", "subject") == {**watch, "added": {}}


def test_ids_are_told_alike_by_add_and_fetch(printed: Any, server: WebServer) -> None:
    server.on("/crossref/works/10.1000%2Fnew", as_json({"message": {"DOI": "10.1000/new", "title": ["A new paper"]}}))
    one = documented("fetch", "add")
    assert printed("add", "10.1000/new", "10.1000/unknown") == one
    assert printed("fetch", "10.1000/new", "10.1000/unknown") == one


def test_files_and_ids_together_are_one_object(printed: Any, server: WebServer, tmp_path: Path) -> None:
    server.on("/crossref/works/10.1000%2Fnew", as_json({"message": {"DOI": "10.1000/new", "title": ["A new paper"]}}))
    printed("add", known_rows(tmp_path, '{"id": "doi:10.1000/g", "title": "Good"}'))
    rows = ('{"id": "acl:P1-1", "doi": "10.1000/g", "title": "Good"}', '{"id": "doi:10.1000/g", "title": "Larks"}')
    (tmp_path / "bad.jsonl").write_text("\n".join((*rows, "{broken")))
    one = printed("add", str(tmp_path / "bad.jsonl"), "10.1000/new")
    assert one == {**documented("add", "failures --retry"), **documented("fetch", "add")}


def test_find(printed: Any, server: WebServer) -> None:
    rows = [{"paperId": "a" * 40, "corpusId": 5, "title": "Found", "authors": [{"name": "Ada Lovelace"}]}]
    server.on("/s2/paper/search", as_json({"total": 1, "data": rows}))
    assert printed("find", "zebra") == documented("find")


def test_refs_and_cited_by(printed: Any, server: WebServer, tmp_path: Path) -> None:
    (tmp_path / "held.jsonl").write_text(json.dumps({"id": "doi:10.1000/held", "title": "A paper that is here"}))
    printed("add", str(tmp_path / "held.jsonl"))
    cited = {"title": "Cited", "year": 2001, "authors": [{"name": "Ada Lovelace"}], "externalIds": {"DOI": "10.1/x"}}
    row = {"contexts": ["As said by Lovelace."], "citedPaper": cited, "citingPaper": cited}
    fields = re.search(r"\*\*refs\*\*.*?`\[({.*?})\]`", REFERENCE, re.DOTALL)
    assert fields
    one = parsed(re.findall(r'[{}\[\],:]|"[^"]*"', fields[1]))[0]
    for verb, name in (("refs", "references"), ("cited-by", "citations")):
        server.on(f"/s2/paper/DOI%3A10.1000%2Fheld/{name}", as_json({"data": [row]}))
        assert printed(verb, "doi:10.1000/held") == {"paper": {}, "by": {}, name: one}


def test_extract_and_its_list(printed: Any, tmp_path: Path) -> None:
    row = {"id": "doi:10.1000/t", "title": "A trial", "year": 2020, "abstract": "A total of 90 patients were enrolled."}
    printed("add", known_rows(tmp_path, json.dumps(row)))
    cell = ("--columns", "sample size", "--edit", "doi:10.1000/t")
    assert set(printed("extract", *cell, "--value", "88")) == {"paper", "column", "changed"}
    table = printed("extract", "--columns", "sample size", "--papers", "doi:10.1000/t")
    (audit,) = [{name: {} for name in ("date", "version", "by", "cells", "calls", "cost", "ended")}]
    assert table["audit"] == audit
    template = documented("extract")
    # Where the user wrote, the value that was read stands beside it.
    template["rows"]["cells"]["read"] = template["rows"]["cells"]["values"]
    assert table == template
    assert set(printed("extract", "--list")["tables"]) == {
        *("table", "begun", "query", "papers", "columns", "cells", "complete")
    }
