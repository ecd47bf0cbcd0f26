"""The JSON of chat completions: writes the smallest request, and reads replies of every dialect into one class."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from litterm.core.errors import ModelError, ReplyTooLong, ReplyWithheld
from litterm.llm.endpoint import EndpointCapabilities
from litterm.model.llm import FinishReason, Message, ModelRequest, OutputMode, ReplyForm, Tool, ToolCall, Usage
from litterm.text.escape import valid_text
from litterm.text.llm.prompts import phrase
from litterm.text.llm.reply_json import without_reasoning

CHARACTERS_PER_TOKEN = 3.6
"""Of English prose, about; the factor of an endpoint corrects it by what the server counts."""
_FINISH_REASONS: Mapping[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "filter",
}
_MAX_REPLY_CHARACTERS = 2_000_000
"""Characters after which a reply is ended: none is that long, but a broken server may be."""
_MAX_ARGUMENT_CHARACTERS = 200_000
"""Characters of all calls of tools together; they are put together piece by piece."""
_MAX_CALLS = 100
MAX_TOKENS = 100_000_000
"""No server has counted more tokens in one call, whatever it says."""
_MAX_DOLLARS = 10_000.0
"""No call has cost more, whatever a server says."""
_MAX_NAME_CHARACTERS = 200
_MAX_DEPTH = 8
"""Lists of parts within parts of a text."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Everything one request depends on."""

    request: ModelRequest
    form: ReplyForm[object] | None = None
    temperature: float = 0.0
    stream: bool = False
    described: bool = False
    """Whether the last turn says already what form is wanted."""
    in_words: bool = False
    """Whether the form is said in words beside the schema, too."""


