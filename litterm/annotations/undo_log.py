"""The state of the user's annotations, folded from the journal, with undo and redo.

A line of the journal sets registers, or undoes or redoes an earlier line by its id. Only the order of the lines counts,
so all processes see the same state.

What the journal calls things cannot change. Each line has a time, a kind and a body; the kinds that are read here:

| kind | meaning | fields of its body, besides `id` and `by` (the process that wrote it; empty: a command) |
|---|---|---|
| `desk` | an event: registers are set | `say`: its description; `set`: rows of topic, paper, place and value |
| `desk-undo` | an event is undone | `target`: the id of its line; `forgotten`: whether it cannot be redone |
| `desk-redo` | an undone event is redone | `target`: the id of its line |
| `desk-looked` | a saved search was viewed | `project`, `watch`; `until`, `seen`: newest import time, and its papers |

An event that took over what another program says has a field `import`, which is true.

Of the topics, `twin` says that two records are one paper (its value is the id shown) or that they are kept apart
(`apart`), and `cell` is a decision on a cell of a matrix. `collection` is the name of a collection, by its key, and
`filed` says that a paper is in the collection whose key is the place. `imported` says of a collection what another
program said of it last: at the places `name`, `parent` (a key) and `source` (a path). `wrong_name` says that the name
whose key is the place does not stand for a paper. `grade` is what a person found of a cell that a model judges,
too: its place is the aspect or hypothesis, the sentence, and the person. `agreement` is what a test of a model against
people has found. `value` is what the user wrote into a cell of a table of columns: its place is the column. A litterm
that does not know a topic leaves it out, and keeps its lines. The other topics are named like what they store.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from litterm.annotations.journal_codec import (
    Event,
    JournalRow,
    RegisterChange,
    Topic,
    Value,
    decode_event,
    decode_rows,
    decode_value,
    encode_event,
    is_same_value,
    join_values,
)
from litterm.annotations.merged_records import TWIN, fold_decisions
from litterm.core.gc_control import collector_paused
from litterm.model.annotations import NO_DECISIONS, RecordVisibility
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.library.journal import FileJournal

# Stored in journals, so they cannot be renamed.
_SET, _UNDO, _REDO, _WATCH_SEEN = "desk", "desk-undo", "desk-redo", "desk-looked"
_RECORD_TOPICS: tuple[Topic, ...] = ("twin", "removed")

Register: TypeAlias = list[tuple[Event, JournalRow]]
"""All changes ever made to a register, the oldest first."""


@dataclass(slots=True)
class State:
    """The state after all lines read so far."""

    done: dict[str, Event] = field(default_factory=dict)
    """Events in effect, the most recent last."""
    undone: dict[str, Event] = field(default_factory=dict)
    """Events that may be redone, the most recently undone last."""
    lines: int = 0
    """Number of lines with annotations read so far."""
    seen_by_watch: dict[tuple[PaperId, str], tuple[str, frozenset[str]]] = field(default_factory=dict)
    """By project and watch, the import time of the newest paper seen, and the papers seen with that time."""
    _registers: dict[Topic, dict[PaperId, dict[str, Register]]] = field(default_factory=dict)
    _withdrawn: set[str] = field(default_factory=set)
    _not_to_redo: dict[str, dict[str, Event]] = field(default_factory=dict)
    """By the id of an event, what could be redone until it came; only where there was something."""
    _seen: set[str] = field(default_factory=set)
    _record_decisions: RecordVisibility | None = NO_DECISIONS

    def value(self, topic: Topic, paper_id: PaperId, place: str = "") -> Value:
        """The current value of a register; for merged records their values joined."""
        members = self._members(topic, paper_id)
        if len(members) == 1:
            return self.own_value(topic, members[0], place)
        return join_values(topic, (self.own_value(topic, member, place) for member in members))

    def own_value(self, topic: Topic, paper_id: PaperId, place: str = "") -> Value:
        """The current value of a register of this record alone."""
        return self._current_value(self._registers.get(topic, {}).get(paper_id, {}).get(place, ()))[1]

    def history(self, topic: Topic, paper_id: PaperId) -> list[tuple[str, Value]]:
        """All values ever set, with their times, the oldest first, including those of merged records."""
        rows = [
            (event.order, event.at, decode_value(row, event.at))
            for member in self._members(topic, paper_id)
            for register in self._registers.get(topic, {}).get(member, {}).values()
            for event, row in register
        ]
        return [(time, value) for _, time, value in sorted(rows, key=lambda row: row[0])]

    def places(self, topic: Topic, paper_id: PaperId) -> list[tuple[str, Value]]:
        """The places of a paper with a value, and the values, the most recently set last."""
        return [(place, value) for place, value, _ in self.ordered_places(topic, paper_id)]

    def ordered_places(self, topic: Topic, paper_id: PaperId) -> list[tuple[str, Value, int]]:
        """Like `places`, each with the order of the event that set it."""
        by_place: dict[str, tuple[int, Value]] = {}
        # Backwards, so that the visible record wins if two records have the same place.
        for member in reversed(self._members(topic, paper_id)):
            for place, register in self._registers.get(topic, {}).get(member, {}).items():
                order, value = self._current_value(register)
                if value is not None:
                    by_place[place] = order, value
        return sorted(((place, value, order) for place, (order, value) in by_place.items()), key=lambda row: row[2])

    def papers_ever_set(self, topic: Topic) -> tuple[PaperId, ...]:
        """All papers for which the topic was ever set, even if it no longer has a value."""
        return tuple(self._registers.get(topic, {}))

    def first_order(self, topic: Topic, paper_id: PaperId) -> int:
        """The order of the first event that set the topic for a paper; -1 if there is none."""
        registers = self._registers.get(topic, {}).get(paper_id, {}).values()
        return min((event.order for register in registers for event, _ in register[:1]), default=-1)

    def was_ever_set(self, topic: Topic, paper_id: PaperId) -> bool:
        """Whether the topic was ever set for a paper, even if it no longer has a value."""
        return paper_id in self._registers.get(topic, {})

    def last_value(self, topic: Topic, paper_id: PaperId, place: str) -> Value:
        """The value that a register of this record alone was set to last, undone or not."""
        register = self._registers.get(topic, {}).get(paper_id, {}).get(place)
        return decode_value(register[-1][1], register[-1][0].at) if register else None

    def is_left_to_imports(self, topic: Topic, paper_id: PaperId, place: str = "") -> bool:
        """Whether a register was never set, or last by an import: then the user has decided nothing about it."""
        registers = (
            self._registers.get(topic, {}).get(member, {}).get(place, ()) for member in self._members(topic, paper_id)
        )
        return all(self._is_by_import(register) for register in registers)

    def _is_by_import(self, register: Sequence[tuple[Event, JournalRow]]) -> bool:
        for event, _ in reversed(register):
            # Whoever undoes what an import did has decided.
            if event.id not in self._withdrawn or event.is_import:
                return event.is_import and event.id not in self._withdrawn
        return not register

    def has_undone_import(self, topic: Topic, paper_id: PaperId) -> bool:
        """Whether the last import that set a topic of this record was undone."""
        imports = [
            event
            for register in self._registers.get(topic, {}).get(paper_id, {}).values()
            for event, _ in register
            if event.is_import
        ]
        return bool(imports) and max(imports, key=lambda event: event.order).id in self._withdrawn

    def papers(self, topic: Topic) -> Iterator[PaperId]:
        """Papers for which the topic has a value, in the order in which it was first set, without removed papers."""
        decided = self.record_decisions()
        names: dict[PaperId, None] = {}
        for paper_id in self._registers.get(topic, {}):
            name = decided.shown_id(paper_id)
            hidden = topic not in _RECORD_TOPICS and name in decided.removed
            if name not in names and not hidden and self.places(topic, paper_id):
                names[name] = None
                yield name

    def record_decisions(self) -> RecordVisibility:
        """Which records are merged, and which are hidden."""
        if self._record_decisions is None:
            self._record_decisions = fold_decisions(self._current_rows("twin"), self._current_rows("removed"))
        return self._record_decisions

    def event_ids_on(self, topics: Iterable[Topic]) -> set[str]:
        """The ids of all events that ever changed one of `topics`."""
        return {
            event.id
            for topic in topics
            for places in self._registers.get(topic, {}).values()
            for register in places.values()
            for event, _ in register
        }

    def _current_rows(self, topic: Topic) -> list[tuple[PaperId, str, Value]]:
        """Paper, place and value of every register of `topic` with a value, in the order in which they were set."""
        rows = [
            (*self._current_value(register), paper_id, place)
            for paper_id, places in self._registers.get(topic, {}).items()
            for place, register in places.items()
        ]
        return [
            (paper_id, place, value) for _, value, paper_id, place in sorted(rows, key=_row_order) if value is not None
        ]

    def _members(self, topic: Topic, paper_id: PaperId) -> tuple[PaperId, ...]:
        return (paper_id,) if topic == TWIN else self.record_decisions().merged_ids(paper_id)

    def apply_line(self, time: str, kind: str, body: Mapping[str, object]) -> None:
        """Applies one line; lines of other kinds and lines already applied are ignored."""
        line_id = str(body.get("id", ""))
        if kind == _WATCH_SEEN:
            seen = body.get("seen")
            place = PaperId(str(body.get("project", ""))), str(body.get("watch", ""))
            self.seen_by_watch[place] = (
                str(body.get("until", "")),
                frozenset(map(str, seen if isinstance(seen, list) else ())),
            )
        # Folders that are synchronised between machines may contain a line twice.
        if kind not in (_SET, _UNDO, _REDO) or line_id in self._seen:
            return
        self._seen.add(line_id)
        # The event undone or redone may concern records.
        if kind != _SET:
            self._record_decisions = None
        target = str(body.get("target", ""))
        if kind == _SET:
            self._apply_event(decode_event(body, time, self.lines), decode_rows(body))
        elif kind == _UNDO and target in self.done:
            self._undo(target, is_forgotten=body.get("forgotten") is True)
        elif kind == _REDO and target in self.undone:
            self._withdrawn.discard(target)
            self.done[target] = self.undone.pop(target)
        self.lines += 1

    def _current_value(self, register: Sequence[tuple[Event, JournalRow]]) -> tuple[int, Value]:
        """The order of the event that set the current value, and the value; -1 and `None` if there is none."""
        # Values that only a later version can read are skipped like undone ones.
        for event, row in reversed(register):
            if event.id not in self._withdrawn:
                value = decode_value(row, event.at)
                if value is not None or row.raw is None:
                    return event.order, value
        return -1, None

    def _undo(self, target: str, *, is_forgotten: bool) -> None:
        self._withdrawn.add(target)
        is_newest = target == next(reversed(self.done))
        event = self.done.pop(target)
        if not is_forgotten:
            self.undone[target] = event
        elif is_newest:
            # As if it had never been: what it kept from being redone can be redone again.
            self.undone = {**self._not_to_redo.get(target, {}), **self.undone}

    def _apply_event(self, event: Event, rows: Iterable[JournalRow]) -> None:
        for row in rows:
            if row.topic in _RECORD_TOPICS:
                self._record_decisions = None
            papers = self._registers.setdefault(row.topic, {})
            papers.setdefault(row.paper_id, {}).setdefault(row.place, []).append((event, row))
        self.done[event.id] = event
        # After a new event, undone ones cannot be redone.
        if self.undone:
            self._not_to_redo[event.id], self.undone = self.undone, {}


class UndoLog:
    """The state of one journal, kept up to date with other writers; thread-safe."""

    def __init__(self, journal: FileJournal, *, writer: str = "") -> None:
        """`writer` identifies this process among those that share the journal; by default a random name."""
        self._journal = journal
        self._writer = writer or uuid.uuid4().hex[:12]
        self._lock = threading.RLock()
        self._state = State()
        self._version: object = None
        self._lines_at_start: int | None = None
        self._pending: list[tuple[str, list[RegisterChange]]] | None = None
        self._tracked_thread: int | None = None
        self._tracked: list[tuple[str, str, str]] = []
        """Kind, id and target of the lines that `take_back_tracked` takes back, in order."""

    def state(self) -> State:
        """The current state, including the lines of other processes; do not keep it."""
        with self._lock:
            version = self._journal.version()
            if version != self._version:
                # Garbage collection would double the time.
                with collector_paused():
                    for time, kind, body in self._journal.entries(self._version):
                        self._state.apply_line(time, kind, body)
                self._version = version
            # Set at the first read, because the constructor reads nothing.
            if self._lines_at_start is None:
                self._lines_at_start = self._state.lines
            return self._state

    def write(self, sentence: str, changes: Sequence[RegisterChange], *, is_import: bool = False) -> bool:
        """Writes an event and returns whether it changed anything; changes without effect are left out.

        With `is_import` another program has decided, not the user; never within `group_changes`.

        Raises:
            DiskFull: it could not be written; nothing has changed.
        """
        with self._lock:
            state = self.state()
            # Pressing a key twice must not make two steps to undo.
            real = [
                change
                for c in changes
                if not is_same_value(state.value(c.topic, c.paper_id, c.place), c.value)
                for change in _spread_over_members(state, c)
            ]
            if real and self._pending is not None:
                self._pending.append((sentence, real))
            elif real:
                self._append(_SET, encode_event(sentence, real, is_import=is_import))
            return bool(real)

    @contextmanager
    def group_changes(self, sentence: str = "", *, by_command: bool = False) -> Iterator[None]:
        """Groups the events of a block into one, which is written and visible at its end.

        `sentence` describes it, by default the first of them. With `by_command` every window may undo it.

        Raises:
            DiskFull: at the end, if it could not be written; nothing has changed.
        """
        with self._lock:
            if self._pending is not None:
                yield
                return
            grouped_changes: list[tuple[str, list[RegisterChange]]] = []
            self._pending = grouped_changes
            try:
                yield
            finally:
                self._pending = None
            if grouped_changes:
                suffix = f" and {len(grouped_changes) - 1} more" if len(grouped_changes) > 1 else ""
                body = encode_event(
                    sentence or grouped_changes[0][0] + suffix, [c for _, changes in grouped_changes for c in changes]
                )
                self._append(_SET, body, writer="" if by_command else None)

    @contextmanager
    def track_changes(self) -> Iterator[None]:
        """What this thread changes in the block is written as always, and can be taken back by `take_back_tracked`."""
        self._tracked_thread = threading.get_ident()
        try:
            yield
        finally:
            self._tracked_thread = None

    def keep_tracked(self) -> None:
        """What was tracked so far stays."""
        with self._lock:
            self._tracked = []

    def take_back_tracked(self) -> None:
        """Takes back what was tracked so far: it can neither be undone nor redone, and what could be still can be.

        Raises:
            DiskFull: that could not be written; all of it stays.
        """
        with self._lock:
            tracked, self._tracked = self._tracked, []
            lines = [self._line(*_opposite(kind, line_id, target)) for kind, line_id, target in reversed(tracked)]
            if lines:
                self._journal.append_all(lines)

    def undo(self, *topics: Topic) -> str | None:
        """Undoes the last event of this process or of an earlier one; returns its description, or `None`.

        With topics, the last event that was about one of them.
        """
        return self._undo_or_redo(_UNDO, topics)

    def redo(self) -> str | None:
        """Redoes the event undone last, unless another followed; returns its description, or `None`."""
        return self._undo_or_redo(_REDO)

    def steps(self) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """Events that `redo` would repeat, the last one first, then those that `undo` takes back, the newest first."""
        with self._lock:
            state = self.state()
            done, undone = (
                tuple(event for event in stack.values() if self._is_ours(event)) for stack in (state.done, state.undone)
            )
            return undone, done[::-1]

    def undo_through(self, event_id: str) -> int:
        """Undoes all events from the newest to this one; returns how many, 0 if it is not there to be undone."""
        return self._repeat_through(_UNDO, event_id)

    def redo_through(self, event_id: str) -> int:
        """Redoes events up to this one, the last undone first; returns how many, 0 if it is not there to be redone."""
        return self._repeat_through(_REDO, event_id)

    def _repeat_through(self, kind: str, event_id: str) -> int:
        with self._lock:
            undone, done = self.steps()
            ids = [event.id for event in (done if kind == _UNDO else reversed(undone))]
            # Another process may have undone it since it was listed: nothing else must be undone instead.
            count = ids.index(event_id) + 1 if event_id in ids else 0
            for _ in range(count):
                self._undo_or_redo(kind)
            return count

    def mark_watch_seen(self, project: PaperId, watch: str, until: str, seen: Sequence[PaperId]) -> None:
        """Records that a watch was viewed, which cannot be undone.

        Raises:
            DiskFull: it could not be written.
        """
        self._append(_WATCH_SEEN, {"project": project, "watch": watch, "until": until, "seen": list(seen)})

    def _undo_or_redo(self, kind: str, topics: Sequence[Topic] = ()) -> str | None:
        with self._lock:
            state = self.state()
            stack = state.done if kind == _UNDO else state.undone
            candidates = state.event_ids_on(topics) if topics else stack.keys()
            events = (event for event in reversed(stack.values()) if event.id in candidates)
            event = next((event for event in events if self._is_ours(event)), None)
            if event is None:
                return None
            self._append(kind, {"target": event.id})
            return event.sentence

    def _is_ours(self, event: Event) -> bool:
        # Events of other windows since this one started are theirs to undo; earlier ones are everybody's, and so are
        # those of commands, which have no window.
        return event.writer in ("", self._writer) or event.order < (self._lines_at_start or 0)

    def _append(self, kind: str, body: Mapping[str, object], *, writer: str | None = None) -> None:
        kind, line = self._line(kind, body, writer=writer)
        self._journal.append(kind, line)
        if self._tracked_thread == threading.get_ident() and kind in (_SET, _UNDO, _REDO):
            self._tracked.append((kind, str(line["id"]), str(line.get("target", ""))))

    def _line(
        self, kind: str, body: Mapping[str, object], *, writer: str | None = None
    ) -> tuple[str, Mapping[str, object]]:
        by = self._writer if writer is None else writer
        return kind, {"id": uuid.uuid4().hex, "by": by, **body}


def _opposite(kind: str, line_id: str, target: str) -> tuple[str, Mapping[str, object]]:
    """Kind and body of the line that takes back another."""
    if kind == _SET:
        return _UNDO, {"target": line_id, "forgotten": True}
    return _REDO if kind == _UNDO else _UNDO, {"target": target}


def _row_order(row: tuple[int, Value, PaperId, str]) -> int:
    return row[0]


def _spread_over_members(state: State, change: RegisterChange) -> Iterator[RegisterChange]:
    """Applies `change` to the visible record, and clears the register of the records merged into it."""
    members = (change.paper_id,) if change.topic == TWIN else state.record_decisions().merged_ids(change.paper_id)
    yield replace(change, paper_id=members[0])
    for other in members[1:]:
        if state.own_value(change.topic, other, change.place) is not None:
            yield replace(change, paper_id=other, value=None)
