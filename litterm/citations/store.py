"""Who cites whom, in the tables `citation_*` of the library's `state.db`; `schema.sql` says what is in them.

Resolved lists are derived and can be made again. Readers never wait; who writes holds the lease, and writes a few dozen
lists in a transaction, so that a kill costs no more than these, which are resolved again.
"""

from __future__ import annotations

import atexit
import json
import zlib
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from operator import itemgetter
from sys import byteorder
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from litterm.citations.earlier_files import EarlierFiles
from litterm.citations.name_store import (
    NAMES_RULE,
    NameUse,
    ensure_tables,
    lists_without_names,
    names_by_key,
    names_of_papers,
    remove_all_uses,
    remove_uses,
    store_uses,
)
from litterm.core.errors import ReadOnly
from litterm.core.json_fields import integer, integer_or_none, items, mapping, text, texts
from litterm.core.temporary_files import scratch_folder
from litterm.library.lock import WriteLock, read_holder
from litterm.library.state.connection import STATE_FILE, StateDatabase
from litterm.model.citations.facts import NameFact
from litterm.model.citations.graph import (
    Citance,
    Direction,
    Edge,
    EdgeSource,
    ListSlot,
    ReferenceListHead,
    ResolvedList,
)
from litterm.model.document import DocumentId, Span
from litterm.model.events import Progress
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

    from litterm.core.tasks import Task

T = TypeVar("T")
LIST_KINDS: Final[tuple[tuple[EdgeSource, Direction], ...]] = (
    ("text", "references"),
    ("semantic-scholar", "references"),
    ("semantic-scholar", "citations"),
    ("openalex", "references"),
    ("openalex", "citations"),
    ("crossref", "references"),
    ("crossref", "citations"),
    ("europepmc", "references"),
    ("europepmc", "citations"),
)
"""Source and direction of a list by the number that the database stores; new ones are added at the end."""
LEASE_FILE: Final = "graph.lock"
"""Name of the lock file, in the folder `citations`, of the process that may write."""
_KIND_NUMBERS: Final = {kind: number for number, kind in enumerate(LIST_KINDS)}
_BATCH_LISTS: Final = 64
"""Lists of an earlier version in one transaction, for which readers of a library without WAL wait."""
_MAX_KNOWN_NAMES: Final = 5_000
"""Keys of names that are remembered."""
_SCANNED_SHARE: Final = 8
"""To look up more than one head in so many, all are read: one by one, each takes as long as about eight in a row."""
_HEADS_SQL: Final = (
    "SELECT paper.id, list.key, list.year, list.kind FROM citation_list AS list"
    " JOIN citation_paper AS paper ON paper.number = list.paper"
)
_OWN_SQL: Final = f"{_HEADS_SQL} WHERE paper.id = ?"
PAPER_SQL: Final = "(SELECT number FROM citation_paper WHERE id = ?)"
"""The number of a paper, by its id."""
_NUMBER_SQL: Final = f"(SELECT number FROM citation_list WHERE paper = {PAPER_SQL} AND kind = ?)"
_LIST_SQL: Final = (
    "SELECT list.key, list.year, list.known, known.keys, wanted.hashes FROM citation_list AS list"
    " JOIN citation_segments AS known ON known.number = list.segments"
    " JOIN citation_wanted AS wanted ON wanted.list = list.number"
    f" WHERE list.paper = {PAPER_SQL} AND list.kind = ?"
)
_CITED_BY_SQL: Final = (
    "SELECT paper.id, kind, place, marks, year, entries FROM citation JOIN citation_paper AS paper ON number = citing"
    f" WHERE cited = {PAPER_SQL}"
)
_CITES_SQL: Final = (
    "SELECT paper.id, kind, place, marks, year, entries FROM citation JOIN citation_paper AS paper ON number = cited"
    f" WHERE citing = {PAPER_SQL}"
)


_ALL_EDGES_SQL: Final = (
    "SELECT citing_paper.id, cited_paper.id, max(marks), max(year) FROM citation"
    " JOIN citation_paper AS citing_paper ON citing_paper.number = citing"
    " JOIN citation_paper AS cited_paper ON cited_paper.number = cited GROUP BY citing, cited"
)