@dataclass(frozen=True, slots=True)
class WireReply:
    """A reply as it came over the wire."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: FinishReason | None = None
    """`None`: the server did not say; in a stream it was cut."""
    model: str = ""
    usage: Usage | None = None
    dollars: float | None = None
    """What the server says that it cost."""


def build_body(chat_request: ChatRequest, model: str, capabilities: EndpointCapabilities) -> dict[str, object]:
    """The request in the smallest form; no field is null, and none is sent that could be left out."""
    request = chat_request.request
    messages = _with_form(chat_request, capabilities.rung)
    body: dict[str, object] = {
        "model": model,
        "messages": [_message(message) for message in (messages if capabilities.system else _without_system(messages))],
        # OpenAI renamed the field: some servers know only the old name, some models refuse it.
        capabilities.tokens_name: request.max_tokens,
    }
    if capabilities.temperature:
        body["temperature"] = _plain_number(chat_request.temperature)
    if chat_request.form is not None and capabilities.rung != "text":
        body["response_format"] = _format(chat_request.form, capabilities.rung)
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if chat_request.stream:
        body["stream"] = True
        # Without it the last event of a stream has no token counts; some servers refuse the field, though.
        if capabilities.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return body


def estimate_tokens(body: Mapping[str, object]) -> int:
    """Tokens of a request, as characters / 3.6; servers count otherwise."""
    text = json.dumps([body["messages"], body.get("tools", ""), body.get("response_format", "")], ensure_ascii=False)
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def read_reply(payload: object) -> WireReply:
    """A whole reply.

    Raises:
        ModelError: it is none; the caller adds whose it was.
    """
    choice = _first_choice(payload)
    if not isinstance(payload, dict) or choice is None:
        raise ModelError("holds no reply")
    message = choice.get("message")
    if not isinstance(message, dict):
        # Old completion servers answer with bare text.
        message = {"content": choice.get("text")}
    partial = PartialReply()
    partial.read_usage(payload)
    partial.add_message(message)
    partial.finish = _finish(choice.get("finish_reason")) or "stop"
    return partial.to_reply()


@dataclass(slots=True)
class PartialReply:
    """A reply that grows chunk by chunk."""

    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    calls: dict[int, ToolCall] = field(default_factory=dict)
    finish: FinishReason | None = None
    model: str = ""
    usage: Usage | None = None
    dollars: float | None = None
    refusal: str = ""
    size: int = 0
    """Characters so far."""

    def add_chunk(self, chunk: object) -> tuple[str, str]:
        """One chunk of a stream; the text and the reasoning that are new in it.

        Raises:
            ModelError: the reply has grown beyond reason.
        """
        if not isinstance(chunk, dict):
            return "", ""
        self.read_usage(chunk)
        choice = _first_choice(chunk)
        if choice is None:
            return "", ""
        self.finish = _finish(choice.get("finish_reason")) or self.finish
        # A server that does not stream sends a whole message at once.
        delta = choice.get("delta") or choice.get("message")
        return self.add_message(delta) if isinstance(delta, dict) else ("", "")

    def add_message(self, message: Mapping[str, object]) -> tuple[str, str]:
        """A message, or a piece of one; the text and the reasoning in it."""
        text = _text(message.get("content"))
        thought = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
        self.text.append(text)
        self.thoughts.append(thought)
        refusal = _text(message.get("refusal"))
        # Appended, as a refusal is streamed in pieces like text.
        self.refusal += refusal
        self._add_calls(message)
        self.size += len(text) + len(thought) + len(refusal)
        argument_chars = sum(len(call.arguments) for call in self.calls.values())
        if self.size > _MAX_REPLY_CHARACTERS or argument_chars > _MAX_ARGUMENT_CHARACTERS:
            raise ReplyTooLong("does not end its reply, which is too long; reading was stopped")
        return text, thought

    def read_usage(self, payload: Mapping[str, object]) -> None:
        """Model and token counts; the last ones that a server gives are right."""
        model, usage = payload.get("model"), payload.get("usage")
        self.model = valid_text(model)[:_MAX_NAME_CHARACTERS] if isinstance(model, str) and model else self.model
        if not isinstance(usage, dict):
            return
        prompt, reply = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        if prompt is not None and reply is not None and prompt + reply:
            self.usage = Usage(prompt, reply)
        cost = usage.get("cost")
        # Not-a-number and infinity are numbers to JSON here, and so are those of 400 digits.
        if isinstance(cost, int | float) and not isinstance(cost, bool) and 0 <= cost <= _MAX_DOLLARS:
            self.dollars = float(cost)

    def to_reply(self) -> WireReply:
        """The reply as it has arrived, with reasoning and text apart."""
        text, inline = without_reasoning("".join(self.text))
        thoughts = "\n".join(part for part in ("".join(self.thoughts).strip(), inline) if part)
        calls = _with_ids([self.calls[index] for index in sorted(self.calls)])
        if not text and not calls and (self.refusal or self.finish == "filter"):
            # Whoever shows it ends the sentence.
            refusal = self.refusal.strip().rstrip(".")
            raise ReplyWithheld(f"withholds its reply: {refusal}" if refusal else "withholds its reply")
        return WireReply(text, thoughts, calls, self.finish, self.model, self.usage, self.dollars)

    def _add_calls(self, message: Mapping[str, object]) -> None:
        pieces = message.get("tool_calls")
        old = message.get("function_call")
        if isinstance(old, dict):
            pieces = [{"function": old}]
        for place, piece in enumerate(pieces if isinstance(pieces, list) else []):
            if isinstance(piece, dict):
                index = piece.get("index")
                self._add_call(index if isinstance(index, int) else self._place(piece, place), piece)

    def _place(self, piece: Mapping[str, object], place: int) -> int:
        """The index of a call that has none: that of a new call, or of the last one if it has no name."""
        function = piece.get("function")
        has_name = isinstance(function, dict) and function.get("name")
        return len(self.calls) if has_name else max(0, len(self.calls) - 1) if self.calls else place

    def _add_call(self, index: int, piece: Mapping[str, object]) -> None:
        function = piece.get("function")
        parts: Mapping[str, object] = function if isinstance(function, dict) else {}
        # More calls than any model makes: what a broken server sends on is dropped.
        if index not in self.calls and len(self.calls) >= _MAX_CALLS:
            return
        known = self.calls.get(index, ToolCall("", "", ""))
        arguments = parts.get("arguments")
        # Some servers send the arguments decoded.
        argument_text = (
            arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments is not None else ""
        )
        self.calls[index] = ToolCall(
            _text(piece.get("id")) or known.id,
            _text(parts.get("name")) or known.name,
            known.arguments + valid_text(argument_text),
        )


def _first_choice(payload: object) -> Mapping[str, object] | None:
    """The only choice that was asked for; the last chunk of a stream, and the first of some servers, have none."""
    choices = payload.get("choices") if isinstance(payload, dict) else None
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict) and choice.get("index") in (0, None):
            return choice
    return None


def _finish(reason: object) -> FinishReason | None:
    # An unknown reason is taken for an ordinary end: servers invent names for it.
    return _FINISH_REASONS.get(reason.lower(), "stop") if isinstance(reason, str) and reason else None


def _text(content: object, depth: int = 0) -> str:
    """Text that can be encoded, or the text parts of a list of parts."""
    if isinstance(content, list) and depth < _MAX_DEPTH:
        return "".join(_text(part.get("text"), depth + 1) for part in content if isinstance(part, dict))
    return valid_text(content) if isinstance(content, str) else ""


def _count(value: object) -> int | None:
    """A number of tokens, 0 where there is none; `None` for a number that cannot be one."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    return int(value) if 0 <= value <= MAX_TOKENS and value == int(value) else None


