"""A time as people write it."""

from __future__ import annotations

from datetime import datetime


def day_and_time(timestamp: str) -> str:
    """`22 Nov 2026, 22:14` of a time as ISO 8601, in the zone it is given in; what is no time stays as it is."""
    try:
        moment = datetime.fromisoformat(timestamp)
    # Times come from files that people may have edited.
    except ValueError:
        return timestamp
    return f"{moment.day} {moment:%b %Y, %H:%M}"
