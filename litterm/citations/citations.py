"""Reads the citation graph, and brings it up to date with the library."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from litterm.citations.storage.log_state import reading_order
from litterm.citations.storage.unread_count import unread_notice
from litterm.core.tasks import Task
from litterm.interfaces import CitationGraph, Library, WorkLookup
from litterm.model.annotations import NO_DECISIONS, RecordVisibility
from litterm.model.citations.graph import Citance, ExternalList, ReferenceListHead, ResolvedList
from litterm.model.events import Notice, Progress
from litterm.model.library import RowRef, Snapshot
from litterm.model.paper import Paper

if TYPE_CHECKING:
    from litterm.citations.graph import GraphQueries
    from litterm.citations.reference_lists import StoredLists
    from litterm.citations.reference_resolution import CitedList
    from litterm.citations.storage.graph_files import GraphFiles
    from litterm.citations.storage.kept_lists import KeptLists

T = TypeVar("T")
_MAX_NEW_PAPERS = 5_000
_MAX_NEW_PAPERS_PER_LIST = 50
"""With more new papers than `_MAX_NEW_PAPERS` and than this for each list, all lists are resolved again: looking at
every new paper would take longer."""
_BATCH_PAPERS = 500
_BATCH_LISTS = 64
"""Lists resolved together: what is looked up for one takes 54 statements, most of whose time is their planning."""
FOREGROUND_LISTS = 32
"""Read while the user waits; where there are more and a `background`, it reads all but the first."""
FIRST_LISTS = 4
"""Of more than `FOREGROUND_LISTS` these are read while the user waits: those of the papers just added."""
_BUSY_MESSAGE = "Another litterm is reading reference lists; the citation graph is unchanged for now."


@dataclass(frozen=True, slots=True)
class _Changes:
    """The reference lists that have to be resolved or dropped."""

    heads: tuple[ReferenceListHead, ...]
    """All current lists; those that are not stored in this version are read."""
    gone: tuple[ReferenceListHead, ...]
    """Stored lists that no longer exist."""
    reread: tuple[ReferenceListHead, ...] = ()
    """Stored lists that are always read again, because the record of a paper in them has changed."""


@dataclass(slots=True)
class Citations:
    """Who cites whom in the library; safe from any thread, and no process waits for another."""

    book: GraphFiles
    stored_lists: StoredLists
    library: Library
    works: Callable[[], WorkLookup]
    """Makes a lookup, which is used for one update."""
    starter: Callable[[], tuple[CitedList, ...]] = tuple
    """The lists of the starter library, if it is shown."""
    decided: Callable[[], RecordVisibility] = lambda: NO_DECISIONS
    """The decisions on records: the graph uses the papers as they are shown."""
    background: Callable[[], object] | None = None
    """Starts the background process; if it is `None`, this process reads all lists."""
    settled: object = None
    """The versions of `library` and `stored_lists` with which the graph is up to date."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _cached_graph: tuple[object, GraphQueries] | None = None

    def graph(self) -> CitationGraph:
        """The graph as it was last brought up to date, by whatever process; one stat when nothing changed."""
        decided = self.decided()
        # A merge or a removal changes no list, but under which ids the lists are read.
        version = (self.book.version(), decided)
        with self._lock:
            if self._cached_graph is None or self._cached_graph[0] != version:
                self._cached_graph = (version, self._build_graph(decided))
            return self._cached_graph[1]

    def update(self) -> Task[CitationGraph]:
        """Brings the graph up to date by `catch_up`, and returns it.

        Raises:
            LibraryError: as `catch_up`.
        """
        yield from self.catch_up()
        return self.graph()

    def catch_up(self) -> Task[None]:
        """Resolves the lists that are new; if there are none, only two versions are compared.

        Of many lists only the first are read here, and the rest in the `background`; what is not read yet a notice
        tells. A list is durable once it is resolved: what is stopped or killed continues there the next time. While
        another process is at it, the graph stays as it is, and a notice says so.

        Raises:
            LibraryError: the library, or the graph's folder, cannot be used.
        """
        # Read before the lease: what is published while the lists are brought up to date is seen as new the next time.
        current_version = self._current_version()
        # Called by every `update`; without this each call would take the lease and read the log.
        if current_version == self.settled:
            return
        lease = self.book.lease()
        if lease is None:
            yield Notice(unread_notice(self.book.unread()) or _BUSY_MESSAGE)
            return
        read_lists, unread = 0, self.book.unread()
        try:
            # Where many are left from before, looking for new ones takes seconds, and the background does it anyway.
            if not (self._has_background and unread > FOREGROUND_LISTS):
                read_lists, unread = yield from self._read_stale(self.library.snapshot())
        finally:
            lease.release()
        if unread:
            # After the lease, which the other process takes.
            self._start_background()
            yield Notice(unread_notice(unread))
            return
        # Not in `finally`: what was stopped halfway must continue at the next call.
        self.settled = current_version
        if read_lists and self.book.is_pack_due():
            # Packing takes as long as all that is packed: 13 s of one core for 100,000 lists.
            yield from self._pack()

    def is_current(self) -> bool:
        """Whether this object has brought the graph up to date, and nothing came in since."""
        return self._current_version() == self.settled

    def announce_unread(self) -> Task[None]:
        """Yields a notice if lists are not read yet, and starts the background process if it is gone.

        One look for a file where there are none.
        """
        unread = self.book.unread()
        if unread:
            if not self.book.is_leased():
                self._start_background()
            yield Notice(unread_notice(unread))

    def unread_notice(self) -> str:
        """One sentence if some reference lists are not read yet, or else an empty text."""
        return unread_notice(self.book.unread())

    def keep_list(self, external_list: ExternalList) -> None:
        """Stores the references or citations given by a service; the next `update` adds them to the graph.

        Raises:
            DiskFull: they could not be written.
        """
        self.stored_lists.store_list(external_list)

    def _build_graph(self, decided: RecordVisibility) -> GraphQueries:
        from litterm.citations.graph import Graph, apply_decisions

        starter = {cited.resolved.head.paper: cited for cited in self.starter()}

        def sentences(resolved: ResolvedList) -> tuple[Citance, ...]:
            if resolved.head.source == "starter":
                return starter[resolved.head.paper].citances
            return self.book.citances(resolved)

        kept_lists = self.book.read_kept()
        if kept_lists.base is None:
            lists = [*kept_lists.lists(), *(cited.resolved for cited in starter.values())]
            if decided.shown or decided.removed:
                return Graph(*apply_decisions(lists, sentences, decided))
            return Graph(lists, sentences)
        from litterm.citations.storage.stored_graph import StoredGraph

        # Lists with merged or removed papers are not read from the pack as they are: only those are renamed.
        touched = {*decided.shown, *decided.shown.values(), *decided.removed}
        lists_containing = {
            index for paper in touched for index in kept_lists.base.lists_containing(paper)
        } - kept_lists.hidden
        unpacked_lists = sorted(
            [*kept_lists.fresh.values(), *map(kept_lists.base.resolved_list, lists_containing)],
            key=lambda resolved: resolved.head.slot,
        )
        unpacked_lists += [cited.resolved for cited in starter.values()]
        shown, sentences_as_shown = (
            apply_decisions(unpacked_lists, sentences, decided) if touched else (unpacked_lists, sentences)
        )
        return StoredGraph(kept_lists.base, kept_lists.hidden | lists_containing, shown, sentences_as_shown)

    def _current_version(self) -> object:
        return self.library.snapshot().generation, self.stored_lists.version()

    @property
    def _has_background(self) -> bool:
        # A copy of a read-only library belongs to this process: no other could continue with it.
        return self.background is not None and not self.book.private

    def _start_background(self) -> None:
        if self.background is not None and self._has_background:
            self.background()

    def _pack(self) -> Task[None]:
        """Packs the lists, in the background where there is one."""
        if self._has_background:
            self._start_background()
        else:
            yield from self.book.pack()

    def _read_stale(self, snapshot: Snapshot) -> Task[tuple[int, int]]:
        """Reads lists that are new or may have changed; returns how many were read, and how many are left."""
        segments = frozenset(segment.key for segment in snapshot.segments)
        yield from self.book.sort_sentences()
        kept_lists = self.book.read_kept()
        changes = self._changes(kept_lists, snapshot)
        for head in changes.gone:
            # First of all: whatever ends this run, no list of a paper that is gone stays in the graph.
            self.book.drop(head)
        wanting = yield from self._affected_lists(kept_lists, snapshot)
        gone_slots = {head.slot for head in changes.gone}
        new = {head.slot: head for head in kept_lists.missing(changes.heads)}
        # Once, not for each list: with 60,000 lists kept and 40,000 new ones that took a minute and a half.
        settled_slots = gone_slots | new.keys()
        stale_heads = {head.slot: head for head in (*wanting, *changes.reread) if head.slot not in settled_slots}
        # New ones first: those kept are in the graph as they are, and few of them will change.
        stale = (*reading_order(new.values()), *reading_order(stale_heads.values()))
        if not stale and (kept_lists.is_settled(segments) or not len(kept_lists)):
            self.book.store_unread(0)
            return 0, 0
        # Written before the first list, so that after a kill it is known which segments each list was resolved against.
        self.book.begin(segments)
        is_for_background = self.background is not None and len(stale) > FOREGROUND_LISTS
        foreground_count = FIRST_LISTS if is_for_background else len(stale)
        yield from self._resolve(stale[:foreground_count], self.works(), later=len(stale) - foreground_count)
        if foreground_count < len(stale):
            return foreground_count, len(stale) - foreground_count
        self.book.settle(segments)
        self.book.store_unread(0)
        return foreground_count, 0

    def _changes(self, kept_lists: KeptLists, snapshot: Snapshot) -> _Changes:
        """The changes since all lists were last up to date; all lists, if they never were."""
        settled = None if kept_lists.damaged else kept_lists.state.settled
        # A damaged line may have held any list: all of them are compared then.
        since = None if settled is None else self.stored_lists.changes_since(settled, snapshot)
        if since is None:
            heads = self.stored_lists.heads()
            slots = {head.slot for head in heads}
            return _Changes(heads, tuple(head for head in kept_lists.heads() if head.slot not in slots))
        heads = (*since.heads, *self.stored_lists.service_heads())
        slots = {head.slot for head in heads}
        own_heads = (
            *(head for head in kept_lists.of_papers(since.papers) if head.source == "text"),
            *kept_lists.service_lists(),
        )
        gone_heads = tuple(head for head in own_heads if head.slot not in slots)
        return _Changes(heads, gone_heads, tuple(kept_lists.with_papers(since.rewritten)))

    def _affected_lists(self, kept_lists: KeptLists, snapshot: Snapshot) -> Task[list[ReferenceListHead]]:
        """The stored lists that new papers may change."""
        wanting: list[ReferenceListHead] = []
        # After a kill some lists know more segments than others; each set is looked at by what it lacks.
        for known in kept_lists.segment_sets():
            rows = self.stored_lists.changed_rows(known, snapshot)
            if len(rows) > max(_MAX_NEW_PAPERS, _MAX_NEW_PAPERS_PER_LIST * len(kept_lists)):
                wanting += [head for head in kept_lists.heads() if kept_lists.segments(head.slot) == known]
            elif rows:
                fresh = yield from self._offered_hashes(snapshot, rows)
                wanting += kept_lists.lists_affected_by(fresh, known)
        return wanting

    def _offered_hashes(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> Task[frozenset[int]]:
        """Hashes of the ids and titles of the papers at `rows`, which entries of kept lists may name."""
        # Only where a list is kept that they may change.
        from litterm.text.references.resolution_index import offered_keys

        hashes: set[int] = set()
        for start in range(0, len(rows), _BATCH_PAPERS):
            yield Progress("looking at new papers", start, len(rows))
            papers: tuple[Paper, ...] = self.library.papers(snapshot, rows[start : start + _BATCH_PAPERS])
            hashes.update(key for paper in papers for key in offered_keys(paper))
        return frozenset(hashes)

    def _resolve(self, heads: Sequence[ReferenceListHead], works: WorkLookup, *, later: int) -> Task[None]:
        """Reads and keeps the lists of `heads`, which `later` more will follow."""
        # Most papers come without a list to be read.
        from litterm.citations.reference_resolution import from_documents, from_service

        done = 0
        for start in range(0, len(heads), _BATCH_LISTS):
            step = Progress("reading reference lists", done, len(heads))
            yield step
            portion = heads[start : start + _BATCH_LISTS]
            text_heads = [head for head in portion if head.source == "text"]
            documents = zip(text_heads, self.stored_lists.documents(text_heads), strict=True)
            pairs = [(head, document) for head, document in documents if document is not None]
            resolved_lists = list((yield from _as_one_step(step, from_documents(pairs, works))))
            for head in portion[len(text_heads) :]:
                external = self.stored_lists.load_service_list(head)
                if external is not None:
                    resolved_lists.append(from_service(head, external, works))
            done += len(portion) - len(resolved_lists)
            for cited in resolved_lists:
                self.book.put(cited.resolved, cited.citances)
                done += 1
                yield Progress("reading reference lists", done, len(heads))
            if len(heads) + later > FOREGROUND_LISTS:
                self.book.store_unread(len(heads) - done + later)
                # Readers would parse what is not packed.
                yield from self.book.pack(meanwhile=True)


def _as_one_step(step: Progress, task: Task[T]) -> Task[T]:
    """`task` with each of its steps shown as `step`: its own would count again for every list."""
    with closing(task):
        while True:
            try:
                next(task)
            except StopIteration as end:
                result: T = end.value
                return result
            yield step
