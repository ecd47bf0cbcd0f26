"""Parses a query typed on the command line, with the place of a mistake in the error."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from typing import TYPE_CHECKING

from litterm.core.errors import QueryError, UsageError

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.search import Query


_FILTER_BEFORE = re.compile(r"(?<!\w)(-?)(\w+):\W*$")


def parse_typed(text: str, engine: Engine, *, option_values: Collection[str] = ()) -> Query:
    """The query that `text` means; `option_values` were given as options and appended to it as filters.

    Raises:
        UsageError: it cannot be parsed; the message has the column, or the option, and quotes the words there.
    """
    try:
        return engine.parse(text)
    except QueryError as error:
        message = str(error).rstrip(".")
        words = text[error.start : error.end].strip()
        filter_name = _FILTER_BEFORE.search(text[: error.start])
        if filter_name and words.strip('"') in option_values:
            # Nobody typed the columns of an option.
            raise UsageError(f"--{'un' * bool(filter_name[1])}{filter_name[2]}: {message}") from error
        quoted_words = f" (at {shlex.quote(words)})" if words else ""
        raise UsageError(f"column {error.start + 1}: {message}{quoted_words}") from error
