"""Services asked for the entries that the library does not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.model.attribution.bibliography import CheckedEntry

if TYPE_CHECKING:
    from litterm.services.registry import ServiceRegistry


@dataclass(frozen=True, slots=True)
class OnlineRecords:
    """Records of services, asked for by id or title."""

    registry: Callable[[], ServiceRegistry]

    def complete(self, checked: Sequence[CheckedEntry]) -> Task[tuple[tuple[CheckedEntry, ...], tuple[str, ...]]]:
        """`checked`, those without a record held against what services know, and what went wrong."""
        return tuple(checked), ()
        yield
