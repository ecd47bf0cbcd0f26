"""Reads the items of a copy of Zotero's database, with all that belongs to them.

A query an item would be slow, and all at once too large: items are read in batches.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from litterm.core.errors import BadInput
from litterm.importers.zotero.database_copy import table_columns
from litterm.importers.zotero.note import MAX_NOTE_CHARS, note_text, read_annotation
from litterm.model.paper import FileAnnotation, PaperId
from litterm.text.clean import clean_line
from litterm.text.references.identity import make_id

_BATCH_ITEMS: Final = 200
_MAX_VALUE_CHARS: Final = 100_000
_MAX_ROWS_PER_ITEM: Final = 10_000
"""Creators, tags, notes, files or annotations of one item; more are left out."""
_REQUIRED: Final[Mapping[str, Sequence[str]]] = {
    "libraries": ("libraryID", "type"),
    "items": ("itemID", "itemTypeID", "libraryID", "key"),
    "itemTypes": ("itemTypeID", "typeName"),
    "fields": ("fieldID", "fieldName"),
    "itemData": ("itemID", "fieldID", "valueID"),
    "itemDataValues": ("valueID", "value"),
    "creators": ("creatorID", "firstName", "lastName", "fieldMode"),
    "creatorTypes": ("creatorTypeID", "creatorType"),
    "itemCreators": ("itemID", "creatorID", "creatorTypeID", "orderIndex"),
    "tags": ("tagID", "name"),
    "itemTags": ("itemID", "tagID", "type"),
    "itemNotes": ("itemID", "parentItemID", "note"),
    "itemAttachments": ("itemID", "parentItemID", "linkMode", "contentType", "path"),
    "deletedItems": ("itemID",),
}
"""What every Zotero since 5.0 has."""
_OPTIONAL: Final[Mapping[str, Sequence[str]]] = {
    "groups": ("groupID", "libraryID", "name"),
    "itemAnnotations": ("itemID", "parentItemID", "type", "text", "comment", "color", "pageLabel", "sortIndex"),
    "retractedItems": ("itemID", "data"),
    "baseFieldMappings": ("itemTypeID", "baseFieldID", "fieldID"),
    "itemRelations": ("itemID", "predicateID", "object"),
    "relationPredicates": ("predicateID", "predicate"),
}
"""What some versions lack; without a table or one of its columns, nothing is read from it."""
_NOT_PAPERS: Final = ("attachment", "note", "annotation")
_LIBRARY_TYPES: Final = ("user", "group", "publications")
"""The others are feeds."""
_LINKED_URL: Final = 3
_EMBEDDED_IMAGE: Final = 4
_ITEM_ADDRESS: Final = re.compile(r"https?://zotero\.org/(?:users/(?:local/)?|groups/)\w+/items/(\w{8})")


@dataclass(frozen=True, slots=True)
class Creator:
    """A person or a group that had a part in an item."""

    role: str
    """`author`, `editor`, `translator`, ..."""
    first_name: str
    last_name: str
    is_group: bool
    """Whether the name stands in one field."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that belongs to an item."""

    key: str
    path: str
    """As Zotero has it: `storage:a.pdf`, `attachments:a.pdf` or a whole path."""


@dataclass(frozen=True, slots=True)
class RelatedItem:
    """Another item of the same library that the user has called related."""

    key: str
    title: str


@dataclass(slots=True)
class Item:
    """An item that is no attachment, note or annotation."""

    item_id: int
    key: str
    library_id: int
    type: str
    values: dict[str, str] = field(default_factory=dict)
    """By the name of the field, and by that of its base field (`publicationTitle` for `proceedingsTitle`)."""
    creators: list[Creator] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    annotations: list[FileAnnotation] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    related: list[RelatedItem] = field(default_factory=list)
    retraction: str = ""


@dataclass(frozen=True, slots=True)
class GroupLibrary:
    """A library that is shared with others."""

    group_id: int
    name: str


def item_id(key: str, group: GroupLibrary | None) -> PaperId | None:
    """The id that an item has as a paper: its key, behind the number of the group if the library is a group's."""
    return make_id("zotero", key if group is None else f"{group.group_id}-{key}")


