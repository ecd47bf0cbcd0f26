"""The library as tools: the handshake, what is offered, calls, and messages that are none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from library_servers import client, served

from litterm.server.users.user_file import UserFile

HEADERS = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with served(tmp_path_factory.mktemp("served")) as server, client(server) as asking:
        yield asking


def call(ask: httpx.Client, method: str, **params: object) -> dict[str, object]:
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    answer = ask.post("/mcp", json=message, headers=HEADERS).json()
    assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
    found: dict[str, object] = answer
    return found


def test_the_handshake_agrees_on_a_version(ask: httpx.Client) -> None:
    known = call(ask, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "x"})["result"]
    assert known["protocolVersion"] == "2025-06-18"  # type: ignore[index]
    assert "tools" in known["capabilities"]  # type: ignore[index]
    strange = call(ask, "initialize", protocolVersion="1999-01-01")["result"]
    assert strange["protocolVersion"] == "2025-11-25"  # type: ignore[index]
    done = ask.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (done.status_code, done.content) == (202, b"")
    assert call(ask, "ping")["result"] == {}


def test_every_tool_says_what_it_takes(ask: httpx.Client) -> None:
    tools = {tool["name"]: tool for tool in call(ask, "tools/list")["result"]["tools"]}  # type: ignore[index]
    # Nothing that changes the notes of the server's owner is offered.
    assert list(tools) == ["search", "read", "evidence", "cite", "ask", "list", "refs", "cited-by"]
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())
    schema = tools["evidence"]["inputSchema"]
    assert schema["required"] == ["paper", "hypothesis"]
    assert "$ref" not in json.dumps(list(tools.values()))
    assert "parsed" not in tools["search"]["inputSchema"]["properties"]


@pytest.mark.parametrize(
    ("name", "arguments", "status", "words"),
    [
        ("search", {"query": "pruning heads", "k": 1}, "found", "acl:P18-1001"),
        ("search", {"query": "zxqwv"}, "nothing found", "zxqwv"),
        ("read", {"paper": "P18-1001"}, "found", "Pruning heads speeds up inference."),
        ("read", {"paper": "P19-1002"}, "outside coverage", "Single weights are pruned."),
        ("evidence", {"paper": "P18-1001", "hypothesis": "Pruning speeds up inference"}, "found", "verdict"),
        ("cite", {"excerpt": "Heads can be pruned [CITATION]."}, "unsure", "acl:P18-1001"),
        ("refs", {"paper": "P18-1001"}, "outside coverage", "acl:P18-1001"),
        ("cited-by", {"paper": "P18-1001"}, "nothing found", "acl:P18-1001"),
    ],
)
def test_an_answer_says_how_far_it_can_be_trusted(
    ask: httpx.Client, name: str, arguments: dict[str, object], status: str, words: str
) -> None:
    result = call(ask, "tools/call", name=name, arguments=arguments)["result"]
    (content,) = result["content"]  # type: ignore[index]
    assert result["isError"] is False  # type: ignore[index]
    assert result["structuredContent"]["status"] == status  # type: ignore[index]
    first, *_ = content["text"].splitlines()
    assert first.startswith(f"status: {status}. ")
    assert words in content["text"] and words in json.dumps(result["structuredContent"]["data"])  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("evidence", {"paper": "nope", "hypothesis": "x"}, "nope is not in the library"),
        ("search", {"question": "x"}, "no field"),
        ("search", {"query": "year:old"}, "year"),
    ],
)
def test_what_is_wrong_with_a_call_is_told_to_the_model(
    ask: httpx.Client, name: str, arguments: dict[str, object], words: str
) -> None:
    result = call(ask, "tools/call", name=name, arguments=arguments)["result"]
    assert result["isError"] is True  # type: ignore[index]
    assert words in result["content"][0]["text"]  # type: ignore[index]


def test_messages_that_are_none_have_the_codes_of_the_protocol(ask: httpx.Client) -> None:
    assert call(ask, "tools/call", name="add")["error"]["code"] == -32602  # type: ignore[index]
    assert call(ask, "resources/list")["error"]["code"] == -32601  # type: ignore[index]
    for content, code in ((b"{", -32700), (b"[]", -32600), (b'{"id": 1, "method": "ping"}', -32600)):
        answer = ask.post("/mcp", content=content)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, code)
    assert ask.get("/mcp").status_code == 405
    assert ask.post("/mcp", json={}, headers={"mcp-protocol-version": "1.0"}).status_code == 400
    assert ask.post("/mcp", json={}, headers={"origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("sent", ["NaN", "1.5", "true", "null", "{}", "[" * 900 + "]" * 900, f'"{"x" * 257}"', "1e400"])
def test_an_id_that_the_protocol_does_not_allow_is_not_sent_back(ask: httpx.Client, sent: str) -> None:
    answer = ask.post("/mcp", content=f'{{"jsonrpc": "2.0", "method": "ping", "id": {sent}}}'.encode())
    assert answer.status_code == 400
    assert (answer.json()["id"], answer.json()["error"]["code"]) == (None, -32600)


def test_an_error_does_not_repeat_all_that_was_sent(ask: httpx.Client) -> None:
    answer = ask.post("/v1/show", json={"paper": "x" * 100_000})
    assert answer.status_code == 404
    assert len(answer.content) < 2_000
    assert answer.json()["error"]["message"].endswith("find its id with `litterm search`.")
    assert len(call(ask, "x" * 100_000)["error"]["message"]) < 2_000  # type: ignore[index]


def test_tools_need_a_token_too(tmp_path: Path) -> None:
    token = UserFile(tmp_path).add("ada", "read")
    with served(tmp_path) as server:
        with client(server) as asking:
            assert asking.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 401
        with client(server, token) as asking:
            assert call(asking, "ping")["result"] == {}
