"""A collection that is kept in step, in words."""

from __future__ import annotations

from litterm.model.services import Subscription
from litterm.text.plural import counted


def title(subscription: Subscription) -> str:
    """`arxiv cat:cs.CL 2020..`."""
    scope = subscription.scope
    years = (f"{scope.years.first or ''}..{scope.years.last or ''}",) if scope.years.first or scope.years.last else ()
    return " ".join((subscription.source, *((scope.query,) if scope.query else ()), *years, *scope.venues))


def state_words(subscription: Subscription) -> str:
    """`7 papers, complete, 2026-11-22T01:10:00Z`, or how far it has come."""
    when = subscription.synced_at or "nothing stored yet"
    return f"{counted(subscription.papers, 'paper')}, {'complete' if subscription.complete else 'under way'}, {when}"
