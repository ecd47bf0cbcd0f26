"""The sections of home: their titles, their rows, and the text of an empty one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from litterm.model.overview import HomeOverview, NewPapers
from litterm.tui.home.layout import SectionName
from litterm.tui.home.rows import (
    HomeItem,
    HomeRow,
    MoreNewPapers,
    NewPaperRow,
    group_failures,
    home_row,
    jobs_with_own_row,
)
from litterm.tui.state import Job, QueuedJob
from litterm.tui.widgets.glyphs import Glyphs

MAX_NEW_PAPERS = 20
"""New papers of a watch that have a row; a search shows the others."""
_TITLES: Mapping[SectionName, str] = {
    "new": "new in your watches",
    "reading": "continue",
    "lists": "your papers",
    "work": "jobs",
    "kept": "subscriptions",
    "decided": "recent activity",
}
EMPTY_SECTION_TEXTS: Mapping[SectionName, str] = {
    "new": "Nothing is watched. Search, then W: new matches appear here, newest first.",
    "reading": "Nothing begun. Papers you leave halfway or set to reading (d) appear here, as do drafts, matrices, "
    "reading lists, unfinished jobs, and notes you have not saved.",
    "lists": "No papers marked. s star, a include, d to read, t tag, m note: each list appears here, with its count.",
    "work": "No jobs running or failed.",
    "kept": "No subscriptions: `:sync acl`, `:sync iclr`, or `:sync arxiv QUERY` (pmc, s2).",
    "decided": "No activity yet. a include or accept, x exclude or reject, s star, t tag, m note, d reading status.",
}


@dataclass(frozen=True, slots=True)
class HomeState:
    """The content of home."""

    overview: HomeOverview | None = None
    """`None` while it is loaded for the first time."""
    jobs: tuple[Job, ...] = ()
    queued: tuple[QueuedJob, ...] = ()


def section_title(name: SectionName, rows: Sequence[HomeRow]) -> tuple[str, str]:
    """The title of a section, and the count at its right."""
    if name == "new":
        count = sum(len(row.item.papers) for row in rows if isinstance(row.item, NewPapers))
        return _TITLES[name], f"{count:,} new" if rows else ""
    return _TITLES[name], str(len(rows)) if rows else ""


def section_rows(name: SectionName, state: HomeState, glyphs: Glyphs) -> tuple[HomeRow, ...]:
    """The rows of a section."""
    return tuple(home_row(item, glyphs) for item in _items(name, state))


def _items(name: SectionName, state: HomeState) -> Iterator[HomeItem]:
    # While it is gathered, jobs are shown already: they need no look at the disk.
    overview = state.overview or HomeOverview("")
    own_rows = jobs_with_own_row(state.queued, overview.subscriptions)
    match name:
        case "new":
            for news in overview.news:
                yield from _new_paper_items(news)
        case "reading":
            yield from overview.half_written
            yield from (job for job in own_rows if job.state == "unfinished")
            yield from (subscription for subscription in overview.subscriptions if not subscription.complete)
            yield from overview.drafts
            yield from overview.matrices
            yield from overview.lists
            yield from overview.reading
        case "lists":
            yield from overview.paper_lists
        case "work":
            yield from state.jobs
            yield from (job for job in own_rows if job.state in ("waiting", "failed"))
            yield from group_failures(overview.failures)
        case "kept":
            yield from overview.subscriptions
        case "decided":
            yield from overview.decisions


def _new_paper_items(news: NewPapers) -> Iterator[HomeItem]:
    yield news
    yield from map(NewPaperRow, news.papers[:MAX_NEW_PAPERS])
    if len(news.papers) > MAX_NEW_PAPERS:
        yield MoreNewPapers(news, len(news.papers) - MAX_NEW_PAPERS)
