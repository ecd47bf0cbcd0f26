"""Shards of a cluster in the process of a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from litterm.cluster.requests import ShardFacts, ShardView
from litterm.cluster.shards import Request


class LocalShards:
    """Shards in this process, one after the other."""

    def __init__(self, shards: Sequence[Any], *, dead: Callable[[int], bool] = lambda _shard: False) -> None:
        """`shards` are `shard.Shard`; those that are `dead` do not answer."""
        self._shards = shards
        self._dead = dead
        self.count = len(shards)

    def open(self, views: Mapping[int, ShardView], limit_s: float) -> dict[int, ShardFacts]:
        """Opens the view of each shard; the facts of each, by shard."""
        return {shard: self._shards[shard].open(view) for shard, view in views.items()}

    def call(self, views: Mapping[int, ShardView], requests: Mapping[int, Request], limit_s: float) -> dict[int, Any]:
        """Calls each shard; the answers, by shard."""
        return {
            shard: self._shards[shard].answer(views[shard].snapshot, method, *arguments)
            for shard, (method, arguments) in requests.items()
            if not self._dead(shard)
        }
