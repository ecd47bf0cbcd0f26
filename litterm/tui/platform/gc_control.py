"""Python's garbage collection, kept out of the way of keys.

A pass over everything takes 100 ms once an index and a hundred thousand papers are in memory, and Python begins one
whenever it likes, most often while a key is drawn. Here the small passes go on as ever, and the whole one waits until
the hand rests.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

REST_S = 2.0
"""After the last key before everything is looked through."""
WORTH = 20
"""Middle passes since the last whole one that make another worth its time."""
_SMALL, _MIDDLE, _NEVER = 2_000, 10, 1_000_000


@contextmanager
def unhurried() -> Iterator[None]:
    """Within, no whole pass begins by itself."""
    before = gc.get_threshold()
    gc.set_threshold(_SMALL, _MIDDLE, _NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class GcControl:
    """Looks everything through when nobody would notice."""

    def __init__(self) -> None:
        self._settled = False

    def look(self, touched_at: float) -> bool:
        """Called now and then with the time of the last key, by `monotonic`; whether everything was looked through."""
        if monotonic() - touched_at < REST_S or gc.get_count()[2] < WORTH:
            return False
        gc.collect()
        if not self._settled:
            # What the start has made stays until the end: no later pass has to look at it.
            self._settled = True
            gc.freeze()
        return True
