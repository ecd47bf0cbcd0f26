"""The conversation with the agent's model: made again from the steps at every turn, for tools and for JSON alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import cast, get_args

from litterm.model.attribution.agent import Action, ActionName, AgentOptions, AgentStep
from litterm.model.attribution.citation import CandidateBounds, Excerpt
from litterm.model.llm import (
    Message,
    ModelReply,
    ModelRequest,
    Question,
    ReplyForm,
    ReplyMismatch,
    ReplyShape,
    Tool,
    ToolCall,
)
from litterm.text.llm.prompts import Data, phrase, prompt
from litterm.text.llm.reply_json import Label, LineShape, OptionalField, Record, read_form

ACTION_NAMES: tuple[ActionName, ...] = get_args(ActionName)
_MAX_REPLY_TOKENS = 1500
"""Of one reply: a thought and one action."""
_EXCERPT_CHARACTERS = 2000
"""Characters of the excerpt on either side of the mark that the model sees."""
_LAST_ACTIONS_WARNING = 3
"""Actions left from which the model is told to come to an end."""
_ACTIONS_ON_PAPERS = ("read", "references", "verify", "select")
_ACTIONS_WITH_QUERY = ("search", "search_citations", "verify")


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """One reply of the model: its thought and the action it asks for."""

    thought: str
    action: Action


@dataclass(frozen=True, slots=True)
class AgentConversation:
    """The messages and tools of every request, made from the excerpt and the steps so far.

    No history of messages is kept: they are made again, so that a search can be resumed, shortened for a small model,
    or continue as JSON with a model whose tool calls fail.
    """

    excerpt: Excerpt
    bounds: CandidateBounds
    options: AgentOptions
    max_observation_chars: int = 0
    """Characters to which each observation but the last is cut, and the last to four times that; 0: not at all."""

    def build_tool_request(self, steps: Sequence[AgentStep]) -> ModelRequest:
        """The next turn as a call of a tool."""
        names = self._allowed_actions(steps)
        tools = tuple(Tool(name, meaning, _arguments(name)) for name, meaning in _action_meanings() if name in names)
        purpose, messages = self._messages(steps, _as_call)
        return ModelRequest(purpose, messages, _MAX_REPLY_TOKENS, tools=tools)

    def build_form_question(self, steps: Sequence[AgentStep]) -> Question[AgentTurn]:
        """The next turn as JSON."""
        purpose, messages = self._messages(steps, _as_json)
        return Question(ModelRequest(purpose, messages, _MAX_REPLY_TOKENS), turn_form(self._allowed_actions(steps)))

    def count_actions_left(self, steps: Sequence[AgentStep]) -> int:
        """Actions that are left behind `steps`."""
        return self.options.max_actions - sum(step.counted for step in steps)

    def _allowed_actions(self, steps: Sequence[AgentStep]) -> tuple[ActionName, ...]:
        return ("select",) if self.count_actions_left(steps) <= 1 else ACTION_NAMES

    def _messages(
        self, steps: Sequence[AgentStep], as_message: Callable[[AgentStep], tuple[Message, str]]
    ) -> tuple[str, tuple[Message, ...]]:
        first = prompt(
            "cite-agent",
            actions="\n".join(f"- {name}: {meaning}" for name, meaning in _action_meanings()),
            limits=_describe_bounds(self.bounds),
            most=self.options.max_actions,
            example=phrase("cite-example") if self.options.example else "",
            excerpt=Data("excerpt", masked_excerpt(self.excerpt)),
            claim=Data("claim", self.excerpt.text[self.excerpt.claim.start : self.excerpt.claim.end]),
        )
        messages = list(first.messages)
        if self.count_actions_left(steps) <= 1 and not steps:
            messages.append(Message("user", self._left_words(1)))
        for index, step in enumerate(steps):
            turn, call_id = as_message(step)
            observation = self._observation_text(
                step, self.count_actions_left(steps[: index + 1]), last=index == len(steps) - 1
            )
            messages += [turn, Message("tool" if call_id else "user", observation, call_id=call_id)]
        return first.purpose, tuple(messages)

    def _observation_text(self, step: AgentStep, actions_left: int, *, last: bool) -> str:
        """An observation, fenced off: what is in it was written by others."""
        # The last one is what the model has to answer now.
        room = self.max_observation_chars * (4 if last else 1)
        shown = step.observation
        if room and len(shown) > room:
            shown = f"{shown[:room]}\n… (shortened)"
        turns = prompt("cite-result", result=Data("result", shown), left=self._left_words(actions_left)).messages
        return "\n\n".join(turn.text for turn in turns)

    def _left_words(self, actions_left: int) -> str:
        if actions_left <= 1:
            return phrase("cite-last", most=self.options.max_actions)
        return phrase("cite-soon" if actions_left <= _LAST_ACTIONS_WARNING else "cite-left", left=actions_left)


def read_turn(reply: ModelReply, names: Sequence[ActionName]) -> AgentTurn:
    """The first call of a reply; a model that answers in JSON instead of calling is understood, too.

    Raises:
        ReplyMismatch: there is none that fits.
    """
    dropped: list[str] = []
    # Only the first: a second call was made without seeing the outcome of the first.
    for call in reply.calls[:1]:
        name = next((known for known in names if known == call.name), None)
        if name is None:
            raise ReplyMismatch(f"There is no action {call.name!r}.")
        turn = read_form(call.arguments or "{}", ReplyForm(name, _arguments(name)), dropped)
        return AgentTurn(cast(AgentTurn, turn).thought or reply.text, cast(AgentTurn, turn).action)
    return read_form(reply.text, turn_form(names), dropped)


def turn_form(names: Sequence[ActionName]) -> ReplyForm[AgentTurn]:
    """A turn as one JSON object."""
    shape = Record(
        _build_turn,
        thought=LineShape("what you think, in a few words", 1000),
        action=Label(tuple(names)),
        query=OptionalField(LineShape("query, or empty", 500), ""),
        paper=OptionalField(LineShape("Paper ID, or empty", 300), ""),
    )
    return ReplyForm("action", shape)


def masked_excerpt(excerpt: Excerpt) -> str:
    """The words around the mark, with `[CITATION]` for the one that is meant and `[OTHER]` for other masked ones."""
    text, parts, end = excerpt.text, [], 0
    middle = excerpt.marks[excerpt.chosen].start if excerpt.chosen >= 0 else len(text)
    first, last = max(0, middle - _EXCERPT_CHARACTERS), min(len(text), middle + _EXCERPT_CHARACTERS)
    for number, mark in enumerate(excerpt.marks):
        shown = text[mark.start : mark.end]
        if number == excerpt.chosen:
            shown = "[CITATION]"
        elif shown == "[CITATION]":
            # Two of them would leave open which one is meant.
            shown = "[OTHER]"
        if first <= mark.start and mark.end <= last:
            parts.append(text[max(end, first) : mark.start] + shown)
            end = mark.end
    parts.append(text[max(end, first) : last])
    return "".join(parts) + ("" if excerpt.chosen >= 0 else " [CITATION]")


@cache
def _action_meanings() -> tuple[tuple[ActionName, str], ...]:
    lines = (line.partition(": ") for line in phrase("cite-tools").splitlines())
    return tuple((cast(ActionName, name), meaning) for name, _, meaning in lines)


def _describe_bounds(bounds: CandidateBounds) -> str:
    later = f"Papers later than {bounds.year}" if bounds.year is not None else ""
    citing = "the paper the excerpt is from" if bounds.source or bounds.exclude else ""
    left_out = " and ".join(filter(None, (later, citing)))
    return f"{left_out[:1].upper()}{left_out[1:]} are left out of every result list." if left_out else ""


def _build_turn(thought: str, action: str, query: str, paper: str) -> AgentTurn:
    name = cast(ActionName, action)
    if name in _ACTIONS_WITH_QUERY and name != "verify" and not query:
        raise ValueError(f"{name} needs a query")
    if name in _ACTIONS_ON_PAPERS and not paper:
        raise ValueError(f"{name} needs a paper")
    acted_on = paper if name in _ACTIONS_ON_PAPERS else ""
    return AgentTurn(thought, Action(name, "" if name == "select" else query, acted_on))


def _arguments(name: ActionName) -> ReplyShape[object]:
    """Thought first: a model that has to write it down before it acts acts better."""

    # Arguments that a tool does not have come back as empty strings, so that one check serves calls and JSON.
    def build_turn(**fields: str) -> AgentTurn:
        return _build_turn(fields["thought"], name, fields.get("query", ""), fields.get("paper", ""))

    fields: dict[str, ReplyShape[object]] = {
        "thought": OptionalField(LineShape("what you think, in a few words", 1000), "")
    }
    if name in _ACTIONS_ON_PAPERS:
        fields["paper"] = LineShape("Paper ID", 300)
    if name != "select":
        query = LineShape("query", 500)
        fields["query"] = query if name in _ACTIONS_WITH_QUERY else OptionalField(query, "")
    return Record(build_turn, **fields)


def _fields(step: AgentStep) -> Iterable[tuple[str, str]]:
    yield "thought", step.thought
    if step.action.paper:
        yield "paper", step.action.paper
    if step.action.query:
        yield "query", step.action.query


def _as_call(step: AgentStep) -> tuple[Message, str]:
    # Made from the step, not kept from the reply: the same steps give the same request, whose reply is in the cache,
    # and steps that a model said as JSON become calls like any other.
    call = ToolCall(f"step{step.number:05}", step.action.name, json.dumps(dict(_fields(step)), ensure_ascii=False))
    return Message("assistant", "", calls=(call,)), call.id


def _as_json(step: AgentStep) -> tuple[Message, str]:
    action = step.action
    fields = {"thought": step.thought, "action": action.name, "query": action.query, "paper": action.paper}
    return Message("assistant", json.dumps(fields, ensure_ascii=False)), ""
