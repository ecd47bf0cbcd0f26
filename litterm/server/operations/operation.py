"""An operation of the server: its request, its answer, and the role that may use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.server.users.user_file import Role

MAX_RESULTS, MAX_SENTENCES, MAX_EXCERPTS, MAX_IDS, MAX_ASPECTS = 1000, 1000, 100, 2000, 50
"""The largest numbers that one request may ask for."""
Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class OperationAnswer:
    """The answer of an operation, as a data class for litterm as the client, and as JSON for others."""

    value: object
    body: Callable[[], Body]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the server."""

    name: str
    request: type[Any]
    answer: type[Any]
    run: Callable[[Engine, Any], Task[OperationAnswer]]
    meaning: str
    role: Role = "read"
    tool: bool = False
    """Whether programs that call tools are offered it."""


def require_at_most(most: int, what: str, number: int) -> int:
    """`number`, where it is not above `most`.

    Raises:
        UsageError: it is; the error names `what`.
    """
    if not 0 <= number <= most:
        raise UsageError(f"{what} is {number:,}, but the server takes at most {most:,} at once.")
    return number
