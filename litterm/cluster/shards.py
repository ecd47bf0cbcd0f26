"""The shards of a library, seen from the driver: opened for a snapshot, queried together, left out when late."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from litterm.cluster.requests import ShardView
from litterm.core.errors import ClusterError

if TYPE_CHECKING:
    from litterm.cluster.ray_shards import RayShards
    from litterm.cluster.requests import ShardFacts
    from litterm.model.library import Segment, Snapshot
    from litterm.search.open_index import Rows


QUERY_TIMEOUT_S = 10.0
"""A query is answered without the shards that have not replied by then."""
OPEN_TIMEOUT_S = 600.0
"""For fetching segments to nodes that do not have them yet."""

Request = tuple[str, tuple[object, ...]]
"""A method of `shard.Shard` and its arguments."""
RowQuestion = tuple[str, "Rows", tuple[object, ...]]
"""A method of `shard.Shard` that takes rows first, the rows (ascending), and its other arguments."""
Call = Callable[["Mapping[int, ShardView]", "Mapping[int, Request]", float], "dict[int, Any]"]
"""`RayShards.call`."""


class ShardsLate(Exception):
    """Some shards have not answered in time."""


@dataclass(frozen=True, slots=True)
class OpenShards:
    """One snapshot, spread over shards."""

    snapshot: Snapshot
    views: tuple[ShardView, ...]
    facts: tuple[ShardFacts, ...]


class Shards:
    """All shards of one library; one query after the other, from any thread."""

    def __init__(self, calls: RayShards, *, limit_s: float = QUERY_TIMEOUT_S) -> None:
        self._calls = calls
        self._limit_s = limit_s
        self._opened: OpenShards | None = None
        self.rounds = 0
        """Requests to all shards together so far, without those that open a snapshot."""

    def query(self, snapshot: Snapshot) -> ShardQuery:
        """Starts a query on `snapshot`; the shards open it first if it is new to them.

        Raises:
            ClusterError: none of them can be had.
        """
        if self._opened is None or self._opened.snapshot != snapshot:
            self._opened = self._open(snapshot)
        return ShardQuery(self._count_round, self._opened, self._limit_s)

    def _count_round(
        self, views: Mapping[int, ShardView], requests: Mapping[int, Request], limit_s: float
    ) -> dict[int, Any]:
        self.rounds += 1
        return self._calls.call(views, requests, limit_s)

    def _open(self, snapshot: Snapshot) -> OpenShards:
        views = dict(enumerate(place_segments(snapshot, self._calls.count)))
        facts = self._require_all(self._calls.open(views, OPEN_TIMEOUT_S), views)
        unplaced = {key: papers for fact in facts.values() for key, papers in fact.unplaced.items()}
        if unplaced:
            # A paper may have been imported again since its full text came.
            requests = dict.fromkeys(views, ("adopters", (unplaced,)))
            adopters = self._require_all(self._calls.call(views, requests, OPEN_TIMEOUT_S), views)
            changed = {shard: add_adopted_texts(views[shard], keys, snapshot) for shard, keys in adopters.items()}
            changed = {shard: view for shard, view in changed.items() if view.adopted}
            views |= changed
            facts |= self._require_all(self._calls.open(changed, OPEN_TIMEOUT_S), changed)
        return OpenShards(snapshot, tuple(views.values()), tuple(facts[shard] for shard in views))

    def _require_all(self, answers: dict[int, Any], views: Mapping[int, ShardView]) -> dict[int, Any]:
        if missing := views.keys() - answers.keys():
            raise ClusterError(
                f"{len(missing)} of {self._calls.count} shards of the library could not be opened within"
                f" {OPEN_TIMEOUT_S:.0f} s; `ray status` shows which nodes are there."
            )
        return answers


class ShardQuery:
    """One query: the answers it already has, and the shards it continues without."""

    def __init__(self, call: Call, opened: OpenShards, limit_s: float) -> None:
        self._call_shards = call
        self.opened = opened
        self._late_at = time.monotonic() + limit_s
        self._limit_s = limit_s
        self.late: frozenset[int] = frozenset()
        self._views = dict(enumerate(opened.views))
        self._answers: dict[str, list[tuple[tuple[object, ...], list[Any]]]] = {}
        """By method: arguments that were asked ahead, and what each shard answered."""

    def ask_ahead(self, requests: Iterable[Request]) -> None:
        """Sends all `requests` in one round; `ask` then has their answers without another.

        Raises:
            ShardsLate, ClusterError: as `ask`.
        """
        new = [request for request in requests if self._known_answer(request) is None]
        if not new:
            return
        for (method, arguments), answers in zip(new, self.ask_together(*new), strict=True):
            self._answers.setdefault(method, []).append((arguments, list(answers.values())))

    def ask_together(self, *requests: Request) -> list[dict[int, Any]]:
        """Sends all `requests` in one round; for each, the answer of every shard."""
        by_shard = self._call(dict.fromkeys(self._views, ("several", (requests,))))
        return [{shard: answers[index] for shard, answers in by_shard.items()} for index in range(len(requests))]

    def ask(self, method: str, *arguments: object) -> list[Any]:
        """What each shard answers, in their order.

        Raises:
            ShardsLate: not all did in time; asked again, the query continues without them.
            ClusterError: none did.
        """
        known = self._known_answer((method, arguments))
        return (
            known if known is not None else list(self._call(dict.fromkeys(self._views, (method, arguments))).values())
        )

    def ask_about_rows(self, *questions: RowQuestion) -> list[dict[int, Any]]:
        """Asks several things about rows in one round; for each, the answers of the shards that have such rows."""
        requests: dict[int, list[tuple[int, Request]]] = {}
        for index, (method, rows, arguments) in enumerate(questions):
            for shard, view in self._views.items():
                own_rows = rows[_rows_in_view(view, rows)]
                if len(own_rows):
                    requests.setdefault(shard, []).append((index, (method, (own_rows, *arguments))))
        answers: list[dict[int, Any]] = [{} for _ in questions]
        if not requests:
            return answers
        sent = {
            shard: ("several", (tuple(request for _, request in shard_requests),))
            for shard, shard_requests in requests.items()
        }
        for shard, shard_answers in self._call(sent).items():
            for (index, _), answer in zip(requests[shard], shard_answers, strict=True):
                answers[index][shard] = answer
        return answers

    def gather_values(self, method: str, rows: Rows, dtype: np.dtype[Any], *arguments: object) -> np.ndarray[Any, Any]:
        """One number for each of `rows` (ascending), by a method that takes rows first."""
        return self.spread_values(self.ask_about_rows((method, rows, arguments))[0], rows, dtype)

    def spread_values(self, answers: Mapping[int, Any], rows: Rows, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """One number for each of `rows` (ascending), from the answers of the shards that have them."""
        values = np.zeros(len(rows), dtype)
        for shard, answer in answers.items():
            values[_rows_in_view(self._views[shard], rows)] = answer
        return values

    def facts(self) -> list[ShardFacts]:
        """The facts that shards reported when they were opened, of those that answer."""
        return [facts for shard, facts in enumerate(self.opened.facts) if shard in self._views]

    def missing_notice(self) -> str:
        """One sentence on the papers that were not asked about; empty where all were."""
        if not self.late:
            return ""
        papers = [view.papers for view in self.opened.views]
        lost = sum(papers[shard] for shard in self.late)
        return (
            f"Without {lost:,} of {sum(papers):,} papers ({lost / max(1, sum(papers)):.0%}): {len(self.late)} of"
            f" {len(papers)} shards did not answer within {self._limit_s:g} s."
        )

    def _known_answer(self, request: Request) -> list[Any] | None:
        method, arguments = request
        return next((answers for asked, answers in self._answers.get(method, ()) if asked == arguments), None)

    def _call(self, requests: Mapping[int, Request]) -> dict[int, Any]:
        if not self._views:
            raise ClusterError(
                f"No shard answered within {self._limit_s:g} s; `ray status` shows which nodes are there."
            )
        answers = self._call_shards(self._views, requests, max(0.0, self._late_at - time.monotonic()))
        if missing := requests.keys() - answers.keys():
            self.late |= missing
            self._views = {shard: view for shard, view in self._views.items() if shard not in self.late}
            # Those that are left have answered so far; they have as long again.
            self._late_at = time.monotonic() + self._limit_s
            # They hold numbers of shards that no longer count.
            self._answers.clear()
            raise ShardsLate
        return {shard: answers[shard] for shard in requests}


def _rows_in_view(view: ShardView, rows: Rows) -> np.ndarray[Any, np.dtype[np.bool_]]:
    mask = np.zeros(len(rows), np.bool_)
    for start, segment in zip(view.starts, view.segments, strict=True):
        mask |= (rows >= start) & (rows < start + segment.count)
    return mask


def place_segments(snapshot: Snapshot, shards: int) -> tuple[ShardView, ...]:
    """At most `shards` views of about the same number of papers, which hold every segment of `snapshot` once."""
    name = f"{snapshot.generation}-{hash(snapshot.segments):x}"
    starts = (0, *accumulate(segment.count for segment in snapshot.segments))
    loads: list[list[tuple[int, Segment]]] = [[] for _ in range(min(shards, len(snapshot.segments)))]
    # The largest first, each to the shard that has least: no shard is far above the others.
    for start, segment in sorted(zip(starts, snapshot.segments, strict=False), key=lambda pair: -pair[1].count):
        min(loads, key=lambda load: sum(segment.count for _, segment in load)).append((start, segment))
    ordered = [sorted(load, key=lambda pair: pair[0]) for load in loads]
    return tuple(
        ShardView(name, tuple(segment for _, segment in load), tuple(start for start, _ in load)) for load in ordered
    )


def add_adopted_texts(view: ShardView, keys: tuple[str, ...], snapshot: Snapshot) -> ShardView:
    """`view` with the full texts of the segments `keys` of other shards."""
    own_keys = {segment.key for segment in view.segments}
    adopted = tuple(segment for segment in snapshot.segments if segment.key in keys and segment.key not in own_keys)
    # Under another name, so that holders of the view without them open it again.
    return replace(view, adopted=adopted)
