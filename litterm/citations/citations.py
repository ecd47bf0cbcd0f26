"""Reads the citation graph, and brings it up to date with the library."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError
from litterm.core.tasks import Task, as_one_step
from litterm.interfaces import CitationGraph, Library, WorkLookup
from litterm.model.annotations import NO_DECISIONS, RecordVisibility
from litterm.model.citations.graph import (
    Citance,
    Direction,
    ExternalList,
    ListedWork,
    ListSlot,
    ReferenceListHead,
    ResolvedList,
    reading_order,
)
from litterm.model.events import Notice, Progress
from litterm.model.library import RowRef, Snapshot
from litterm.model.paper import Paper, PaperId
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.citations.graph import Graph
    from litterm.citations.reference_resolution import CitedList
    from litterm.citations.service_lists import ServiceLists
    from litterm.citations.shipped import ShippedEdges
    from litterm.citations.store import CitationStore
    from litterm.library.segments.citing_texts import CitingTexts

_MAX_NEW_PAPERS = 5_000
_MAX_NEW_PAPERS_PER_LIST = 50
"""With more new papers than `_MAX_NEW_PAPERS` and than this for each list, all lists are resolved again: looking at
every new paper would take longer."""
_BATCH_PAPERS = 500
_BATCH_LISTS = 64
"""Lists resolved together, and stored in one transaction: what is looked up for one takes 54 statements, most of whose
time is their planning."""
FOREGROUND_LISTS = 32
"""Read while the user waits; where there are more and a `background`, it reads all but the first."""
FIRST_LISTS = 4
"""Of more than `FOREGROUND_LISTS` these are read while the user waits: those of the papers just added."""
_BUSY_MESSAGE = "Another litterm is reading reference lists; the citation graph is unchanged for now."


@dataclass(frozen=True, slots=True)
class _Changes:
    """The reference lists that have to be resolved or dropped."""

    new: tuple[ReferenceListHead, ...]
    """Current lists that are not stored in this version."""
    gone: tuple[ReferenceListHead, ...]
    """Stored lists that no longer exist."""
    reread: tuple[ReferenceListHead, ...] = ()
    """Stored lists that are always read again, because the record of a paper in them has changed."""


@dataclass(slots=True)
class Citations:
    """Who cites whom in the library; safe from any thread, and no process waits for another."""

    store: CitationStore
    texts: CitingTexts
    service_lists: ServiceLists
    library: Library
    works: Callable[[], WorkLookup]
    """Makes a lookup, which is used for one update."""
    starter: Callable[[], tuple[CitedList, ...]] = tuple
    """The lists of the starter library, if it is shown."""
    decided: Callable[[], RecordVisibility] = lambda: NO_DECISIONS
    """The decisions on records: the graph uses the papers as they are shown."""
    shipped: ShippedEdges | None = None
    """The edges that ship, which stand behind all others."""
    background: Callable[[], object] | None = None
    """Starts the background process; if it is `None`, this process reads all lists."""
    settled: object = None
    """The versions of `library` and `service_lists` with which the graph is up to date."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _cached_graph: tuple[object, Graph] | None = None

    def graph(self) -> CitationGraph:
        """What is known of who cites whom: `resolved_graph`, and behind it what ships."""
        resolved = self.resolved_graph()
        if self.shipped is None:
            return resolved
        from litterm.citations.shipped import GraphWithShipped

        return GraphWithShipped(resolved, self.shipped)

    def resolved_graph(self) -> CitationGraph:
        """The graph of texts and services as last brought up to date, by whatever process; one look-up if unchanged.

        What is ranked by fitted weights uses it: they were fitted without what ships.
        """
        decided = self.decided()
        # A merge or a removal changes no list, but under which ids the lists are read.
        version = (self.store.version(), decided)
        with self._lock:
            if self._cached_graph is None or self._cached_graph[0] != version:
                self._cached_graph = (version, self._build_graph(decided))
            return self._cached_graph[1]

    def unheld_works(self, paper: Paper, direction: Direction) -> Task[tuple[ListedWork, ...]]:
        """What the facts that ship name as cited by `paper`, or as citing it, and the library lacks."""
        from litterm.citations.references import unheld_works

        yield from ()
        return unheld_works(paper, direction, self.shipped) if self.shipped is not None else ()

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
        tells. Lists are stored a few dozen at a time: what is stopped or killed continues there the next time. While
        another process is at it, the graph stays as it is, and a notice says so.

        Raises:
            LibraryError: the library, or its database, cannot be used.
        """
        # Read before the lease: what is published while the lists are brought up to date is seen as new the next time.
        current_version = self._current_version()
        # Called by every `update`; without this each call would take the lease and compare the lists.
        if current_version == self.settled:
            return
        lease = self.store.lease()
        if lease is None:
            yield Notice(unread_sentence(self.store.unread()) or _BUSY_MESSAGE)
            return
        are_names_unread = False
        try:
            yield from self.store.move_earlier_files()
            unread = self.store.unread()
            # Where many are left from before, looking for new ones takes seconds, and the background does it anyway.
            if not (self._has_background and unread > FOREGROUND_LISTS):
                unread = yield from self._read_stale(self.library.snapshot())
            if not unread:
                are_names_unread = not (yield from self._read_names())
        finally:
            lease.release()
        if are_names_unread:
            self._start_background()
        if unread:
            # After the lease, which the other process takes.
            self._start_background()
            yield Notice(unread_sentence(unread))
            return
        # Not in `finally`: what was stopped halfway must continue at the next call.
        self.settled = current_version

    def is_current(self) -> bool:
        """Whether this object has brought the graph up to date, and nothing came in since."""
        return self._current_version() == self.settled

    def announce_unread(self) -> Task[None]:
        """Yields a notice if lists are not read yet, and starts the background process if it is gone.

        Lists of an earlier version are moved into the database first: without that each command would read their files.
        """
        try:
            if self.store.has_earlier_files:
                yield from self._move_earlier_files()
            unread = self.store.unread()
        except LibraryError as error:
            yield Notice(f"Citations cannot be used: {error}")
            return
        if unread:
            if not self.store.is_leased():
                self._start_background()
            yield Notice(unread_sentence(unread))

    def unread_notice(self) -> str:
        """One sentence if some reference lists are not read yet, or else an empty text."""
        try:
            return unread_sentence(self.store.unread())
        except LibraryError as error:
            # All other counts of the library can be had.
            return f"Citations cannot be used: {error}"

    def store_list(self, external_list: ExternalList) -> None:
        """Stores the references or citations given by a service; the next `update` adds them to the graph.

        Raises:
            DiskFull: they could not be written.
        """
        self.service_lists.put(external_list)

    def _build_graph(self, decided: RecordVisibility) -> Graph:
        from litterm.citations.graph import Graph, apply_decisions

        starter = {cited.resolved.head.paper: cited for cited in self.starter()}

        def sentences(resolved: ResolvedList) -> tuple[Citance, ...]:
            if resolved.head.source == "starter":
                return starter[resolved.head.paper].citances
            return self.store.citances(resolved)

        # Lists with merged or removed papers are not taken from the database as they are: only those are renamed.
        touched = {*decided.shown, *decided.shown.values(), *decided.removed}
        lists, hidden = [cited.resolved for cited in starter.values()], set[ListSlot]()
        if touched and self.store.has_lists():
            with self.store.read() as stored:
                hidden = stored.slots_with(touched)
                lists = [*stored.lists(hidden), *lists]
        shown, sentences_as_shown = apply_decisions(lists, sentences, decided) if touched else (lists, sentences)
        return Graph(shown, sentences_as_shown, self.store if self.store.has_lists() else None, hidden)

    def _current_version(self) -> object:
        return self.library.snapshot().generation, self.service_lists.version()

    @property
    def _has_background(self) -> bool:
        # A copy of a read-only library belongs to this process: no other could continue with it.
        return self.background is not None and not self.store.is_private

    def _start_background(self) -> None:
        if self.background is not None and self._has_background:
            self.background()

    def _move_earlier_files(self) -> Task[None]:
        lease = self.store.lease()
        if lease is not None:
            try:
                yield from self.store.move_earlier_files()
            finally:
                lease.release()

    def _read_stale(self, snapshot: Snapshot) -> Task[int]:
        """Reads lists that are new or may have changed; returns how many are left."""
        segments = frozenset(segment.key for segment in snapshot.segments)
        changes = self._changes(snapshot)
        with self.store.read() as stored:
            has_lists, known_sets = stored.count_lists() > 0, stored.segment_sets()
            is_settled = stored.settled() == segments and known_sets <= {segments}
        # First of all: whatever ends this run, no list of a paper that is gone stays in the graph.
        self.store.drop(changes.gone)
        wanting = yield from self._affected_lists(known_sets, snapshot)
        # Once, not for each list: with 60,000 lists kept and 40,000 new ones that took a minute and a half.
        settled_slots = {head.slot for head in (*changes.gone, *changes.new)}
        stale_heads = {head.slot: head for head in (*wanting, *changes.reread) if head.slot not in settled_slots}
        # New ones first: those kept are in the graph as they are, and few of them will change.
        stale = (*reading_order(changes.new), *reading_order(stale_heads.values()))
        if not stale and (is_settled or not has_lists):
            self.store.store_none_unread()
            return 0
        is_for_background = self.background is not None and len(stale) > FOREGROUND_LISTS
        foreground_count = FIRST_LISTS if is_for_background else len(stale)
        later = len(stale) - foreground_count
        yield from self._resolve(stale[:foreground_count], self.works(), segments, later=later)
        if not later:
            self.store.settle(segments)
        return later

    def _changes(self, snapshot: Snapshot) -> _Changes:
        """The changes since all lists were last up to date; all lists, if they never were."""
        with self.store.read() as stored:
            settled = stored.settled()
        # Read before the database: a transaction is short.
        since = None if settled is None else self.texts.changes_since(settled, snapshot)
        text_heads = self.texts.heads() if since is None else since.heads
        service_heads = self.service_lists.heads(self.texts.current_papers)
        current = {head.slot: head for head in (*text_heads, *service_heads)}
        with self.store.read() as stored:
            new = tuple(stored.missing(list(current.values())))
            if since is None:
                return _Changes(new, tuple(head for head in stored.heads() if head.slot not in current))
            own_heads = (
                *(head for head in stored.heads_of(since.papers) if head.source == "text"),
                *stored.service_heads(),
            )
            gone = tuple(head for head in own_heads if head.slot not in current)
            reread = (stored.head(slot) for slot in sorted(stored.slots_with(since.rewritten)))
            return _Changes(new, gone, tuple(head for head in reread if head is not None))

    def _affected_lists(self, known_sets: set[frozenset[str]], snapshot: Snapshot) -> Task[list[ReferenceListHead]]:
        """The stored lists that new papers may change, by the sets of segments that lists were resolved against."""
        wanting: list[ReferenceListHead] = []
        # After a kill some lists know more segments than others; each set is looked at by what it lacks.
        for known in known_sets:
            rows = self.texts.changed_rows(known, snapshot)
            if not rows:
                continue
            with self.store.read() as stored:
                are_many = len(rows) > max(_MAX_NEW_PAPERS, _MAX_NEW_PAPERS_PER_LIST * stored.count_lists())
            hashes = frozenset[int]() if are_many else (yield from self._offered_hashes(snapshot, rows))
            with self.store.read() as stored:
                wanting += stored.heads_resolved_against(known) if are_many else stored.heads_wanting(hashes, known)
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

    def _read_names(self) -> Task[bool]:
        """Looks for names before the marks of lists that are new; whether all were read and none left for later."""
        with self.store.read() as stored:
            heads = stored.lists_without_names()
        if heads is None:
            return True
        if self._has_background and len(heads) > FOREGROUND_LISTS:
            return False
        # Most papers come without a list to be read.
        from litterm.citations.name_uses import cited_ids, find_name_uses
        from litterm.citations.store import batches

        self.store.begin_names()
        done = 0
        for batch in batches(heads, _BATCH_LISTS):
            if done:
                yield Progress("reading names before marks", done, len(heads))
            with self.store.read() as stored:
                lists = stored.lists(head.slot for head in batch)
                citances = [stored.citances(resolved) for resolved in lists]
            papers = self._papers_with(cited_ids(citances))
            self.store.put_names(
                (resolved.head, find_name_uses(sentences, papers))
                for resolved, sentences in zip(lists, citances, strict=True)
            )
            done += len(batch)
        self.store.settle_names()
        return True

    def _papers_with(self, ids: Sequence[PaperId]) -> dict[PaperId, Paper]:
        """Those of the papers `ids` that are in the library."""
        works = self.works()
        known = [paper_id for paper_id, held in zip(ids, works.find(ids), strict=True) if paper_id in held]
        return {paper.id: paper for paper in works.by_id(known)}

    def _resolve(
        self, heads: Sequence[ReferenceListHead], works: WorkLookup, segments: frozenset[str], *, later: int
    ) -> Task[None]:
        """Reads and stores the lists of `heads`, which `later` more will follow; their papers are in `segments`."""
        # Most papers come without a list to be read.
        from litterm.citations.reference_resolution import from_documents, from_service

        for start in range(0, len(heads), _BATCH_LISTS):
            step = Progress("reading reference lists", start, len(heads))
            yield step
            portion = heads[start : start + _BATCH_LISTS]
            text_heads = [head for head in portion if head.source == "text"]
            documents = zip(text_heads, self.texts.documents(text_heads), strict=True)
            pairs = [(head, document) for head, document in documents if document is not None]
            resolved_lists = list((yield from as_one_step(step, from_documents(pairs, works))))
            for head in portion[len(text_heads) :]:
                external = self.service_lists.load(head)
                if external is not None:
                    resolved_lists.append(from_service(head, external, works))
            done = start + len(portion)
            unread = len(heads) - done + later
            self.store.put(
                ((replace(cited.resolved, segments=segments), cited.citances) for cited in resolved_lists),
                unread=unread if len(heads) + later > FOREGROUND_LISTS else None,
            )
            yield Progress("reading reference lists", done, len(heads))


def unread_sentence(count: int) -> str:
    """One sentence for the user; empty where all lists are read."""
    if not count:
        return ""
    lists = count_phrase(count, "reference list")
    verb = "is" if count == 1 else "are"
    return f"{lists} {verb} not read yet, and what they cite is missing; reading them goes on in the background."