class PlacedEdge(NamedTuple):
    """An edge of a list."""

    rank: tuple[bool, PaperId, str, str]
    """Of the list; see `list_rank`."""
    place: int
    """In the list."""
    slot: ListSlot
    """Of the list."""
    edge: Edge


class CitationReader:
    """The stored lists as they are in one transaction."""

    def __init__(self, connection: Connection, earlier: EarlierFiles | None = None) -> None:
        """`earlier` holds the sentences of lists that are stored without."""
        self._connection = connection
        self._earlier = earlier

    def edges_of(self, paper: PaperId, *, cited: bool) -> list[PlacedEdge]:
        """Every edge in which `paper` cites, or is `cited`, in the order of the lists."""
        return _placed_edges(self._connection, paper, cited=cited)

    def all_edges(self) -> list[tuple[PaperId, PaperId, int, int | None]]:
        """Every pair of citing and cited paper, once: how often the text cites it, and the year of the citing paper."""
        return self._connection.execute(_ALL_EDGES_SQL).fetchall()

    def citing_paper_counts(self) -> dict[PaperId, int]:
        """Every paper that is cited, with how many papers cite it."""
        # Where only texts are read, a pair is in one list, and counting rows takes half the time.
        has_services = self._connection.execute("SELECT 1 FROM citation_list WHERE kind <> 0 LIMIT 1").fetchone()
        number = "count(DISTINCT citing)" if has_services else "count(*)"
        sql = f"SELECT id, {number} FROM citation JOIN citation_paper ON number = cited GROUP BY cited"
        return dict(self._connection.execute(sql).fetchall())

    def has_references(self, paper: PaperId, hidden: Collection[ListSlot]) -> bool:
        """Whether a list of what the paper cites is known, other than those `hidden`."""
        heads = map(_head, self._connection.execute(f"{_OWN_SQL} AND list.known", (paper,)))
        return any(head.direction == "references" and head.slot not in hidden for head in heads)

    def citing_lists(self, paper: PaperId) -> list[ResolvedList]:
        """The lists in which `paper` cites; its own without their edges, which their sentences do not need."""
        heads = map(_head, self._connection.execute(_OWN_SQL, (paper,)))
        own = [ResolvedList(head, True, (), frozenset()) for head in heads if head.direction == "references"]
        # The edges of these have the years of the citing papers.
        others = {placed.slot for placed in self.edges_of(paper, cited=False) if placed.slot[2] == "citations"}
        return [*own, *self.lists(others)]

    def lists(self, slots: Iterable[ListSlot]) -> list[ResolvedList]:
        """The lists stored under `slots`, by slot."""
        lists = (_read_list(self._connection, slot) for slot in sorted(slots))
        return [resolved for resolved in lists if resolved is not None]

    def slots_with(self, papers: Iterable[PaperId]) -> set[ListSlot]:
        """Every list that contains one of these papers."""
        slots: set[ListSlot] = set()
        for paper in papers:
            slots.update(head.slot for head in self.heads_of([paper]))
            slots.update(placed.slot for cited in (True, False) for placed in self.edges_of(paper, cited=cited))
        return slots

    def citances(self, resolved: ResolvedList, cited: PaperId | None = None) -> tuple[Citance, ...]:
        """The citing sentences of a list, or those that cite `cited` and perhaps others; none if unreadable."""
        sql = f"SELECT sentences FROM citing_sentences WHERE list = {_NUMBER_SQL}"
        row = self._connection.execute(sql, _numbered_slot(resolved.head)).fetchone()
        try:
            lines = self._earlier_lines(resolved.head) if row is None else _inflated(row[0]).splitlines()
            # Parsing what is not asked about takes most of the time.
            named = json.dumps(cited, ensure_ascii=False).encode() if cited else b""
            return tuple(_citance(mapping(json.loads(line)), resolved) for line in lines if named in line)
        except (ValueError, KeyError, TypeError, zlib.error):
            return ()

    def heads(self) -> Iterator[ReferenceListHead]:
        """The heads of all lists, in no order."""
        return map(_head, self._connection.execute(_HEADS_SQL))

    def heads_of(self, papers: Iterable[PaperId]) -> Iterator[ReferenceListHead]:
        """The heads of the lists that are these papers' own."""
        for paper in papers:
            yield from map(_head, self._connection.execute(_OWN_SQL, (paper,)).fetchall())

    def head(self, slot: ListSlot) -> ReferenceListHead | None:
        """The head of the list stored under `slot`; `None` where there is none."""
        return next((head for head in self.heads_of([slot[0]]) if head.slot == slot), None)

    def missing(self, heads: Sequence[ReferenceListHead]) -> list[ReferenceListHead]:
        """Those of `heads` that are not stored, or not in this version."""
        if _SCANNED_SHARE * len(heads) > self.count_lists():
            stored = {head.slot: head for head in self.heads()}
            return [head for head in heads if stored.get(head.slot) != head]
        return [head for head in heads if self.head(head.slot) != head]

    def service_heads(self) -> list[ReferenceListHead]:
        """The heads of the lists that services gave."""
        return [_head(row) for row in self._connection.execute(f"{_HEADS_SQL} WHERE list.kind <> 0")]

    def heads_resolved_against(self, segments: frozenset[str]) -> list[ReferenceListHead]:
        """The heads of the lists that were resolved against these segments."""
        sql = f"{_HEADS_SQL} JOIN citation_segments AS known ON known.number = list.segments WHERE known.keys = ?"
        return [_head(row) for row in self._connection.execute(sql, (_segments_text(segments),))]

    def heads_wanting(self, hashes: Collection[int], segments: frozenset[str]) -> list[ReferenceListHead]:
        """The heads of the lists that were resolved against these segments and want one of `hashes`."""
        if not hashes:
            return []
        sought = frozenset(hashes)
        rows = self._connection.execute("SELECT list, hashes FROM citation_wanted")
        numbers = [number for number, wanted in rows if not sought.isdisjoint(_hashes(wanted))]
        sql = f"{_HEADS_SQL} JOIN citation_segments AS known ON known.number = list.segments"
        sql = f"{sql} WHERE list.number = ? AND known.keys = ?"
        keys = _segments_text(segments)
        heads = (self._connection.execute(sql, (number, keys)).fetchone() for number in numbers)
        return [_head(row) for row in heads if row is not None]

    def count_lists(self) -> int:
        """The number of stored lists."""
        return int(self._connection.execute("SELECT count(*) FROM citation_list").fetchone()[0])

    def segment_sets(self) -> set[frozenset[str]]:
        """The sets of segments that lists were resolved against."""
        sql = "SELECT keys FROM citation_segments WHERE number IN (SELECT segments FROM citation_list)"
        return {_segments(keys) for (keys,) in self._connection.execute(sql)}

    def settled(self) -> frozenset[str] | None:
        """The segments with which every list was up to date when that was last said; `None` if it never was."""
        keys = _value(self._connection, "settled")
        return None if keys is None else _segments(keys)

    def lists_without_names(self) -> list[ReferenceListHead] | None:
        """The lists from texts in which no names before marks were looked for, or not by the rule of today.

        `None` where no list was written since that was last done.
        """
        lists, done = _value(self._connection, "lists"), _value(self._connection, "names") or ""
        rule, _, done_lists = done.partition(":")
        if lists is None or (rule, done_lists) == (NAMES_RULE, lists):
            return None
        if done and rule != NAMES_RULE:
            return [head for head in self.heads() if head.source == "text"]
        sql = f"{_HEADS_SQL} WHERE list.number = ?"
        numbers = lists_without_names(self._connection)
        return [_head(self._connection.execute(sql, (number,)).fetchone()) for number in numbers]

    def names_by_key(self, keys: Collection[str]) -> dict[str, tuple[NameFact, ...]]:
        """Per key that is a name in the texts, the papers that it stands for, the most used first."""
        return names_by_key(self._connection, keys)

    def names_of(self, ids: Sequence[PaperId]) -> tuple[NameFact, ...]:
        """The names of a paper with these ids in the texts, the most used first."""
        return names_of_papers(self._connection, ids)

    def _earlier_lines(self, head: ReferenceListHead) -> list[bytes]:
        return [] if self._earlier is None else self._earlier.sentences(head).splitlines()


