"""A model server on 127.0.0.1 that speaks the true protocol over a real socket, and does what it is told.

```python
def test_it(model_server):
    model_server.script(busy(retry_after="1"), says("hello"))      # in turn; the last one repeats
    model_server.brain = lambda asked: says(f"You said {asked.last}")  # or one answer an ask
    ... base_url = model_server.url ...                              # without /v1; both work
    assert model_server.asked[0].body["temperature"] == 0
```

A `Script` is what happens on one connection. `strict=True` refuses fields it does not know and every null.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest

MODEL = "tiny-1"
KNOWN = frozenset(
    "model messages max_tokens max_completion_tokens temperature response_format tools stream stream_options".split()
)


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    at: float

    @property
    def body(self) -> dict:  # type: ignore[type-arg]
        return json.loads(self.raw) if self.raw else {}

    @property
    def messages(self) -> list:  # type: ignore[type-arg]
        return self.body["messages"]

    @property
    def last(self) -> str:
        """The text of the last turn."""
        return str(self.messages[-1].get("content", ""))

    @property
    def rung(self) -> str:
        return self.body.get("response_format", {}).get("type", "text")


class Wire:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: Received) -> None:
        self._reader = reader
        self._writer = writer
        self.asked = asked
        self.hung_up_at: float | None = None

    async def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        await self.head(status, {**headers, "content-length": str(len(body))})
        await self.write(body)

    async def head(self, status: int, headers: Mapping[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} Whatever", "connection: close", *(f"{k}: {v}" for k, v in headers.items())]
        await self.write(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def write(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def until_hung_up(self) -> None:
        """Waits until the other side has closed its socket."""
        with suppress(ConnectionError):
            while await self._reader.read(1000):
                pass
        self.hung_up_at = time.monotonic()

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


Script = Callable[[Wire], Awaitable[None]]
"""An async function of the wire."""


class ModelServer:
    def __init__(self) -> None:
        self.asked: list[Received] = []
        self.wires: list[Wire] = []
        self.brain: Callable[[Received], Script] | None = None
        self.embeds: Callable[[Received], Script] | None = None
        """What `/embeddings` answers; `None`: the server has no such thing."""
        self.strict = False
        self.models: Sequence[str] = (MODEL,)
        self.keys: Sequence[str] = ()
        """Keys that may list the models; empty asks for none."""
        self.only_at = "/v1"
        """Where the interface is; elsewhere is a 404."""
        self.most_at_once = 0
        self._at_once = 0
        self._scripts: list[Script] = []
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._turn, daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def chats(self) -> list[Received]:
        """The requests that went to the right place."""
        return [each for each in self.asked if each.path == f"{self.only_at}/chat/completions"]

    def script(self, *scripts: Script) -> None:
        self._scripts = list(scripts)

    def start(self) -> None:
        self._thread.start()
        self._ready.wait(5)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def hung_up_after(self, start: float, *, wire: int = -1, within_s: float = 10.0) -> float:
        """Seconds from `start` until the client closed a connection: the one it asked last on, unless named."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            ended_at = self.wires[wire].hung_up_at if self.wires else None
            if ended_at is not None:
                return ended_at - start
            time.sleep(0.005)
        raise AssertionError("the connection is still open")

    def _turn(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        pending = asyncio.all_tasks(self._loop)
        for task in pending:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            received = await _received(reader)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            writer.close()
            return
        self.asked.append(received)
        wire = Wire(reader, writer, received)
        self.wires.append(wire)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            with suppress(ConnectionError):
                await self._choose(received)(wire)
        finally:
            self._at_once -= 1
            await wire.close()

    def _choose(self, received: Received) -> Script:
        if received.method == "GET" and received.path == f"{self.only_at}/models":
            if self.keys and received.headers.get("authorization", "").removeprefix("Bearer ") not in self.keys:
                return bad_key()
            return answers(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})
        if received.path == f"{self.only_at}/embeddings" and self.embeds is not None:
            return self.embeds(received)
        if received.path != f"{self.only_at}/chat/completions":
            return answers(404, {"detail": "Not Found"})
        if self.strict and (fault := _fault(received.body)):
            return answers(400, {"error": {"message": fault, "type": "invalid_request_error", "code": None}})
        if self.brain is not None:
            return self.brain(received)
        if not self._scripts:
            return says("Hello.")
        return self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]