class ItemReader:
    """Reads the items of an open copy.

    Raises:
        BadInput: a table or column of Zotero's is missing.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        columns = table_columns(connection)
        _check_tables(columns)
        self._has = {table: set(names) <= columns.get(table, frozenset()) for table, names in _OPTIONAL.items()}
        self._has_position = "position" in columns.get("itemAnnotations", ())
        self._has_flag = "flag" in columns.get("retractedItems", ())
        # The combined tables hold the types and fields of forks and of the user, too.
        self._types = self._combined("itemTypes", columns)
        self._fields = dict(self._pairs(f"SELECT fieldID, fieldName FROM {self._combined('fields', columns)}"))
        self._base_fields = self._read_base_fields(columns)

    def groups(self) -> dict[int, GroupLibrary]:
        """The groups by the number of their library."""
        if not self._has["groups"]:
            return {}
        rows = self._connection.execute('SELECT libraryID, groupID, name FROM "groups"').fetchall()
        return {_number(row[0]): GroupLibrary(_number(row[1]), clean_line(text_of(row[2]))) for row in rows}

    def loose_files(self) -> int:
        """How many attachments belong to no item, outside the trash."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM itemAttachments WHERE parentItemID IS NULL AND path IS NOT NULL "
            "AND itemID NOT IN (SELECT itemID FROM deletedItems)"
        ).fetchone()
        return _number(count)

    def items(self) -> Iterator[Item]:
        """Every item outside the trash and the feeds, in the order in which they were added."""
        rows = self._connection.execute(
            f"SELECT i.itemID, i.key, i.libraryID, i.itemTypeID, t.typeName FROM items i "
            f"JOIN {self._types} t ON t.itemTypeID = i.itemTypeID "
            f"WHERE t.typeName NOT IN ({_marks(_NOT_PAPERS)}) "
            f"AND i.libraryID IN (SELECT libraryID FROM libraries WHERE type IN ({_marks(_LIBRARY_TYPES)})) "
            "AND i.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY i.itemID",
            (*_NOT_PAPERS, *_LIBRARY_TYPES),
        )
        while batch := rows.fetchmany(_BATCH_ITEMS):
            items: dict[int, Item] = {}
            types: dict[int, int] = {}
            for item_id, key, library_id, type_id, type_name in batch:
                items[_number(item_id)] = Item(
                    _number(item_id), clean_line(text_of(key)), _number(library_id), text_of(type_name)
                )
                types[_number(item_id)] = _number(type_id)
            self._fill(items, types)
            yield from items.values()

    def _fill(self, items: Mapping[int, Item], types: Mapping[int, int]) -> None:
        self._read_values(items, types)
        for item_id, role, first, last, mode in self._rows(
            "SELECT r.itemID, t.creatorType, c.firstName, c.lastName, c.fieldMode FROM itemCreators r "
            "JOIN creators c ON c.creatorID = r.creatorID JOIN creatorTypes t ON t.creatorTypeID = r.creatorTypeID "
            "WHERE r.itemID IN ({}) ORDER BY r.itemID, r.orderIndex",
            items,
        ):
            names = (clean_line(text_of(first)), clean_line(text_of(last)))
            items[item_id].creators.append(Creator(text_of(role), *names, _number(mode) == 1))
        for item_id, name in self._rows(
            "SELECT r.itemID, t.name FROM itemTags r JOIN tags t ON t.tagID = r.tagID "
            "WHERE r.itemID IN ({}) ORDER BY r.itemID, r.type, t.name",
            items,
        ):
            items[item_id].tags.append(clean_line(text_of(name)))
        self._read_notes(items)
        self._read_attachments(items)
        self._read_annotations(items)
        self._read_relations(items)
        self._read_retractions(items)

    def _read_values(self, items: Mapping[int, Item], types: Mapping[int, int]) -> None:
        for item_id, field_id, value in self._rows(
            f"SELECT d.itemID, d.fieldID, substr(v.value, 1, {_MAX_VALUE_CHARS}) FROM itemData d "
            "JOIN itemDataValues v ON v.valueID = d.valueID WHERE d.itemID IN ({}) ORDER BY d.itemID, d.fieldID",
            items,
        ):
            values, number = items[item_id].values, _number(field_id)
            text = text_of(value)
            values[self._fields.get(number, "")] = text
            base = self._base_fields.get((types[item_id], number))
            if base is not None:
                values.setdefault(base, text)

    def _read_notes(self, items: Mapping[int, Item]) -> None:
        sizes = dict.fromkeys(items, 0)
        for item_id, note in self._rows(
            f"SELECT parentItemID, substr(note, 1, {MAX_NOTE_CHARS}) FROM itemNotes WHERE parentItemID IN ({{}}) "
            "AND itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY itemID",
            items,
        ):
            text = note_text(text_of(note))
            if text and sizes[item_id] < MAX_NOTE_CHARS:
                sizes[item_id] += len(text)
                items[item_id].notes.append(text)

    def _read_attachments(self, items: Mapping[int, Item]) -> None:
        for item_id, key, mode, path in self._rows(
            f"SELECT a.parentItemID, i.key, a.linkMode, substr(a.path, 1, {_MAX_VALUE_CHARS}) FROM itemAttachments a "
            "JOIN items i ON i.itemID = a.itemID WHERE a.parentItemID IN ({}) AND a.path IS NOT NULL "
            "AND a.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY a.itemID",
            items,
        ):
            if _number(mode) not in (_LINKED_URL, _EMBEDDED_IMAGE):
                items[item_id].attachments.append(Attachment(clean_line(text_of(key)), text_of(path)))

    def _read_annotations(self, items: Mapping[int, Item]) -> None:
        if not self._has["itemAnnotations"]:
            return
        sizes = dict.fromkeys(items, 0)
        texts = ", ".join(
            f"substr(n.{name}, 1, {MAX_NOTE_CHARS})" for name in ("text", "comment", "color", "pageLabel")
        )
        position = f"substr(n.position, 1, {_MAX_VALUE_CHARS})" if self._has_position else "''"
        for item_id, kind, *stated in self._rows(
            f"SELECT a.parentItemID, n.type, {texts}, {position} FROM itemAnnotations n "
            "JOIN itemAttachments a ON a.itemID = n.parentItemID WHERE a.parentItemID IN ({}) "
            "AND n.itemID NOT IN (SELECT itemID FROM deletedItems) "
            "AND a.itemID NOT IN (SELECT itemID FROM deletedItems) ORDER BY a.itemID, n.sortIndex, n.itemID",
            items,
        ):
            marked, comment, colour, page, place = map(text_of, stated)
            annotation = read_annotation(_number(kind), marked, comment, colour, page, place)
            is_empty = annotation == FileAnnotation()
            if not is_empty and sizes[item_id] < MAX_NOTE_CHARS:
                sizes[item_id] += len(annotation.quote) + len(annotation.comment)
                items[item_id].annotations.append(annotation)

    def _read_relations(self, items: Mapping[int, Item]) -> None:
        if not (self._has["itemRelations"] and self._has["relationPredicates"]):
            return
        for item_id, address in self._rows(
            "SELECT r.itemID, substr(r.object, 1, 200) FROM itemRelations r "
            "JOIN relationPredicates p ON p.predicateID = r.predicateID AND p.predicate = 'dc:relation' "
            "WHERE r.itemID IN ({}) ORDER BY r.itemID, r.object",
            items,
        ):
            match, item = _ITEM_ADDRESS.fullmatch(text_of(address)), items[item_id]
            title = self._title(item.library_id, match[1]) if match is not None else ""
            if match is not None and title:
                item.related.append(RelatedItem(match[1], title))

    def _title(self, library_id: int, key: str) -> str:
        """The title of an item outside the trash; empty if there is none."""
        fields = {number for number, name in self._fields.items() if name == "title"}
        fields.update(number for (_, number), base in self._base_fields.items() if base == "title")
        row = self._connection.execute(
            "SELECT substr(v.value, 1, 1000) FROM items i JOIN itemData d ON d.itemID = i.itemID "
            f"JOIN itemDataValues v ON v.valueID = d.valueID WHERE d.fieldID IN ({_marks(fields)}) "
            "AND i.libraryID = ? AND i.key = ? AND i.itemID NOT IN (SELECT itemID FROM deletedItems)",
            (*fields, library_id, key),
        ).fetchone()
        return clean_line(text_of(row[0])) if row else ""

    def _read_retractions(self, items: Mapping[int, Item]) -> None:
        if not self._has["retractedItems"]:
            return
        flag = "flag" if self._has_flag else "0"
        for item_id, data, hidden in self._rows(
            f"SELECT itemID, substr(data, 1, {_MAX_VALUE_CHARS}), {flag} FROM retractedItems WHERE itemID IN ({{}})",
            items,
        ):
            # 1: the user has said that it is none.
            if _number(hidden) != 1:
                items[item_id].retraction = _retraction(text_of(data))

    def _rows(self, query: str, items: Mapping[int, Item]) -> Iterator[tuple[Any, ...]]:
        """The rows of `query`, whose first column is the number of an item; of one item not without end."""
        counts = dict.fromkeys(items, 0)
        for item_id, *rest in self._connection.execute(query.format(_marks(items)), tuple(items)):
            number = _number(item_id)
            if number in counts and counts[number] < _MAX_ROWS_PER_ITEM:
                counts[number] += 1
                yield (number, *rest)

    def _combined(self, table: str, columns: Mapping[str, frozenset[str]]) -> str:
        """The table that also holds what the user and forks have added, where it is there and filled."""
        combined = f"{table}Combined"
        wanted = {*_REQUIRED.get(table, ()), *_OPTIONAL.get(table, ())}
        if not wanted <= columns.get(combined, frozenset()):
            return table
        (is_filled,) = self._connection.execute(f"SELECT EXISTS (SELECT 1 FROM {combined})").fetchone()
        return combined if is_filled else table

    def _pairs(self, query: str) -> Iterator[tuple[int, str]]:
        for number, name in self._connection.execute(query):
            yield _number(number), text_of(name)

    def _read_base_fields(self, columns: Mapping[str, frozenset[str]]) -> dict[tuple[int, int], str]:
        if not self._has["baseFieldMappings"]:
            return {}
        table = self._combined("baseFieldMappings", columns)
        rows = self._connection.execute(f"SELECT itemTypeID, fieldID, baseFieldID FROM {table}").fetchall()
        return {
            (_number(type_id), _number(field_id)): self._fields.get(_number(base_id), "")
            for type_id, field_id, base_id in rows
        }


