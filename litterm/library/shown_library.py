"""The library as the user sees it: merged records as one paper, removed papers hidden. What is stored stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from litterm.core.errors import UnknownPaper
from litterm.library.segments.lookup import fetch_papers, rows_by_key
from litterm.library.writer.merge import merge_records
from litterm.model.paper import CORRECTION

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from litterm.library.segments.library import DuckLibrary
    from litterm.model.annotations import RecordVisibility
    from litterm.model.document import Document
    from litterm.model.library import LibraryStatus, RowRef, Segment, Snapshot
    from litterm.model.paper import Byline, Paper, PaperId

_REMOVED_MESSAGE = "{} was removed; `litterm remove --undo {}` brings it back."


@dataclass(frozen=True, slots=True)
class _ShownState:
    """One snapshot under one set of decisions."""

    base: Snapshot
    decided: RecordVisibility
    snapshot: Snapshot
    """Rows that are not shown count as shadowed."""
    names: Mapping[PaperId, PaperId] = field(default_factory=dict)
    """By the id of a hidden record, the id of the paper it is shown in."""
    merged: Mapping[PaperId, tuple[Paper, ...]] = field(default_factory=dict)
    """By the id of a paper shown, the records merged into it."""
    removed: frozenset[PaperId] = frozenset()
    hidden: int = 0


class ShownLibrary:
    """Implements `interfaces.Library` over a stored library, without removed papers and with merged records as one."""

    def __init__(self, stored: DuckLibrary, decided: Callable[[], RecordVisibility]) -> None:
        """`decided` is called before each use and returns the same object until the user decides something."""
        self.stored = stored
        self.decided = decided
        self._last_state: _ShownState | None = None

    @property
    def root(self) -> Path:
        """The folder of the library."""
        return self.stored.root

    def snapshot(self) -> Snapshot:
        """The newest published state, without the rows that are not shown."""
        return self._state().snapshot

    def papers(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
        """The papers at `rows`, in that order, with the fields of the records merged into them."""
        papers, merged_papers = self.stored.papers(snapshot, rows), self._state().merged
        return tuple(_with_merged(paper, merged_papers) for paper in papers) if merged_papers else papers

    def bylines(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Byline, ...]:
        """Title, authors and year of the papers at `rows`, in that order, each with the records merged into it."""
        if self._state().merged:
            return tuple(paper.byline for paper in self.papers(snapshot, rows))
        return self.stored.bylines(snapshot, rows)

    def texts(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
        """Title and abstract at `rows`, in that order."""
        return self.stored.texts(snapshot, rows)

    def author_rows(self, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
        """Per name, the rows with an author whose name holds every word of it, accents and case folded."""
        return self.stored.author_rows(snapshot, names)

    def first_author_rows(
        self, snapshot: Snapshot, pairs: Sequence[tuple[str, int]], years: Mapping[str, npt.NDArray[np.int16]]
    ) -> tuple[tuple[RowRef, ...], ...]:
        """As `DuckLibrary.first_author_rows`."""
        return self.stored.first_author_rows(snapshot, pairs, years)

    def keywords(self, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        """The keywords of the papers of `segment` that have any, by row; read once."""
        return self.stored.keywords(segment)

    def added_times(self, segment: Segment) -> Sequence[int]:
        """When each paper of `segment` came into the library, in seconds since 1970, row by row; read once."""
        return self.stored.added_times(segment)

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers shown whose id or alias it is, or that of a record merged into them."""
        return self._shown_ids(self.stored.find(keys))

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per citation key, the papers shown that a source gave it to, or to a record merged into them."""
        return self._shown_ids(self.stored.find_by_citation_key(keys))

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per title, the papers shown with an equal title key and equal numerals, ascending; empty if unknown."""
        return self._shown_ids(self.stored.find_by_title(titles))

    def titled(self, title: str) -> tuple[Paper, ...]:
        """The papers that `find_by_title` finds for one title."""
        papers, state = self.stored.titled(title), self._state()
        if state.snapshot is state.base:
            return papers
        (shown,) = self._shown_ids([tuple(paper.id for paper in papers)])
        return self.by_id(shown)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is not in the library, or was removed.
        """
        papers, state = self.stored.by_id(ids), self._state()
        if state.snapshot is state.base:
            return papers
        names = [state.names.get(paper.id, paper.id) for paper in papers]
        for key, name in zip(ids, names, strict=True):
            if name in state.removed:
                raise UnknownPaper(_REMOVED_MESSAGE.format(key, name))
        moved = [name for name, paper in zip(names, papers, strict=True) if name != paper.id]
        shown = {paper.id: paper for paper in (*papers, *(self.stored.by_id(moved) if moved else ()))}
        return tuple(_with_merged(shown[name], state.merged) for name in names)

    def document(self, paper_id: PaperId) -> Document | None:
        """The best parsed full text of the paper or of a record merged into it, or `None`."""
        return next(iter(self._documents(paper_id, lambda record_id: _as_tuple(self.stored.document(record_id)))), None)

    def documents(self, paper_id: PaperId) -> tuple[Document, ...]:
        """Every full text of the paper and of the records merged into it, its own first."""
        return self._documents(paper_id, self.stored.documents)

    def status(self) -> LibraryStatus:
        """Counts of what is shown, and who is writing; sizes and sources are those of what is stored."""
        stored, state = self.stored.status(), self._state()
        notices = self.stored.notices(state.decided.pairs)
        return replace(stored, papers=stored.papers - state.hidden, notices=notices)

    def shown_ids(self, ids: Sequence[PaperId]) -> tuple[PaperId | None, ...]:
        """Per id of a stored record, the id of the paper that it is shown in; `None` for one that was removed."""
        shown = self._shown_ids((paper_id,) for paper_id in ids)
        return tuple(next(iter(names), None) for names in shown)

    def _documents(self, paper_id: PaperId, find: Callable[[PaperId], tuple[Document, ...]]) -> tuple[Document, ...]:
        merged_papers = self._state().merged.get(paper_id, ())
        if not merged_papers:
            return find(paper_id)
        members = (paper_id, *(other.id for other in merged_papers))
        return tuple(replace(text, paper_id=paper_id) for member in members for text in find(member))

    def _shown_ids(self, matches: Iterable[tuple[PaperId, ...]]) -> tuple[tuple[PaperId, ...], ...]:
        state = self._state()
        if state.snapshot is state.base:
            return tuple(matches)
        shown_ids = ({state.names.get(paper_id, paper_id) for paper_id in ids} for ids in matches)
        return tuple(tuple(sorted(names - state.removed)) for names in shown_ids)

    def _state(self) -> _ShownState:
        base, decided = self.stored.snapshot(), self.decided()
        state = self._last_state
        # By identity: both are made again when something changes, and comparing thousands of decisions would cost every
        # look-up.
        if state is None or state.base is not base or state.decided is not decided:
            state = self._last_state = self.stored.with_newest_snapshot(
                lambda newest: self._build_state(newest, decided)
            )
        return state

    def _build_state(self, base: Snapshot, decided: RecordVisibility) -> _ShownState:
        ids = [*decided.shown, *decided.shown.values(), *decided.removed]
        stored = self._locate(base, tuple(dict.fromkeys(ids)))
        if not stored:
            return _ShownState(base, decided, base)
        removed = frozenset(stored[paper_id][1].id for paper_id in decided.removed if paper_id in stored)
        names: dict[PaperId, PaperId] = {}
        merged_papers: dict[PaperId, tuple[Paper, ...]] = {}
        for hidden, shown in decided.shown.items():
            # An import may have joined the two records since, or one of them may be gone.
            if hidden not in stored or shown not in stored or stored[hidden][0] == stored[shown][0]:
                continue
            paper, name = stored[hidden][1], stored[shown][1].id
            names[paper.id] = name
            merged_papers[name] = (*merged_papers.get(name, ()), paper)
        hidden_rows = {ref for ref, paper in stored.values() if paper.id in names or paper.id in removed}
        snapshot = _without(base, hidden_rows)
        # What reads it keeps the segments attached, as with any other snapshot.
        self.stored.view.keep(snapshot)
        return _ShownState(base, decided, snapshot, names, merged_papers, removed, len(hidden_rows))

    def _locate(self, snapshot: Snapshot, ids: Sequence[PaperId]) -> dict[PaperId, tuple[RowRef, Paper]]:
        """The current row of each of `ids`: its own, or that of the paper it was merged into."""
        rows = rows_by_key(self.stored.view, snapshot, ids)
        papers = iter(fetch_papers(self.stored.view, snapshot, [ref for row in rows for ref in row]))
        located: dict[PaperId, tuple[RowRef, Paper]] = {}
        for paper_id, refs in zip(ids, rows, strict=True):
            pairs = [(ref, next(papers)) for ref in refs]
            if pairs:
                located[paper_id] = next((pair for pair in pairs if pair[1].id == paper_id), pairs[0])
        return located


def _without(snapshot: Snapshot, hidden: set[RowRef]) -> Snapshot:
    rows: dict[str, set[int]] = {}
    for ref in hidden:
        rows.setdefault(ref.segment, set()).add(ref.row)
    segments = tuple(
        replace(segment, shadowed=tuple(sorted(rows[segment.key].union(segment.shadowed))))
        if segment.key in rows
        else segment
        for segment in snapshot.segments
    )
    return replace(snapshot, segments=segments)


def _with_merged(paper: Paper, merged_papers: Mapping[PaperId, tuple[Paper, ...]]) -> Paper:
    others = merged_papers.get(paper.id, ())
    if not others:
        return paper
    shown = paper
    for other in others:
        shown = merge_records(shown, other)
    # What the user corrected is shown whatever the other records say.
    for source in (source.paper for one in (*others, paper) for source in one.sources):
        if source.provenance.format == CORRECTION:
            shown = replace(merge_records(shown, source), provenance=shown.provenance)
    return shown


def _as_tuple(document: Document | None) -> tuple[Document, ...]:
    return () if document is None else (document,)
