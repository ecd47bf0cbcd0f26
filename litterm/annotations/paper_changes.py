"""Changes stars, decisions, reading status, tags, collections and notes of many papers in one step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from litterm.annotations.annotations import Annotations
from litterm.core.errors import UsageError
from litterm.library.paper_lookup import PaperLookup
from litterm.model.annotations import MarkedPapers, PaperChanges, PaperNotes
from litterm.model.paper import PaperId
from litterm.text.collection_names import fold_collection, split_collection
from litterm.text.plural import count_phrase


class PaperMarking:
    """Changes what the user notes about papers that are named by ids or citation keys."""

    def __init__(self, annotations: Annotations, lookup: PaperLookup) -> None:
        self._annotations = annotations
        self._lookup = lookup

    def mark(self, keys: Sequence[str], changes: PaperChanges) -> MarkedPapers:
        """Makes the same changes to all papers, which undo takes back at once, in any window.

        Decisions and stars are those of the current project. Keys that name no paper are listed in the result, and
        the others are done.

        Raises:
            AmbiguousPaper: one of the keys may be any of several papers; nothing has changed.
            UsageError: a collection to take papers out of does not exist; nothing has changed.
            DiskFull: the changes could not be written; nothing has changed.
        """
        ids = self._lookup.ids_by_key(keys)
        papers = tuple(dict.fromkeys(paper_id for paper_id in ids if paper_id is not None))
        unknown = tuple(dict.fromkeys(key for key, paper_id in zip(keys, ids, strict=True) if paper_id is None))
        return MarkedPapers(papers, change_papers(self._annotations, papers, changes), unknown, summarize(changes))


def change_papers(annotations: Annotations, papers: Sequence[PaperId], changes: PaperChanges) -> frozenset[PaperId]:
    """Makes the same changes to all `papers`, which undo takes back together. Returns those that were not so before.

    Raises:
        UsageError: a collection to take papers out of does not exist; nothing has changed.
        DiskFull: they could not be written; nothing has changed.
    """
    for name in changes.removed_collections:
        annotations.collections.require(name)
    notes_before = annotations.notes_on(papers)
    changed = {
        paper_id: wanted
        for paper_id, notes in notes_before.items()
        if (wanted := changed_notes(notes, changes)) != notes
    }
    whose = next(iter(changed)) if len(changed) == 1 else count_phrase(len(changed), "paper")
    with annotations.group_changes(f"{summarize(changes)}: {whose}", by_command=True):
        for paper_id, wanted in changed.items():
            _write(annotations, paper_id, notes_before[paper_id], wanted)
        for name in changes.collections:
            annotations.collections.file(changed, name)
        for name in changes.removed_collections:
            annotations.collections.take_out(changed, name)
    return frozenset(changed)


def changed_notes(notes: PaperNotes, changes: PaperChanges) -> PaperNotes:
    """The notes on a paper after `changes`."""
    if changes.screening is not None:
        notes = replace(notes, screening=None if changes.screening == "undecided" else changes.screening)
    if changes.starred is not None:
        notes = replace(notes, starred=changes.starred)
    if changes.status is not None:
        notes = replace(notes, status=changes.status)
    if changes.note is not None:
        notes = replace(notes, note=changes.note.strip())
    return replace(
        notes,
        tags=_changed_names(notes.tags, changes.tags, changes.removed_tags),
        collections=_changed_collections(notes.collections, changes),
    )


def check_changes(changes: PaperChanges) -> None:
    """Refuses changes that contradict one another.

    Raises:
        UsageError: a tag or collection is to be added and taken off at once.
    """
    both = {*changes.tags} & {*changes.removed_tags} or {*changes.collections} & {*changes.removed_collections}
    if both:
        raise UsageError(f"{min(both)} cannot be added and taken off at once")


def split_tags(text: str) -> tuple[str, ...]:
    """The tags in a text: commas part them, blanks only where there is no comma.

    `#NLP parsing` is `nlp` and `parsing`, `related work, parsing` is `related work` and `parsing`.
    """
    parts = text.split(",") if "," in text else text.split()
    tags = (" ".join(part.split()).strip("#").lower() for part in parts)
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def join_tags(tags: Sequence[str]) -> str:
    """A text that `split_tags` reads as `tags`."""
    if not any(" " in tag for tag in tags):
        return " ".join(tags)
    return ", ".join(tags) if len(tags) > 1 else f"{tags[0]},"


def summarize(changes: PaperChanges) -> str:
    """What is changed, as `included, starred, tagged pruning`."""
    return ", ".join(_phrases(changes))


def _phrases(changes: PaperChanges) -> Iterator[str]:
    if changes.screening is not None:
        yield changes.screening
    if changes.starred is not None:
        yield "starred" if changes.starred else "not starred"
    if changes.status is not None:
        yield changes.status or "unread"
    names_by_action = (
        ("tagged", changes.tags),
        ("no longer tagged", changes.removed_tags),
        ("filed under", changes.collections),
        ("taken out of", changes.removed_collections),
    )
    yield from (f"{action} {', '.join(names)}" for action, names in names_by_action if names)
    if changes.note is not None:
        yield "noted" if changes.note.strip() else "without a note"


def _changed_names(names: Sequence[str], added: Iterable[str], removed: Iterable[str]) -> tuple[str, ...]:
    """`names` without `removed` and with `added`, each once in any case, in the spelling it has already."""
    without = {name.casefold() for name in removed}
    kept = {name.casefold(): name for name in names if name.casefold() not in without}
    for name in added:
        kept.setdefault(name.casefold(), name)
    return tuple(kept.values())


def _changed_collections(names: Sequence[str], changes: PaperChanges) -> tuple[str, ...]:
    """`names` after the changes, compared as collections are; for telling whether there are any."""
    removed = {fold_collection(split_collection(name)) for name in changes.removed_collections}
    kept = {folded: name for name in names if (folded := fold_collection(split_collection(name))) not in removed}
    for name in changes.collections:
        kept.setdefault(fold_collection(split_collection(name)), name)
    return tuple(kept.values())


def _write(annotations: Annotations, paper_id: PaperId, before: PaperNotes, wanted: PaperNotes) -> None:
    """Writes what differs."""
    if wanted.screening != before.screening:
        annotations.screen(paper_id, wanted.screening)
    if wanted.starred != before.starred:
        annotations.star(paper_id, wanted.starred)
    if wanted.status != before.status:
        annotations.set_status(paper_id, wanted.status)
    if wanted.tags != before.tags:
        annotations.tag(paper_id, wanted.tags)
    if wanted.note != before.note:
        annotations.note(paper_id, wanted.note)
