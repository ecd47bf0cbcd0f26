"""Collections: papers filed under names of the user, nested, each paper in any number of them.

A collection is identified by its key, which never changes, while its name may. A name says where it lies:
`Thesis/Methods` lies in `Thesis`, which is there as long as something lies in it. Names that differ only in case are
the same, and so are the collections of two keys with the same name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.undo_log import State, UndoLog
from litterm.core.errors import UsageError
from litterm.model.annotations import CollectionSummary, ImportedCollection, TakenCollections
from litterm.model.paper import PaperId
from litterm.text.collection_names import clean_part, fold_collection, join_collection, split_collection
from litterm.text.plural import count_phrase

_MAX_SUGGESTIONS = 3
_ID_PREFIX = "collection:"
"""Before the key of a collection, in the place of a paper in the journal."""
CollectionParts: TypeAlias = tuple[str, ...]
"""The parts of a name, from the outermost."""


class Collections:
    """The collections in one journal, the same in all projects; every change is durable and can be undone."""

    def __init__(self, undo_log: UndoLog) -> None:
        self._undo_log = undo_log

    def all(self) -> tuple[CollectionSummary, ...]:
        """All collections, each before those that lie in it, sorted by name."""
        state = self._undo_log.state()
        parts_by_key = _parts_by_key(state)
        names = _spellings(parts_by_key.values())
        own: defaultdict[CollectionParts, set[PaperId]] = defaultdict(set)
        below: defaultdict[CollectionParts, set[PaperId]] = defaultdict(set)
        for paper_id in state.papers("filed"):
            for folded in {fold_collection(parts) for parts in _filed_under(state, paper_id, parts_by_key)}:
                own[folded].add(paper_id)
                for depth in range(1, len(folded) + 1):
                    below[folded[:depth]].add(paper_id)
        return tuple(
            CollectionSummary(join_collection(names[folded]), len(below[folded]), len(own[folded]), len(folded) - 1)
            for folded in sorted(names)
        )

    def names(self) -> tuple[str, ...]:
        """The names of all collections, in the order of `all`."""
        names = _spellings(self.names_by_key().values())
        return tuple(join_collection(names[folded]) for folded in sorted(names))

    def names_by_key(self) -> Mapping[str, CollectionParts]:
        """The parts of each name by key, without those that are there only because others lie in them."""
        return _parts_by_key(self._undo_log.state())

    def file(self, papers: Iterable[PaperId], name: str) -> str:
        """Files papers under a collection, which is created if it is new. Returns its name as it is spelt.

        Raises:
            UsageError: the name is blank.
            DiskFull: it could not be written; nothing has changed.
        """
        state = self._undo_log.state()
        parts_by_key = _parts_by_key(state)
        parts = _respell(_parse(name), parts_by_key)
        key = next(iter(_keys_of(parts, parts_by_key)), None)
        changes = []
        if key is None:
            key = _new_key(state, parts)
            changes.append(_name_change(key, join_collection(parts)))
        papers = tuple(dict.fromkeys(papers))
        changes += [RegisterChange("filed", paper_id, True, key) for paper_id in papers]
        shown = join_collection(parts)
        self._undo_log.write(f"filed {_whose(papers)} under {shown}", changes)
        return shown

    def take_out(self, papers: Iterable[PaperId], name: str) -> str:
        """Takes papers out of a collection itself; in those that lie in it they stay. Returns its name as it is spelt.

        Raises:
            UsageError: there is no such collection.
            DiskFull: it could not be written; nothing has changed.
        """
        parts_by_key = self._known(name)
        parts = _respell(_parse(name), parts_by_key)
        shown, papers = join_collection(parts), tuple(dict.fromkeys(papers))
        changes = [
            RegisterChange("filed", paper_id, None, key) for key in _keys_of(parts, parts_by_key) for paper_id in papers
        ]
        self._undo_log.write(f"took {_whose(papers)} out of {shown}", changes)
        return shown

    def rename(self, name: str, new: str) -> str:
        """Renames a collection, with all that lies in it, or moves it into another one. Returns its new name.

        Raises:
            UsageError: there is none, the new name is blank, that of another one, or lies in itself.
        """
        parts_by_key, parts = self._known(name), _parse(name)
        new_parts = _parse(new)
        folded, new_folded = fold_collection(parts), fold_collection(new_parts)
        if new_folded[: len(folded)] == folded and new_folded != folded:
            raise UsageError(f"{name} cannot be moved into itself.")
        if new_folded != folded:
            new_parts = _respell(new_parts, parts_by_key)
            if any(fold_collection(other)[: len(new_folded)] == new_folded for other in parts_by_key.values()):
                raise UsageError(
                    f"There is already a collection {join_collection(new_parts)}; file the papers under it with "
                    f"`litterm mark --query 'collection:\"{name}\"' --collection '{join_collection(new_parts)}'`."
                )
        changes = [
            _name_change(key, join_collection((*new_parts, *old[len(parts) :])))
            for key, old in parts_by_key.items()
            if fold_collection(old)[: len(folded)] == folded
        ]
        self._undo_log.write(f"renamed the collection {name} to {join_collection(new_parts)}", changes)
        return join_collection(new_parts)

    def delete(self, name: str) -> int:
        """Deletes a collection and all that lie in it; their papers stay. Returns how many collections that were.

        Raises:
            UsageError: there is none.
        """
        folded = fold_collection(_parse(name))
        changes = [
            _name_change(key, None)
            for key, parts in self._known(name).items()
            if fold_collection(parts)[: len(folded)] == folded
        ]
        self._undo_log.write(f"deleted the collection {name}", changes)
        return len(changes)

    def papers(self, name: str) -> tuple[PaperId, ...]:
        """The papers in a collection and in those that lie in it; with a star at its end in all that begin so."""
        state = self._undo_log.state()
        parts_by_key = _parts_by_key(state)
        keys = {key for key, parts in parts_by_key.items() if _is_meant(name, parts)}
        return tuple(
            paper_id
            for paper_id in (state.papers("filed") if keys else ())
            if any(place in keys and value for place, value in state.places("filed", paper_id))
        )

    def unknown_notice(self, name: str) -> str:
        """A sentence on a name that no collection has, with those that may be meant; empty if one has it."""
        if any(_is_meant(name, parts) for parts in self.names_by_key().values()):
            return ""
        near = self._suggest(name)
        hint = f"Did you mean {' or '.join(near)}?" if near else "`litterm collections` lists all of them."
        return f"There is no collection {name}. {hint}"

    def take_imported(
        self, imported: Sequence[ImportedCollection], source: str, known: Callable[[Sequence[PaperId]], set[PaperId]]
    ) -> TakenCollections:
        """Takes over all collections of another program, whose file is `source`, as far as the user decided nothing.

        What the user filed, took out, renamed, deleted or undid stays so. Of papers that are to be taken out, only
        those are that `known` returns, as the library has them: of others it cannot be told where they are filed.

        Raises:
            DiskFull: it could not be written; nothing has changed.
        """
        state = self._undo_log.state()
        taken = _TakenChanges(state, source, known, dict(_parts_by_key(state)), imported)
        for collection in imported:
            taken.take_name(collection)
            taken.take_papers(collection)
        taken.remove_gone()
        result = taken.result()
        self._undo_log.write(taking_summary(result), taken.changes(), is_import=True)
        return result

    def require(self, name: str) -> None:
        """Checks that there is a collection of this name.

        Raises:
            UsageError: there is none; the message names those that may be meant.
        """
        self._known(name)

    def _known(self, name: str) -> Mapping[str, CollectionParts]:
        """The collections, of which one is called `name`, or lies in it."""
        parts_by_key = self.names_by_key()
        folded = fold_collection(_parse(name))
        if not any(fold_collection(parts)[: len(folded)] == folded for parts in parts_by_key.values()):
            raise UsageError(self.unknown_notice(name.rstrip("*")) or f"There is no collection {name}.")
        return parts_by_key

    def _suggest(self, name: str) -> tuple[str, ...]:
        from difflib import get_close_matches

        sought = fold_collection(split_collection(name.removesuffix("*")))
        known = {fold_collection(split_collection(known)): known for known in self.names()}
        by_end = [shown for folded, shown in known.items() if sought and folded[-len(sought) :] == sought]
        by_text = {"/".join(folded): shown for folded, shown in known.items()}
        near = get_close_matches("/".join(sought), list(by_text), n=_MAX_SUGGESTIONS, cutoff=0.6)
        return tuple(dict.fromkeys((*by_end, *(by_text[match] for match in near))))[:_MAX_SUGGESTIONS]


def taking_summary(taken: TakenCollections) -> str:
    """`2 papers filed under collections, 1 collection renamed`; empty if nothing has changed."""
    phrases = (
        (taken.filed, "paper", "filed under collections"),
        (taken.taken_out, "paper", "taken out of collections"),
        (taken.created, "collection", "created"),
        (taken.renamed, "collection", "renamed"),
        (taken.removed, "collection", "removed"),
    )
    return ", ".join(f"{count_phrase(count, noun)} {done}" for count, noun, done in phrases if count)


def collections_of(state: State, paper_id: PaperId, parts_by_key: Mapping[str, CollectionParts]) -> tuple[str, ...]:
    """The names of the collections that a paper is filed under, sorted."""
    parts = _spellings(_filed_under(state, paper_id, parts_by_key), outer=False)
    return tuple(join_collection(parts[folded]) for folded in sorted(parts))


def _filed_under(
    state: State, paper_id: PaperId, parts_by_key: Mapping[str, CollectionParts]
) -> Iterator[CollectionParts]:
    return (parts_by_key[key] for key, value in state.places("filed", paper_id) if value and key in parts_by_key)


def _parts_by_key(state: State) -> dict[str, CollectionParts]:
    """The parts of the name of each collection, by its key."""
    named = {
        name.removeprefix(_ID_PREFIX): split_collection(str(state.value("collection", name)))
        for name in state.papers("collection")
    }
    # Whoever undoes that a collection was made must not hide what another window has filed under it since.
    undone = {
        key: str(values[-1][1])
        for name in state.papers_ever_set("collection")
        if (key := name.removeprefix(_ID_PREFIX)) not in named
        and (values := state.history("collection", name))[-1][1] is not None
    }
    if undone:
        filed = {place for paper_id in state.papers("filed") for place, _ in state.places("filed", paper_id)}
        named |= {key: split_collection(name) for key, name in undone.items() if key in filed}
    return named


def _spellings(names: Iterable[CollectionParts], *, outer: bool = True) -> dict[CollectionParts, CollectionParts]:
    """Names by how they are compared, with the names of those that they lie in if `outer`; the first spelling wins."""
    spelled: dict[CollectionParts, CollectionParts] = {}
    for parts in names:
        for depth in range(1 if outer else len(parts), len(parts) + 1):
            spelled.setdefault(fold_collection(parts[:depth]), parts[:depth])
    return spelled


def _respell(parts: CollectionParts, parts_by_key: Mapping[str, CollectionParts]) -> CollectionParts:
    """`parts` in the spelling of a collection that is there, as far as one is."""
    spelled = _spellings(parts_by_key.values())
    for depth in range(len(parts), 0, -1):
        known = spelled.get(fold_collection(parts[:depth]))
        if known is not None:
            return (*known, *parts[depth:])
    return parts


def _keys_of(parts: CollectionParts, parts_by_key: Mapping[str, CollectionParts]) -> list[str]:
    folded = fold_collection(parts)
    return [key for key, other in parts_by_key.items() if fold_collection(other) == folded]


def _is_meant(name: str, parts: CollectionParts) -> bool:
    """Whether `name`, as typed in a query, stands for a collection or one that it lies in."""
    folded, typed = fold_collection(parts), split_collection(name.removesuffix("*"))
    sought = fold_collection(typed)
    if not name.endswith("*"):
        return bool(sought) and folded[: len(sought)] == sought
    *outer, begun = (*sought, "") if not sought or name.endswith("/*") else sought
    return folded[: len(outer)] == tuple(outer) and len(folded) > len(outer) and folded[len(outer)].startswith(begun)


class _TakenChanges:
    """What the collections of another program change here."""

    def __init__(
        self,
        state: State,
        source: str,
        known: Callable[[Sequence[PaperId]], set[PaperId]],
        parts_by_key: dict[str, CollectionParts],
        imported: Sequence[ImportedCollection],
    ) -> None:
        self._state = state
        self._source = source
        self._known = known
        self._before = dict(parts_by_key)
        self._parts_by_key = parts_by_key
        self._imported = {collection.key: collection for collection in imported}
        self._stated: dict[str, ImportedCollection] = {}
        """Those of which something has changed here."""
        self._filings: list[RegisterChange] = []
        self._filed: defaultdict[str, set[PaperId]] = defaultdict(set)
        for paper_id in state.papers("filed"):
            for key, value in state.places("filed", paper_id):
                if value:
                    self._filed[key].add(paper_id)

    def take_name(self, collection: ImportedCollection) -> None:
        """Creates, renames or moves a collection; those of the user's own that lie in it go with it."""
        key, before = collection.key, self._before.get(collection.key)
        if before is not None:
            now = self._name_now(collection, before)
        else:
            outer, name = self._outer(collection), clean_part(collection.name)
            if outer is None or not name or not self._state.is_left_to_imports("collection", _journal_id(key)):
                return
            now = (*outer, name)
        if now == before:
            return
        self._stated[key] = collection
        self._parts_by_key[key] = now
        if before is not None and len(_keys_of(before, self._before)) == 1:
            folded = fold_collection(before)
            for other, parts in self._before.items():
                if other not in self._imported and fold_collection(parts)[: len(folded)] == folded:
                    self._parts_by_key[other] = (*now, *parts[len(before) :])

    def take_papers(self, collection: ImportedCollection) -> None:
        """Files papers and takes papers out."""
        key = collection.key
        if key not in self._parts_by_key:
            return
        gone = self._filed[key].difference(collection.papers)
        changes = [
            *self._take_out(key, gone),
            *(
                RegisterChange("filed", paper_id, True, key)
                for paper_id in collection.papers
                if paper_id not in self._filed[key] and self._state.is_left_to_imports("filed", paper_id, key)
            ),
        ]
        if changes:
            self._filings += changes
            self._stated[key] = collection

    def remove_gone(self) -> None:
        """Removes the collections that the program had and has no more, unless the user has made them their own."""
        for key, parts in self._before.items():
            if key in self._imported or self._last(key, "source") != self._source:
                continue
            is_renamed = parts[-1] != self._last(key, "name")
            if is_renamed or self._state.has_undone_import("collection", _journal_id(key)):
                continue
            changes = self._take_out(key, self._filed[key])
            self._filings += changes
            if len(changes) == len(self._filed[key]):
                del self._parts_by_key[key]

    def changes(self) -> list[RegisterChange]:
        """All changes, names before papers."""
        names = [
            _name_change(key, join_collection(parts))
            for key, parts in self._parts_by_key.items()
            if parts != self._before.get(key)
        ]
        names += [_name_change(key, None) for key in self._before if key not in self._parts_by_key]
        stated = [
            RegisterChange("imported", _journal_id(key), value, place)
            for key, collection in self._stated.items()
            for place, value in (
                ("name", clean_part(collection.name)),
                ("parent", collection.parent),
                ("source", self._source),
            )
        ]
        return [*names, *stated, *self._filings]

    def result(self) -> TakenCollections:
        """How much changes."""
        now, before = self._parts_by_key, self._before
        return TakenCollections(
            filed=len({change.paper_id for change in self._filings if change.value}),
            taken_out=len({change.paper_id for change in self._filings if not change.value}),
            created=len(now.keys() - before.keys()),
            renamed=sum(now[key] != before[key] and not self._goes_along(key) for key in self._stated if key in before),
            removed=len(before.keys() - now.keys()),
        )

    def _goes_along(self, key: str) -> bool:
        """Whether the name has changed only as that of the collection has which it lies in."""
        parent, name = self._imported[key].parent, self._before[key][-1]
        moved = self._before.get(parent), self._parts_by_key.get(parent)
        return moved[0] != moved[1] and all(
            outer is not None and parts == (*outer, name)
            for outer, parts in zip(moved, (self._before[key], self._parts_by_key[key]), strict=True)
        )

    def _take_out(self, key: str, papers: Iterable[PaperId]) -> list[RegisterChange]:
        left = [paper_id for paper_id in sorted(papers) if self._state.is_left_to_imports("filed", paper_id, key)]
        known = self._known(left) if left else set()
        return [RegisterChange("filed", paper_id, None, key) for paper_id in left if paper_id in known]

    def _name_now(self, collection: ImportedCollection, before: CollectionParts) -> CollectionParts:
        """The name of a collection that is there: each half as the program has it, unless the user has changed it."""
        name, outer = clean_part(collection.name), self._outer(collection)
        if not name or before[-1] != self._last(collection.key, "name"):
            name = before[-1]
        parent = self._last(collection.key, "parent")
        last_outer = self._before.get(parent) if parent else collection.outer
        if outer is None or last_outer is None or fold_collection(last_outer) != fold_collection(before[:-1]):
            outer = before[:-1]
        return (*outer, name)

    def _outer(self, collection: ImportedCollection) -> CollectionParts | None:
        return self._parts_by_key.get(collection.parent) if collection.parent else collection.outer

    def _last(self, key: str, place: str) -> str:
        """What was stated of a collection last; empty if an earlier version took it over."""
        return str(self._state.last_value("imported", _journal_id(key), place) or "")


def _new_key(state: State, parts: CollectionParts) -> str:
    # The papers of a deleted collection with that name must not come back.
    name = join_collection(fold_collection(parts))
    key, number = name, 2
    while state.was_ever_set("collection", _journal_id(key)):
        key, number = f"{name}~{number}", number + 1
    return key


def _journal_id(key: str) -> PaperId:
    return PaperId(f"{_ID_PREFIX}{key}")


def _name_change(key: str, name: str | None) -> RegisterChange:
    return RegisterChange("collection", _journal_id(key), name)


def _parse(name: str) -> CollectionParts:
    parts = split_collection(name)
    if not parts:
        raise UsageError("The name of a collection is empty.")
    return parts


def _whose(papers: Sequence[PaperId]) -> str:
    return papers[0] if len(papers) == 1 else count_phrase(len(papers), "paper")
