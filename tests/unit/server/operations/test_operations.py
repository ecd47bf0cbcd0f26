"""The operations over HTTP: answers as of the command line, errors as typed sentences, nothing of the server's disk."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from commands import done
from json_answers import text_without_schema
from library_servers import client, served

from litterm.cli.main import main
from litterm.server.http.library_server import LibraryServer
from litterm.server.protocol.error_mapping import fault_of


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LibraryServer]:
    with served(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def ask(server: LibraryServer) -> Iterator[httpx.Client]:
    with client(server) as asking:
        yield asking


def local(server: LibraryServer, capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """What the command prints over the library itself."""
    home = str(server.engine._parts.library.root.parent)  # type: ignore[attr-defined]
    status = main(["--home", home, "--offline", *argv, "--json"])
    return text_without_schema(done(status, capsys).out)


@pytest.mark.parametrize(
    ("verb", "body", "argv"),
    [
        ("search", {"query": "pruning heads", "k": 2}, ("search", "pruning heads", "-k", "2")),
        ("search", {"query": "", "sort": "title"}, ("search", "", "--sort", "title")),
        (
            "evidence",
            {"paper": "P18-1001", "hypothesis": "Pruning speeds up inference"},
            ("evidence", "P18-1001", "Pruning speeds up inference"),
        ),
        (
            "cite",
            {"excerpt": "Heads can be pruned [CITATION] with speed.", "before": "2019"},
            ("cite", "Heads can be pruned [CITATION] with speed.", "--before", "2019"),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_answer_is_what_the_command_prints(
    ask: httpx.Client,
    server: LibraryServer,
    capsys: pytest.CaptureFixture[str],
    verb: str,
    body: dict[str, object],
    argv: tuple[str, ...],
) -> None:
    answer = ask.post(f"/v1/{verb}", json=body)
    assert answer.status_code == 200
    assert answer.text == local(server, capsys, *argv)


def test_a_paper_is_shown_without_the_folder_it_came_from(
    ask: httpx.Client, server: LibraryServer, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = ask.post("/v1/show", json={"paper": "P18-1001"}).json()
    expected = json.loads(local(server, capsys, "show", "P18-1001"))
    assert answer["imported"].pop("origin") == "papers.jsonl"
    assert expected["imported"].pop("origin").endswith("/secret-folder/papers.jsonl")
    # Of a folder of PDFs the name of the import would be that of the folder.
    assert expected.pop("imports") == ["papers.jsonl"]
    assert answer == expected


def test_a_text_is_read_sentence_by_sentence(ask: httpx.Client) -> None:
    answer = ask.post("/v1/read", json={"paper": "acl:P18-1001"}).json()
    assert (answer["paper"], answer["origin"]) == ("acl:P18-1001", "jsonl")
    assert "Pruning heads speeds up inference." in [sentence["text"] for sentence in answer["text"]]


def test_one_excerpt_that_cannot_be_answered_costs_no_other(ask: httpx.Client) -> None:
    excerpts = [
        {"excerpt": "Heads can be pruned [CITATION]."},
        {"excerpt": " "},
        {"excerpt": "Parallel corpora [CITATION]."},
    ]
    answer = ask.post("/v1/cite-batch", json={"excerpts": excerpts}).json()
    assert answer["count"] == 3
    assert [("error" in each, each.get("candidates", [{}])[0].get("id")) for each in answer["answers"]] == [
        (False, "acl:P18-1001"),
        (True, None),
        (False, "acl:P20-1003"),
    ]


@pytest.mark.parametrize(
    ("verb", "body", "status", "kind", "words"),
    [
        ("show", {"paper": "nope"}, 404, "UnknownPaper", "nope is not in the library"),
        ("evidence", {"paper": "P18-1001", "hypothesis": ""}, 400, "UsageError", "hypothesis"),
        ("search", {"query": "year:old"}, 400, "QueryError", "year"),
        ("search", {"query": "tag:mine"}, 400, "UsageError", "leave them out of the query"),
        ("search", {"query": "(a OR NOT is:starred)"}, 400, "UsageError", "leave them out of the query"),
        ("search", {"query": "a", "k": 100_000}, 400, "UsageError", "at most 1,000"),
        ("search", {"question": "a"}, 400, "UsageError", 'no field "question"'),
        ("search", {"query": 7}, 400, "UsageError", "query: 7 is not a text"),
        ("evidence", {"paper": "P18-1001"}, 400, "UsageError", "hypothesis is missing"),
    ],
)
def test_what_makes_no_sense_is_answered_by_a_sentence(
    ask: httpx.Client, verb: str, body: dict[str, object], status: int, kind: str, words: str
) -> None:
    answer = ask.post(f"/v1/{verb}", json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (status, kind)
    assert words in error["message"]


def test_a_path_or_method_that_there_is_not_is_answered_in_json_too(ask: httpx.Client) -> None:
    for answer, status, words in (
        (ask.post("/v1/serach", json={}), 404, "There is no POST /v1/serach; GET /v1/openapi.json"),
        (ask.get("/v1/search"), 405, "There is no GET /v1/search; GET /v1/openapi.json"),
    ):
        assert answer.status_code == status
        assert answer.json()["error"]["type"] == "NoRoute"
        assert answer.json()["error"]["message"].startswith(words)


def test_an_upload_for_which_the_disk_has_no_room_says_so() -> None:
    fault = fault_of(OSError(errno.ENOSPC, "No space left on device", "/srv/uploads/a.bib"))
    assert (fault.status, fault.message.partition(",")[0]) == (500, "The disk of the server is full")
    assert "disk" not in fault_of(OSError(errno.EIO, "Input/output error")).message


def test_trouble_of_the_server_names_no_file_of_its(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with served(home) as running, client(running) as asking:
        (home / "library" / "CURRENT").write_text("manifest-no-number.json")
        for segment in (home / "library" / "segments").iterdir():
            (segment / "papers.duckdb").write_bytes(b"no database")
        answer = asking.post("/v1/search", json={"query": "pruning"})
        assert str(tmp_path) not in answer.text


def test_the_description_names_every_verb_with_its_fields(ask: httpx.Client) -> None:
    told = ask.get("/v1/openapi.json").json()
    assert {"/v1/search", "/v1/read", "/v1/evidence", "/v1/cite", "/v1/show", "/v1/add"} <= set(told["paths"])
    schema = told["components"]["schemas"]["EvidenceRequest"]
    assert schema["required"] == ["paper", "hypothesis"]
    assert schema["properties"]["k"] | {"description": ""} == {"type": "integer", "default": 10, "description": ""}
    assert told["paths"]["/v1/users"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    names = set(told["components"]["schemas"])
    used = {each.split('"')[0] for each in json.dumps(told).split("#/components/schemas/")[1:]}
    assert used <= names


def test_the_description_says_what_each_field_of_a_request_means(ask: httpx.Client) -> None:
    told = ask.get("/v1/openapi.json").json()
    silent = []
    for path, methods in told["paths"].items():
        for method in methods.values():
            content = method.get("requestBody", {}).get("content", {}).get("application/json")
            if content is not None:
                name = content["schema"]["$ref"].rpartition("/")[2]
                schema = told["components"]["schemas"][name]
                assert schema["description"]
                silent += [(path, field) for field, one in schema["properties"].items() if not one.get("description")]
    assert silent == []


def test_one_section_of_a_text_is_read(ask: httpx.Client) -> None:
    answer = ask.post("/v1/read", json={"paper": "P18-1001", "section": "abstract"}).json()
    assert [row["text"] for row in answer["text"] if row["kind"] == "abstract"] == [
        "We prune whole heads.",
        "Pruning heads speeds up inference.",
    ]
    assert all(row["kind"] != "title" for row in answer["text"])
    refused = ask.post("/v1/read", json={"paper": "P18-1001", "section": "proofs"})
    assert (refused.status_code, "no such section" in refused.json()["error"]["message"]) == (400, True)


def test_a_question_is_answered_as_the_command_answers(
    ask: httpx.Client, server: LibraryServer, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "Does pruning heads speed up inference?"
    assert ask.post("/v1/ask", json={"question": question}).text == local(server, capsys, "ask", question)
    assert ask.post("/v1/ask", json={"question": "tag:mine pruning?"}).status_code == 400
