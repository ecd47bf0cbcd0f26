"""Edits of a reading list: pin, drop, replace, move, rename, note. Each function returns a new list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.model.reading_list import ListEntry, ListSection, ReadingList

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId


def pin(reading_list: ReadingList, paper_id: PaperId, pinned: bool = True) -> ReadingList:
    """Pins a paper, which is then kept when the list is regenerated, or unpins it."""
    return _change_entry(reading_list, paper_id, lambda entry: replace(entry, pinned=pinned))


def write_note(reading_list: ReadingList, paper_id: PaperId, note: str) -> ReadingList:
    """Sets the reader's note on a paper; an empty one removes it."""
    return _change_entry(reading_list, paper_id, lambda entry: replace(entry, note=" ".join(note.split())))


def drop(reading_list: ReadingList, paper_id: PaperId) -> ReadingList:
    """Drops a paper, which then does not come back when the list is regenerated."""
    _find_entry(reading_list, paper_id)
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
    """Replaces a paper by `paper`; the old one does not come back when the list is regenerated."""
    entry = ListEntry(paper, _find_entry(reading_list, paper_id).stage, ("taken in place of another",))
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


def choose_spare(
    reading_list: ReadingList, paper_id: PaperId, similarity: Callable[[PaperId, PaperId], float]
) -> PaperId:
    """Chooses the spare most similar to a paper by `similarity`; of equally similar ones the best.

    Raises:
        UsageError: the paper is not in the list, or no spare is left.
    """
    _find_entry(reading_list, paper_id)
    available = [spare for spare in reading_list.spares if spare not in reading_list.dropped]
    if not available:
        raise UsageError("No other paper is left to take its place; regenerate the list for more.")
    # Spares are sorted, the best first.
    return max(available, key=lambda spare: (similarity(paper_id, spare), -available.index(spare)))


def move(reading_list: ReadingList, paper_id: PaperId, by: int) -> ReadingList:
    """Moves a paper down by so many steps, or up if `by` is negative, across sections if needed."""
    flat = [(number, entry) for number, section in enumerate(reading_list.sections) for entry in section.entries]
    index = next((row for row, (_, entry) in enumerate(flat) if entry.paper.id == paper_id), None)
    if index is None:
        raise _not_listed(paper_id)
    for _ in range(abs(by)):
        index = _step(flat, index, 1 if by > 0 else -1)
    members = [
        tuple(entry for number, entry in flat if number == section) for section in range(len(reading_list.sections))
    ]
    # A section that is now empty is removed with its heading.
    sections = [
        replace(section, entries=entries)
        for section, entries in zip(reading_list.sections, members, strict=True)
        if entries
    ]
    return replace(reading_list, sections=tuple(sections))


def _step(flat: list[tuple[int, ListEntry]], index: int, step: int) -> int:
    """Moves a paper by one step within its section or, at its end, into the next one. Returns its index."""
    target = index + step
    if not 0 <= target < len(flat):
        return index
    section, entry = flat[index]
    # Crossing into another section is a step of its own, in which the paper passes no other one.
    if flat[target][0] != section:
        flat[index] = (flat[target][0], entry)
        return index
    flat[index], flat[target] = flat[target], flat[index]
    return target


def rename(reading_list: ReadingList, name: str, new: str) -> ReadingList:
    """Renames a section.

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


def merge_edits(before: ReadingList, after: ReadingList) -> ReadingList:
    """Carries id, notes, pins and drops of `before` over to `after`, the regenerated list."""
    earlier_entries = {entry.paper.id: entry for entry in before.entries}

    def with_edits(entry: ListEntry) -> ListEntry:
        earlier = earlier_entries.get(entry.paper.id)
        return entry if earlier is None else replace(entry, pinned=earlier.pinned, note=earlier.note)

    sections: Sequence[ListSection] = [
        replace(section, entries=tuple(map(with_edits, section.entries))) for section in after.sections
    ]
    # Renamed headings are not carried over: the new list may have other sections.
    return replace(after, id=before.id, sections=tuple(sections), dropped=before.dropped)


def _change_entry(
    reading_list: ReadingList, paper_id: PaperId, change: Callable[[ListEntry], ListEntry]
) -> ReadingList:
    _find_entry(reading_list, paper_id)
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


def _find_entry(reading_list: ReadingList, paper_id: PaperId) -> ListEntry:
    entry = next((item for item in reading_list.entries if item.paper.id == paper_id), None)
    if entry is None:
        raise _not_listed(paper_id)
    return entry


def _not_listed(paper_id: PaperId) -> UsageError:
    return UsageError(f"{paper_id} is not in this list.")
