"""Rows of home and of the list of jobs: the things they hold and how each is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from litterm.model.annotations import PaperList
from litterm.model.attribution.draft import DraftSummary
from litterm.model.library import Failure
from litterm.model.matrix import MatrixSummary
from litterm.model.overview import HalfWrittenText, NewPapers, RecentDecision, UnfinishedPaper
from litterm.model.paper import Paper
from litterm.model.reading_list import ListSummary
from litterm.model.services import FetchResult, Subscription
from litterm.render.names import home_relative, venue_and_year
from litterm.render.services import outcome_details, source_name, subscription_title
from litterm.text.plural import count_phrase
from litterm.tui.dialogs.choose import ListChoice
from litterm.tui.jobs.job_text import progress_words, step_words
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


_IN_FILE = re.compile(r"(?P<file>.+):(?P<line>\d+)")


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Several rows of one file with the same cause."""

    file: str
    failures: tuple[Failure, ...]
    """At least two."""

    @property
    def origins(self) -> tuple[str, ...]:
        """Where each of them came from."""
        return tuple(failure.origin for failure in self.failures)


HomeItem: TypeAlias = (
    NewPapers
    | HalfWrittenText
    | DraftSummary
    | NewPaperRow
    | MoreNewPapers
    | UnfinishedPaper
    | PaperList
    | ListSummary
    | MatrixSummary
    | Subscription
    | Failure
    | FailureGroup
    | RecentDecision
    | Job
    | QueuedJob
    | FetchResult
)


@dataclass(frozen=True, slots=True)
class HomeRow:
    """An item and how it is shown."""

    item: HomeItem
    choice: ListChoice


_MAX_TEXT = 80
"""Characters that a row shows of a text that is not saved."""
_TITLE_LINES = 2
"""Lines of a title or a decision, so that one of them leaves room for the others."""
_OUTCOME_ROLES = {"failed": "warning", "not found": "muted", "not open": "muted"}
"""Text roles by the outcome of an id."""
_STATE_ROLES = {"waiting": "muted", "unfinished": "warning", "failed": "warning", "done": "muted"}


def jobs_with_own_row(jobs: Sequence[QueuedJob], subscriptions: Sequence[Subscription]) -> tuple[QueuedJob, ...]:
    """Jobs that need a row of their own; an unfinished subscription has one already."""
    # Told by the job's name, which is all that the job and its subscription have in common.
    job_names = {
        f"sync {subscription_title(subscription)}" for subscription in subscriptions if not subscription.complete
    }
    return tuple(job for job in jobs if job.state != "unfinished" or job.what not in job_names)


def home_row(item: HomeItem, glyphs: Glyphs) -> HomeRow:
    """The row of an item, the same wherever it is shown."""
    match item:
        case QueuedJob():
            below, role = (item.report,) if item.report else (), _STATE_ROLES.get(item.state, "")
            return HomeRow(item, ListChoice(item.what, key=item.state, below=below, role=role))
        case HalfWrittenText() | DraftSummary() | MatrixSummary():
            return HomeRow(item, _begun_choice(item, glyphs))
        case Job() | Failure() | FailureGroup() | FetchResult() | Subscription():
            return HomeRow(item, _job_choice(item, glyphs))
        case _:
            return HomeRow(item, _paper_choice(item, glyphs))


def _job_choice(item: Job | Failure | FailureGroup | FetchResult | Subscription, glyphs: Glyphs) -> ListChoice:
    match item:
        case Job():
            progress = step_words(item)
            return ListChoice(
                item.what, progress_words(item, glyphs), key="running", below=(progress,) if progress else ()
            )
        case Failure():
            return _failure_choice(home_relative(item.origin), item)
        case FailureGroup():
            return _failure_choice(f"{home_relative(item.file)}: {len(item.failures):,} rows", item.failures[0])
        case FetchResult():
            label, role = f"{item.paper_id or item.asked} {item.title}".strip(), _OUTCOME_ROLES.get(item.outcome, "")
            return ListChoice(label, source_name(item), key=item.outcome, below=outcome_details(item), role=role)
        case Subscription():
            synced = _age(item.synced_at) or "not begun"
            state_words = f"{count_phrase(item.papers, 'paper')} {glyphs.dot} {synced}"
            unfinished = not item.complete
            below = (item.trouble,) if item.trouble else ()
            return ListChoice(
                subscription_title(item),
                state_words,
                key="unfinished" * unfinished,
                below=below,
                role="warning" * unfinished,
            )


