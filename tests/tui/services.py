"""Services of papers for the fake engine: nobody can be reached, and the library knows its own ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, Protocol

from litterm.core.errors import NoNetwork
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.model.services import NetworkState, Subscription


class Papers(Protocol):
    """What of an engine is needed."""

    papers: Sequence[Paper]


class NoServices:
    """Fits `Engine.services` as far as tests without a server go."""

    def __init__(self, engine: Papers) -> None:
        self._engine = engine
        self.asked: list[object] = []
        self.network = NetworkState()

    def held_papers(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        ids = [paper.id for paper in self._engine.papers]
        return tuple(tuple(one for one in ids if key in (one, one.partition(":")[2])) for key in keys)

    def subscriptions(self) -> tuple[Subscription, ...]:
        return ()

    def _nobody(self, *asked: object, **_more: object) -> Task[NoReturn]:
        self.asked.append(asked)
        yield Progress("asking")
        self.network = NetworkState("no network", "Semantic Scholar")
        raise NoNetwork("api.semanticscholar.org cannot be reached: is there a network connection?")

    sync = sync_all = fetch = bring = obtain = find = keep = fetch_list = _nobody
