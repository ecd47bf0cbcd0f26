"""Rows of home and of the list of jobs: the things they hold and how each is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from litterm.model.library import Failure
from litterm.model.matrix import MatrixSummary
from litterm.model.overview import Done, NewPapers, UnfinishedPaper
from litterm.model.paper import Paper
from litterm.model.reading_list import ListSummary
from litterm.model.services import Obtained, Subscription
from litterm.render.names import home_relative, venue_and_year
from litterm.render.services import giver_name, reason, subscription_title
from litterm.text.plural import counted
from litterm.tui.dialogs.choose import ListChoice
from litterm.tui.home.failure_groups import FailureGroup
from litterm.tui.jobs.job_text import facts, step
from litterm.tui.messages import ago
from litterm.tui.state import Job, QueuedJob
from litterm.tui.widgets.glyphs import Glyphs


@dataclass(frozen=True, slots=True)
class NewPaperRow:
    """A paper that is new in a watch."""

    paper: Paper


@dataclass(frozen=True, slots=True)
class MoreNewPapers:
    """The new papers of a watch for which there is no row."""

    news: NewPapers
    count: int


Thing: TypeAlias = (
    NewPapers
    | NewPaperRow
    | MoreNewPapers
    | UnfinishedPaper
    | ListSummary
    | MatrixSummary
    | Subscription
    | Failure
    | FailureGroup
    | Done
    | Job
    | QueuedJob
    | Obtained
)


@dataclass(frozen=True, slots=True)
class HomeRow:
    """A thing and how it is shown."""

    thing: Thing
    choice: ListChoice


_ROLES = {"failed": "warning", "not found": "muted", "not open": "muted"}
"""By what came of an id: how its row looks."""
_STATES = {"waiting": "muted", "unfinished": "warning", "failed": "warning", "done": "muted"}


def listed(jobs: Sequence[QueuedJob], subscriptions: Sequence[Subscription]) -> tuple[QueuedJob, ...]:
    """Jobs with a row of their own: a subscription that is unfinished says so itself."""
    # Told by the job's name, which is all that the job and its subscription have in common.
    named = {f"sync {subscription_title(subscription)}" for subscription in subscriptions if not subscription.complete}
    return tuple(job for job in jobs if job.state != "unfinished" or job.what not in named)


def row(thing: Thing, glyphs: Glyphs) -> HomeRow:
    """The row of a thing, the same wherever it is shown."""
    match thing:
        case QueuedJob():
            below, role = (thing.report,) if thing.report else (), _STATES.get(thing.state, "")
            return HomeRow(thing, ListChoice(thing.what, key=thing.state, below=below, role=role))
        case Job() | Failure() | FailureGroup() | Obtained() | Subscription() | MatrixSummary():
            return HomeRow(thing, _work(thing, glyphs))
        case _:
            return HomeRow(thing, _paper(thing, glyphs))


def _work(thing: Job | Failure | FailureGroup | Obtained | Subscription | MatrixSummary, glyphs: Glyphs) -> ListChoice:
    match thing:
        case Job():
            progress = step(thing)
            return ListChoice(thing.what, facts(thing, glyphs), key="running", below=(progress,) if progress else ())
        case Failure():
            return _failed(home_relative(thing.origin), thing)
        case FailureGroup():
            return _failed(f"{home_relative(thing.file)}: {len(thing.failures):,} rows", thing.failures[0])
        case Obtained():
            label, role = f"{thing.paper_id or thing.asked} {thing.title}".strip(), _ROLES.get(thing.outcome, "")
            return ListChoice(label, giver_name(thing), key=thing.outcome, below=reason(thing), role=role)
        case Subscription():
            when = _when(thing.synced_at) or "not begun"
            stood = f"{counted(thing.papers, 'paper')} {glyphs.dot} {when}"
            unfinished = not thing.complete
            below = (thing.trouble,) if thing.trouble else ()
            return ListChoice(
                subscription_title(thing),
                stood,
                key="unfinished" * unfinished,
                below=below,
                role="warning" * unfinished,
            )
        case MatrixSummary():
            cells = f"{thing.cells:,} of {thing.papers * len(thing.hypotheses):,} cells"
            label = f"matrix of {counted(thing.papers, 'paper')}: {' | '.join(thing.hypotheses)}"
            return ListChoice(label, cells, key="unfinished", role="warning")


def _failed(label: str, failure: Failure) -> ListChoice:
    key, role = ("in part", "muted") if failure.missing == "fields" else ("failed", "warning")
    return ListChoice(label, _when(failure.at), key=key, below=(failure.cause,), role=role)


def _paper(
    thing: NewPapers | NewPaperRow | MoreNewPapers | UnfinishedPaper | ListSummary | Done, glyphs: Glyphs
) -> ListChoice:
    match thing:
        case ListSummary():
            read = f"{thing.read} of {counted(thing.papers, 'paper')} read"
            return ListChoice(f"reading list: {thing.topic}", read)
        case NewPapers():
            count = f"{len(thing.papers):,} new" if thing.papers else "nothing new"
            return ListChoice(thing.query, count, role="heading")
        case NewPaperRow(paper=paper):
            facts = (venue_and_year(paper), _when(paper.provenance.imported_at))
            return ListChoice(paper.title, f" {glyphs.dot} ".join(part for part in facts if part), indent=1)
        case MoreNewPapers(count=count):
            return ListChoice(f"{count:,} more: enter shows all", indent=1, role="muted")
        case UnfinishedPaper(paper=paper):
            return ListChoice(paper.title, place_words(thing))
        case Done():
            return ListChoice(thing.sentence, _when(thing.at))


def _when(timestamp: str) -> str:
    return ago(timestamp, datetime.now(UTC))


def place_words(half: UnfinishedPaper) -> str:
    """Where a paper was left: `62 %, Results`, as far as that is known."""
    if not half.place:
        return "being read"
    return f"{half.percent} %, {half.section}" if half.section else f"{half.percent} %"
