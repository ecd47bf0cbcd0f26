"""Which servers of this machine are found, what they are sent, and what is no model server."""

from __future__ import annotations

import json
import socket
import time

import pytest
from fakes_model_server import MODEL, ModelServer, Script, Wire, answers, hangs, local_ports, page, serving

from litterm.core.tasks import run
from litterm.llm.local_servers import LocalServer, find_local_servers


def only(script: Script, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server answers whatever it is asked with this one script."""
    local_ports(monkeypatch, model_server.port)
    monkeypatch.setattr(model_server, "_choose", lambda _received: script)


def listing(*names: object) -> dict[str, object]:
    return {"object": "list", "data": [{"id": name} for name in names]}


def test_servers_are_found_by_the_models_they_list_in_the_order_of_their_ports(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving() as other:
        other.models = ("nomic-embed-text", "zeta", "alpha")
        local_ports(monkeypatch, other.port, 1, model_server.port)
        first = LocalServer(other.port, ("zeta", "alpha", "nomic-embed-text"))
        assert run(find_local_servers()) == (first, LocalServer(model_server.port, (MODEL,)))
        assert first.base_url == f"http://127.0.0.1:{other.port}/v1"


def test_nothing_is_sent_but_one_request_for_the_models(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITTERM_API_KEY", "sk-secret")
    local_ports(monkeypatch, model_server.port)
    run(find_local_servers())
    (asked,) = model_server.asked
    assert (asked.method, asked.path, asked.raw) == ("GET", "/v1/models", b"")
    assert set(asked.headers) == {"host", "accept"}


@pytest.mark.parametrize(
    "script",
    [
        page(),
        answers(404, listing("m")),
        answers(500, listing("m")),
        answers(200, []),
        answers(200, {"data": []}),
        answers(200, {"data": "m"}),
        answers(200, {"models": [{"id": "m"}]}),
        answers(200, listing(3, "", None)),
        answers(200, listing("a\x1b[2Jname")),
        answers(200, listing("m" * 300)),
    ],
    ids="page missing broken list none text other-key no-names control-characters endless-name".split(),
)
def test_a_server_that_does_not_list_models_is_not_found(
    script: Script, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(script, model_server, monkeypatch)
    assert run(find_local_servers()) == ()


def test_servers_that_never_answer_cost_less_than_a_second_together(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as first, serving() as second:
        for server in (first, second):
            only(hangs(), server, monkeypatch)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            local_ports(monkeypatch, first.port, second.port, silent.getsockname()[1])
            start = time.monotonic()
            assert run(find_local_servers()) == ()
            assert time.monotonic() - start < 1.0


def test_a_server_that_keeps_its_connection_open_is_found(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def keeps_open(wire: Wire) -> None:
        body = json.dumps(listing("slow-1")).encode()
        await wire.head(200, {"content-type": "application/json", "content-length": str(len(body))})
        await wire.write(body)
        await wire.until_hung_up()

    only(keeps_open, model_server, monkeypatch)
    assert run(find_local_servers()) == (LocalServer(model_server.port, ("slow-1",)),)
