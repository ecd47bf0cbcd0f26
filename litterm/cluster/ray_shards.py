"""Shards as actors of a Ray cluster: started where there is room, started again where their node is lost."""

from __future__ import annotations

import logging
import pickle
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from litterm.cluster.connection import error_from_node
from litterm.cluster.shard.shard import Shard, SnapshotNotHeld

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.cluster.connection import RayCluster
    from litterm.cluster.requests import ShardFacts, ShardView
    from litterm.cluster.shards import Request

_log = logging.getLogger(__name__)
_RESTART_PAUSE_S = 0.2
"""Before the actor of a lost process is called again."""
_NODE_CHECK_S = 5.0
"""Between two checks for new nodes."""
_PLACEMENT_TIMEOUT_S = 2.0
"""For all actors to say on which node they are; the next look asks again."""
_MOVE_ATTEMPTS = 5
"""For shards to a node: Ray starts an actor elsewhere while the node is too new to take one."""
_LARGE_ANSWERS = frozenset((Shard.pool.__name__, Shard.citation_candidates.__name__))
"""Methods whose answers are candidates with their vectors."""
_ANSWER_PARTS = 12
"""A large answer travels in so many objects. Ray sends those below 100 kB with its reply, and fetches larger ones from
a store: 600 kB, the candidates of a query, take 2 ms in parts, and 4 to 9 ms in one."""


