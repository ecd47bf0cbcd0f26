"""A job in words: how far it is, how fast it goes, how long it takes, and what is waited for."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of
from litterm.tui.messages import duration_words
from litterm.tui.state import Job
from litterm.tui.widgets.glyphs import Glyphs

MIN_TIME_LEFT_S = 5.0
"""Shorter forecasts are not shown, nor is the time that a shorter step has lasted."""


def pace_words(job: Job) -> str:
    """`25/s`, `40/min`; empty while it is not known."""
    if job.rate >= 1:
        return f"{job.rate:,.0f}/s"
    return f"{job.rate * 60:,.0f}/min" if job.rate * 60 >= 1 else ""


def count_words(job: Job) -> str:
    """`400/3,000`, `400 (13%)` if the total is a guess, or `400` if it is unknown."""
    if job.total and job.estimated:
        return f"{job.done:,} ({100 * job.done // job.total}%)"
    return f"{job.done:,}/{job.total:,}" if job.total else f"{job.done:,}" if job.done else ""


def time_left_words(job: Job) -> str:
    """`44 s left`; empty where that is not known, or soon over."""
    return f"{duration_words(job.left_s)} left" if job.left_s >= MIN_TIME_LEFT_S else ""


def step_words(job: Job) -> str:
    """What it is at now; for how long, if that is long and no count tells; empty if the job's name says it."""
    if not job.step or job.what.startswith(job.step):
        return ""
    if job.wait_s:
        return f"{job.step}, again in {duration_words(job.wait_s)}"
    for_s = monotonic() - job.since
    return f"{job.step}, {duration_words(for_s)}" if for_s >= MIN_TIME_LEFT_S and not time_left_words(job) else job.step


def progress_words(job: Job, glyphs: Glyphs) -> str:
    """Count, pace and time left, as much as is known."""
    return f" {glyphs.dot} ".join(part for part in (count_words(job), pace_words(job), time_left_words(job)) if part)


def status_words(job: Job, more: int, room: int, glyphs: Glyphs) -> str:
    """For the status line: in `room` cells as much as fits, and always the key that stops it.

    `more` is how many other jobs run.
    """
    stops = f" {glyphs.dot} ctrl+c stops"
    tail = f" +{more}{stops}" if more else stops
    fitting = next((text for text in _shortening_variants(job) if width_of(text) <= room - width_of(tail)), None)
    if fitting is None:
        # The name is cut before the count, which is what one looks for.
        free = room - width_of(tail)
        count_text = f" {count_words(job)}" if count_words(job) else ""
        count_text = count_text if width_of(count_text) <= free else ""
        fitting = clip(plain(job.what), free - width_of(count_text), glyphs.ellipsis) + count_text
    # Without room for a name the line must not begin with the dot behind it.
    return (fitting + tail).removeprefix(f" {glyphs.dot} ")


def _shortening_variants(job: Job) -> Iterator[str]:
    job_name = plain(job.what)
    for parts in (
        (count_words(job), pace_words(job), time_left_words(job)),
        (count_words(job), time_left_words(job)),
        (count_words(job),),
    ):
        for step in (plain(step_words(job)), f"waits {duration_words(job.wait_s)}" if job.wait_s else ""):
            figures = ", ".join(part for part in parts if part)
            yield f"{job_name}{': ' + step if step else ''}{' ' + figures if figures else ''}"
