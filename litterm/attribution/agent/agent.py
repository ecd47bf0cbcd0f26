"""Attribution by a model that searches, reads, verifies and selects, after CiteAgent (Press et al. 2024).

It can select nothing but a paper that a search returned or the library holds. What it may do is bounded: a number of
actions whose last must be a selection, no action more than three times, five failed searches. Whatever goes wrong ends
the run with a sentence that says so; the offline ranking is then the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, cast, get_args

from litterm.attribution.agent.actions import (
    SEARCH_ACTIONS,
    AgentState,
    SeenPapers,
    describe_candidate,
    masked_excerpt,
    same_action,
)
from litterm.attribution.agent.search import AgentSearch
from litterm.attribution.supporting_sentence import stem_weights
from litterm.core.errors import ContextOverflow, ModelError, ReplyUnreadable, ToolsRefused, UsageError
from litterm.core.tasks import Task
from litterm.model.attribution.agent import (
    MAX_OFFLINE_CANDIDATES,
    NO_PAPER,
    PUBLISHED_TEMPERATURE,
    Action,
    ActionName,
    AgentChoice,
    AgentHit,
    AgentOptions,
    AgentStep,
)
from litterm.model.attribution.citation import Candidate, CandidateBounds, Excerpt
from litterm.model.events import AgentStepped, Notice, Progress
from litterm.model.llm import (
    CostEstimate,
    Message,
    ModelCost,
    ModelReply,
    ModelRequest,
    Question,
    ReplyForm,
    ReplyMismatch,
    ReplyShape,
    Tool,
    ToolCall,
)
from litterm.text.llm.prompts import Data, Prompt, phrase, prompt
from litterm.text.llm.reply_json import Label, LineShape, OptionalField, Record, read_form, read_from_reasoning
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel

ACTION_NAMES: tuple[ActionName, ...] = get_args(ActionName)
_MAX_REPLY_TOKENS = 1500
"""Of one reply: a thought and one action."""
_LAST_ACTIONS_WARNING = 3
"""Actions left from which the model is told to come to an end."""
_ACTIONS_ON_PAPERS = ("read", "find_text", "references", "verify", "select")
_ACTIONS_WITH_QUERY = ("search", "search_citations", "find_text", "verify")
_ACTIONS_ALONE = ("context",)
"""Actions that take neither a query nor a paper."""
MAX_REPEATS = 3
"""The very same action so often is a loop; the second time it is answered from memory and told so."""
MAX_BAD_CALLS = 2
"""Calls in a row that do not fit, after which a model is asked for JSON instead."""
MAX_FAILED_SEARCHES = 5
"""Searches that fail in all before the run stops. They cost no action, so that this is their only bound."""
_RESULT_CHARACTERS = (2400, 1000, 400)
"""Characters of each observation when the model cannot read the whole conversation, tried in this order."""
_TYPICAL_RESULT_CHARACTERS = 6000
"""Characters of one observation, for estimates."""
_DEFAULT_OPTIONS = AgentOptions()


def choose_temperature(options: AgentOptions, usual: float | None) -> AgentOptions:
    """`options` with the temperature that holds; `usual` is that of the settings, `None` if they name none.

    Raises:
        UsageError: several runs are wanted at temperature 0.
    """
    temperature = usual if options.temperature is None else options.temperature
    if temperature is None and options.runs > 1:
        temperature = PUBLISHED_TEMPERATURE
    if options.runs > 1 and temperature == 0:
        raise UsageError(
            f"at temperature 0 all runs are alike; --temperature {PUBLISHED_TEMPERATURE} makes them differ"
        )
    return replace(options, temperature=temperature)


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
    available: tuple[ActionName, ...] = ACTION_NAMES
    """The actions that can work on what is known so far; the model is offered no others."""
    candidates: tuple[Candidate, ...] = ()
    """Papers that another method proposes, the likeliest first."""

    def build_tool_request(self, steps: Sequence[AgentStep]) -> ModelRequest:
        """The next turn as a call of a tool."""
        names = self._allowed_actions(steps)
        tools = tuple(Tool(name, meaning, _arguments(name)) for name, meaning in _action_meanings() if name in names)
        purpose, messages = self._messages(steps, _as_call)
        return ModelRequest(purpose, messages, _MAX_REPLY_TOKENS, self.options.temperature, tools, self.options.run - 1)

    def build_form_question(self, steps: Sequence[AgentStep]) -> Question[AgentTurn]:
        """The next turn as JSON."""
        purpose, messages = self._messages(steps, _as_json)
        request = ModelRequest(
            purpose, messages, _MAX_REPLY_TOKENS, self.options.temperature, sample=self.options.run - 1
        )
        return Question(request, turn_form(self._allowed_actions(steps)))

    def count_actions_left(self, steps: Sequence[AgentStep]) -> int:
        """Actions that are left behind `steps`."""
        return self.options.most - sum(step.counted for step in steps)

    def _allowed_actions(self, steps: Sequence[AgentStep]) -> tuple[ActionName, ...]:
        return ("select",) if self.count_actions_left(steps) <= 1 else self.available

    def _messages(
        self, steps: Sequence[AgentStep], as_message: Callable[[AgentStep], tuple[Message, str]]
    ) -> tuple[str, tuple[Message, ...]]:
        first = self._first_message()
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

    def _first_message(self) -> Prompt:
        excerpt = Data("excerpt", masked_excerpt(self.excerpt))
        claim = self.excerpt.text[self.excerpt.claim.start : self.excerpt.claim.end].strip()
        # A claim that is the whole excerpt would be there twice.
        shown_claim = "" if claim == self.excerpt.text.strip() else Data("claim", claim)
        if self.options.commands == "none":
            return prompt("cite-title", limits=_describe_bounds(self.bounds), excerpt=excerpt, claim=shown_claim)
        return prompt(
            "cite-agent",
            actions="\n".join(f"- {name}: {meaning}" for name, meaning in _action_meanings() if name in self.available),
            limits=_describe_bounds(self.bounds),
            most=self.options.most,
            example=phrase("cite-example") if self.options.example and self.options.commands == "all" else "",
            candidates=Data("candidates", "\n\n".join(map(describe_candidate, self.candidates)))
            if self.candidates
            else "None.",
            excerpt=excerpt,
            claim=shown_claim,
        )

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
            return phrase("cite-last", most=count_phrase(self.options.most, "action"))
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
    if not reply.text:
        return read_from_reasoning(reply.reasoning, turn_form(names), dropped)
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
    if name not in ("select", *_ACTIONS_ALONE):
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


class CitationAgent:
    """A model that searches, reads and selects; one run, whose caps count over all its calls."""

    def __init__(self, model: ChatModel, lookup: AgentSearch, options: AgentOptions = _DEFAULT_OPTIONS) -> None:
        """`model` has an open run, whose caps count all requests made through it."""
        self._model = model
        self._lookup = lookup
        self._options = options

    def for_run(self, run: int) -> CitationAgent:
        """The agent of one of several runs; caps count over all of them, the guard against loops anew."""
        return CitationAgent(self._model.start_item(), self._lookup, replace(self._options, run=run))

    @property
    def name(self) -> str:
        """As in `Attribution.by`."""
        return f"agent · {self._model.name}"

    @property
    def options(self) -> AgentOptions:
        """How it looks for a paper."""
        return self._options

    @property
    def model(self) -> str:
        """The model, as in the settings."""
        return self._model.name

    @property
    def host(self) -> str:
        """Where it is asked."""
        return self._model.host

    def run(
        self,
        excerpt: Excerpt,
        bounds: CandidateBounds,
        steps: Sequence[AgentStep] = (),
        candidates: Sequence[Candidate] = (),
    ) -> Task[AgentChoice]:
        """Goes on behind `steps` until a paper is selected or nothing more can be done; never raises `ModelError`.

        The model is told the first of `candidates`. Yields `AgentStepped` for each further step.
        """
        state = AgentState(excerpt, bounds, self._lookup)
        named = tuple(candidates[:MAX_OFFLINE_CANDIDATES]) if self._options.commands == "all" else ()
        state.know([candidate.paper for candidate in named])
        for step in steps:
            state.record(step)
        conversation = AgentConversation(excerpt, bounds, self._options, candidates=named)
        run = _Run(self._model, conversation, state, list(steps))
        return (yield from run.run_to_end())

    def estimate(self, excerpt: Excerpt, bounds: CandidateBounds) -> CostEstimate:
        """What all runs of the agent would cost at most; sends nothing. Results are taken to be of the usual length."""
        # Every turn sends the whole conversation so far, hence one request for each number of steps.
        result, most = "x" * _TYPICAL_RESULT_CHARACTERS, self._options.most
        steps = [AgentStep(number, "", Action("search", "x" * 40), result, "done") for number in range(1, most)]
        return self._model.estimate(
            [
                AgentConversation(excerpt, bounds, replace(self._options, run=run)).build_tool_request(steps[:number])
                for run in range(1, self._options.runs + 1)
                for number in range(most)
            ]
        )


@dataclass(slots=True)
class _Run:
    """One search under way: asks the model, carries out its action, and so on until `_ended`."""

    model: ChatModel
    conversation: AgentConversation
    state: AgentState
    steps: list[AgentStep]
    tools: bool = True
    """Whether the model is still offered tools; one that has none is asked for JSON."""
    bad_calls: int = 0
    """Calls in a row that did not fit."""
    lost: ModelCost = field(default=ModelCost())
    """Paid for replies that led to no step; charged to the next one, so that the steps add up to the bill."""

    def run_to_end(self) -> Task[AgentChoice]:
        while True:
            ended = self._end_reason()
            if ended is not None:
                return ended
            options = self.conversation.options
            actions_left, max_actions = self.conversation.count_actions_left(self.steps), options.most
            run = f", run {options.run} of {options.runs}" if options.runs > 1 else ""
            yield Progress(f"{self.model.name} looks for the paper{run}", max_actions - actions_left, max_actions)
            available = self.state.available_actions(options.commands)
            self.conversation = replace(self.conversation, available=available)
            try:
                turn, spent = yield from self._next_turn()
            except ModelError as error:
                # Only `select` is left and the reply still fits nothing: no trouble of the server, but a model that
                # does not select. It counts as an end, and `resume` does not pay for the same once more.
                forced = actions_left <= 1 and isinstance(error, ReplyUnreadable)
                return AgentChoice("unselected" if forced else "model", why=str(error))
            seen = yield from self._select(turn) if turn.action.name == "select" else self._carry_out(turn)
            step = _step(len(self.steps) + 1, turn, seen, self.lost.plus(spent))
            self.lost = ModelCost()
            # Before `record`, which reads papers of the library by id and would keep them without citation counts.
            for hit in seen.hits:
                self.state.known.setdefault(hit.paper.id, hit)
            self.state.record(step)
            self.steps.append(step)
            yield AgentStepped(step)

    def _end_reason(self) -> AgentChoice | None:
        """Why nothing more is asked, if so."""
        if not self.steps:
            return None
        last, name = self.steps[-1], self.model.name
        if last.outcome == "selected":
            return self._choice(last)
        if sum(step.outcome == "failed" for step in self.steps) >= MAX_FAILED_SEARCHES:
            return AgentChoice(
                "searches", why=f"{MAX_FAILED_SEARCHES} searches failed, the last so: {last.observation}"
            )
        repeats = [step for step in self.steps if step.counted and same_action(step.action, last.action)]
        if len(repeats) >= MAX_REPEATS:
            return AgentChoice("circles", why=f"{name} did the very same {len(repeats)} times.")
        if self.conversation.count_actions_left(self.steps) < 1:
            return AgentChoice(
                "unselected",
                why=f"{name} selected no paper within {count_phrase(self.conversation.options.most, 'action')}.",
            )
        return None

    def _next_turn(self) -> Task[tuple[AgentTurn, ModelCost]]:
        """The model's next turn; where the conversation is too long for it, older results are shortened."""
        for room in (
            self.conversation.max_observation_chars,
            *(
                limit
                for limit in _RESULT_CHARACTERS
                if not self.conversation.max_observation_chars or limit < self.conversation.max_observation_chars
            ),
        ):
            self.conversation = replace(self.conversation, max_observation_chars=room)
            try:
                return (yield from self._ask())
            except ContextOverflow as error:
                overflow = error
        raise overflow

    def _ask(self) -> Task[tuple[AgentTurn, ModelCost]]:
        if self.tools:
            turn = yield from self._ask_for_call()
            if turn is not None:
                return turn
            # It has no tools, or cannot use them: what it wants to do it says as JSON from now on.
            self.tools = False
        answer = yield from self.model.answer(self.conversation.build_form_question(self.steps))
        return answer.value, _cost(answer.reply)

    def _ask_for_call(self) -> Task[tuple[AgentTurn, ModelCost] | None]:
        """The next turn as a call; after one that does not fit the model is told why. `None` where tools are no use."""
        request = self.conversation.build_tool_request(self.steps)
        while self.bad_calls < MAX_BAD_CALLS:
            try:
                reply = yield from self.model.ask(request)
                # All names, also where only `select` was offered: another action then is a step that was refused
                # and can be seen in the trajectory, not a reply that nobody could read.
                turn = read_turn(reply, ACTION_NAMES)
            except ToolsRefused:
                return None
            except ReplyMismatch as mismatch:
                self.lost = self.lost.plus(_cost(reply))
                self.bad_calls += 1
                what_follows = "asked again" if self.bad_calls < MAX_BAD_CALLS else "asked for JSON from now on"
                yield Notice(f"A call of {self.model.name} does not fit, and it is {what_follows}: {mismatch}")
                request = _with_fault(request, reply, str(mismatch))
            else:
                self.bad_calls = 0
                return turn, _cost(reply)
        return None

    def _carry_out(self, turn: AgentTurn) -> Task[SeenPapers]:
        action = turn.action
        if self.conversation.count_actions_left(self.steps) <= 1:
            return SeenPapers(
                phrase("cite-last", most=count_phrase(self.conversation.options.most, "action")), "refused"
            )
        earlier = self.state.find_repeated_step(action)
        if earlier is not None:
            return SeenPapers(f"{phrase('cite-again', step=earlier.number)}\n\n{earlier.observation}", "repeated")
        return (yield from self.state.perform(action))

    def _select(self, turn: AgentTurn) -> Task[SeenPapers]:
        """The paper selected, if it may be: one that exists, after a search, and looked into where there is time."""
        named, last = turn.action.paper, self.conversation.count_actions_left(self.steps) <= 1
        if is_none(named):
            return SeenPapers("No paper is selected.", "selected")
        searched = any(step.action.name in SEARCH_ACTIONS for step in self.steps)
        if not last and not searched and not self.conversation.candidates:
            return SeenPapers(phrase("cite-first"), "refused")
        hit = self.state.find(named)
        if hit is None and self.conversation.options.commands == "none":
            hit = yield from self.state.find_title(named)
        if hit is None:
            return SeenPapers(self.state.unknown_paper(named), "refused")
        may_look = self.conversation.options.commands == "all" and not last
        if may_look and hit.paper.id not in self.state.looked_at and self.state.has_text(hit):
            # A title alone has nothing to check: what is missing in it says nothing against the paper.
            # Not refused but answered with the check itself, which costs one action instead of two.
            seen = yield from self.state.verify_details(hit, self.state.details_to_verify())
            return replace(seen, text=f"{phrase('cite-check')}\n\n{seen.text}")
        return SeenPapers(f"Selected: {hit.paper.title}", "selected", (hit,))

    def _choice(self, last: AgentStep) -> AgentChoice:
        """The end that the selection `last` of this or an earlier run makes."""
        hit = None if is_none(last.action.paper) else self.state.find(last.action.paper)
        if hit is None:
            thought = f": {last.thought.rstrip('.')}" if last.thought else ""
            return AgentChoice("none", why=f"{self.model.name} found no paper that fits{thought}.")
        weights = stem_weights(self.state.excerpt.words)
        return AgentChoice(
            "selected", hit.paper, hit.service, self.state.lookup.find_support(weights, hit.paper), self._reason(hit)
        )

    def _reason(self, hit: AgentHit) -> str:
        """The fullest thought with which the paper was selected: after a look into it a model may say no more."""
        thoughts = [
            step.thought
            for step in self.steps
            if step.action.name == "select"
            and (selected := self.state.find(step.action.paper)) is not None
            and selected.paper.id == hit.paper.id
        ]
        return max(thoughts, key=len, default="")


