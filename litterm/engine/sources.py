"""Everything that asks services of papers, for shells: one object, `engine.sources`."""

from __future__ import annotations

from collections.abc import Callable

from litterm.engine.sync import Stock, sync
from litterm.errors import UsageError
from litterm.model.events import Notice
from litterm.model.sources import Scope, Subscription, Synced
from litterm.protocols.sourcing import Services
from litterm.tasks import Task

_WHOLE = ("acl", "iclr")
"""Catalogues small enough to be had whole."""


class Sources:
    """The verbs of the network; nothing is connected to before one is used."""

    def __init__(self, services: Callable[[], Services], stock: Callable[[], Stock]) -> None:
        self._services = services
        self._stock = stock

    def catalogues(self) -> tuple[str, ...]:
        """What can be synchronised, by name."""
        return tuple(self._services().catalogues)

    def subscriptions(self) -> tuple[Subscription, ...]:
        """What is synchronised, and how far each has come."""
        return self._stock().subscriptions.all()

    def unsubscribe(self, subscription: Subscription) -> bool:
        """Synchronises it no more; its papers stay. Whether there was such a subscription."""
        return self._stock().subscriptions.forget(subscription.source, subscription.scope)

    def sync(self, name: str, scope: Scope) -> Task[Synced]:
        """Everything of `scope` that is not in the library yet, and from now on part of `sync_all`.

        Raises:
            UsageError: there is no such catalogue, or it needs a query.
            Offline: the network is switched off.
        """
        catalogues = self._services().catalogues
        if name not in catalogues:
            raise UsageError(f"There is no source “{name}”; there are {', '.join(catalogues)}.")
        if not scope.query and name not in _WHOLE:
            raise UsageError(f"Say what to look for: litterm sync {name} QUERY.")
        return (yield from sync(self._stock(), catalogues[name], scope))

    def sync_all(self) -> Task[tuple[Synced, ...]]:
        """Every subscription once more; trouble of one leaves the others going.

        Raises:
            Offline: the network is switched off.
        """
        done: list[Synced] = []
        for each in self.subscriptions():
            yield Notice(f"{each.source} {each.scope.query}".strip())
            done.append((yield from self.sync(each.source, each.scope)))
        return tuple(done)
