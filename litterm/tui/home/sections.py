"""What each section of home shows, and what it says while there is nothing to show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from litterm.model.home import Home
from litterm.model.watch import News
from litterm.tui.glyphs import Glyphs
from litterm.tui.home.places import SectionName
from litterm.tui.home.things import Fresh, Rest, Row, Thing, listed, row
from litterm.tui.state import Job, QueuedJob

MOST_NEW = 20
"""New papers of one watch that have a row; the search shows the others."""
_TITLES: Mapping[SectionName, str] = {
    "new": "new in your watches",
    "reading": "half read",
    "work": "running, unfinished, failed",
    "kept": "kept in step",
    "decided": "decided last",
}
NOTHING: Mapping[SectionName, str] = {
    "new": "Nothing is watched. Search, then W: what comes new stands here, by the day litterm first saw it.",
    "reading": "No paper is half read. One that is left in the middle, or marked with d, waits here.",
    "work": "Nothing runs, nothing is unfinished and nothing failed.",
    "kept": "Nothing is kept in step yet: `:sync acl`, `:sync iclr`, or `:sync arxiv QUERY` (pmc, s2).",
    "decided": "Nothing is decided yet: a and x, s, t, m and d are about papers and sentences.",
}


@dataclass(frozen=True, slots=True)
class HomeState:
    """What there is to show."""

    found: Home | None = None
    """`None` while it is gathered for the first time."""
    jobs: tuple[Job, ...] = ()
    queued: tuple[QueuedJob, ...] = ()


def title_of(name: SectionName, rows: Sequence[Row]) -> tuple[str, str]:
    """The title of a section, and what stands at its right."""
    if name == "new":
        count = sum(len(row.thing.papers) for row in rows if isinstance(row.thing, News))
        return _TITLES[name], f"{count:,} new" if rows else ""
    return _TITLES[name], str(len(rows)) if rows else ""


def rows_of(name: SectionName, state: HomeState, glyphs: Glyphs) -> tuple[Row, ...]:
    """The rows of a section."""
    return tuple(row(thing, glyphs) for thing in _things(name, state))


def _things(name: SectionName, state: HomeState) -> Iterator[Thing]:
    found = state.found or Home("")
    match name:
        case "new":
            for news in found.news:
                yield news
                yield from map(Fresh, news.papers[:MOST_NEW])
                if len(news.papers) > MOST_NEW:
                    yield Rest(news, len(news.papers) - MOST_NEW)
        case "reading":
            yield from found.reading
        case "work":
            yield from state.jobs
            yield from (job for job in listed(state.queued, found.subscriptions) if job.state != "done")
            yield from (each for each in found.subscriptions if not each.complete)
            yield from found.matrices
            yield from found.failures
        case "kept":
            yield from found.subscriptions
        case "decided":
            yield from found.decisions
