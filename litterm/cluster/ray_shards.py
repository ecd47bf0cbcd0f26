"""Shards as actors of a Ray cluster: started where there is room, started again where their node is lost."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from litterm.cluster.connection import node_error
from litterm.cluster.shard import Shard, SnapshotNotHeld

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.cluster.connection import RayCluster
    from litterm.cluster.requests import ShardFacts, ShardView
    from litterm.cluster.shards import Request

_PAUSE_S = 0.2
"""Before an actor that is gone is asked for again."""


class RayShards:
    """Fits `shards.ShardCalls`: each shard is an actor, spread over the nodes."""

    def __init__(self, cluster: RayCluster, cache: Path, source: str, *, count: int = 0) -> None:
        """`source` is the URL of all segments; nodes keep theirs in `cache`. A shard for each core unless told."""
        self._cluster = cluster
        self._cache = cache
        self._source = source
        self._count = count
        self._actors: dict[int, Any] = {}

    @property
    def count(self) -> int:
        """How many shards there are at most."""
        return self._count or self._cluster.cpus()

    def open(self, views: Mapping[int, ShardView], limit_s: float) -> dict[int, ShardFacts]:
        """What each says when it has opened its view."""
        return self._gather(
            views, {}, {shard: self.actor(shard).open.remote(view) for shard, view in views.items()}, limit_s
        )

    def call(self, views: Mapping[int, ShardView], requests: Mapping[int, Request], limit_s: float) -> dict[int, Any]:
        """What each answers in time."""
        # What many shards are sent is put away once.
        pending = {shard: self._send(shard, views[shard], request) for shard, request in requests.items()}
        return self._gather(views, requests, pending, limit_s)

    def actor(self, shard: int) -> Any:
        """The actor of one shard; started when it is first asked for, and again wherever it is lost."""
        if shard not in self._actors:
            # No core is set aside for it: it works only while it is asked.
            options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": "SPREAD"}
            self._actors[shard] = self._cluster.ray().remote(Shard).options(**options).remote(self._cache, self._source)
        return self._actors[shard]

    def _send(self, shard: int, view: ShardView, request: Request) -> Any:
        method, arguments = request
        return self.actor(shard).answer.remote(view.snapshot, method, *arguments)

    def _reopen(self, shard: int, view: ShardView, requests: Mapping[int, Request]) -> Any:
        """The view opened by an actor that is a new one, and what was asked of the old one."""
        opened = self.actor(shard).open.remote(view)
        # An actor does one thing after the other.
        return self._send(shard, view, requests[shard]) if shard in requests else opened

    def _gather(
        self,
        views: Mapping[int, ShardView],
        requests: Mapping[int, Request],
        pending: dict[int, Any],
        limit_s: float,
    ) -> dict[int, Any]:
        """The answers that come within `limit_s`."""
        ray, end = self._cluster.ray(), time.monotonic() + limit_s
        answers: dict[int, Any] = {}
        while pending and (remaining_s := end - time.monotonic()) > 0:
            ready = set(
                ray.wait(list(pending.values()), num_returns=1 if answers else len(pending), timeout=remaining_s)[0]
            )
            for shard, ref in [(shard, ref) for shard, ref in pending.items() if ref in ready]:
                del pending[shard]
                try:
                    answers[shard] = ray.get(ref)
                except SnapshotNotHeld:
                    pending[shard] = self._reopen(shard, views[shard], requests)
                except ray.exceptions.RayTaskError as error:
                    raise node_error(error) from error
                except ray.exceptions.RayError:
                    # Its process or node is gone, and with them what it had opened.
                    self._actors.pop(shard, None)
                    time.sleep(_PAUSE_S)
                    pending[shard] = self._reopen(shard, views[shard], requests)
        return answers
