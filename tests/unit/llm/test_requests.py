"""Plain requests over a real socket: what is sent, what comes back, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes_model_server import (
    ModelServer,
    Received,
    Script,
    Tokens,
    answers,
    bad_key,
    calls,
    cut_in_chunk,
    drops,
    error,
    no_model,
    page,
    says,
    sends,
    streams,
    streams_calls,
    streams_error,
    streams_raw,
    too_long,
)
from model_clients import Models

from litterm.core import errors
from litterm.core.tasks import Task, run
from litterm.model.events import Event, Notice, ReplyPiece
from litterm.model.llm import Message, ModelRequest, Tool, ToolCall
from litterm.text.llm.reply_json import LineShape, Record

HELLO = ModelRequest("test@1", (Message("system", "Be brief."), Message("user", "Hi.")), max_tokens=64)
SEARCH = Tool("search", "Search papers.", Record(dict, query=LineShape()))
KEY = "sk-very-secret-0123456789"


def test_the_smallest_request_and_its_reply(make_model: Models, model_server: ModelServer) -> None:
    model_server.strict = True
    model_server.script(says("Hello, you."))
    reply = run(make_model().ask(HELLO))
    assert (reply.text, reply.finish_reason, reply.model, reply.cached) == ("Hello, you.", "stop", "tiny-1-2026", False)
    assert (reply.usage.prompt_tokens, reply.usage.reply_tokens, reply.dollars) == (20, 5, 0.0)
    assert model_server.asked[0].body == {
        "model": "tiny-1",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}],
        "max_tokens": 64,
        "temperature": 0,
    }


def test_no_header_tells_of_this_computer_or_of_variables_of_the_client(
    make_model: Models, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "http://other.invalid/")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: 1\nAuthorization: Bearer other")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    run(make_model({"LITTERM_API_KEY": KEY}).ask(HELLO))
    headers = dict(model_server.asked[0].headers)
    assert headers.pop("authorization") == f"Bearer {KEY}"
    assert set(headers) <= {
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "user-agent",
        "content-length",
    }


def test_a_server_without_a_key_gets_the_word_none(make_model: Models, model_server: ModelServer) -> None:
    run(make_model({}).ask(HELLO))
    assert model_server.asked[0].headers["authorization"] == "Bearer none"


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_the_address_with_and_without_v1(make_model: Models, model_server: ModelServer, tail: str) -> None:
    assert run(make_model(base_url=model_server.url + tail).ask(HELLO)).text == "Hello."
    assert [each.path for each in model_server.asked] == ["/v1/chat/completions"]


@pytest.mark.parametrize(
    ("only_at", "tail", "tried"),
    [("", "/v1", 2), ("", "", 2), ("/api/v1", "/api", 2), ("/api/v1", "/api/v1", 1), ("/openai", "/openai", 1)],
)
def test_an_address_that_is_not_quite_right_is_found_once_and_remembered(
    make_model: Models, model_server: ModelServer, only_at: str, tail: str, tried: int
) -> None:
    model_server.only_at = only_at
    run(make_model(base_url=model_server.url + tail).ask(HELLO))
    assert len(model_server.asked) == tried
    run(make_model(base_url=model_server.url + tail).start_run(fresh=True).ask(HELLO))
    assert len(model_server.asked) == tried + 1


def test_calls_of_tools_and_the_turns_that_answer_them(make_model: Models, model_server: ModelServer) -> None:
    model_server.strict = True
    model_server.script(calls(("search", {"query": "x"}), ("search", {"query": "y"})), says("Done."))
    model = make_model()
    first = ModelRequest("test@1", HELLO.messages, tools=(SEARCH,))
    reply = run(model.ask(first))
    assert (reply.text, reply.finish_reason) == ("", "tool_calls")
    assert [(call.id, call.name, json.loads(call.arguments)["query"]) for call in reply.calls] == [
        ("call_0", "search", "x"),
        ("call_1", "search", "y"),
    ]
    turns = (*HELLO.messages, Message("assistant", "", reply.calls), Message("tool", "none", call_id="call_0"))
    assert run(model.ask(ModelRequest("test@1", turns, tools=(SEARCH,)))).text == "Done."
    sent = model_server.asked[1].messages
    assert "content" not in sent[2]
    assert sent[2]["tool_calls"][0]["function"] == {"name": "search", "arguments": '{"query": "x"}'}
    assert sent[3] == {"role": "tool", "content": "none", "tool_call_id": "call_0"}


def test_a_model_without_tools_says_so_once_and_is_then_not_asked(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.script(error(400, '"tiny-1" does not support tools'))
    model = make_model()
    request = ModelRequest("test@1", HELLO.messages, tools=(SEARCH,))
    for _ in range(2):
        with pytest.raises(errors.ToolsRefused):
            run(model.ask(request))
    assert len(model_server.asked) == 1


def test_ids_of_calls_are_never_missing_or_twice_the_same(make_model: Models, model_server: ModelServer) -> None:
    twice = [{"id": "a", "function": {"name": "f", "arguments": "{}"}}] * 2
    nameless = [{"function": {"name": "f", "arguments": {"x": 1}}}]
    model_server.script(says(None, finish="tool_calls", tool_calls=twice + nameless))
    found = run(make_model().ask(HELLO)).calls
    assert found == (ToolCall("a", "f", "{}"), ToolCall("call_2", "f", "{}"), ToolCall("call_3", "f", '{"x": 1}'))


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"reasoning_content": "Hm."}, "Yes.", "Hm."),
        ({"reasoning": "Hm."}, "Yes.", "Hm."),
        ({"content": "<think>Hm.</think>\nYes."}, "Yes.", "Hm."),
        ({"content": "Hm.</think>Yes."}, "Yes.", "Hm."),
        ({"content": [{"type": "text", "text": "Yes."}]}, "Yes.", ""),
    ],
)
def test_reasoning_is_told_apart_from_the_reply(
    make_model: Models, model_server: ModelServer, message: dict[str, object], text: str, reasoning: str
) -> None:
    body = {"choices": [{"message": {"content": "Yes.", **message}, "finish_reason": "stop"}]}
    model_server.script(answers(200, body))
    reply = run(make_model().ask(HELLO))
    assert (reply.text, reply.reasoning) == (text, reasoning)


# -- streams ---------------------------------------------------------------------------------------------------------


def heard(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, ReplyPiece) and not event.reasoning)


def test_a_stream_is_heard_as_it_comes_and_its_last_chunk_has_no_choices(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.strict = True
    model_server.script(streams("Hel", "lo", "."))
    events: list[Event] = []
    reply = run(make_model().ask(HELLO, stream=True), events.append)
    assert (reply.text, heard(events), reply.finish_reason) == ("Hello.", "Hello.", "stop")
    assert (reply.usage.prompt_tokens, reply.usage.reply_tokens, reply.usage.approximate) == (20, 5, False)
    assert model_server.asked[0].body["stream_options"] == {"include_usage": True}


def test_a_server_that_will_not_count_in_streams_is_asked_once(make_model: Models, model_server: ModelServer) -> None:
    model_server.brain = lambda asked: (
        error(400, "Unknown parameter: 'stream_options'.")
        if "stream_options" in asked.body
        else streams("four", " words", " or", " so", usage=None)
    )
    model = make_model().start_run(fresh=True)
    usage = run(model.ask(HELLO, stream=True)).usage
    assert usage.approximate
    assert usage.reply_tokens == 5
    run(model.ask(HELLO, stream=True))
    assert len(model_server.asked) == 3


def test_calls_of_tools_in_a_stream_are_put_together(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(streams_calls("search", '{"query": "zebra"}'))
    reply = run(make_model().ask(HELLO, stream=True))
    assert reply.calls == (ToolCall("call_9", "search", '{"query": "zebra"}'),)
    assert reply.finish_reason == "tool_calls"


def test_a_server_that_does_not_stream_is_heard_all_the_same(make_model: Models, model_server: ModelServer) -> None:
    model_server.script(says("At once."))
    assert run(make_model().ask(HELLO, stream=True)).text == "At once."


SAMPLES = [
    ("chat_stream_usage.sse.txt", '"This is a test."', (), 12),
    ("chat_stream_no_usage.sse.txt", "This is a test.", (), None),
    ("compat_azure_stream.sse.txt", "Why", (), None),
    ("compat_deepseek_reasoning_stream.sse.txt", "", (), 6),
    ("chat_stream_tool_calls.sse.txt", "", ("get_current_weather", "get_current_weather"), 75),
    ("chat_stream_two_choices.sse.txt", "I'm unable", (), 26),
]


@pytest.mark.parametrize(("name", "begins", "named", "prompt"), SAMPLES, ids=[sample[0] for sample in SAMPLES])
def test_recorded_streams(
    shared: Path,
    make_model: Models,
    model_server: ModelServer,
    name: str,
    begins: str,
    named: tuple[str, ...],
    prompt: int | None,
) -> None:
    body = (shared / "data" / "api-samples" / "openai" / name).read_bytes()
    model_server.script(streams_raw(body))
    reply = run(make_model().ask(HELLO, stream=True))
    assert reply.text.startswith(begins)
    assert tuple(call.name for call in reply.calls) == named
    assert all(json.loads(call.arguments)["location"] for call in reply.calls)
    assert reply.usage.prompt_tokens == prompt if prompt else reply.usage.approximate


@pytest.mark.parametrize(
    ("name", "begins", "tokens"),
    [
        ("chat_plain.json", "This is a test", (12, 5)),
        ("chat_json_schema_output.json", '{"city"', (92, 15)),
        ("chat_reasoning_model.json", "The capital", (13, 238)),
        ("chat_two_choices.json", "This is a test. How", (12, 24)),
        ("chat_tool_calls.json", "", (75, 51)),
        ("chat_after_tool_results.json", "Today", (99, 25)),
    ],
)
def test_recorded_replies(
    shared: Path, make_model: Models, model_server: ModelServer, name: str, begins: str, tokens: tuple[int, int]
) -> None:
    model_server.script(sends((shared / "data" / "api-samples" / "openai" / name).read_bytes()))
    reply = run(make_model().ask(HELLO))
    assert reply.text.startswith(begins)
    assert (reply.usage.prompt_tokens, reply.usage.reply_tokens) == tokens


RECORDED_ERRORS: list[tuple[str, int, type[errors.ModelError]]] = [
    ("error_400_invalid_image.json", 400, errors.RequestRefused),
    ("error_400_unsupported_param.json", 400, errors.RequestRefused),
    ("error_401_invalid_key.json", 401, errors.KeyRefused),
    ("error_404_model.json", 404, errors.ModelUnknown),
    ("error_429_rate_limit.json", 429, errors.ModelBusy),
    ("compat_azure_error_401.json", 401, errors.KeyRefused),
    ("compat_azure_error_404.json", 404, errors.ModelUnknown),
    ("compat_groq_error_400_tool_use_failed.json", 400, errors.RequestRefused),
    ("compat_openrouter_error_429.json", 429, errors.ModelBusy),
]


@pytest.mark.parametrize(("name", "status", "kind"), RECORDED_ERRORS, ids=[each[0] for each in RECORDED_ERRORS])
def test_recorded_errors(
    shared: Path, make_model: Models, model_server: ModelServer, name: str, status: int, kind: type[errors.ModelError]
) -> None:
    body = (shared / "data" / "api-samples" / "openai" / name).read_bytes()
    model_server.script(sends(body, status=status))
    with pytest.raises(kind) as caught:
        run(make_model().ask(HELLO))
    assert caught.type is kind
    assert "sk-" not in str(caught.value)


def test_a_recorded_refusal_of_the_system_role_is_met_by_merging(
    shared: Path, make_model: Models, model_server: ModelServer
) -> None:
    body = (shared / "data" / "api-samples" / "openai" / "error_400_unsupported_role.json").read_bytes()
    model_server.script(sends(body, status=400), says("Hello."))
    run(make_model().ask(HELLO))
    assert model_server.asked[1].messages == [{"role": "user", "content": "Be brief.\n\nHi."}]


def test_a_recorded_error_in_a_stream_ends_it(shared: Path, make_model: Models, model_server: ModelServer) -> None:
    body = (shared / "data" / "api-samples" / "openai" / "compat_openrouter_stream_error.sse.txt").read_bytes()
    model_server.script(streams_raw(body))
    with pytest.raises(errors.ModelError, match="Token limit reached"):
        run(make_model().ask(HELLO, stream=True))


# -- trouble ---------------------------------------------------------------------------------------------------------

TROUBLE: list[tuple[str, Script, type[errors.ModelError], str]] = [
    ("key", bad_key(), errors.KeyRefused, "litterm config model"),
    ("key, bare", answers(401, {"error": "Unauthorized"}), errors.KeyRefused, "Unauthorized"),
    ("forbidden", answers(403, {"error": {"message": "Country not supported"}}), errors.KeyRefused, "Country"),
    ("no model", no_model(), errors.ModelUnknown, "has no model 'tiny-1'"),
    ("LM Studio", answers(400, {"error": "Invalid model identifier"}), errors.ModelUnknown, "has no model"),
    ("too long", too_long(), errors.ContextOverflow, "longer than tiny-1"),
    ("llama.cpp", error(500, "Context size has been exceeded."), errors.ContextOverflow, "longer than"),
    ("vLLM", error(400, "the model's context length is only 4096"), errors.ContextOverflow, "longer than"),
    ("no credit", error(429, "x", code="insufficient_quota"), errors.NoCredit, "no credit"),
    ("no credit, OpenRouter", error(402, "Insufficient credits"), errors.NoCredit, "no credit"),
    ("page", page(), errors.NoModelServer, "web page"),
    ("page of a gateway", page(502), errors.ModelFailed, "HTTP 502"),
    ("no JSON", sends(b"{nope"), errors.NoModelServer, "other than JSON"),
    ("nothing", answers(200, {}), errors.NoModelServer, "no reply"),
    ("empty choices", answers(200, {"choices": []}), errors.NoModelServer, "no reply"),
    ("error with 200", answers(200, {"error": {"code": 502, "message": "boom"}}), errors.ModelFailed, "boom"),
    (
        "error in a choice",
        answers(200, {"choices": [{"error": {"code": 502, "message": "b"}}]}),
        errors.ModelFailed,
        "b",
    ),
    ("redirect", answers(307, {}, {"location": "http://example.org"}), errors.NoModelServer, "elsewhere"),
    ("dropped", drops(), errors.ReplyCut, "broke off"),
    ("refused", error(400, "Your prompt was flagged"), errors.RequestRefused, "flagged"),
    ("filtered", says("", finish="content_filter"), errors.ReplyWithheld, "withholds its reply"),
    ("declined", says(None, refusal="I won't."), errors.ReplyWithheld, "I won't."),
    ("declined at length", says(None, refusal="I cannot help."), errors.ReplyWithheld, "I cannot help."),
    ("cut at once", says("", finish="length"), errors.ReplyCut, "used up its 64 tokens"),
]


@pytest.mark.parametrize(("name", "script", "kind", "says_what"), TROUBLE, ids=[each[0] for each in TROUBLE])
def test_trouble_is_one_plain_sentence_with_a_kind(
    make_model: Models,
    model_server: ModelServer,
    name: str,
    script: Script,
    kind: type[errors.ModelError],
    says_what: str,
) -> None:
    model_server.script(script)
    with pytest.raises(kind, match=r"127\.0\.0\.1|tiny-1") as caught:
        run(make_model({"LITTERM_API_KEY": KEY}).ask(HELLO))
    assert caught.type is kind
    assert says_what in str(caught.value)
    assert caught.value.exit_code == 4
    assert "\n" not in str(caught.value)
    assert ".." not in str(caught.value)


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        (streams("Half", finish=None), errors.ReplyCut),
        (streams("Half", finish=None, done=False), errors.ReplyCut),
        (cut_in_chunk("Half"), errors.ReplyCut),
        (streams_raw(b"data: {nope\n\n"), errors.ReplyCut),
        (streams_error("Provider gone", 502, "Half"), errors.ModelFailed),
        (page(), errors.NoModelServer),
        (bad_key(), errors.KeyRefused),
    ],
    ids=["no finish", "no end", "in a chunk", "garbage", "error", "page", "key"],
)
def test_trouble_in_a_stream(
    make_model: Models, model_server: ModelServer, script: Script, kind: type[errors.ModelError]
) -> None:
    model_server.script(script)
    with pytest.raises(kind) as caught:
        run(make_model().ask(HELLO, stream=True))
    assert caught.type is kind


def test_nothing_listens_there(make_model: Models) -> None:
    with pytest.raises(errors.ModelUnreachable, match="nothing listens there"):
        run(make_model(base_url="http://127.0.0.1:9").ask(HELLO))


def test_a_hostile_error_cannot_reach_the_terminal_or_show_the_key(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.script(error(400, f"\x1b[2J\u202e bad {KEY} and Bearer abc.def\nnext line " + "x" * 5000))
    with pytest.raises(errors.RequestRefused) as caught:
        run(make_model({"LITTERM_API_KEY": KEY}).ask(HELLO))
    text = str(caught.value)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert KEY not in text
    assert "abc.def" not in text
    assert len(text) < 400
    assert KEY not in caught.value.server_text


@pytest.mark.parametrize("key", ["Zx81plainTokenWithoutAnyPrefix", "0123456789abcdef"])
def test_a_key_of_any_look_is_taken_out_of_what_a_server_echoes(
    make_model: Models, model_server: ModelServer, key: str
) -> None:
    model_server.script(error(400, f"cannot bill {key} today"))
    with pytest.raises(errors.RequestRefused, match="cannot bill … today") as caught:
        run(make_model({"LITTERM_API_KEY": key}).ask(HELLO))
    assert key not in f"{caught.value}{caught.value.server_text}"


def test_an_unsupported_temperature_is_left_out_from_then_on(make_model: Models, model_server: ModelServer) -> None:
    model_server.brain = lambda asked: (
        error(400, "Unsupported value: 'temperature' does not support 0 with this model.", param="temperature")
        if "temperature" in asked.body
        else says("Fine.")
    )
    assert run(make_model().ask(HELLO)).text == "Fine."
    run(make_model().start_run(fresh=True).ask(HELLO))
    assert ["temperature" in each.body for each in model_server.asked] == [True, False, False]


def test_a_reasoning_model_gets_its_own_name_for_the_limit(make_model: Models, model_server: ModelServer) -> None:
    text = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    model_server.brain = lambda asked: error(400, text) if "max_tokens" in asked.body else says("Fine.")
    assert run(make_model().ask(HELLO)).text == "Fine."
    assert model_server.asked[1].body["max_completion_tokens"] == 64


def test_the_limit_goes_back_to_its_usual_name(make_model: Models, model_server: ModelServer) -> None:
    """A server that first wanted the one name and was replaced by one that knows the other alone."""

    def answer(asked: Received) -> Script:
        refused = "max_tokens" if len(model_server.asked) == 1 else "max_completion_tokens"
        text = {
            "max_tokens": "Use 'max_completion_tokens' instead.",
            "max_completion_tokens": "Unrecognized request argument supplied: max_completion_tokens",
        }[refused]
        return error(400, text) if refused in asked.body else says("Fine.")

    model_server.brain = answer
    assert run(make_model().ask(HELLO)).text == "Fine."
    assert [next(name for name in each.body if name.endswith("tokens")) for each in model_server.asked] == [
        "max_tokens",
        "max_completion_tokens",
        "max_tokens",
    ]


def test_a_server_that_does_not_say_what_it_dislikes_gets_the_bare_request_once(
    make_model: Models, model_server: ModelServer
) -> None:
    model_server.brain = lambda asked: error(400, "Bad Request") if "temperature" in asked.body else says("Fine.")
    assert run(make_model().ask(HELLO)).text == "Fine."
    assert set(model_server.asked[1].body) == {"model", "messages", "max_tokens"}


def test_a_server_that_has_read_only_part_is_told_of(make_model: Models, model_server: ModelServer) -> None:
    events: list[Event] = []
    long = ModelRequest("test@1", (Message("user", "word " * 4000),))
    run(make_model().ask(long), events.append)
    assert any(isinstance(event, Notice) and "it has cut the request" in event.text for event in events)


def long_request(tokens: int) -> ModelRequest:
    """A request of about so many tokens, by characters."""
    return ModelRequest("test@1", (Message("user", "abcdefghi " * round(tokens * 3.6 / 10)),), max_tokens=64)


def notices(task: Task[object]) -> list[str]:
    said: list[Event] = []
    run(task, said.append)
    return [event.text for event in said if isinstance(event, Notice) and event.text]


@pytest.mark.parametrize(
    ("sent", "counted", "is_told"),
    [
        (5_600, 4_096, True),
        (2_400, 2_048, True),
        (5_600, 5_120, False),
        (5_600, 4_100, False),
        (900, 300, False),
        (6_000, 2_500, True),
    ],
    ids=["a context of 4096", "of 2048", "nearly all", "another tokenizer", "a short one", "less than half"],
)
def test_a_context_that_a_server_cuts_silently_is_told(
    make_model: Models, model_server: ModelServer, sent: int, counted: int, is_told: bool
) -> None:
    model_server.script(says("x", usage=Tokens(counted, 5)))
    said = notices(make_model().ask(long_request(sent)))
    assert [text for text in said if f"counted only {counted:,} of about" in text] == said
    assert bool(said) is is_told
    assert all("OLLAMA_CONTEXT_LENGTH" in text for text in said)


def test_what_a_server_counted_before_shows_a_cut_that_characters_do_not(
    make_model: Models, model_server: ModelServer
) -> None:
    model = make_model()
    model_server.brain = lambda asked: says("x", usage=Tokens(min(len(asked.raw) // 3, 2_500), 5))
    for tokens in range(300, 700, 50):
        assert notices(model.ask(long_request(tokens))) == []
    assert notices(model.ask(long_request(3_500)))
    # Once a run; and as a request that was cut teaches nothing of the tokenizer, the next run is told, too.
    assert notices(model.ask(long_request(3_600))) == []
    assert notices(model.start_run().ask(long_request(3_700)))