class ShardActor(Shard):
    """A shard as an actor of Ray."""

    def answer_pickled(self, snapshot: str, request: bytes, parts: int) -> bytes | tuple[bytes, ...]:
        """The pickled answer to a pickled request, cut into `parts` where these are several; the last may be empty.

        Raises:
            SnapshotNotHeld: the shard holds another snapshot, or none yet.
        """
        method, arguments = pickle.loads(request)
        answer = pickle.dumps(self.answer(snapshot, method, *arguments), pickle.HIGHEST_PROTOCOL)
        if parts == 1:
            return answer
        size = -(-len(answer) // parts)
        return tuple(answer[part * size : (part + 1) * size] for part in range(parts))


@dataclass(frozen=True, slots=True)
class _PickledRequest:
    """A request as it is sent to a shard."""

    content: bytes
    answer_parts: int
    """Objects in which the answer travels."""

    @classmethod
    def of(cls, request: Request) -> _PickledRequest:
        """`request`, pickled."""
        method, arguments = request
        several = cast("Sequence[Request]", arguments[0]) if method == Shard.several.__name__ else [request]
        methods = {asked for asked, _ in several}
        content = pickle.dumps(request, pickle.HIGHEST_PROTOCOL)
        return cls(content, _ANSWER_PARTS if methods & _LARGE_ANSWERS else 1)


@dataclass(frozen=True, slots=True)
class _Move:
    """A shard on its way to another node."""

    actor: Any
    """Takes the place of the shard's actor."""
    node: str
    opened: Any
    """Its answer to being opened."""


class RayShards:
    """Shards as actors, one each, spread over the nodes."""

    def __init__(self, cluster: RayCluster, cache: Path, source: str, *, count: int = 0) -> None:
        """`source` is the URL of all segments; nodes keep theirs in `cache`. One shard for each core by default."""
        self._cluster = cluster
        self._cache = cache
        self._source = source
        self._count = count
        self._actors: dict[int, Any] = {}
        self._moves: dict[int, _Move] = {}
        """By shard."""
        self._move_attempts: Counter[str] = Counter()
        """By node, how often a shard has been moved there and has not arrived."""
        self._nodes: frozenset[str] = frozenset()
        """At the last check; one that is absent counts as new at the next."""
        self._nodes_checked_at = float("-inf")

    @property
    def count(self) -> int:
        """How many shards there are at most."""
        return self._count or self._cluster.count_cpus()

    def open(self, views: Mapping[int, ShardView], limit_s: float) -> dict[int, ShardFacts]:
        """What each says when it has opened its view."""
        for shard in tuple(self._moves):
            move = self._moves.pop(shard)
            self._cluster.ray().kill(move.actor)
            self._nodes -= {move.node}
        return self._gather(
            views, {}, {shard: [self.actor(shard).open.remote(view)] for shard, view in views.items()}, limit_s
        )

    def call(self, views: Mapping[int, ShardView], requests: Mapping[int, Request], limit_s: float) -> dict[int, Any]:
        """Calls each shard; the answers that come within `limit_s`."""
        self._use_new_nodes(views)
        distinct = {id(request): request for request in requests.values()}
        # Once for all shards: Ray would do it for each, and more slowly.
        pickled = {key: _PickledRequest.of(request) for key, request in distinct.items()}
        pickled_requests = {shard: pickled[id(request)] for shard, request in requests.items()}
        pending = {shard: self._send(shard, views[shard], request) for shard, request in pickled_requests.items()}
        return self._gather(views, pickled_requests, pending, limit_s)

    def actor(self, shard: int) -> Any:
        """The actor of one shard; started when it is first asked for, and again wherever it is lost."""
        if shard not in self._actors:
            # No core is set aside for it: it works only while it is asked.
            self._actors[shard] = self._start_actor("SPREAD")
        return self._actors[shard]

    def nodes_of_shards(self) -> dict[int, str]:
        """The node of each actor; without those that are being started.

        Raises:
            RayError: one of them is lost.
        """
        ray = self._cluster.ray()
        shard_by_ref = {actor.node_id.remote(): shard for shard, actor in self._actors.items()}
        ready = (
            ray.wait(list(shard_by_ref), num_returns=len(shard_by_ref), timeout=_PLACEMENT_TIMEOUT_S)[0]
            if shard_by_ref
            else []
        )
        return {shard_by_ref[ref]: str(ray.get(ref)) for ref in ready}

    def _start_actor(self, strategy: object) -> Any:
        options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": strategy}
        return self._cluster.ray().remote(ShardActor).options(**options).remote(self._cache, self._source)

    def _use_new_nodes(self, views: Mapping[int, ShardView]) -> None:
        """Moves shards from crowded nodes to nodes that have joined; each answers where it is until it has moved."""
        ray = self._cluster.ray()
        for shard, move in tuple(self._moves.items()):
            if ray.wait([move.opened], timeout=0)[0]:
                del self._moves[shard]
                self._finish_move(shard, move)
        # A shard on its way would be sent a second time.
        if self._moves or time.monotonic() - self._nodes_checked_at < _NODE_CHECK_S:
            return
        self._nodes_checked_at = time.monotonic()
        known = self._nodes
        self._nodes = frozenset(
            node["NodeID"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")
        )
        if known and self._nodes - known:
            try:
                placement = self.nodes_of_shards()
            except ray.exceptions.RayError:
                placement = {}
            if len(placement) < len(self._actors):
                # An actor is lost or too busy to say where it is: the next look takes these nodes for new again.
                self._nodes = known
                return
            for shard, node in moves_to_free_nodes(placement, self._nodes).items():
                self._move(shard, node, views[shard])

    def _move(self, shard: int, node: str, view: ShardView) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # Should the node go again meanwhile, the actor is started elsewhere.
        actor = self._start_actor(NodeAffinitySchedulingStrategy(node, soft=True))
        self._moves[shard] = _Move(actor, node, actor.open.remote(view))

    def _finish_move(self, shard: int, move: _Move) -> None:
        """Lets the opened actor take the place of the shard's; a node that it has not reached is tried again."""
        ray = self._cluster.ray()
        try:
            ray.get(move.opened)
            arrived = str(ray.get(move.actor.node_id.remote())) == move.node
        except ray.exceptions.RayError:
            _log.exception("shard %d could not be moved", shard)
            arrived = False
        if arrived:
            ray.kill(self._actors[shard])
            self._actors[shard] = move.actor
        else:
            # The shard stays where it is.
            ray.kill(move.actor)
            self._move_attempts[move.node] += 1
            if self._move_attempts[move.node] < _MOVE_ATTEMPTS:
                self._nodes -= {move.node}

    def _send(self, shard: int, view: ShardView, request: _PickledRequest) -> list[Any]:
        """The parts of the answer, once they are there."""
        answer_pickled = self.actor(shard).answer_pickled.options(num_returns=request.answer_parts)
        refs = answer_pickled.remote(view.snapshot, request.content, request.answer_parts)
        return refs if request.answer_parts > 1 else [refs]

    def _reopen(self, shard: int, view: ShardView, requests: Mapping[int, _PickledRequest]) -> list[Any]:
        """The view opened by an actor that is a new one, and what was asked of the old one."""
        opened = self.actor(shard).open.remote(view)
        # An actor does one thing after the other.
        return self._send(shard, view, requests[shard]) if shard in requests else [opened]

    def _gather(
        self,
        views: Mapping[int, ShardView],
        requests: Mapping[int, _PickledRequest],
        pending: dict[int, list[Any]],
        limit_s: float,
    ) -> dict[int, Any]:
        """The answers that come within `limit_s`; of each, `pending` has the parts, or the one object that it is."""
        ray, end = self._cluster.ray(), time.monotonic() + limit_s
        answers: dict[int, Any] = {}
        while pending and (remaining_s := end - time.monotonic()) > 0:
            # All parts of an answer come at once.
            first_parts = {refs[0]: shard for shard, refs in pending.items()}
            for ref in ray.wait(list(first_parts), num_returns=1 if answers else len(pending), timeout=remaining_s)[0]:
                shard = first_parts[ref]
                refs = pending.pop(shard)
                try:
                    values = ray.get(refs)
                    answers[shard] = pickle.loads(b"".join(values)) if isinstance(values[0], bytes) else values[0]
                except SnapshotNotHeld:
                    pending[shard] = self._reopen(shard, views[shard], requests)
                except ray.exceptions.RayTaskError as error:
                    raise error_from_node(error) from error
                except ray.exceptions.RayError:
                    # Its process or node is gone, and with them what it had opened.
                    self._actors.pop(shard, None)
                    time.sleep(_RESTART_PAUSE_S)
                    pending[shard] = self._reopen(shard, views[shard], requests)
        return answers


def moves_to_free_nodes(placement: Mapping[int, str], nodes: Collection[str]) -> dict[int, str]:
    """By shard, the node it moves to, so that no node has two shards more than another.

    `placement` says on which node each shard is now.
    """
    loads = Counter(dict.fromkeys(nodes, 0))
    loads.update(node for node in placement.values() if node in loads)
    moves: dict[int, str] = {}
    for shard, node in sorted(placement.items()):
        target = min(loads, key=lambda name: (loads[name], name), default=node)
        if node in loads and loads[node] - loads[target] >= 2:
            moves[shard] = target
            loads[node] -= 1
            loads[target] += 1
    return moves