def _with_ids(calls: list[ToolCall]) -> tuple[ToolCall, ...]:
    seen: set[str] = set()
    calls_with_ids: list[ToolCall] = []
    for number, call in enumerate(calls, start=1):
        if not call.id or call.id in seen:
            call = replace(call, id=f"call_{number}")
        # Servers without ids, or with the same one for every call, would get two answers to one call.
        seen.add(call.id)
        calls_with_ids.append(call)
    return tuple(calls_with_ids)


def _with_form(chat_request: ChatRequest, rung: OutputMode) -> tuple[Message, ...]:
    """With the form in words, for a server that is not given the schema; nothing follows the last turn of the user."""
    messages = chat_request.request.messages
    if chat_request.form is None or chat_request.described or (rung == "json_schema" and not chat_request.in_words):
        return messages
    words = phrase("form", example=chat_request.form.shape.example())
    *before, last = messages
    if last.role == "user":
        return (*before, replace(last, text=f"{last.text}\n\n{words}"))
    return (*messages, Message("user", words))


def _without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """With what the system says before the first words of the user; some chat templates refuse a turn of the system."""
    rules = "\n\n".join(message.text for message in messages if message.role == "system")
    other_messages = [message for message in messages if message.role != "system"]
    if not rules:
        return messages
    if other_messages and other_messages[0].role == "user":
        other_messages[0] = replace(other_messages[0], text=f"{rules}\n\n{other_messages[0].text}")
        return tuple(other_messages)
    return (Message("user", rules), *other_messages)


def _message(message: Message) -> dict[str, object]:
    turn: dict[str, object] = {"role": message.role}
    if message.text or not message.calls:
        turn["content"] = message.text
    if message.calls:
        turn["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    if message.call_id:
        turn["tool_call_id"] = message.call_id
    return turn


def _format(form: ReplyForm[object], rung: OutputMode) -> dict[str, object]:
    if rung == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": form.name, "schema": dict(form.shape.schema())}}


def _tool(tool: Tool) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.meaning, "parameters": dict(tool.arguments.schema())}
    return {"type": "function", "function": function}


def _plain_number(value: float) -> int | float:
    return int(value) if value == int(value) else value
