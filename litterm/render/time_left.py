"""A smoothed estimate of the time left, which does not jump with every report."""

from __future__ import annotations

from dataclasses import dataclass

from litterm.model.events import Progress

MIN_ELAPSED_S = 3.0
MIN_SHARE_DONE = 0.05
"""Before a count has lasted so long, and so much of it is done, an estimate of its total says nothing."""
_SMOOTHING_S = 8.0
"""In about this time the forecast follows a change of pace."""


@dataclass(slots=True)
class TimeLeft:
    """The forecast of one count."""

    _end_s: float | None = None
    _updated_s: float = 0.0

    def update(self, progress: Progress, *, rate: float, elapsed_s: float, now_s: float) -> float | None:
        """Seconds left at `now_s`; `None` while unknown.

        `rate` is in steps a second since the count began, `elapsed_s` ago.
        """
        # A total that was passed was wrong: no forecast is better than a negative one.
        if rate <= 0 or progress.done > progress.total:
            return None
        if progress.estimated and (elapsed_s < MIN_ELAPSED_S or progress.done < MIN_SHARE_DONE * progress.total):
            return None
        end_s = now_s + (progress.total - progress.done) / rate
        if self._end_s is None:
            self._end_s = end_s
        else:
            # By the time since the last report, so that ten reports a second do not follow faster than one.
            self._end_s += (end_s - self._end_s) * min(1.0, (now_s - self._updated_s) / _SMOOTHING_S)
        self._updated_s = now_s
        return max(0.0, self._end_s - now_s)


def share_words(progress: Progress) -> str:
    """`12,345 of 108,962`, `12,345 (11%)` if the total is estimated, `12,345` if it is unknown."""
    if not progress.total:
        return f"{progress.done:,}"
    if progress.estimated:
        return f"{progress.done:,} ({100 * progress.done // progress.total}%)"
    return f"{progress.done:,} of {progress.total:,}"
