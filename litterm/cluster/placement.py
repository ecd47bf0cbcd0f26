"""The placement of segments on shards."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from litterm.cluster.requests import ShardView

if TYPE_CHECKING:
    from litterm.model.library import Segment, Snapshot


def placed(snapshot: Snapshot, shards: int) -> tuple[ShardView, ...]:
    """At most `shards` views of about the same number of papers, which hold every segment of `snapshot` once."""
    name = f"{snapshot.generation}-{hash(snapshot.segments):x}"
    starts = (0, *accumulate(segment.count for segment in snapshot.segments))
    loads: list[list[tuple[int, Segment]]] = [[] for _ in range(min(shards, len(snapshot.segments)))]
    # The largest first, each to the shard that has least: no shard is far above the others.
    for start, segment in sorted(zip(starts, snapshot.segments, strict=False), key=lambda pair: -pair[1].count):
        min(loads, key=lambda load: sum(held.count for _, held in load)).append((start, segment))
    ordered = [sorted(load, key=lambda pair: pair[0]) for load in loads]
    return tuple(
        ShardView(name, tuple(segment for _, segment in load), tuple(start for start, _ in load)) for load in ordered
    )


def with_adopted(view: ShardView, keys: tuple[str, ...], snapshot: Snapshot) -> ShardView:
    """`view` with the full texts of the segments `keys` of other shards."""
    own = {segment.key for segment in view.segments}
    adopted = tuple(segment for segment in snapshot.segments if segment.key in keys and segment.key not in own)
    # Under another name: whoever holds the view without them is to open it again.
    return replace(view, adopted=adopted)
