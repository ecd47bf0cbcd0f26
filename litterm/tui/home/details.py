"""The details of a row of home, for `i` and for rows that lead nowhere."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.library import Failure
from litterm.model.overview import Done, NewPapers
from litterm.model.services import Obtained, Subscription
from litterm.render.services import obtained_words, state_words, subscription_title
from litterm.tui.home.failure_groups import FailureGroup
from litterm.tui.home.rows import NewPaperRow, Thing, row
from litterm.tui.jobs.job_text import step
from litterm.tui.state import Job, QueuedJob
from litterm.tui.widgets.glyphs import UNICODE

_KEYS = {
    "waiting": "It starts when the job before it is done; x removes it.",
    "running": "x stops it; what has been stored is kept.",
    "unfinished": "What has been stored is kept. `.` continues, x removes it from the list.",
    "failed": "`.` tries again, x removes it from the list.",
    "done": "x removes it from the list.",
}


def paragraphs_of(thing: Thing) -> Sequence[str]:
    """A title, then paragraphs, of which some may be empty."""
    match thing:
        case Job():
            far = f"{thing.done:,} of {thing.total:,}. " if thing.total else ""
            return "running", thing.what, step(thing), f"{far}x stops it; what has been stored is kept."
        case QueuedJob():
            return thing.state, thing.what, thing.report, _KEYS[thing.state]
        case Failure():
            again = "This may be temporary: `.` tries again." if thing.transient else "`.` tries again anyway."
            name = "read in part" if thing.missing == "fields" else "failed"
            return name, thing.origin, thing.cause, f"{_when(thing.at)} {again} x dismisses it."
        case FailureGroup(failures=failures):
            name, *paragraphs = paragraphs_of(failures[0])
            lines = ", ".join(origin.rpartition(":")[2] for origin in thing.origins)
            return name, f"{thing.file}, rows {lines}", *paragraphs[1:]
        case Obtained():
            return thing.asked, thing.title, obtained_words(thing)
        case Subscription():
            keys = "`.` asks for what is new, x unsubscribes, + updates all subscriptions."
            return "subscription", subscription_title(thing), state_words(thing), thing.trouble, keys
        case _:
            return _of_papers(thing)


def _of_papers(thing: Thing) -> Sequence[str]:
    match thing:
        case Done():
            return "decided", thing.sentence, f"{_when(thing.at)} u undoes the last decision."
        case NewPapers():
            count = f"{len(thing.papers):,} papers are new in it." if thing.papers else "Nothing is new in it."
            return "watch", thing.query, f"{count} enter searches it and marks them as seen; x stops watching."
        case NewPaperRow(paper=paper):
            imported_at, origin = paper.provenance.imported_at, paper.provenance.origin
            return "new", paper.title, f"First seen by litterm {_when(imported_at)} It came from {origin}."
        case _:
            choice = row(thing, UNICODE).choice
            return "why", choice.label, choice.detail


def _when(timestamp: str) -> str:
    return f"{timestamp[:16].replace('T', ' ')} UTC."