class CitationStore:
    """Resolved reference lists of the library in `root`; safe from any thread.

    If the library cannot be written to, what this process resolves is written to a copy of its own.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / "citations"
        self._state = StateDatabase(root)
        self._earlier = EarlierFiles(self._folder)
        self._copy: StateDatabase | None = None
        """Where this process writes if the library is read-only."""
        self._stand_in: StateDatabase | None = None
        """The lists in the files of an earlier version, until they are moved into the database."""
        self._private_folder: Path | None = None
        self._lock = Lock()
        self._known_names: tuple[object, dict[str, tuple[NameFact, ...]]] = (None, {})
        """The state of the database, and what it says of the keys that were looked up since it last changed."""

    @contextmanager
    def read(self) -> Iterator[CitationReader]:
        """The stored lists: all that is asked in the block is answered from one state.

        Raises:
            LibraryError: the database cannot be read.
        """
        state = self._readable()
        with state.read() as connection:
            yield CitationReader(connection, None if state is self._state else self._earlier)

    def has_lists(self) -> bool:
        """Whether lists may be stored; without opening the database."""
        return self._copy is not None or self._state.path.exists() or self._earlier.has_lists()

    def lists(self) -> list[ResolvedList]:
        """All lists, one for each paper, source and direction, by paper."""
        with self.read() as stored:
            return stored.lists([head.slot for head in stored.heads()])

    def citances(self, resolved: ResolvedList) -> tuple[Citance, ...]:
        """The stored sentences of a list."""
        with self.read() as stored:
            return stored.citances(resolved)

    def names_by_key(self, keys: Collection[str]) -> dict[str, tuple[NameFact, ...]]:
        """Per key that is a name in the texts, the papers that it stands for, the most used first.

        Raises:
            LibraryError: the database cannot be read.
        """
        if not self.has_lists():
            return {}
        state = self._readable()
        version = id(state), state.version()
        known_version, known = self._known_names
        # A query is looked up for each library that is searched, and once more with each letter.
        if known_version != version or len(known) > _MAX_KNOWN_NAMES:
            self._known_names = version, (known := {})
        if missing := [key for key in keys if key not in known]:
            with self.read() as stored:
                found = stored.names_by_key(missing)
            known.update((key, found.get(key, ())) for key in missing)
        return {key: facts for key in keys if (facts := known.get(key))}

    def version(self) -> object:
        """A value that changes when a list is stored or removed."""
        state = self._readable()
        return id(state), read_value(state, "lists")

    def unread(self) -> int:
        """The number of lists that are not read yet."""
        if self._copy is None and self._earlier.has_lists():
            return self._earlier.unread()
        return int(read_value(self._copy or self._state, "unread") or 0)

    @property
    def is_private(self) -> bool:
        """Whether this process writes to a copy of its own."""
        return self._private_folder is not None

    @property
    def has_earlier_files(self) -> bool:
        """Whether lists are still in the files of an earlier version."""
        return self._earlier.has_lists()

    def close(self) -> None:
        """Closes the database, so that all of it is in its file; a later use opens it again."""
        self._state.close()

    def is_leased(self) -> bool:
        """Whether another process has the right to write, according to the owner named in the lock."""
        return read_holder(self._folder / LEASE_FILE) is not None

    def lease(self) -> WriteLock | None:
        """The right to write; `None` while another process, or another thread of this one, has it.

        In a library that may only be read it is one to a copy of this process alone.
        """
        try:
            return _try_lock(self._private_folder or self._folder)
        except ReadOnly:
            self._private_folder = temporary_folder()
        return _try_lock(self._private_folder)

    def put(self, lists: Iterable[tuple[ResolvedList, Sequence[Citance]]], *, unread: int | None = None) -> None:
        """Stores lists with their sentences, and how many are `unread` then; all of it, or nothing.

        Raises:
            DiskFull: it could not be written.
        """
        encoded = [(resolved, _sentence_lines(citances)) for resolved, citances in lists]
        with self._writable().write() as connection:
            ensure_tables(connection)
            for resolved, sentences in encoded:
                _store_list(connection, resolved, sentences)
            count_change(connection, "lists")
            if unread is not None:
                _set_value(connection, "unread", str(unread))

    def drop(self, heads: Collection[ReferenceListHead]) -> None:
        """Removes lists with their edges and sentences."""
        if heads:
            with self._writable().write() as connection:
                ensure_tables(connection)
                for head in heads:
                    _remove_list(connection, head)
                count_change(connection, "lists")

    def put_names(self, names: Iterable[tuple[ReferenceListHead, Collection[NameUse]]]) -> None:
        """Stores the names before marks in the texts of lists, in place of those that were found there before.

        Raises:
            DiskFull: they could not be written.
        """
        with self._writable().write() as connection:
            for head, uses in names:
                row = connection.execute(f"SELECT {_NUMBER_SQL}", _numbered_slot(head)).fetchone()
                if row[0] is not None:
                    numbers = paper_numbers(connection, {use.cited for use in uses})
                    store_uses(connection, row[0], [(use, numbers[use.cited]) for use in uses])

    def begin_names(self) -> None:
        """Prepares the tables of names; those that were found by an earlier rule are removed."""
        with self._writable().write() as connection:
            ensure_tables(connection)
            rule, _, _ = (_value(connection, "names") or "").partition(":")
            if rule and rule != NAMES_RULE:
                remove_all_uses(connection)
            _set_value(connection, "names", f"{NAMES_RULE}:")

    def settle_names(self) -> None:
        """Says that names were looked for in the text of every list."""
        with self._writable().write() as connection:
            _set_value(connection, "names", f"{NAMES_RULE}:{_value(connection, 'lists')}")

    def settle(self, segments: frozenset[str]) -> None:
        """Says that every stored list is up to date with these segments, and that none is unread."""
        with self._writable().write() as connection:
            # The oldest set is that of most lists: it gets other keys, so that only lists read since are written.
            oldest = connection.execute("SELECT min(number) FROM citation_segments").fetchone()[0]
            if oldest is not None:
                connection.execute("UPDATE citation_list SET segments = ? WHERE segments <> ?", (oldest, oldest))
                connection.execute("DELETE FROM citation_segments WHERE number <> ?", (oldest,))
                connection.execute("UPDATE citation_segments SET keys = ?", (_segments_text(segments),))
            _set_value(connection, "settled", _segments_text(segments))
            _set_value(connection, "unread", "0")

    def store_none_unread(self) -> None:
        """Says that every list is read."""
        if self.unread():
            with self._writable().write() as connection:
                _set_value(connection, "unread", "0")

    def move_earlier_files(self) -> Task[None]:
        """Moves the lists of an earlier version into the database; killed, it begins again. The caller has the lease.

        A library that may only be read keeps its files.
        """
        if self.is_private:
            return
        if self._earlier.has_lists():
            lists, moved = self._earlier.lists(), 0
            for batch in batches(lists.resolved(), _BATCH_LISTS):
                yield Progress("moving citations into the database", moved, len(lists))
                sentences = [self._earlier.sentences(resolved.head) for resolved in batch]
                with self._state.write() as connection:
                    ensure_tables(connection)
                    for resolved, lines in zip(batch, sentences, strict=True):
                        _store_list(connection, resolved, lines)
                moved += len(batch)
            with self._state.write() as connection:
                _store_earlier_state(connection, lists.settled, self._earlier.unread())
        # The lists first: as long as they are there, readers take them and not the database.
        self._earlier.remove()

    def _readable(self) -> StateDatabase:
        if self._copy is not None:
            return self._copy
        return self._of_earlier_files() if self._earlier.has_lists() else self._state

    def _writable(self) -> StateDatabase:
        if self._private_folder is None:
            return self._state
        if self._copy is None:
            # Not with the lease: most processes find that every list is read, and write nothing.
            has_earlier = self._earlier.has_lists()
            self._copy = self._of_earlier_files() if has_earlier else _copied(self._state, self._private_folder)
        return self._copy

    def _of_earlier_files(self) -> StateDatabase:
        """A database of this process with the lists of an earlier version; their sentences stay in their files."""
        with self._lock:
            if self._stand_in is None:
                lists, state = self._earlier.lists(), StateDatabase(temporary_folder())
                with state.write() as connection:
                    for resolved in lists.resolved():
                        _store_list(connection, resolved, None)
                    _store_earlier_state(connection, lists.settled, self._earlier.unread())
                self._stand_in = state
            return self._stand_in


def _placed_edges(connection: Connection, paper: PaperId, *, cited: bool, kind: int | None = None) -> list[PlacedEdge]:
    """The edges in which `paper` cites, or is `cited`, in the order of the lists, of one `kind` or of all."""
    sql = _CITED_BY_SQL if cited else _CITES_SQL
    rows = (
        connection.execute(sql, (paper,)) if kind is None else connection.execute(f"{sql} AND kind = ?", (paper, kind))
    )
    return sorted((_placed_edge(paper, row, cited=cited) for row in rows), key=itemgetter(0, 1))


def _placed_edge(
    paper: PaperId, row: tuple[PaperId, int, int, int, int | None, int | str], *, cited: bool
) -> PlacedEdge:
    other, kind, place, marks, year, stored_entries = row
    source, direction = LIST_KINDS[kind]
    owner = paper if cited == (direction == "citations") else other
    entries = (stored_entries,) if isinstance(stored_entries, int) else tuple(json.loads(stored_entries))
    edge = Edge(other if cited else paper, paper if cited else other, marks, year, source, entries)
    return PlacedEdge((source != "text", owner, source, direction), place, (owner, source, direction), edge)


def _head(row: tuple[PaperId, str, int | None, int]) -> ReferenceListHead:
    paper, key, year, kind = row
    return ReferenceListHead(paper, key, year, *LIST_KINDS[kind])


def _read_list(connection: Connection, slot: ListSlot) -> ResolvedList | None:
    paper, source, direction = slot
    kind = _KIND_NUMBERS[source, direction]
    row = connection.execute(_LIST_SQL, (paper, kind)).fetchone()
    if row is None:
        return None
    key, year, known, segments, hashes = row
    edges = _placed_edges(connection, paper, cited=direction == "citations", kind=kind)
    return ResolvedList(
        ReferenceListHead(paper, key, year, source, direction),
        bool(known),
        tuple(placed.edge for placed in edges),
        frozenset(_hashes(hashes)),
        _segments(segments),
    )


def _store_list(connection: Connection, resolved: ResolvedList, sentences: bytes | None) -> None:
    """Stores a list in place of the one in its slot; no `sentences` are those in the files of an earlier version."""
    head = resolved.head
    _remove_list(connection, head)
    others = [edge.cited if head.direction == "references" else edge.citing for edge in resolved.edges]
    numbers = paper_numbers(connection, {head.paper, *others})
    owner, kind = numbers[head.paper], _KIND_NUMBERS[head.source, head.direction]
    segments = _segments_number(connection, resolved.segments)
    number = connection.execute(
        "INSERT INTO citation_list (paper, kind, key, year, known, segments) VALUES (?, ?, ?, ?, ?, ?)",
        (owner, kind, head.key, head.year, resolved.known, segments),
    ).lastrowid
    rows = (
        (
            *((numbers[other], owner) if head.direction == "references" else (owner, numbers[other])),
            kind,
            place,
            edge.count,
            edge.year,
            edge.entries[0] if len(edge.entries) == 1 else json.dumps(edge.entries),
        )
        for place, (other, edge) in enumerate(zip(others, resolved.edges, strict=True))
        # A list may name its own paper.
        if other != head.paper
    )
    connection.executemany("INSERT INTO citation VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    wanted = array("I", sorted(resolved.unresolved_hashes))
    if byteorder == "big":
        wanted.byteswap()
    connection.execute("INSERT INTO citation_wanted VALUES (?, ?)", (number, wanted.tobytes()))
    if sentences is not None:
        stored = zlib.compress(sentences) if sentences else b""
        connection.execute("INSERT INTO citing_sentences VALUES (?, ?)", (number, stored))


def _remove_list(connection: Connection, head: ReferenceListHead) -> None:
    slot = _numbered_slot(head)
    for (number,) in connection.execute(f"SELECT {_NUMBER_SQL}", slot).fetchall():
        remove_uses(connection, number)
    for table in ("citation_wanted", "citing_sentences"):
        connection.execute(f"DELETE FROM {table} WHERE list = {_NUMBER_SQL}", slot)
    owner = "citing" if head.direction == "references" else "cited"
    connection.execute(f"DELETE FROM citation WHERE {owner} = {PAPER_SQL} AND kind = ?", slot)
    connection.execute(f"DELETE FROM citation_list WHERE paper = {PAPER_SQL} AND kind = ?", slot)


def _numbered_slot(head: ReferenceListHead) -> tuple[PaperId, int]:
    return head.paper, _KIND_NUMBERS[head.source, head.direction]


def paper_numbers(connection: Connection, papers: Collection[PaperId]) -> dict[PaperId, int]:
    """The numbers of `papers` in the database; new ones get one."""
    connection.executemany("INSERT OR IGNORE INTO citation_paper (id) VALUES (?)", ((paper,) for paper in papers))
    sql = "SELECT number FROM citation_paper WHERE id = ?"
    return {paper: connection.execute(sql, (paper,)).fetchone()[0] for paper in papers}


def _segments_number(connection: Connection, segments: frozenset[str]) -> int:
    keys = _segments_text(segments)
    connection.execute("INSERT OR IGNORE INTO citation_segments (keys) VALUES (?)", (keys,))
    return int(connection.execute("SELECT number FROM citation_segments WHERE keys = ?", (keys,)).fetchone()[0])


def _segments_text(segments: frozenset[str]) -> str:
    return json.dumps(sorted(segments))


def _segments(keys: str) -> frozenset[str]:
    return frozenset(texts(json.loads(keys)))


def _hashes(stored: bytes) -> array[int]:
    hashes = array("I", stored)
    if byteorder == "big":
        hashes.byteswap()
    return hashes


def _sentence_lines(citances: Sequence[Citance]) -> bytes:
    """Citing sentences as lines of JSON; what follows from their list is left out."""
    lines = (
        {
            "citing": citance.citing,
            "cited": citance.cited,
            "text": citance.text,
            "mark": None if citance.mark is None else [citance.mark.start, citance.mark.end],
            "sentence": citance.sentence,
        }
        for citance in citances
    )
    # A lone surrogate, which UTF-8 cannot hold, is written as an escape.
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode("utf-8", "backslashreplace")


def _inflated(stored: bytes) -> bytes:
    return zlib.decompress(stored) if stored else b""


def _citance(fields: Mapping[str, object], resolved: ResolvedList) -> Citance:
    head, citing = resolved.head, PaperId(text(fields["citing"]))
    years = (edge.year for edge in resolved.edges if edge.citing == citing)
    return Citance(
        citing=citing,
        cited=PaperId(text(fields["cited"])),
        text=text(fields["text"]),
        mark=None if fields["mark"] is None else Span(*map(integer, items(fields["mark"]))),
        year=head.year if citing == head.paper else next(years, None),
        source=head.source,
        document=DocumentId(head.key) if head.source == "text" else None,
        sentence=integer_or_none(fields["sentence"]),
    )


def _value(connection: Connection, name: str) -> str | None:
    row = connection.execute("SELECT value FROM citation_state WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def read_value(state: StateDatabase, name: str) -> str | None:
    """A value of the table `citation_state`; `None` where it was never stored."""
    # Where nothing was stored, importing SQLite would take longer than the answer.
    if not state.path.exists():
        return None
    with state.read() as connection:
        return _value(connection, name)


def _set_value(connection: Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO citation_state VALUES (?, ?)", (name, value))


def count_change(connection: Connection, name: str) -> None:
    """Notes that the lists, or the counts, were written once more."""
    connection.execute(
        "INSERT INTO citation_state VALUES (?, '1') ON CONFLICT (name) DO UPDATE SET value = value + 1", (name,)
    )


def _store_earlier_state(connection: Connection, settled: frozenset[str] | None, unread: int) -> None:
    if settled is not None:
        _set_value(connection, "settled", _segments_text(settled))
    _set_value(connection, "unread", str(unread))
    count_change(connection, "lists")


def _try_lock(folder: Path) -> WriteLock | None:
    lock = WriteLock(folder / LEASE_FILE)
    return lock if lock.try_acquire() else None


def temporary_folder() -> Path:
    """A temporary folder, removed when this process ends."""
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(scratch_folder())


def _copied(state: StateDatabase, folder: Path) -> StateDatabase:
    """A copy of the whole database in `folder`."""
    import sqlite3

    with state.read() as source, closing(sqlite3.connect(folder / STATE_FILE)) as target:
        source.backup(target)
    return StateDatabase(folder)


def batches(things: Iterable[T], size: int) -> Iterator[list[T]]:
    """`things` in lists of `size`, the last one shorter."""
    iterator = iter(things)
    while batch := list(islice(iterator, size)):
        yield batch
