"""Keeps Python's cyclic garbage collector off while many objects are made at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """The collector is off within; for what makes many objects and no cycles: a tree of XML, a long journal."""
    was_on = gc.isenabled()
    # Every 700 new objects start a pass (Python 3.11), and none of these could be freed by it.
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
