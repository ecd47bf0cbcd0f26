"""Short texts about results, the library, progress and time, for several panes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from litterm.model.events import Progress
from litterm.model.library import Failure, LibraryStatus
from litterm.model.search import Query, Ranking
from litterm.text.escape import plain
from litterm.tui.widgets.glyphs import Glyphs

_MINUTE_S, _DAY_S = 60, 86_400
_MIN_BYTES_SHOWN = 100_000
"""Bytes of a download whose size is shown; fewer would read 0.0 MB."""
SPELLING_OFFER = "Did you mean: "
"""Precedes a corrected spelling, which `ctrl+t` or a click accepts."""
FIRST_START_HINTS = (
    "This is the starter library: type to search it, enter opens a paper.",
    "New here? Press ctrl+p and type tour: five steps, in a project of their own.",
    "`:add PATH` imports PDF, BibTeX, RIS, CSV, Zotero, XML and JSON Lines.",
)


def no_results_lines(ranking: Ranking, glyphs: Glyphs) -> tuple[str, ...]:
    """Lines on why there is no result: a filter, a typo, or an empty library."""
    text = plain(ranking.query.text.strip())
    # From the cause that is surest to the vaguest: one sentence has to do.
    if ranking.hidden:
        chips = " ".join(plain(chip.label) for chip in ranking.query.chips)
        return (f"{ranking.hidden:,} hidden by {chips} {glyphs.dot} esc, u shows them",)
    if ranking.suggestion:
        return (f"Nothing for “{text}”.", spelling_offer(ranking, glyphs))
    if ranking.searched == 0:
        return ("The library is empty.", "`:add PATH` imports files, folders and archives.")
    if ranking.query.chips and not (ranking.query.words or ranking.query.phrases):
        return (f"None of {ranking.searched:,} papers matches {text}.", "1, esc, x removes a filter.")
    return (f"Nothing for “{text}” in {ranking.searched:,} papers.", "Try fewer or other words.")


def spelling_offer(ranking: Ranking, glyphs: Glyphs) -> str:
    """The query in its likely spelling, and the key that accepts it."""
    return f"{SPELLING_OFFER}{plain(ranking.suggestion)} {glyphs.dot} ctrl+t uses it"


def query_words(query: Query | None) -> tuple[str, ...]:
    """The words of a query, including the one that is still being typed."""
    return tuple(filter(None, (*query.words, query.unfinished))) if query else ()


def library_words(status: LibraryStatus) -> tuple[str, ...]:
    """`acl 109k`, `iclr 28k`, `mine 37`."""
    counts = tuple(f"{plain(scheme)} {short_count(count)}" for scheme, count in status.by_source[:4] if count)
    return counts or ("starter library" if not status.papers else short_count(status.papers),)


def short_count(count: int) -> str:
    """`412`, `28k`, `1.2M`."""
    if count < 1000:
        return str(count)
    # Not a million: from 999,500 on the thousands would be rounded to `1000k`.
    return f"{count / 1000:.0f}k" if count < 999_500 else f"{count / 1_000_000:.1f}M"


def download_words(progress: Progress) -> str:
    """Progress of a download, `from NCBI, 3.2/24.1 MB`; without a size where it would read 0.0."""
    if max(progress.done, progress.total) < _MIN_BYTES_SHOWN:
        return progress.what
    total = f"/{progress.total / 2**20:,.1f}" if progress.total else ""
    return f"{progress.what}, {progress.done / 2**20:,.1f}{total} MB"


def ago(timestamp: str, now: datetime) -> str:
    """`5 min ago`, `3 h ago`, else the day, of a time in UTC as ISO 8601; empty for none."""
    try:
        passed_s = (now - datetime.fromisoformat(timestamp)).total_seconds()
    # Times come from records, too, which may hold anything: the day is then as good as it gets.
    except ValueError:
        return timestamp[:10]
    # A clock that was set back makes times of the future.
    if not 0 <= passed_s < _DAY_S:
        return timestamp[:10]
    return "just now" if passed_s < _MINUTE_S else f"{duration_words(passed_s)} ago"


def duration_words(seconds: float) -> str:
    """`40 s`, `3 min`, `2 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.0f} h"


def failure_counts(failures: Sequence[Failure]) -> tuple[tuple[int, str], ...]:
    """How many records of an import failed and how many were read in part, each with its words; `!` lists both."""
    in_part = sum(failure.missing == "fields" for failure in failures)
    return (len(failures) - in_part, "failed, ! lists them"), (in_part, "read in part")
