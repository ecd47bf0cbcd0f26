"""An agent that looks for a cited paper: its actions, the outcome of each, how it ended, and a search as it is kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NewType

from litterm.model.llm import ModelCost, sum_costs

if TYPE_CHECKING:
    from litterm.model.attribution.citation import CandidateBounds
    from litterm.model.document import Span
    from litterm.model.paper import Paper, PaperId


ActionName = Literal["search", "search_citations", "read", "find_text", "references", "verify", "context", "select"]
AgentCommands = Literal["all", "search", "none"]
"""What the agent may do: everything; search and select; or only name a paper, without any look-up (the variants of the
publication)."""
EndReason = Literal["", "selected", "none", "unselected", "circles", "searches", "model", "stopped"]
"""How a run has ended: not yet; with a paper; with the model's word that none fits; without a paper at the last
action; in the same action again and again; after too many failed searches; with trouble of the model; by the user."""
ActionOutcome = Literal["done", "nothing", "failed", "refused", "repeated", "selected"]
"""The outcome of an action: a result; nothing; trouble of a service; not available; the same again; the end."""

NO_PAPER = "none"
"""What stands for the paper when the model says that none fits."""
MAX_OFFLINE_CANDIDATES = 5
"""Candidates of the offline method that the agent starts with."""
MAX_ACTIONS = 15
"""As in the publication (Press et al. 2024): the last one must be a selection."""
PUBLISHED_TEMPERATURE = 0.95
"""Of the model's replies in the publication; several runs use it unless told otherwise."""
MAX_TEMPERATURE = 2.0
"""That servers take."""
MAX_RUNS = 25
"""Runs of one vote."""


@dataclass(frozen=True, slots=True)
class Action:
    """What the model wants done."""

    name: ActionName
    query: str = ""
    """Of a search; what to look for in a paper that is read; which entry of its references; what is to be verified."""
    paper: str = ""
    """Id as the model wrote it."""


@dataclass(frozen=True, slots=True)
class AgentHit:
    """A paper that a search returned."""

    paper: Paper
    cited: int | None = None
    """By how many papers of the library; `None` where that is not known."""
    service: str = ""
    """The service it came from; empty: the library."""
    service_count: int | None = None
    """Citations up to the citing year, as one service counts them; `None` if unknown."""


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One turn of the model and what it was told; durable once it is said."""

    number: int
    """From 1, over all turns of the trajectory."""
    thought: str
    action: Action
    observation: str
    """Exactly what the model was told, without the marks that fence it off."""
    outcome: ActionOutcome
    counted: bool = True
    """Whether it used up an action; a failed search does not."""
    found: tuple[PaperId, ...] = ()
    """The papers it was shown."""
    elsewhere: tuple[AgentHit, ...] = ()
    """Those of them that the library does not hold."""
    spent: ModelCost = field(default=ModelCost())
    """What the turn has cost; no calls where the reply was kept from earlier."""
    at: str = ""
    """UTC, ISO 8601; set when it is stored."""


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How a model is to look for a cited paper."""

    max_actions: int = MAX_ACTIONS
    online: bool = False
    """Whether services are searched and full texts fetched, where the network may be used at all."""
    cached: bool = True
    """Whether replies kept from earlier answer again."""
    example: bool = True
    """Whether the model is shown an example of a search."""
    commands: AgentCommands = "all"
    temperature: float | None = None
    """Of its replies; `None`: as in the settings, and `PUBLISHED_TEMPERATURE` for several runs."""
    runs: int = 1
    """Runs on one excerpt; with more than one, the answer is the paper that most of them select."""
    run: int = 1
    """Which of the runs this is; another number gets other replies."""

    @property
    def most(self) -> int:
        """Actions of a run at most."""
        return 1 if self.commands == "none" else self.max_actions


@dataclass(frozen=True, slots=True)
class AgentVariant:
    """A published way of asking the agent: a switch of `cite --agent` and a method of `bench citeme`."""

    name: str
    """The switch without its dashes; the method is `agent-NAME`."""
    meaning: str
    example: bool = True
    commands: AgentCommands = "all"

    def apply(self, options: AgentOptions) -> AgentOptions:
        """`options` for this variant."""
        return replace(options, example=self.example, commands=self.commands)


AGENT_VARIANTS = (
    AgentVariant("no-example", "show the model no example of a search", example=False),
    AgentVariant("search-only", "let it only search and select; no example, no offline candidates", commands="search"),
    AgentVariant("no-commands", "let it only name a title from memory, which is looked up", commands="none"),
)
"""Of table 4 of the publication."""


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """How a run of the agent has ended, and the paper it selected."""

    ended: EndReason
    paper: Paper | None = None
    """The paper selected."""
    service: str = ""
    """The service it came from; empty: the library."""
    support: str = ""
    """The sentence of its abstract or full text nearest to the excerpt; empty if there is none."""
    why: str = ""
    """The model's last thought where it selected; else why there is no paper, in one sentence."""


TrajectoryId = NewType("TrajectoryId", str)
"""Sorts by the time it was begun."""


@dataclass(frozen=True, slots=True)
class TrajectoryRequest:
    """Which excerpt an agent was asked about, and how it was to search."""

    text: str
    """Of the excerpt."""
    chosen: int
    """Index of the mark that is meant, in reading order; -1: the end of the text."""
    claim: Span
    """The stretch that the mark stands for."""
    bounds: CandidateBounds
    model: str
    host: str
    most: int
    online: bool
    example: bool = True
    commands: AgentCommands = "all"
    temperature: float | None = None
    """`None`: that of the settings."""
    runs: int = 1
    """Runs of the vote that it belongs to; 1 where there is no vote."""
    run: int = 1
    """Which of them it is."""
    vote: str = ""
    """Id of the first run of that vote; empty for the first itself."""

    def apply(self, options: AgentOptions) -> AgentOptions:
        """`options` as the search was begun with."""
        return replace(
            options,
            max_actions=self.most,
            example=self.example,
            commands=self.commands,
            temperature=self.temperature,
            runs=self.runs,
            run=self.run,
        )


@dataclass(frozen=True, slots=True)
class AgentVote:
    """What some runs of a vote have in common."""

    paper: Paper | None
    """The paper that they selected; `None` where they selected none."""
    answered: bool
    """False for runs that came to no answer: that no paper fits is one."""
    runs: tuple[TrajectoryId, ...]
    service: str = ""
    """The service the paper came from; empty: the library."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A search as it is now; immutable."""

    id: TrajectoryId
    begun_at: str
    """UTC, ISO 8601."""
    request: TrajectoryRequest
    steps: tuple[AgentStep, ...] = ()
    choice: AgentChoice = field(default=AgentChoice(""))
    """With an empty `ended` while it runs, and where it was killed."""

    @property
    def spent(self) -> ModelCost:
        """What all its steps have cost."""
        return sum_costs(step.spent for step in self.steps)
