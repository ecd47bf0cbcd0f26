"""Forecasts of how long a count still takes."""

from __future__ import annotations

from itertools import pairwise

from litterm.model.events import Progress
from litterm.render.time_left import TimeLeft, share_words


def forecasts(reports: list[tuple[float, int, int]], *, estimated: bool) -> list[float | None]:
    """What is told after each report of time, done and total."""
    forecast = TimeLeft()
    return [
        forecast.update(
            Progress("importing papers", done, total, estimated=estimated), rate=done / at_s, elapsed_s=at_s, now_s=at_s
        )
        for at_s, done, total in reports
    ]


def test_a_steady_count_is_told_to_the_second() -> None:
    told = forecasts([(second, 10 * second, 1000) for second in range(1, 100)], estimated=False)
    assert [round(left) for left in told if left is not None] == list(range(99, 0, -1))


def test_a_guessed_total_that_jumps_does_not_make_the_forecast_jump() -> None:
    # What an import of small files and one large archive reported.
    totals = [400_000 if second < 10 else 1_400 if second % 2 else 900 for second in range(1, 60)]
    told = forecasts([(second, 12 * second, total) for second, total in enumerate(totals, 1)], estimated=True)
    known = [left for left in told if left is not None]
    assert known, "it is told as soon as the guess is worth something"
    assert max(known) < 200
    changes = [abs(after - before) for before, after in pairwise(known)]
    raw = [total / 12 - second for second, total in enumerate(totals, 1) if second >= 10]
    jumps = [abs(after - before) for before, after in pairwise(raw)]
    assert max(changes) < max(jumps) / 4


def test_a_guessed_total_is_told_as_a_share() -> None:
    assert share_words(Progress("x", 682, 6820, estimated=True)) == "682 (10%)"
    assert share_words(Progress("x", 682, 6820)) == "682 of 6,820"
    assert share_words(Progress("x", 682)) == "682"
