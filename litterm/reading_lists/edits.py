"""What a reader changes in a list: pins, drops, replacements, places, headings and notes. Each gives a new list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.model.reading_list import ListEntry, ListSection, ReadingList

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId


def pin(found: ReadingList, paper_id: PaperId, pinned: bool = True) -> ReadingList:
    """With the paper kept whenever the list is made again, or no longer."""
    return _changed(found, paper_id, lambda entry: replace(entry, pinned=pinned))


def write_note(found: ReadingList, paper_id: PaperId, note: str) -> ReadingList:
    """With the reader's own words on the paper; empty removes them."""
    return _changed(found, paper_id, lambda entry: replace(entry, note=" ".join(note.split())))


def drop(found: ReadingList, paper_id: PaperId) -> ReadingList:
    """Without the paper, which never comes back."""
    _entry(found, paper_id)
    sections = [
        replace(section, entries=tuple(entry for entry in section.entries if entry.paper.id != paper_id))
        for section in found.sections
    ]
    return replace(
        found,
        sections=tuple(section for section in sections if section.entries),
        dropped=tuple(dict.fromkeys((*found.dropped, paper_id))),
        spares=tuple(spare for spare in found.spares if spare != paper_id),
        links=tuple(link for link in found.links if paper_id not in link),
    )


def substitute(found: ReadingList, paper_id: PaperId, paper: Paper) -> ReadingList:
    """With `paper` in the place of another, which never comes back."""
    entry = ListEntry(paper, _entry(found, paper_id).stage, ("taken in place of another",))
    sections = tuple(
        replace(section, entries=tuple(entry if each.paper.id == paper_id else each for each in section.entries))
        for section in found.sections
    )
    return replace(
        found,
        sections=sections,
        dropped=tuple(dict.fromkeys((*found.dropped, paper_id))),
        spares=tuple(spare for spare in found.spares if spare not in (paper_id, paper.id)),
        links=tuple(link for link in found.links if paper_id not in link),
    )


def next_spare(found: ReadingList, paper_id: PaperId, like: Callable[[PaperId, PaperId], float]) -> PaperId:
    """The spare that is most like the paper it is to replace, of equals the better one.

    Raises:
        UsageError: the paper is not in the list, or no spare is left.
    """
    _entry(found, paper_id)
    free = [spare for spare in found.spares if spare not in found.dropped]
    if not free:
        raise UsageError("No other paper is left to take its place; regenerate the list for more.")
    return max(free, key=lambda each: (like(paper_id, each), -free.index(each)))


def move(found: ReadingList, paper_id: PaperId, by: int) -> ReadingList:
    """With the paper so many places further down (up where negative), over the border of a section if need be."""
    flat = [(number, entry) for number, section in enumerate(found.sections) for entry in section.entries]
    at = next((place for place, (_, entry) in enumerate(flat) if entry.paper.id == paper_id), None)
    if at is None:
        raise _absent(paper_id)
    for _ in range(abs(by)):
        at = _step(flat, at, 1 if by > 0 else -1)
    members = [tuple(entry for number, entry in flat if number == section) for section in range(len(found.sections))]
    sections = [replace(section, entries=own) for section, own in zip(found.sections, members, strict=True) if own]
    return replace(found, sections=tuple(sections))


def _step(flat: list[tuple[int, ListEntry]], at: int, way: int) -> int:
    """One step within the section, or into the next one where the paper stands at its border."""
    other = at + way
    if not 0 <= other < len(flat):
        return at
    section, entry = flat[at]
    if flat[other][0] != section:
        flat[at] = (flat[other][0], entry)
        return at
    flat[at], flat[other] = flat[other], flat[at]
    return other


def rename(found: ReadingList, name: str, new: str) -> ReadingList:
    """With another heading over a section.

    Raises:
        UsageError: there is no such section, or the new heading is blank.
    """
    new = " ".join(new.split())
    if not new:
        raise UsageError("A heading needs at least one word.")
    if all(section.name.casefold() != name.casefold() for section in found.sections):
        raise UsageError(f"The list has no section “{name}”.")
    return replace(
        found,
        sections=tuple(
            replace(section, name=new) if section.name.casefold() == name.casefold() else section
            for section in found.sections
        ),
    )


def merged(before: ReadingList, after: ReadingList) -> ReadingList:
    """A list that was made again, with the notes and pins of the one before, under its id."""
    old = {entry.paper.id: entry for entry in before.entries}

    def kept(entry: ListEntry) -> ListEntry:
        earlier = old.get(entry.paper.id)
        return entry if earlier is None else replace(entry, pinned=earlier.pinned, note=earlier.note)

    sections: Sequence[ListSection] = [
        replace(section, entries=tuple(map(kept, section.entries))) for section in after.sections
    ]
    return replace(after, id=before.id, sections=tuple(sections), dropped=before.dropped)


def _changed(found: ReadingList, paper_id: PaperId, change: Callable[[ListEntry], ListEntry]) -> ReadingList:
    _entry(found, paper_id)
    return replace(
        found,
        sections=tuple(
            replace(
                section,
                entries=tuple(change(entry) if entry.paper.id == paper_id else entry for entry in section.entries),
            )
            for section in found.sections
        ),
    )


def _entry(found: ReadingList, paper_id: PaperId) -> ListEntry:
    entry = next((each for each in found.entries if each.paper.id == paper_id), None)
    if entry is None:
        raise _absent(paper_id)
    return entry


def _absent(paper_id: PaperId) -> UsageError:
    return UsageError(f"{paper_id} is not in this list.")
