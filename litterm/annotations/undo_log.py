"""Everything the user decided, folded from the journal: registers that verbs set and that undo and redo turn back.

A line of the journal sets registers, or takes back or repeats an earlier line by its id. The order of the lines
alone decides what holds, whoever wrote them: two processes and a restart see the same.
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
    as_body,
    event_of,
    joined,
    rows_of,
    same,
    value_of,
)
from litterm.annotations.merged_records import TWIN, decided_of
from litterm.core.gc_control import collector_paused
from litterm.model.annotations import NO_DECISIONS, RecordVisibility
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.library.journal import FileJournal

# As they stand in the journals of every version: they cannot be renamed.
_SET, _UNDO, _REDO, _LOOKED = "desk", "desk-undo", "desk-redo", "desk-looked"
_ABOUT_RECORDS: tuple[Topic, ...] = ("twin", "removed")

Register: TypeAlias = list[tuple[Event, JournalRow]]
"""Every change ever made to it, oldest first."""


@dataclass(slots=True)
class State:
    """What holds after all lines read so far."""

    done: dict[str, Event] = field(default_factory=dict)
    """Events that hold, the most recently done last."""
    undone: dict[str, Event] = field(default_factory=dict)
    """Events that may be redone, the most recently undone last."""
    lines: int = 0
    """Lines of decisions read so far; other kinds do not count."""
    looked: dict[tuple[PaperId, str], tuple[str, frozenset[str]]] = field(default_factory=dict)
    """By project and watch, the newest first sight of a paper that was looked at, and the papers of that moment."""
    _registers: dict[Topic, dict[PaperId, dict[str, Register]]] = field(default_factory=dict)
    _withdrawn: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)
    _decided: RecordVisibility | None = NO_DECISIONS

    def value(self, topic: Topic, paper_id: PaperId, place: str = "") -> Value:
        """What the register holds now; for records shown as one paper, what they hold together."""
        members = self._members(topic, paper_id)
        if len(members) == 1:
            return self.own(topic, members[0], place)
        return joined(topic, (self.own(topic, member, place) for member in members))

    def own(self, topic: Topic, paper_id: PaperId, place: str = "") -> Value:
        """What the register of this very record holds."""
        return self._held(self._registers.get(topic, {}).get(paper_id, {}).get(place, ()))[1]

    def history(self, topic: Topic, paper_id: PaperId) -> list[tuple[str, Value]]:
        """All that was ever set for it, with when, the oldest first; of records shown as one paper that of each."""
        rows = [
            (event.order, event.at, value_of(row, event.at))
            for member in self._members(topic, paper_id)
            for register in self._registers.get(topic, {}).get(member, {}).values()
            for event, row in register
        ]
        return [(time, value) for _, time, value in sorted(rows, key=lambda row: row[0])]

    def places(self, topic: Topic, paper_id: PaperId) -> list[tuple[str, Value]]:
        """Places of a paper that hold something, with what, the one set last at the end."""
        return [(place, value) for place, value, _ in self.ordered_places(topic, paper_id)]

    def ordered_places(self, topic: Topic, paper_id: PaperId) -> list[tuple[str, Value, int]]:
        """As `places`, each with the order of the event that set it."""
        by_place: dict[str, tuple[int, Value]] = {}
        # Backwards, so that of two records with the same place the one shown counts.
        for member in reversed(self._members(topic, paper_id)):
            for place, register in self._registers.get(topic, {}).get(member, {}).items():
                order, value = self._held(register)
                if value is not None:
                    by_place[place] = order, value
        return sorted(((place, value, order) for place, (order, value) in by_place.items()), key=lambda row: row[2])

    def known(self, topic: Topic) -> tuple[PaperId, ...]:
        """All that the topic was ever set for, even where nothing of that holds any more."""
        return tuple(self._registers.get(topic, {}))

    def begun(self, topic: Topic, paper_id: PaperId) -> int:
        """The order of the first event that ever set the topic for a paper; -1 where none did."""
        registers = self._registers.get(topic, {}).get(paper_id, {}).values()
        return min((event.order for register in registers for event, _ in register[:1]), default=-1)

    def knows(self, topic: Topic, paper_id: PaperId) -> bool:
        """Whether the topic was ever set for it, even if nothing of that holds any more."""
        return paper_id in self._registers.get(topic, {})

    def papers(self, topic: Topic) -> Iterator[PaperId]:
        """Papers for which the topic holds something, in the order in which it was first set; no removed ones."""
        decided = self.decided()
        names: dict[PaperId, None] = {}
        for paper_id in self._registers.get(topic, {}):
            name = decided.shown_id(paper_id)
            hidden = topic not in _ABOUT_RECORDS and name in decided.removed
            if name not in names and not hidden and self.places(topic, paper_id):
                names[name] = None
                yield name

    def decided(self) -> RecordVisibility:
        """Which records are shown as one, and which are not shown."""
        if self._decided is None:
            self._decided = decided_of(self._current("twin"), self._current("removed"))
        return self._decided

    def events_on(self, topics: Iterable[Topic]) -> set[str]:
        """The ids of all events that ever changed one of `topics`."""
        return {
            event.id
            for topic in topics
            for places in self._registers.get(topic, {}).values()
            for register in places.values()
            for event, _ in register
        }

    def _current(self, topic: Topic) -> list[tuple[PaperId, str, Value]]:
        """Paper, place and value of every register of `topic` that holds something, in the order they were set in."""
        rows = [
            (*self._held(register), paper_id, place)
            for paper_id, places in self._registers.get(topic, {}).items()
            for place, register in places.items()
        ]
        return [(paper_id, place, value) for _, value, paper_id, place in sorted(rows, key=_order) if value is not None]

    def _members(self, topic: Topic, paper_id: PaperId) -> tuple[PaperId, ...]:
        return (paper_id,) if topic == TWIN else self.decided().merged_ids(paper_id)

    def fold(self, time: str, kind: str, body: Mapping[str, object]) -> None:
        """Takes in one line; lines of other kinds and lines taken in before change nothing."""
        line_id = str(body.get("id", ""))
        if kind == _LOOKED:
            seen = body.get("seen")
            place = PaperId(str(body.get("project", ""))), str(body.get("watch", ""))
            self.looked[place] = str(body.get("until", "")), frozenset(map(str, seen if isinstance(seen, list) else ()))
        # A line may be there twice, where folders are synchronised between machines.
        if kind not in (_SET, _UNDO, _REDO) or line_id in self._seen:
            return
        self._seen.add(line_id)
        # Undoing may concern records; a new verb says itself whether it does.
        if kind != _SET:
            self._decided = None
        target = str(body.get("target", ""))
        if kind == _SET:
            self._do(event_of(body, time, self.lines), rows_of(body))
        elif kind == _UNDO and target in self.done:
            self._withdrawn.add(target)
            self.undone[target] = self.done.pop(target)
        elif kind == _REDO and target in self.undone:
            self._withdrawn.discard(target)
            self.done[target] = self.undone.pop(target)
        self.lines += 1

    def _held(self, register: Sequence[tuple[Event, JournalRow]]) -> tuple[int, Value]:
        """What holds, and the order of the event that set it; -1 and `None` where nothing was set."""
        # A value that cannot be read, of a later version, is passed over like one that was withdrawn.
        for event, row in reversed(register):
            if event.id not in self._withdrawn:
                value = value_of(row, event.at)
                if value is not None or row.raw is None:
                    return event.order, value
        return -1, None

    def _do(self, event: Event, rows: Iterable[JournalRow]) -> None:
        for row in rows:
            if row.topic in _ABOUT_RECORDS:
                self._decided = None
            papers = self._registers.setdefault(row.topic, {})
            papers.setdefault(row.paper_id, {}).setdefault(row.place, []).append((event, row))
        self.done[event.id] = event
        # What was undone before something else was done cannot be repeated: it would be put on top of that.
        self.undone.clear()


class UndoLog:
    """The state of one journal, kept up with whoever else writes to it; safe from any thread."""

    def __init__(self, journal: FileJournal, *, writer: str = "") -> None:
        """`writer` names this process among those that share the journal; by default a random name."""
        self._journal = journal
        self._writer = writer or uuid.uuid4().hex[:12]
        self._lock = threading.RLock()
        self._state = State()
        self._version: object = None
        self._lines_at_start: int | None = None
        self._gathered: list[tuple[str, list[RegisterChange]]] | None = None

    def state(self) -> State:
        """What holds now, lines of other processes included; to be read at once, not kept."""
        with self._lock:
            version = self._journal.version()
            if version != self._version:
                # Looking through what folding makes would take as long as folding.
                with collector_paused():
                    for time, kind, body in self._journal.entries(self._version):
                        self._state.fold(time, kind, body)
                self._version = version
            # After the first reading, not at construction: nothing is read before something is asked.
            if self._lines_at_start is None:
                self._lines_at_start = self._state.lines
            return self._state

    def write(self, sentence: str, changes: Sequence[RegisterChange]) -> bool:
        """One verb; whether it changed anything. What it would not change is left out of the journal.

        Raises:
            DiskFull: it could not be written; nothing has changed.
        """
        with self._lock:
            state = self.state()
            # Compared with what holds: pressing a key twice must not make two steps to undo.
            real = [
                change
                for c in changes
                if not same(state.value(c.topic, c.paper_id, c.place), c.value)
                for change in _on_all(state, c)
            ]
            if real and self._gathered is not None:
                self._gathered.append((sentence, real))
            elif real:
                self._append(_SET, as_body(sentence, real))
            return bool(real)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Verbs inside become one line, undone as one; what they change is seen after the end of the block.

        Raises:
            DiskFull: at the end, if it could not be written; nothing has changed.
        """
        with self._lock:
            if self._gathered is not None:
                yield
                return
            gathered: list[tuple[str, list[RegisterChange]]] = []
            self._gathered = gathered
            try:
                yield
            finally:
                self._gathered = None
            if gathered:
                more = f" and {len(gathered) - 1} more" if len(gathered) > 1 else ""
                self._append(_SET, as_body(gathered[0][0] + more, [c for _, changes in gathered for c in changes]))

    def undo(self, *about: Topic) -> str | None:
        """Takes back the last verb of this process or of one before it; what it was, or `None`.

        With topics, the last verb that was `about` one of them.
        """
        return self._turn(_UNDO, about)

    def redo(self) -> str | None:
        """Repeats the verb undone last, unless another was done since; what it was, or `None`."""
        return self._turn(_REDO)

    def look(self, project: PaperId, watch: str, until: str, seen: Sequence[PaperId]) -> None:
        """A watch was looked at; nothing that undo takes back.

        Raises:
            DiskFull: it could not be written.
        """
        self._append(_LOOKED, {"project": project, "watch": watch, "until": until, "seen": list(seen)})

    def _turn(self, kind: str, about: Sequence[Topic] = ()) -> str | None:
        with self._lock:
            state = self.state()
            stack = state.done if kind == _UNDO else state.undone
            candidates = state.events_on(about) if about else stack.keys()
            events = (event for event in reversed(stack.values()) if event.id in candidates)
            event = next((event for event in events if self._is_ours(event)), None)
            if event is None:
                return None
            self._append(kind, {"target": event.id})
            return event.sentence

    def _is_ours(self, event: Event) -> bool:
        # What another window did since we started is its own to undo; what was there before is everybody's.
        return event.writer == self._writer or event.order < (self._lines_at_start or 0)

    def _append(self, kind: str, body: Mapping[str, object]) -> None:
        self._journal.append(kind, {"id": uuid.uuid4().hex, "by": self._writer, **body})


def _order(row: tuple[int, Value, PaperId, str]) -> int:
    return row[0]


def _on_all(state: State, change: RegisterChange) -> Iterator[RegisterChange]:
    """`change` on the paper as it is shown, and nothing left in its place on the records merged into it."""
    members = (change.paper_id,) if change.topic == TWIN else state.decided().merged_ids(change.paper_id)
    yield replace(change, paper_id=members[0])
    for other in members[1:]:
        if state.own(change.topic, other, change.place) is not None:
            yield replace(change, paper_id=other, value=None)
