"""Replies of an odd or hostile server: bounded while they are read, checked for sense, and never a bug of ours."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes_model_server import ModelServer, Script, Tokens, Wire, answers, error, says, sends, streams_raw, vectors
from model_clients import Clock, Models, settings_for

from litterm.core import errors
from litterm.core.async_bridge import EventLoop
from litterm.core.tasks import run
from litterm.llm.embeddings import EndpointEmbedder
from litterm.llm.factory import open_embedder
from litterm.llm.requests import client
from litterm.llm.requests.client import MAX_ERROR_BYTES, MAX_EVENT_BYTES, ResponseHead, limit_body
from litterm.model.events import Event, Notice
from litterm.model.llm import Message, ModelRequest, Question, ReplyForm
from litterm.text.escape import valid_text
from litterm.text.llm.reply_json import Record, WholeNumber

HELLO = ModelRequest("test@1", (Message("user", "Hi."),), max_tokens=64)
SUM = Question(HELLO, ReplyForm("sum", Record(dict, sum=WholeNumber(0, 9))))
KEY = "Zx81plainTokenWithoutAnyPrefix"


def pours(head: dict[str, str], piece: bytes, status: int = 200) -> Script:
    """Sends the same piece until the other side hangs up."""

    async def script(wire: Wire) -> None:
        await wire.head(status, head)
        try:
            while True:
                await wire.write(piece)
        except ConnectionError:
            pass

    return script


def reply_with(text: str) -> bytes:
    """A reply whose JSON is written by hand: no encoder would."""
    return b'{"choices":[{"index":0,"message":{"content":' + text.encode() + b'},"finish_reason":"stop"}]}'


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "script",
    [
        pours({"content-type": "application/json"}, b"[" * 65536),
        pours({"content-type": "application/json", "content-encoding": "gzip"}, gzip.compress(b" " * 4_000_000)),
        pours({"content-type": "text/event-stream"}, b"x" * 65536),
        pours({"content-type": "text/event-stream"}, b"data: x\n" * 8000),
    ],
    ids=["json", "packed", "no-line-end", "no-event-end"],
)
def test_a_reply_without_end_is_not_read_on(
    make_model: Models, model_server: ModelServer, script: Script, stream: bool
) -> None:
    model_server.script(script)
    with pytest.raises(errors.ReplyTooLong, match="reading was stopped"):
        run(make_model().ask(HELLO, stream=stream))
    assert len(model_server.asked) == 1


def test_an_error_without_end_says_what_its_beginning_says(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(pours({"content-type": "text/plain"}, b"the disk is full " * 4000, status=422))
    with pytest.raises(errors.RequestRefused, match="the disk is full"):
        run(make_model(temperature=0.0).ask(HELLO))


def read(head: ResponseHead, *pieces: bytes) -> bytes:
    async def raw():  # type: ignore[no-untyped-def]
        for piece in pieces:
            yield piece

    async def whole(_say: object) -> bytes:
        return b"".join([piece async for piece in limit_body(head, raw())])

    loop = EventLoop()
    try:
        return run(loop.task(whole))
    finally:
        loop.close()


def test_a_packed_body_is_unpacked_part_by_part_and_no_further_than_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_ANSWER_BYTES", 1 << 20)
    head = ResponseHead("host", 200, "gzip")
    assert read(head, gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"
    with pytest.raises(errors.ReplyTooLong):
        read(head, gzip.compress(b" " * (1 << 24)))
    assert len(read(ResponseHead("host", 500, "gzip"), gzip.compress(b" " * (1 << 24)))) <= MAX_ERROR_BYTES


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip"])
def test_a_packing_nobody_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(errors.NoModelServer, match="was not requested"):
        read(ResponseHead("host", 200, encoding), b"abc")


def test_an_event_may_come_in_any_pieces_and_many_make_a_long_stream() -> None:
    event = b"data: " + b"x" * 1000 + b"\r\n\r\n"
    body = event * 2000
    assert len(body) > MAX_EVENT_BYTES
    stream = ResponseHead("host", 200, "", "text/event-stream; charset=utf-8")
    for size in (1, 7, 1009, 65536):
        pieces = [body[start : start + size] for start in range(0, len(body) if size > 1 else 3000, size)]
        assert read(stream, *pieces) == b"".join(pieces)


DEEP = "[" * 100_000
ODD = {
    "deep": sends(DEEP.encode() + b"]" * 100_000),
    "deep-in-choices": sends(b'{"choices":' + DEEP.encode() + b"]" * 100_000 + b"}"),
    "deep-within-reason": sends(
        b'{"choices":[{"index":0,"message":{"content":' + b'[{"text":' * 300 + b"1" + b"}]" * 300 + b"}}]}"
    ),
    "long-number": sends(b'{"choices":[],"usage":{"prompt_tokens":' + b"9" * 5000 + b"}}"),
    "choices-object": answers(200, {"choices": {"0": {"error": "x"}}}),
    "choices-number": answers(200, {"choices": 7}),
    "message-list": answers(200, {"choices": [{"index": 0, "message": ["a"]}]}),
    "calls-odd": answers(200, {"choices": [{"index": 0, "message": {"tool_calls": [{"index": 10**30}, {"id": 7}]}}]}),
    "error-deep": sends(b'{"error":' * 400 + b'"x"' + b"}" * 400),
    "error-code": answers(200, {"error": {"code": "9" * 5000, "message": "no"}}),
    "bytes": sends(b"\xff\xfe\x00{"),
    "null": sends(b"null"),
    "nan": sends(b"NaN"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", ODD)
def test_a_reply_of_an_odd_make_is_a_failure_of_its_own_kind(
    make_model: Models, model_server: ModelServer, name: str, stream: bool
) -> None:
    model_server.script(ODD[name])
    model = make_model(temperature=0.0)
    try:
        run(model.ask(HELLO, stream=stream))
    except errors.ModelError as error:
        str(error).encode()
    for answer in run(model.answer_all([SUM])):
        assert isinstance(answer, errors.ModelError)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "text", [DEEP, '{"sum":' + DEEP, '{"sum": 1e999}', '{"sum": NaN}', '{"sum": ' + "9" * 400 + "}"]
)
def test_what_a_model_writes_is_at_worst_unreadable(
    make_model: Models, model_server: ModelServer, text: str, stream: bool
) -> None:
    model_server.script(says(text))
    (answer,) = run(make_model().answer_all([SUM]))
    assert isinstance(answer, errors.ReplyUnreadable)


@pytest.mark.parametrize(
    "text", [r'"a\ud800b"', r'"\udfff"', r'[{"type":"text","text":"\ud83d\ude00\ud83d"}]'], ids=["high", "low", "part"]
)
def test_half_a_character_is_made_whole_and_the_reply_kept(
    make_model: Models, model_server: ModelServer, text: str
) -> None:
    model_server.script(sends(reply_with(text)))
    reply = run(make_model().ask(HELLO))
    assert "\ufffd" in reply.text
    reply.text.encode()
    assert run(make_model().ask(HELLO)).cached


def test_two_halves_are_one_character() -> None:
    assert valid_text("\ud83d\ude00 and \ud83d") == "\U0001f600 and \ufffd"


def test_half_a_character_in_names_and_streams_is_made_whole(make_model: Models, model_server: ModelServer) -> None:
    chunk = (
        r'{"model":"\ud800","choices":[{"index":0,"delta":{"content":"x\udc00","reasoning":"\ud800","tool_calls":'
        r'[{"id":"\ud800","function":{"name":"\ud801","arguments":"\ud802"}}]},"finish_reason":"stop"}]}'
    )
    model_server.script(streams_raw(f"data: {chunk}\n\ndata: [DONE]\n\n".encode()))
    reply = run(make_model().ask(HELLO, stream=True))
    json.dumps([reply.text, reply.model, reply.reasoning, str(reply.calls)], ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "cost", ["1e999", "-1e999", "NaN", "9" * 400, "-1", "1e12", "true", '"free"'], ids=lambda cost: cost[:6]
)
def test_a_cost_that_cannot_be_is_not_believed(make_model: Models, model_server: ModelServer, cost: str) -> None:
    choices = '"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]'
    usage = '"usage":{"prompt_tokens":20,"completion_tokens":5,"cost":' + cost + "}"
    model_server.script(sends(f"{{{choices},{usage}}}".encode()))
    reply = run(make_model(price_in=1.0, price_out=1.0).ask(HELLO))
    assert reply.dollars == pytest.approx(25e-6)


@pytest.mark.parametrize("counted", [int("9" * 400), 2_000_000_000_000_000, -5, math.inf, math.nan, 30_000_000])
def test_tokens_that_cannot_be_are_reckoned_instead(
    make_model: Models, model_server: ModelServer, model_clock: Clock, counted: float
) -> None:
    model_server.script(says("x" * 36, usage=Tokens(counted, 5)))  # type: ignore[arg-type]
    model = make_model()
    events: list[Event] = []
    usage = run(model.ask(HELLO), events.append).usage
    assert (usage.reply_tokens, usage.approximate) == (10, True)
    assert model.total_cost().tokens < 100
    assert any(isinstance(each, Notice) and "impossible" in each.text for each in events) == (counted == 30_000_000)


@pytest.mark.parametrize("piece", [KEY, KEY[:8], KEY[-4:], KEY[5:16], f"{KEY[:10]}\u200b{KEY[10:]}"])
def test_a_piece_of_the_key_in_a_refusal_is_masked(make_model: Models, model_server: ModelServer, piece: str) -> None:
    model_server.script(error(401, f"Incorrect key provided: {piece}**** is not known"))
    with pytest.raises(errors.KeyRefused) as caught:
        run(make_model({"LITTERM_API_KEY": KEY}).ask(HELLO))
    told = f"{caught.value}"
    assert not any(KEY[start : start + 4] in told for start in range(len(KEY) - 3))
    assert "is not known" in told


@pytest.fixture
def embedder(tmp_path: Path, model_server: ModelServer, model_clock: Clock) -> Iterator[EndpointEmbedder]:
    settings = settings_for(tmp_path, model_server.url, embedding="nomic", timeout_s=1.0)
    made = open_embedder(settings, {}, model_clock.nature)
    assert made is not None
    yield made
    made.close()


TEXT = "word " * 720
"""1,000 tokens as they are reckoned."""


@pytest.mark.parametrize(
    ("script", "tokens"),
    [
        (answers(200, {"data": []}), 1000),
        (sends(b"{", "application/json"), 1000),
        (sends(DEEP.encode()), 1000),
        (pours({"content-type": "application/json"}, b"[" * 65536), 1000),
        (answers(400, {"error": {"message": "no"}}), 0),
        (answers(401, {"error": {"message": "no"}}), 0),
    ],
    ids=["no-vectors", "cut", "deep", "endless", "refused", "key"],
)
def test_an_embedding_call_that_failed_is_counted_as_it_may_have_cost(
    embedder: EndpointEmbedder, model_server: ModelServer, script: Script, tokens: int
) -> None:
    model_server.embeds = lambda _asked: script
    model_server.only_at = ""
    with pytest.raises(errors.ModelError):
        run(embedder.embed([TEXT], kind="paper"))
    assert embedder._run.total_cost.tokens // max(1, embedder._run.total_cost.calls) == tokens
    assert embedder._parts.day.total_cost() == embedder._run.total_cost


def test_an_embedding_call_that_was_stopped_is_counted_too(
    embedder: EndpointEmbedder, model_server: ModelServer
) -> None:
    async def silent(wire: Wire) -> None:
        await wire.until_hung_up()

    model_server.embeds = lambda _asked: silent
    task = embedder.embed([TEXT], kind="paper")
    while not model_server.wires:
        next(task)
    task.close()
    assert embedder._parts.day.total_cost().tokens == 1000


def test_embeddings_that_drip_for_ever_end_in_time(embedder: EndpointEmbedder, model_server: ModelServer) -> None:
    model_server.embeds = lambda _asked: pours_slowly
    with pytest.raises(errors.ModelTimeout, match="did not finish its reply"):
        run(embedder.embed(["a"], kind="paper"))


async def pours_slowly(wire: Wire) -> None:
    import asyncio

    await wire.head(200, {"content-type": "application/json"})
    try:
        while True:
            await wire.write(b" ")
            await asyncio.sleep(0.2)
    except ConnectionError:
        pass


@pytest.mark.parametrize("counted", [10**400, 2 * 10**15, -1, math.inf])
def test_tokens_of_embeddings_are_checked_for_sense(
    embedder: EndpointEmbedder, model_server: ModelServer, counted: float
) -> None:
    model_server.embeds = lambda _asked: vectors([(1.0, 2.0)], tokens=counted)
    run(embedder.embed([TEXT], kind="paper"))
    assert embedder._run.total_cost.tokens == 1000


def test_vectors_of_huge_numbers_are_unit_vectors(embedder: EndpointEmbedder, model_server: ModelServer) -> None:
    model_server.embeds = lambda _asked: vectors([(3e300, 4e300)])
    assert run(embedder.embed(["a"], kind="paper")).tolist() == [pytest.approx([0.6, 0.8])]
