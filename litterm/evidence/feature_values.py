"""Feature dataclasses as vectors: the names of their fields, and a function that reads them in that order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    F = TypeVar("F", bound=DataclassInstance)


def feature_vector(features: type[F]) -> tuple[tuple[str, ...], Callable[[F], tuple[float, ...]]]:
    """Names and reader of `features`, a dataclass of at least two numbers; fitted weights are in the same order."""
    names = tuple(field.name for field in fields(features))
    # One call for all fields: as a loop of `getattr` it takes a good part of describing a sentence.
    read_values: Any = attrgetter(*names)
    return names, read_values
