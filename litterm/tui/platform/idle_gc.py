"""Full garbage collections while no key comes, as they would delay one.

A full collection takes 100 ms once an index and a hundred thousand papers are in memory, and Python begins one at any
allocation, most often while a key is drawn. Here the young generations are collected as ever, and the full collection
waits until no key has come for a while.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

IDLE_BEFORE_GC_S = 2.0
"""Seconds after the last key before a full collection."""
MIN_MIDDLE_COLLECTIONS = 20
"""Collections of the middle generation before another full one is worth its time."""
_YOUNG_THRESHOLD, _MIDDLE_THRESHOLD, _OLD_THRESHOLD = 2_000, 10, 1_000_000


@contextmanager
def rare_full_collections() -> Iterator[None]:
    """While the block runs, Python begins no full collection by itself."""
    before = gc.get_threshold()
    gc.set_threshold(_YOUNG_THRESHOLD, _MIDDLE_THRESHOLD, _OLD_THRESHOLD)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        # For whoever runs the app within a longer process, such as the tests.
        gc.unfreeze()


class GcControl:
    """Runs full collections while no key comes."""

    def __init__(self) -> None:
        self._has_frozen = False

    def collect_if_idle(self, touched_at: float) -> bool:
        """Run a full collection if it is worthwhile and the last key, at `touched_at`, is long ago."""
        # The count of the oldest generation tells how often the middle one was collected since.
        if monotonic() - touched_at < IDLE_BEFORE_GC_S or gc.get_count()[2] < MIN_MIDDLE_COLLECTIONS:
            return False
        gc.collect()
        if not self._has_frozen:
            # Modules and the index live until the end: frozen, they cost no later collection anything.
            self._has_frozen = True
            gc.freeze()
        return True
