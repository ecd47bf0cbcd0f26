"""Doing what the agent wants done, and saying what came of it in words that the model is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from litterm.attribution.agent.paper_text import borne_out, card, pages, references, stems_of
from litterm.attribution.agent.search import SERVICES, AgentResults, AgentSearch
from litterm.attribution.online_query import bounded_query
from litterm.attribution.supporting_sentence import stem_weights
from litterm.core.tasks import Task
from litterm.model.agent import Action, AgentStep, Hit, Outcome
from litterm.model.citation import CandidateBounds, Excerpt
from litterm.model.paper import PaperId
from litterm.text.references.identity import bare_key, paper_ids
from litterm.text.references.titles import same_title
from litterm.text.tokens import fold, tokens

SEARCHES = ("search", "search_citations")
_DETAILS = 4
_SHOWN_IDS = 30


@dataclass(frozen=True, slots=True)
class SeenPapers:
    """What the model is told, and what that was."""

    text: str
    outcome: Outcome = "done"
    hits: tuple[Hit, ...] = ()


@dataclass(slots=True)
class AgentState:
    """What one search for a cited paper knows so far; can be made again from its steps."""

    excerpt: Excerpt
    bounds: CandidateBounds
    stacks: AgentSearch
    known: dict[PaperId, Hit] = field(default_factory=dict)
    """Every paper a search returned or a reference led to."""
    looked_at: set[PaperId] = field(default_factory=set)
    """Those that were read, or in which details were verified."""
    done: dict[tuple[str, str, str], AgentStep] = field(default_factory=dict)
    """The first step of each action."""

    def take(self, step: AgentStep) -> None:
        """One more step, now or of an earlier run."""
        for hit in step.elsewhere:
            self.known.setdefault(hit.paper.id, hit)
        for each in step.found:
            if each not in self.known and (paper := self.stacks.held(each, self.bounds)) is not None:
                self.known[each] = Hit(paper)
        if step.outcome == "done":
            self.done.setdefault(_key(step.action), step)
            looked = self.find(step.action.paper) if step.action.name in ("read", "verify", "select") else None
            if looked is not None:
                self.looked_at.add(looked.paper.id)

    def earlier(self, action: Action) -> AgentStep | None:
        """The step that did the very same, if one did."""
        return self.done.get(_key(action))

    def find(self, wanted: str) -> Hit | None:
        """The paper the model means: one it was shown, by id or title, or one that the library holds."""
        wanted = wanted.strip().strip("[]").removeprefix("Paper ID:").strip()
        folded = fold(wanted)
        for hit in self.known.values():
            names = paper_ids(hit.paper)
            if any(folded in (fold(name), fold(bare_key(name))) for name in names):
                return hit
        if (paper := self.stacks.held(wanted, self.bounds)) is not None:
            return self.stacks.counted([paper], self.bounds)[0]
        alike = [hit for hit in self.known.values() if same_title(hit.paper.title, wanted)]
        return alike[0] if len(alike) == 1 else None

    def perform(self, action: Action) -> Task[SeenPapers]:
        """What came of an action other than a selection."""
        if action.name in SEARCHES:
            return (yield from self._search(action))
        hit = self.find(action.paper)
        if hit is None:
            return SeenPapers(self.unknown(action.paper), "refused")
        match action.name:
            case "references":
                return (yield from self._references(hit, action.query))
            case "verify":
                return (yield from self.verified(hit, _details(action.query) or self.details()))
            case _:
                document = yield from self.stacks.document(hit)
                return SeenPapers(pages(hit.paper, document, self._weights(action.query)), hits=(hit,))

    def verified(self, hit: Hit, details: Sequence[str]) -> Task[SeenPapers]:
        """Which details appear where in a paper."""
        document = yield from self.stacks.document(hit)
        return SeenPapers(borne_out(details, hit.paper, document), hits=(hit,))

    def details(self) -> list[str]:
        """What of the excerpt is worth verifying: names near the mark, else its weightiest words."""
        named = list(self.excerpt.coined[:_DETAILS])
        heaviest = sorted(self.excerpt.words, key=lambda word: -word.weight)
        others = dict.fromkeys(word.word for word in heaviest if tokens(word.word))
        return named + [word for word in others if fold(word) not in map(fold, named)][: _DETAILS - len(named)]

    def unknown(self, wanted: str) -> str:
        """Why a paper cannot be had, and which can."""
        ids = ", ".join(list(self.known)[-_SHOWN_IDS:]) or "none yet: search first"
        return f"“{wanted}” is no paper that a search returned, nor one of the library. Paper IDs so far: {ids}."

    def _search(self, action: Action) -> Task[SeenPapers]:
        by_citations, abroad = action.name == "search_citations", bounded_query(action.query, self.excerpt)
        found = yield from self.stacks.search(action.query, self.bounds, by_citations=by_citations, abroad=abroad)
        sent = f"Sent to {', '.join(SERVICES)}: “{found.sent}”" if found.sent else ""
        seen = self._told(found)
        return replace(seen, text=f"{sent}\n\n{seen.text}") if sent else seen

    def _told(self, found: AgentResults) -> SeenPapers:
        trouble = " ".join(found.troubles)
        if not found.hits and trouble:
            return SeenPapers(f"The search failed and does not count. {trouble}", "failed")
        if not found.hits:
            return SeenPapers("No paper was found. Try other words.", "nothing")
        cards = "\n\n".join(map(card, found.hits))
        return SeenPapers(f"{trouble}\n\n{cards}".strip(), hits=found.hits)

    def _references(self, hit: Hit, asked: str) -> Task[SeenPapers]:
        entries, targets = yield from self.stacks.references(hit, self.bounds)
        if not entries:
            return SeenPapers(f"The reference list of “{hit.paper.title}” is not known.", "nothing", (hit,))
        told = references(entries, asked, self._weights(), targets)
        cited = [paper for paper in targets.values() if paper.id in told]
        return SeenPapers(told, hits=(hit, *self.stacks.counted(cited, self.bounds)))

    def _weights(self, query: str = "") -> dict[str, float]:
        return {**stem_weights(self.excerpt.words), **stems_of(query, 2.0)}


def _details(query: str) -> list[str]:
    parts: Iterable[str] = (part.strip(" .“”\"'") for part in query.replace("\n", ";").split(";"))
    return [part for part in parts if part][: 2 * _DETAILS]


def same(one: Action, other: Action) -> bool:
    """Whether both do the very same."""
    return _key(one) == _key(other)


def _key(action: Action) -> tuple[str, str, str]:
    return action.name, " ".join(tokens(action.query)), fold(action.paper.strip())
