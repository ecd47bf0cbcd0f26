"""Why an excerpt of CiteME was answered wrongly, after the classes of the publication (Press et al. 2024, section 5.1).

People sorted 50 failures there. Here rules do, as far as rules can: what the trajectory shows (searches, results, end)
and what the library knows (titles, references). What they do not settle is counted as not decided.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from litterm.attribution.agent.actions import SEARCH_ACTIONS
from litterm.model.attribution.agent import EndReason, Trajectory
from litterm.model.attribution.citation import Excerpt
from litterm.model.paper import Paper, PaperId
from litterm.text.tokens import fold, tokens

FailureClass: TypeAlias = Literal[
    "technical",
    "not in the library",
    "no answer",
    "took a paper that cites it",
    "stopped at a near match",
    "misread the excerpt",
    "not decided",
]
FAILURE_CLASSES: Final[tuple[FailureClass, ...]] = (
    "technical",
    "not in the library",
    "no answer",
    "misread the excerpt",
    "stopped at a near match",
    "took a paper that cites it",
    "not decided",
)
"""As they are printed: what is no choice first, then the three classes of the publication in their order."""
SHOWN_BY_SEARCHES: Final[tuple[FailureClass, ...]] = ("technical", "misread the excerpt")
"""Classes that a method without searches of its own cannot be sorted into."""
FAILURES, BY_RULES = "failures", "classes by rules, of all failures"
"""Property and value under which a report has the shares of the classes."""
RULES: Final = (
    "failures by rules, the first that fits: technical (trouble of model or services); the library lacks the paper; no "
    "answer; the chosen paper cites the right one (where its references are known); the right one was among the "
    "results, or the chosen one lacks a name in the clause of the mark: near match; the words of the searches are more "
    "from other clauses than from that of the mark: misread (a dash without "
    "searches); else not decided"
)
TECHNICAL: Final[tuple[EndReason, ...]] = ("model", "searches", "stopped", "")
"""Ends by trouble of the model or of services."""
_UNANSWERED: Final[tuple[EndReason, ...]] = ("none", "unselected", "circles")


@dataclass(frozen=True, slots=True)
class Failure:
    """What is known of a wrong answer."""

    excerpt: Excerpt
    chosen: Paper | None
    """The paper that was told first; `None` where there is none."""
    targets: Collection[PaperId]
    """The right papers that the library holds."""
    was_shown: bool
    """Whether the right paper was in a result or was looked into."""
    trajectory: Trajectory | None = None
    """Of an agent."""


def classify(failure: Failure, cited_by: Callable[[PaperId], Collection[PaperId]]) -> FailureClass:
    """The class of a failure; `cited_by` gives the papers that a paper cites, empty where that is not known."""
    ended = None if failure.trajectory is None else failure.trajectory.choice.ended
    online = failure.trajectory is not None and failure.trajectory.request.online
    if ended in TECHNICAL:
        return "technical"
    if not failure.targets and not online and not failure.was_shown:
        return "not in the library"
    if ended in _UNANSWERED or failure.chosen is None:
        return "no answer"
    if any(paper in failure.targets for paper in cited_by(failure.chosen.id)):
        return "took a paper that cites it"
    if failure.was_shown:
        return "stopped at a near match"
    own, other = _count_query_words(failure)
    if other > own:
        return "misread the excerpt"
    return "stopped at a near match" if own and _lacks_name(failure.excerpt, failure.chosen) else "not decided"


def _count_query_words(failure: Failure) -> tuple[int, int]:
    """Words of all searches that are of the clause of the mark, and those that only other clauses have."""
    if failure.trajectory is None:
        return 0, 0
    excerpt = failure.excerpt
    clause = frozenset(tokens(excerpt.text[excerpt.claim.start : excerpt.claim.end]))
    rest = frozenset(tokens(excerpt.text)) - clause
    queries: Sequence[str] = [
        step.action.query for step in failure.trajectory.steps if step.action.name in SEARCH_ACTIONS
    ]
    words = [word for query in queries for word in tokens(query)]
    return sum(word in clause for word in words), sum(word in rest for word in words)


def _lacks_name(excerpt: Excerpt, paper: Paper) -> bool:
    """Whether title and abstract lack a name in the clause of the mark."""
    clause, text = fold(excerpt.text[excerpt.claim.start : excerpt.claim.end]), fold(f"{paper.title} {paper.abstract}")
    names = [fold(name) for name in excerpt.coined]
    return any(name in clause and name not in text for name in names)