def _with_fault(request: ModelRequest, reply: ModelReply, fault: str) -> ModelRequest:
    """The request continued: the reply as it came, and what is wrong with it."""
    told = phrase("cite-fault", fault=fault)
    if not reply.calls:
        turns = (Message("assistant", reply.text or "…"), Message("user", told))
    else:
        call = reply.calls[0]
        turns = (Message("assistant", reply.text, calls=(call,)), Message("tool", told, call_id=call.id))
    return replace(request, messages=(*request.messages, *turns))


def is_none(paper: str) -> bool:
    """Whether the model says that no paper fits."""
    return paper.strip(" .[]").casefold() == NO_PAPER


def _step(number: int, turn: AgentTurn, seen: SeenPapers, spent: ModelCost) -> AgentStep:
    return AgentStep(
        number=number,
        thought=turn.thought,
        action=turn.action,
        observation=seen.text,
        outcome=seen.outcome,
        counted=seen.outcome != "failed",
        found=tuple(hit.paper.id for hit in seen.hits),
        elsewhere=tuple(hit for hit in seen.hits if hit.service),
        spent=spent,
    )


def _cost(reply: ModelReply) -> ModelCost:
    # A reply from the cache was paid for by the run that stored it.
    if reply.cached:
        return ModelCost()
    return ModelCost(1, reply.dollars, reply.usage.tokens, reply.usage.approximate)