def _begun_choice(item: HalfWrittenText | DraftSummary | MatrixSummary, glyphs: Glyphs) -> ListChoice:
    match item:
        case HalfWrittenText():
            # The text as one line, of which the row shows the beginning.
            below = (" ".join(item.text.split())[:_MAX_TEXT],)
            return ListChoice(f"{item.kind} {glyphs.dot} {item.paper.title}", "not saved", below=below)
        case DraftSummary():
            label = f"draft {glyphs.dot} {home_relative(str(item.path))}"
            return ListChoice(label, f"{item.decided} of {count_phrase(item.marks, 'mark')} decided")
        case MatrixSummary(complete=complete):
            cells = f"{item.cells:,} of {item.papers * len(item.hypotheses):,} cells"
            label = f"matrix of {count_phrase(item.papers, 'paper')}: {' | '.join(item.hypotheses)}"
            return ListChoice(label, cells, key="" if complete else "unfinished", role="" if complete else "warning")


def _failure_choice(label: str, failure: Failure) -> ListChoice:
    key, role = ("in part", "muted") if failure.missing == "fields" else ("failed", "warning")
    return ListChoice(label, _age(failure.at), key=key, below=(failure.cause,), role=role)


def _paper_choice(
    item: NewPapers | NewPaperRow | MoreNewPapers | UnfinishedPaper | PaperList | ListSummary | RecentDecision,
    glyphs: Glyphs,
) -> ListChoice:
    match item:
        case ListSummary():
            progress = f"{item.read} of {count_phrase(item.papers, 'paper')} read"
            return ListChoice(f"reading list: {item.topic}", progress)
        case PaperList():
            return ListChoice(item.name, count_phrase(item.papers, "paper"))
        case NewPapers():
            count = f"{len(item.papers):,} new" if item.papers else "nothing new"
            return ListChoice(item.query, count, role="heading")
        case NewPaperRow(paper=paper):
            progress_words = (venue_and_year(paper), _age(paper.provenance.imported_at))
            detail = f" {glyphs.dot} ".join(part for part in progress_words if part)
            return ListChoice(paper.title, detail, indent=1, max_lines=_TITLE_LINES)
        case MoreNewPapers():
            return ListChoice(f"{item.count:,} more: enter shows all", indent=1, role="muted")
        case UnfinishedPaper(paper=paper):
            return ListChoice(paper.title, position_words(item), max_lines=_TITLE_LINES)
        case RecentDecision():
            return ListChoice(item.sentence, _age(item.at), max_lines=_TITLE_LINES)


def _age(timestamp: str) -> str:
    return ago(timestamp, datetime.now(UTC))


def position_words(half: UnfinishedPaper) -> str:
    """Where a paper was left: `62%, Results`, as far as that is known."""
    if not half.place:
        return "being read"
    return f"{half.percent}%, {half.section}" if half.section else f"{half.percent}%"


def group_failures(failures: Sequence[Failure]) -> tuple[Failure | FailureGroup, ...]:
    """What failed before what was only read in part, otherwise in the order of `failures`."""
    groups: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in sorted(failures, key=lambda failure: failure.missing == "fields"):
        in_file = _IN_FILE.fullmatch(failure.origin)
        place = in_file["file"] if in_file else failure.origin
        # With the cause as written: lines that fail differently must stay apart.
        groups.setdefault((place, failure.cause, failure.missing), []).append(failure)
    return tuple(
        FailureGroup(place, tuple(members)) if len(members) > 1 else members[0]
        for (place, _, _), members in groups.items()
    )
