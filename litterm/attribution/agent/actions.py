"""The actions of the citation agent: search, read, references, verify, and the observation each gives the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from litterm.attribution.agent.paper_text import describe_hit, list_references, show_paper, stems_of, verify_details
from litterm.attribution.agent.search import SERVICES, AgentResults, AgentSearch
from litterm.attribution.online_query import limit_query
from litterm.attribution.supporting_sentence import stem_weights
from litterm.core.tasks import Task
from litterm.model.attribution.agent import Action, ActionOutcome, AgentHit, AgentStep
from litterm.model.attribution.citation import CandidateBounds, Excerpt
from litterm.model.paper import PaperId
from litterm.text.references.identity import bare_key, paper_ids
from litterm.text.references.titles import same_title
from litterm.text.tokens import fold, tokens

SEARCH_ACTIONS = ("search", "search_citations")
_MAX_DETAILS = 4
"""Details that are verified where the model names none; it may name twice as many."""
_MAX_IDS_SHOWN = 30
"""Paper IDs, the newest, that a refusal lists: those of three result lists."""


@dataclass(frozen=True, slots=True)
class SeenPapers:
    """The observation of one action: its text, whether the action worked, and the papers it showed."""

    text: str
    outcome: ActionOutcome = "done"
    hits: tuple[AgentHit, ...] = ()


@dataclass(slots=True)
class AgentState:
    """What one search for a cited paper knows so far.

    Nothing of it is stored: a search that is resumed feeds its stored steps to `record`.
    """

    excerpt: Excerpt
    bounds: CandidateBounds
    lookup: AgentSearch
    known: dict[PaperId, AgentHit] = field(default_factory=dict)
    """Every paper a search returned or a reference led to."""
    looked_at: set[PaperId] = field(default_factory=set)
    """Those that were read, or in which details were verified."""
    done: dict[tuple[str, str, str], AgentStep] = field(default_factory=dict)
    """The first step of each action."""

    def record(self, step: AgentStep) -> None:
        """One more step, now or of an earlier run."""
        # A step stores papers of services whole and those of the library by id alone, which are looked up again:
        # the library may have changed between two runs.
        for hit in step.elsewhere:
            self.known.setdefault(hit.paper.id, hit)
        for paper_id in step.found:
            if (
                paper_id not in self.known
                and (paper := self.lookup.find_library_paper(paper_id, self.bounds)) is not None
            ):
                self.known[paper_id] = AgentHit(paper)
        if step.outcome == "done":
            self.done.setdefault(_normalised_action(step.action), step)
            looked = self.find(step.action.paper) if step.action.name in ("read", "verify", "select") else None
            if looked is not None:
                self.looked_at.add(looked.paper.id)

    def find_repeated_step(self, action: Action) -> AgentStep | None:
        """The step that did the very same, if one did."""
        return self.done.get(_normalised_action(action))

    def find(self, named: str) -> AgentHit | None:
        """The paper the model means: one it was shown, by id or title, or one that the library holds."""
        named = named.strip().strip("[]").removeprefix("Paper ID:").strip()
        folded = fold(named)
        for hit in self.known.values():
            names = paper_ids(hit.paper)
            if any(folded in (fold(name), fold(bare_key(name))) for name in names):
                return hit
        if (paper := self.lookup.find_library_paper(named, self.bounds)) is not None:
            return self.lookup.with_counts([paper], self.bounds)[0]
        # A title last, and only if one paper has it: models give titles where ids are asked for.
        hits = [hit for hit in self.known.values() if same_title(hit.paper.title, named)]
        return hits[0] if len(hits) == 1 else None

    def perform(self, action: Action) -> Task[SeenPapers]:
        """The outcome of an action other than a selection."""
        if action.name in SEARCH_ACTIONS:
            return (yield from self._search(action))
        hit = self.find(action.paper)
        if hit is None:
            return SeenPapers(self.unknown_paper(action.paper), "refused")
        match action.name:
            case "references":
                return (yield from self._references(hit, action.query))
            case "verify":
                return (yield from self.verify_details(hit, _details(action.query) or self.details_to_verify()))
            case _:
                document = yield from self.lookup.document(hit)
                return SeenPapers(show_paper(hit.paper, document, self._weights(action.query)), hits=(hit,))

    def verify_details(self, hit: AgentHit, details: Sequence[str]) -> Task[SeenPapers]:
        """Which details appear where in a paper."""
        document = yield from self.lookup.document(hit)
        return SeenPapers(verify_details(details, hit.paper, document), hits=(hit,))

    def details_to_verify(self) -> list[str]:
        """What of the excerpt is worth verifying: names near the mark, else its weightiest words."""
        named = list(self.excerpt.coined[:_MAX_DETAILS])
        heaviest = sorted(self.excerpt.words, key=lambda word: -word.weight)
        other_words = dict.fromkeys(word.word for word in heaviest if tokens(word.word))
        return named + [word for word in other_words if fold(word) not in map(fold, named)][: _MAX_DETAILS - len(named)]

    def unknown_paper(self, named: str) -> str:
        """Why a paper is not available, and which papers are."""
        ids = ", ".join(list(self.known)[-_MAX_IDS_SHOWN:]) or "none yet: search first"
        return f"“{named}” is no paper that a search returned, nor one of the library. Paper IDs so far: {ids}."

    def _search(self, action: Action) -> Task[SeenPapers]:
        by_citations, online_query = action.name == "search_citations", limit_query(action.query, self.excerpt)
        results = yield from self.lookup.search(
            action.query, self.bounds, by_citations=by_citations, online_query=online_query
        )
        sent = f"Sent to {', '.join(SERVICES)}: “{results.sent}”" if results.sent else ""
        seen = self._observation_of(results)
        return replace(seen, text=f"{sent}\n\n{seen.text}") if sent else seen

    def _observation_of(self, results: AgentResults) -> SeenPapers:
        trouble = " ".join(results.troubles)
        # An error must not read as "no papers": a model that takes it so changes a query that was right.
        if not results.hits and trouble:
            return SeenPapers(f"The search failed and does not count. {trouble}", "failed")
        if not results.hits:
            return SeenPapers("No paper was found. Try other words.", "nothing")
        cards = "\n\n".join(map(describe_hit, results.hits))
        return SeenPapers(f"{trouble}\n\n{cards}".strip(), hits=results.hits)

    def _references(self, hit: AgentHit, query: str) -> Task[SeenPapers]:
        entries, targets = yield from self.lookup.references(hit, self.bounds)
        if not entries:
            return SeenPapers(f"The reference list of “{hit.paper.title}” is not known.", "nothing", (hit,))
        excerpted = list_references(entries, query, self._weights(), targets)
        cited = [paper for paper in targets.values() if paper.id in excerpted]
        return SeenPapers(excerpted, hits=(hit, *self.lookup.with_counts(cited, self.bounds)))

    def _weights(self, query: str = "") -> dict[str, float]:
        # The heaviest word of an excerpt weighs 1.5: what the model asks for itself counts more than any of them.
        return {**stem_weights(self.excerpt.words), **stems_of(query, 2.0)}


def _details(query: str) -> list[str]:
    parts: Iterable[str] = (part.strip(" .“”\"'") for part in query.replace("\n", ";").split(";"))
    return [part for part in parts if part][: 2 * _MAX_DETAILS]


def same_action(first: Action, second: Action) -> bool:
    """Whether both have one name, paper and query, but for case, punctuation and inflection."""
    return _normalised_action(first) == _normalised_action(second)


def _normalised_action(action: Action) -> tuple[str, str, str]:
    return action.name, " ".join(tokens(action.query)), fold(action.paper.strip())
