"""The details of a row of home, for `i` and for rows that lead nowhere."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.library import Failure
from litterm.model.overview import NewPapers, RecentDecision
from litterm.model.services import FetchResult, Subscription
from litterm.render.services import outcome_sentence, subscription_state, subscription_title
from litterm.tui.home.rows import FailureGroup, HomeItem, NewPaperRow, home_row
from litterm.tui.jobs.job_text import step_words
from litterm.tui.state import Job, QueuedJob
from litterm.tui.widgets.glyphs import UNICODE

_STATE_HINTS = {
    "waiting": "It starts when the job before it is done; x removes it.",
    "running": "x stops it; what has been stored is kept.",
    "unfinished": "What has been stored is kept. `.` continues, x removes it from the list.",
    "failed": "`.` tries again, x removes it from the list.",
    "done": "x removes it from the list.",
}


def detail_paragraphs(item: HomeItem) -> Sequence[str]:
    """A title, then paragraphs, of which some may be empty."""
    match item:
        case Job():
            far = f"{item.done:,} of {item.total:,}. " if item.total else ""
            return "running", item.what, step_words(item), f"{far}x stops it; what has been stored is kept."
        case QueuedJob():
            return item.state, item.what, item.report, _STATE_HINTS[item.state]
        case Failure():
            retry_hint = "This may be temporary: `.` tries again." if item.transient else "`.` tries again anyway."
            name = "read in part" if item.missing == "fields" else "failed"
            return name, item.origin, item.cause, f"{_time_text(item.at)} {retry_hint} x dismisses it."
        case FailureGroup(failures=failures):
            name, *paragraphs = detail_paragraphs(failures[0])
            lines = ", ".join(origin.rpartition(":")[2] for origin in item.origins)
            return name, f"{item.file}, rows {lines}", *paragraphs[1:]
        case FetchResult():
            return item.asked, item.title, outcome_sentence(item)
        case Subscription():
            keys = "`.` asks for what is new, x unsubscribes, + updates all subscriptions."
            return "subscription", subscription_title(item), subscription_state(item), item.trouble, keys
        case _:
            return _paper_paragraphs(item)


def _paper_paragraphs(item: HomeItem) -> Sequence[str]:
    match item:
        case RecentDecision():
            return "decided", item.sentence, f"{_time_text(item.at)} u undoes the last decision."
        case NewPapers():
            count = f"{len(item.papers):,} papers are new in it." if item.papers else "Nothing is new in it."
            return "watch", item.query, f"{count} enter searches it and marks them as seen; x stops watching."
        case NewPaperRow(paper=paper):
            imported_at, origin = paper.provenance.imported_at, paper.provenance.origin
            return "new", paper.title, f"First seen by litterm {_time_text(imported_at)} It came from {origin}."
        case _:
            choice = home_row(item, UNICODE).choice
            return "why", choice.label, choice.detail


def _time_text(timestamp: str) -> str:
    return f"{timestamp[:16].replace('T', ' ')} UTC."