@contextmanager
def serving() -> Iterator[ModelServer]:
    server = ModelServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def local_ports(monkeypatch: pytest.MonkeyPatch, *ports: int) -> None:
    """Models of this machine are looked for at these ports; those below 5 have nothing that listens."""
    names = ("ollama", "llama.cpp", "LM Studio", "vLLM")
    monkeypatch.setattr("litterm.llm.local_servers.LOCAL_SERVERS", dict(zip(ports, names, strict=False)))


async def _received(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    method, path, _version = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body, time.monotonic())


def _fault(body: Mapping[str, object]) -> str:
    unknown = sorted(set(body) - KNOWN)
    nulls = sorted(name for name, value in body.items() if value is None)
    nulls += [f"messages.{key}" for turn in body["messages"] for key, value in turn.items() if value is None]  # type: ignore[attr-defined]
    if unknown:
        return f"Unrecognized request argument supplied: {unknown[0]}"
    return f"{nulls[0]}: none is not an allowed value" if nulls else ""


# -- scripts: replies ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tokens:
    prompt: int = 20
    reply: int = 5
    more: Mapping[str, object] = field(default_factory=dict)

    def json(self) -> dict[str, object]:
        total = self.prompt + self.reply
        return {"prompt_tokens": self.prompt, "completion_tokens": self.reply, "total_tokens": total, **self.more}


USAGE = Tokens()


def says(text: str | None, *, usage: Tokens | None = USAGE, finish: str = "stop", **message: object) -> Script:
    """A whole reply; `message` adds fields such as `reasoning_content` or `tool_calls`."""
    body: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1790000000,
        "model": f"{MODEL}-2026",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
                "logprobs": None,
                "finish_reason": finish,
            }
        ],
    }
    if usage is not None:
        body["usage"] = usage.json()
    return answers(200, body)


def vectors(rows: Sequence[Sequence[float]], *, tokens: int = 7) -> Script:
    """One vector a text, the last first: a server may answer in any order, as each says which it is."""
    data = [{"object": "embedding", "index": at, "embedding": list(row)} for at, row in enumerate(rows)]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return answers(200, {"object": "list", "data": data[::-1], "model": MODEL, "usage": usage})


def says_json(value: object, **more: object) -> Script:
    return says(json.dumps(value), **more)  # type: ignore[arg-type]


def calls(*wanted: tuple[str, Mapping[str, object]]) -> Script:
    """Calls of tools: name and arguments."""
    made = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for n, (name, arguments) in enumerate(wanted)
    ]
    return says(None, finish="tool_calls", tool_calls=made)


def answers(status: int, body: object, headers: Mapping[str, str] | None = None) -> Script:
    """Any status with a JSON body."""

    async def script(wire: Wire) -> None:
        kind = {"content-type": "application/json"}
        await wire.answer(status, json.dumps(body).encode(), {**kind, **(headers or {})})

    return script


def page(status: int = 200) -> Script:
    """HTML where JSON should be: a proxy, or the wrong address."""

    async def script(wire: Wire) -> None:
        body = b"<!DOCTYPE html><html><body><h1>It works!</h1></body></html>"
        await wire.answer(status, body, {"content-type": "text/html"})

    return script


def sends(body: bytes, content_type: str = "application/json", status: int = 200) -> Script:
    """These bytes."""

    async def script(wire: Wire) -> None:
        await wire.answer(status, body, {"content-type": content_type})

    return script


# -- scripts: trouble ------------------------------------------------------------------------------------------------


def error(status: int, message: str, *, headers: Mapping[str, str] | None = None, **fields: object) -> Script:
    """The usual envelope of an error."""
    return answers(status, {"error": {"message": message, "type": "invalid_request_error", **fields}}, headers)


def busy(retry_after: str = "", message: str = "Rate limit reached for tiny-1. Please try again.") -> Script:
    headers = {"retry-after": retry_after} if retry_after else {}
    return error(429, message, headers=headers, code="rate_limit_exceeded")


def no_schema() -> Script:
    return error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.")


def no_json_object() -> Script:
    return answers(400, {"error": "'response_format.type' must be 'json_schema' or 'text'"})


