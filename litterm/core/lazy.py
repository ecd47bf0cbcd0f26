"""Attributes computed on first use and once only, whatever thread asks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar, overload

S = TypeVar("S")
T = TypeVar("T")


class once(Generic[S, T]):  # noqa: N801 - used like a decorator
    """`functools.cached_property` that two threads cannot both compute: Python 3.12 took the lock out of it."""

    # One lock for all parts, and a reentrant one: making a part asks for others, and locks by part could wait for each
    # other.
    _lock = threading.RLock()

    def __init__(self, make: Callable[[S], T]) -> None:
        self._make = make
        self._name = make.__name__

    @overload
    def __get__(self, parts: None, _owner: type[S]) -> once[S, T]: ...

    @overload
    def __get__(self, parts: S, _owner: type[S]) -> T: ...

    def __get__(self, parts: S | None, _owner: type[S]) -> once[S, T] | T:
        if parts is None:
            return self
        with self._lock:
            value: T = parts.__dict__[self._name] if self._name in parts.__dict__ else self._make(parts)
            parts.__dict__[self._name] = value
        return value
