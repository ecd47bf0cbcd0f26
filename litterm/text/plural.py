"""Formats a number with its noun in the singular or plural."""

from __future__ import annotations


def count_phrase(number: int, one: str, many: str = "") -> str:
    """`1 paper`, `2,000 papers`; `many` where an s is not enough."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