def better_bibtex_keys(connection: sqlite3.Connection) -> tuple[dict[tuple[int, str], str], dict[int, str]]:
    """The citation keys in Better BibTeX's database: by library and key of an item; if it is old, by its number."""
    columns = table_columns(connection)
    if columns.get("citationkey", frozenset()) >= {"libraryID", "itemKey", "citationKey"}:
        rows = connection.execute("SELECT libraryID, itemKey, citationKey FROM citationkey")
        return {(_number(library), text_of(key)): clean_line(text_of(word)) for library, key, word in rows}, {}
    if columns.get("better-bibtex", frozenset()) >= {"name", "data"}:
        row = connection.execute("""SELECT data FROM "better-bibtex" WHERE name = 'better-bibtex.citekey'""").fetchone()
        return {}, _keys_by_number(text_of(row[0]) if row else "")
    return {}, {}


def _keys_by_number(stored: str) -> dict[int, str]:
    try:
        content = json.loads(stored)
        rows = content["data"]
        return {_number(row["itemID"]): clean_line(text_of(row["citekey"])) for row in rows}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}


def _check_tables(columns: Mapping[str, frozenset[str]]) -> None:
    for table, names in _REQUIRED.items():
        if table not in columns:
            raise BadInput(f"Not a whole database of Zotero: the table “{table}” is missing.")
        missing = [name for name in names if name not in columns[table]]
        if missing:
            raise BadInput(f"Not a database of Zotero 5 or later: the table “{table}” has no column “{missing[0]}”.")


def _retraction(data: str) -> str:
    """`retracted`, with the reasons behind a colon if they are given."""
    try:
        stated = json.loads(data)
    except (ValueError, RecursionError):
        return "retracted"
    reasons = stated.get("reasons") if isinstance(stated, dict) else None
    words = [clean_line(reason) for reason in reasons if isinstance(reason, str)] if isinstance(reasons, list) else []
    return f"retracted: {'; '.join(words)[:500]}" if any(words) else "retracted"


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def text_of(value: object) -> str:
    """A value of any type as text: fields hold numbers and, in damaged databases, bytes."""
    if value is None:
        return ""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _number(value: object) -> int:
    """A value that should be a whole number; -1 if it is none."""
    return value if isinstance(value, int) else -1
