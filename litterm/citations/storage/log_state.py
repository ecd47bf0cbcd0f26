"""The state of a reader of `lists.jsonl` at a byte offset, besides the lists themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from litterm.model.citations.graph import Direction, EdgeSource, ReferenceListHead
from litterm.model.paper import PaperId

LISTS_FILE = "lists.jsonl"
"""Name of the file."""
PACK_FILE = "graph.pack"
"""Name of the file in the same folder that holds its first lines as arrays."""
Slot: TypeAlias = tuple[PaperId, EdgeSource, Direction]
"""What a list is kept under."""


@dataclass(frozen=True, slots=True)
class LogState:
    """What the lines up to a byte offset say."""

    size: int = 0
    """Bytes read; a torn last line is not."""
    against: frozenset[str] = frozenset()
    """Segments that lists are resolved against from here on."""
    settled: frozenset[str] | None = None
    """Segments with which every list was up to date, when that was last said."""
    live: int = 0
    """Bytes of the lines that still count."""


def reading_order(heads: Iterable[ReferenceListHead]) -> tuple[ReferenceListHead, ...]:
    """The heads in the order in which their lists are read."""
    # Texts first: what they say counts before a service's list. The rest of the key keeps the order after a kill.
    return tuple(sorted(heads, key=lambda head: (head.source != "text", head.paper, head.key)))
