"""What is asked of a language model and what comes back; nothing here knows a server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Generic, Literal, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)

Role = Literal["system", "user", "assistant", "tool"]
OutputMode = Literal["json_schema", "json_object", "text"]
"""How a structured reply was asked for, the strictest first."""
FinishReason = Literal["stop", "length", "tool_calls", "filter"]
"""Why the reply ended; `length`: it was cut at `max_tokens`."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function the model wants called."""

    id: str
    """Made up by us where the server gives none, or the same one twice."""
    name: str
    arguments: str
    """JSON as the model wrote it; may be invalid."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    """Of an assistant turn."""
    call_id: str = ""
    """Of a tool turn: the call it answers."""


class ReplyMismatch(ValueError):
    """A reply does not have the shape asked for; one sentence, fit to be shown to the model."""


class ReplyShape(Protocol[T_co]):
    """What a reply must look like; the classes of `text.llm.reply_json`, such as `Record` and `Label`."""

    def schema(self) -> Mapping[str, object]:
        """As JSON schema, flat and small."""
        ...

    def example(self) -> str:
        """As one line of JSON with words for values, for servers without schemas."""
        ...

    def read(self, value: object, field_path: str, dropped: list[str]) -> T_co:
        """`value`, decoded JSON that is at `field_path`, as a typed object; what was left out is reported in `dropped`.

        Raises:
            ReplyMismatch: it does not fit.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReplyForm(Generic[T_co]):
    """A structured reply: its shape, and how to read one that is no JSON at all."""

    name: str
    """1-64 of `[A-Za-z0-9_-]`; some servers log it."""
    shape: ReplyShape[T_co]
    from_text: Callable[[str], T_co] | None = None
    """Tried where no JSON fits, on the text without reasoning; raises `ReplyMismatch`."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function a model may ask for."""

    name: str
    meaning: str
    arguments: ReplyShape[object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One conversation to be continued by the model."""

    purpose: str
    """Name and version of the prompt, such as `evidence-section@1`; kept with the reply and the bill, never sent."""
    messages: tuple[Message, ...]
    max_tokens: int = 1024
    """Of the reply, reasoning included; always sent."""
    temperature: float | None = None
    """`None`: as in the settings, where it is 0; left out for servers that refuse it."""
    tools: tuple[Tool, ...] = ()
    sample: int = 0
    """Another number gets another reply to the same request, where temperature is above 0."""


@dataclass(frozen=True, slots=True)
class Question(Generic[T_co]):
    """A request whose reply must have a form."""

    request: ModelRequest
    form: ReplyForm[T_co]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, or of several."""

    prompt_tokens: int = 0
    reply_tokens: int = 0
    approximate: bool = False
    """Reckoned from characters, because the server did not say."""

    @property
    def tokens(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.reply_tokens


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A model's reply."""

    text: str
    """Without reasoning; may be empty beside tool calls."""
    model: str
    """As the server names itself."""
    finish_reason: FinishReason
    usage: Usage = Usage()
    """Of every call it took, repairs included; of a cached reply as it was then."""
    dollars: float | None = 0.0
    """What it has cost now: 0 when cached; `None` where no price is known."""
    calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class StructuredReply(Generic[T_co]):
    """A structured reply that was validated."""

    value: T_co
    reply: ModelReply
    output_mode: OutputMode
    repaired: bool = False
    """Whether the model had to be told that its first reply did not fit."""
    dropped: tuple[str, ...] = ()
    """Parts of the reply that were left out, such as a number out of range; one sentence each."""


@dataclass(frozen=True, slots=True)
class ModelCost:
    """The cost of model calls."""

    calls: int = 0
    dollars: float | None = 0.0
    """`None`: the price is not known."""
    tokens: int = 0
    approximate: bool = False
    """Whether some of it was reckoned from characters."""

    def plus(self, other: ModelCost) -> ModelCost:
        """Both together; one unknown price makes the sum unknown."""
        # Counted as 0, an unknown price would make the sum look exact, and too low.
        known = self.dollars is not None and other.dollars is not None
        return ModelCost(
            self.calls + other.calls,
            (self.dollars or 0.0) + (other.dollars or 0.0) if known else None,
            self.tokens + other.tokens,
            self.approximate or other.approximate,
        )

    def minus(self, earlier: ModelCost) -> ModelCost:
        """What was spent since `earlier`."""
        known = self.dollars is not None and earlier.dollars is not None
        return ModelCost(
            self.calls - earlier.calls,
            (self.dollars or 0.0) - (earlier.dollars or 0.0) if known else None,
            self.tokens - earlier.tokens,
            # Not taken off: whether the part since `earlier` was reckoned cannot be told from two sums.
            self.approximate,
        )


def sum_costs(parts: Iterable[ModelCost]) -> ModelCost:
    """The sum of `parts`; zero if there are none."""
    return reduce(ModelCost.plus, parts, ModelCost())


MAX_TOKENS_WITHOUT_CONSENT = 250_000
"""Tokens a run may send without the user having agreed to its estimate: an agent's longest search, a few full texts."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a run will cost at most; tokens are characters / 3.6, corrected by what the server has counted so far."""

    host: str
    model: str
    calls: int
    cached: int = 0
    """Requests whose reply is kept already; they are not in `calls`."""
    prompt_tokens: int = 0
    reply_tokens: int = 0
    """If every reply were as long as it may be."""
    dollars: float | None = None
    """`None`: the price is not known."""
    cap_exceeded: str = ""
    """The cap it would reach, in one sentence; empty if none."""
    local: bool = False
    """Whether the model runs on this machine, so that nothing leaves it."""
    at_once: int = 1
    """Requests that are sent at the same time."""

    @property
    def needs_consent(self) -> bool:
        """Whether the user must agree first."""
        return self.prompt_tokens > MAX_TOKENS_WITHOUT_CONSENT

    def plus(self, other: CostEstimate) -> CostEstimate:
        """Both together, of one model; one unknown price makes the sum unknown."""
        known = self.dollars is not None and other.dollars is not None
        return replace(
            self,
            calls=self.calls + other.calls,
            cached=self.cached + other.cached,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            reply_tokens=self.reply_tokens + other.reply_tokens,
            dollars=(self.dollars or 0.0) + (other.dollars or 0.0) if known else None,
            # One sentence is shown, and one cap is enough to stop at.
            cap_exceeded=self.cap_exceeded or other.cap_exceeded,
        )


@dataclass(frozen=True, slots=True)
class EndpointProbe:
    """What a small test request has shown about an endpoint."""

    host: str
    model: str
    """As the server names itself."""
    address: str
    """The address that answered, with `/v1` where the server wants it."""
    seconds: float
    output_mode: OutputMode
    usage: Usage
