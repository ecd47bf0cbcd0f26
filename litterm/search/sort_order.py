"""Sorts rows by score, date, title, author, citations or time of import; ties by paper id."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.search.open_index import load_papers
from litterm.search.signals.fusion import kth_largest
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitedPapers, Library
    from litterm.model.paper import Paper
    from litterm.model.search import SortOrder
    from litterm.search.open_index import LiveRows, Rows

SortKeys = npt.NDArray[np.float32] | npt.NDArray[np.float64] | npt.NDArray[np.int64]


def top_rows(live: LiveRows, rows: Rows, keys: SortKeys, k: int) -> list[int]:
    """The `k` of `rows` with the largest `keys`, one key a row; the largest first, ties by id."""
    if k <= 0 or not len(rows):
        return []
    if len(rows) > k:
        # Finding the k-th largest takes a fraction of a sort.
        bound = kth_largest(keys, k)
        above = keys > bound
        tied = rows[keys == bound]
        chosen = [*rows[above].tolist(), *live.first_by_id(tied, k - int(np.count_nonzero(above)))]
    else:
        chosen = rows.tolist()
    key_of = dict(zip(chosen, keys[np.searchsorted(rows, chosen)].tolist(), strict=True))
    times = Counter(key_of.values())
    # Ids decide ties only, as a cluster has to fetch them.
    tied_rows = [row for row in chosen if times[key_of[row]] > 1]
    id_of = dict(zip(tied_rows, live.ids(tied_rows), strict=True)) if tied_rows else {}
    return sorted(chosen, key=lambda row: (-key_of[row], id_of.get(row, "")))


def sort_rows(
    live: LiveRows, rows: Rows, order: SortOrder, k: int, *, library: Library, cited: CitedPapers | None = None
) -> Task[list[int]]:
    """The first `k` of `rows` by date, title, first author, citations or time of import.

    Papers without a date or author come last; papers of one import are sorted by date.
    """
    if order == "citations" and cited is not None:
        return top_rows(live, rows, np.array(cited.sort_keys(live.ids(rows.tolist())), np.float64), k)
    if order == "added":
        return top_rows(live, rows, _added_keys(live, rows, library), k)
    if order in ("title", "author"):
        return (yield from _sort_by_text(live, rows, order, k, library=library))
    # Papers without a date come last in both directions.
    dates = live.column("date", rows)
    return top_rows(live, rows, dates if order != "oldest" else np.where(dates == 0, -99_999_999, -dates), k)


def _added_keys(live: LiveRows, rows: Rows, library: Library) -> npt.NDArray[np.int64]:
    times = np.empty(len(rows), np.int64)
    times_by_segment = [np.asarray(library.added_times(segment), np.int64) for segment in live.snapshot.segments]
    edges = np.searchsorted(rows, live.offsets).tolist()
    for index, of_segment in enumerate(times_by_segment):
        times[edges[index] : edges[index + 1]] = of_segment[rows[edges[index] : edges[index + 1]] - live.offsets[index]]
    # A date has eight digits.
    return times * 100_000_000 + live.column("date", rows)


def _sort_by_text(live: LiveRows, rows: Rows, order: SortOrder, k: int, *, library: Library) -> Task[list[int]]:
    # Each segment stores its own order; only its first k can be among the first k of all.
    chosen = live.first_of_each(rows, f"{order}_order", k)
    papers = yield from load_papers(live, chosen, library=library)
    key = _title_key if order == "title" else _author_key
    keyed = sorted((key(paper), paper.id, row) for paper, row in zip(papers, chosen, strict=True))
    return [row for _, _, row in keyed[:k]]


def _title_key(paper: Paper) -> tuple[bool, str]:
    return False, fold(paper.title)


def _author_key(paper: Paper) -> tuple[bool, str]:
    family = paper.authors[0].surname if paper.authors else ""
    return not family, fold(family)
