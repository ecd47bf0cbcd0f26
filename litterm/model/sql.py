"""The answer to a statement in SQL."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SqlResult:
    """Columns and rows, in the order in which the database gave them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    """Values as Python has them: text, numbers, times, `None`, lists, and mappings for structures."""
    has_more: bool = False
    """Whether rows were left out after the limit."""
