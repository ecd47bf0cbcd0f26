"""The changes a reader makes to a list: pins, drops, replacements, moves, headings, notes. Each gives a new list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.model.reading_list import ListEntry, ListSection, ReadingList

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId


def pin(reading_list: ReadingList, paper_id: PaperId, pinned: bool = True) -> ReadingList:
    """The list with a paper kept whenever it is made again, or no longer."""
    return _changed(reading_list, paper_id, lambda entry: replace(entry, pinned=pinned))


def write_note(reading_list: ReadingList, paper_id: PaperId, note: str) -> ReadingList:
    """The list with the reader's own words on a paper; empty removes them."""
    return _changed(reading_list, paper_id, lambda entry: replace(entry, note=" ".join(note.split())))


def drop(reading_list: ReadingList, paper_id: PaperId) -> ReadingList:
    """The list without a paper, which does not come back when it is made again."""
    _entry(reading_list, paper_id)
    sections = [
        replace(section, entries=tuple(entry for entry in section.entries if entry.paper.id != paper_id))
        for section in reading_list.sections
    ]
    return replace(
        reading_list,
        sections=tuple(section for section in sections if section.entries),
        dropped=tuple(dict.fromkeys((*reading_list.dropped, paper_id))),
        spares=tuple(spare for spare in reading_list.spares if spare != paper_id),
        links=tuple(link for link in reading_list.links if paper_id not in link),
    )


def substitute(reading_list: ReadingList, paper_id: PaperId, paper: Paper) -> ReadingList:
    """The list with `paper` in the place of another, which does not come back when it is made again."""
    entry = ListEntry(paper, _entry(reading_list, paper_id).stage, ("taken in place of another",))
    sections = tuple(
        replace(section, entries=tuple(entry if old.paper.id == paper_id else old for old in section.entries))
        for section in reading_list.sections
    )
    return replace(
        reading_list,
        sections=sections,
        dropped=tuple(dict.fromkeys((*reading_list.dropped, paper_id))),
        spares=tuple(spare for spare in reading_list.spares if spare not in (paper_id, paper.id)),
        links=tuple(link for link in reading_list.links if paper_id not in link),
    )


def next_spare(reading_list: ReadingList, paper_id: PaperId, like: Callable[[PaperId, PaperId], float]) -> PaperId:
    """The spare that is most like the paper it is to replace, of equals the better one.

    Raises:
        UsageError: the paper is not in the list, or no spare is left.
    """
    _entry(reading_list, paper_id)
    free = [spare for spare in reading_list.spares if spare not in reading_list.dropped]
    if not free:
        raise UsageError("No other paper is left to take its place; regenerate the list for more.")
    # Spares stand best first: of equally similar ones the earlier is the better.
    return max(free, key=lambda spare: (like(paper_id, spare), -free.index(spare)))


def move(reading_list: ReadingList, paper_id: PaperId, by: int) -> ReadingList:
    """The list with a paper so many places further down (up if negative), into the next section if need be."""
    flat = [(number, entry) for number, section in enumerate(reading_list.sections) for entry in section.entries]
    index = next((place for place, (_, entry) in enumerate(flat) if entry.paper.id == paper_id), None)
    if index is None:
        raise _absent(paper_id)
    for _ in range(abs(by)):
        index = _step(flat, index, 1 if by > 0 else -1)
    members = [
        tuple(entry for number, entry in flat if number == section) for section in range(len(reading_list.sections))
    ]
    # A section that the move has emptied goes, and its heading with it.
    sections = [
        replace(section, entries=own) for section, own in zip(reading_list.sections, members, strict=True) if own
    ]
    return replace(reading_list, sections=tuple(sections))


def _step(flat: list[tuple[int, ListEntry]], index: int, step: int) -> int:
    """One step within the section, or into the next one where the paper stands at its border."""
    target = index + step
    if not 0 <= target < len(flat):
        return index
    section, entry = flat[index]
    # Crossing a border is a step of its own: the paper changes its section before it passes another paper.
    if flat[target][0] != section:
        flat[index] = (flat[target][0], entry)
        return index
    flat[index], flat[target] = flat[target], flat[index]
    return target


def rename(reading_list: ReadingList, name: str, new: str) -> ReadingList:
    """The list with another heading over a section.

    Raises:
        UsageError: there is no such section, or the new heading is blank.
    """
    new = " ".join(new.split())
    if not new:
        raise UsageError("A heading needs at least one word.")
    if all(section.name.casefold() != name.casefold() for section in reading_list.sections):
        raise UsageError(f"The list has no section “{name}”.")
    return replace(
        reading_list,
        sections=tuple(
            replace(section, name=new) if section.name.casefold() == name.casefold() else section
            for section in reading_list.sections
        ),
    )


def merged(before: ReadingList, after: ReadingList) -> ReadingList:
    """The list `after`, made again from `before`, with the notes, pins, drops and the id of that one."""
    earlier_entries = {entry.paper.id: entry for entry in before.entries}

    def with_edits(entry: ListEntry) -> ListEntry:
        earlier = earlier_entries.get(entry.paper.id)
        return entry if earlier is None else replace(entry, pinned=earlier.pinned, note=earlier.note)

    sections: Sequence[ListSection] = [
        replace(section, entries=tuple(map(with_edits, section.entries))) for section in after.sections
    ]
    # Headings that were renamed are not carried over: the sections of the new list need not be those of the old one.
    return replace(after, id=before.id, sections=tuple(sections), dropped=before.dropped)


def _changed(reading_list: ReadingList, paper_id: PaperId, change: Callable[[ListEntry], ListEntry]) -> ReadingList:
    _entry(reading_list, paper_id)
    return replace(
        reading_list,
        sections=tuple(
            replace(
                section,
                entries=tuple(change(entry) if entry.paper.id == paper_id else entry for entry in section.entries),
            )
            for section in reading_list.sections
        ),
    )


def _entry(reading_list: ReadingList, paper_id: PaperId) -> ListEntry:
    entry = next((item for item in reading_list.entries if item.paper.id == paper_id), None)
    if entry is None:
        raise _absent(paper_id)
    return entry


def _absent(paper_id: PaperId) -> UsageError:
    return UsageError(f"{paper_id} is not in this list.")