def too_long() -> Script:
    text = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    return error(400, text, code="context_length_exceeded", param="messages")


def bad_key() -> Script:
    return error(401, "Incorrect API key provided: sk-verys********cret.", code="invalid_api_key", param=None)


def no_model() -> Script:
    return error(404, f"The model `{MODEL}` does not exist or you do not have access to it.", code="model_not_found")


def loading() -> Script:
    body = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
    return answers(503, body)


def hangs() -> Script:
    """Takes the request and says nothing until the client gives up."""

    async def script(wire: Wire) -> None:
        await wire.until_hung_up()

    return script


def hangs_in_stream(*pieces: str) -> Script:
    """Begins to stream and then says nothing."""

    async def script(wire: Wire) -> None:
        await wire.head(200, {"content-type": "text/event-stream"})
        for piece in pieces:
            await wire.write(_event(_chunk({"content": piece})))
        await wire.until_hung_up()

    return script


def slow(text: str, *, gap_s: float = 0.02, pieces: int = 10) -> Script:
    """A whole reply whose bytes come slowly."""

    async def script(wire: Wire) -> None:
        body = json.dumps({"choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]}).encode()
        await wire.head(200, {"content-type": "application/json", "content-length": str(len(body))})
        step = max(1, len(body) // pieces)
        for start in range(0, len(body), step):
            await wire.write(body[start : start + step])
            await asyncio.sleep(gap_s)

    return script


def after(seconds: float, then: Script) -> Script:
    """`then`, a little later."""

    async def script(wire: Wire) -> None:
        await asyncio.sleep(seconds)
        await then(wire)

    return script


def drops() -> Script:
    """Closes the connection without a word."""

    async def script(wire: Wire) -> None:
        await wire.close()

    return script


# -- scripts: streams ------------------------------------------------------------------------------------------------


def streams(*pieces: str, usage: Tokens | None = USAGE, finish: str | None = "stop", done: bool = True) -> Script:
    """Chunks, then a chunk with usage and no choices, then the end; without `finish` the stream is cut."""
    chunks = [_chunk({"role": "assistant", "content": ""}), *(_chunk({"content": piece}) for piece in pieces)]
    if finish is not None:
        chunks.append(_chunk({}, finish))
    if usage is not None and finish is not None:
        chunks.append({**_chunk({}), "choices": [], "usage": usage.json()})
    return streams_raw(b": keep-alive\n\n" + b"".join(map(_event, chunks)) + (b"data: [DONE]\n\n" if done else b""))


def streams_calls(name: str, arguments: str) -> Script:
    """A call of a tool, its arguments in two pieces."""
    half = len(arguments) // 2
    first = {"index": 0, "id": "call_9", "type": "function", "function": {"name": name, "arguments": ""}}
    deltas: list[dict[str, object]] = [{"role": "assistant", "content": None}, {"tool_calls": [first]}]
    for piece in (arguments[:half], arguments[half:]):
        deltas.append({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    body = b"".join(_event(_chunk(delta)) for delta in deltas) + _event(_chunk({}, "tool_calls"))
    return streams_raw(body + b"data: [DONE]\n\n")


def streams_error(message: str, code: int = 502, *pieces: str) -> Script:
    """An error inside a stream that began well."""
    broken = {**_chunk({"content": ""}, "error"), "error": {"code": code, "message": message}}
    return streams_raw(b"".join(_event(_chunk({"content": piece})) for piece in pieces) + _event(broken))


def streams_raw(body: bytes) -> Script:
    """These bytes as an event stream, ended by closing the connection."""

    async def script(wire: Wire) -> None:
        await wire.head(200, {"content-type": "text/event-stream"})
        await wire.write(body)

    return script


def cut_in_chunk(*pieces: str) -> Script:
    """A chunked stream whose connection breaks off in the middle of a chunk."""

    async def script(wire: Wire) -> None:
        await wire.head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        for piece in pieces:
            event = _event(_chunk({"content": piece}))
            await wire.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
        await wire.write(b"ffff\r\ndata: {")

    return script


def _chunk(delta: Mapping[str, object], finish: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": f"{MODEL}-2026"}
    return {**head, "choices": [choice], "usage": None}


def _event(body: object) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()
