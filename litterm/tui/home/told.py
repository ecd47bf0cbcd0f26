"""A thing of home in full: for `i`, and for what cannot be opened."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.home import Done
from litterm.model.library import Failure
from litterm.model.sources import Obtained, Subscription
from litterm.model.watch import News
from litterm.render.obtained import obtained_words
from litterm.render.subscribed import stood, title
from litterm.tui.glyphs import UNICODE
from litterm.tui.home.things import Fresh, Thing, row
from litterm.tui.job_words import step
from litterm.tui.state import Job, QueuedJob

_KEYS = {
    "waiting": "It runs as soon as the job before it is done; x takes it out.",
    "running": "x stops it; what was stored stays.",
    "unfinished": "What was stored stays. `.` goes on, x takes it off the list.",
    "failed": "`.` tries again, x takes it off the list.",
    "done": "x takes it off the list.",
}


def told(thing: Thing) -> Sequence[str]:
    """A title, then paragraphs, of which some may be empty."""
    match thing:
        case Job():
            far = f"{thing.done:,} of {thing.total:,}. " if thing.total else ""
            return "running", thing.what, step(thing), f"{far}x stops it; what was stored stays."
        case QueuedJob():
            return thing.state, thing.what, thing.report, _KEYS[thing.state]
        case Failure():
            again = "It may pass by itself: `.` tries again." if thing.transient else "`.` tries again all the same."
            return "failed", thing.origin, thing.cause, f"{_when(thing.at)} {again} x dismisses it."
        case Obtained():
            return thing.asked, thing.title, obtained_words(thing)
        case Subscription():
            keys = "`.` asks for what is new, x keeps it in step no more, + brings all subscriptions up to date."
            return "kept in step", title(thing), stood(thing), thing.trouble, keys
        case _:
            return _of_papers(thing)


def _of_papers(thing: Thing) -> Sequence[str]:
    match thing:
        case Done():
            return "decided", thing.sentence, f"{_when(thing.at)} u takes the last decision back."
        case News():
            count = f"{len(thing.papers):,} papers are new in it." if thing.papers else "Nothing is new in it."
            return "watch", thing.query, f"{count} enter searches it, and they are new no longer; x watches it no more."
        case Fresh(paper=paper):
            seen, origin = paper.provenance.imported_at, paper.provenance.origin
            return "new", paper.title, f"First seen by litterm {_when(seen)} It came from {origin}."
        case _:
            choice = row(thing, UNICODE).choice
            return "why", choice.label, choice.detail


def _when(at: str) -> str:
    return f"{at[:16].replace('T', ' ')} UTC."
