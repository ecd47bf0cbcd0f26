"""Parses a query typed on the command line, with the place of a mistake in the error."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from litterm.core.errors import QueryError, UsageError

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.search import Query


def parse_typed(typed: str, engine: Engine) -> Query:
    """The query that `typed` means.

    Raises:
        UsageError: it cannot be parsed; the message has the column and quotes the words there.
    """
    try:
        return engine.parse(typed)
    except QueryError as error:
        message = str(error).rstrip(".")
        words = typed[error.start : error.end].strip()
        quoted_words = f" (at {shlex.quote(words)})" if words else ""
        raise UsageError(f"column {error.start + 1}: {message}{quoted_words}") from error
