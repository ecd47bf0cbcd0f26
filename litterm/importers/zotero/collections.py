"""The collections in a copy of Zotero's database, with the items that are filed under them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from litterm.core.errors import BadInput
from litterm.core.temporary_files import scratch_folder
from litterm.importers.zotero.database_copy import copy_database, open_copy, table_columns
from litterm.importers.zotero.items import GroupLibrary, ItemReader, item_id, text_of
from litterm.importers.zotero.profiles import DATABASE_NAME
from litterm.model.annotations import ImportedCollection
from litterm.model.paper import PaperId
from litterm.text.clean import clean_line

_MAX_ROWS: Final = 2_000_000
"""Collections, and papers in them."""
_COLUMNS: Final = {
    "collections": {"collectionID", "collectionName", "parentCollectionID", "libraryID", "key"},
    "collectionItems": {"collectionID", "itemID"},
}


def database_in(path: Path) -> Path | None:
    """The database that `path` is or, as Zotero's folder, holds; `None` if there is none."""
    file = path / DATABASE_NAME if path.is_dir() else path
    return file if file.name == DATABASE_NAME and file.is_file() else None


def read_collections(database: Path) -> tuple[ImportedCollection, ...]:
    """Every collection outside the trash, outer ones first, with the ids that its items have as papers.

    Raises:
        BadInput: the database is damaged, is not Zotero's, is being written to all the time, or holds so much that
            collections would be cut off.
    """
    with scratch_folder() as folder:
        try:
            with closing(open_copy(copy_database(database, folder))) as connection:
                return tuple(_collections(connection))
        except (sqlite3.Error, OSError) as error:
            raise BadInput(f"The collections of Zotero cannot be read: {error}.") from error


def _collections(connection: sqlite3.Connection) -> Iterator[ImportedCollection]:
    columns = table_columns(connection)
    if any(not names <= columns.get(table, frozenset()) for table, names in _COLUMNS.items()):
        raise BadInput("The database of Zotero has no collections.")
    groups = ItemReader(connection).groups()
    has_trash = "collectionID" in columns.get("deletedCollections", ())
    in_trash = "collectionID IN (SELECT collectionID FROM deletedCollections)" if has_trash else "0"
    rows = connection.execute(
        "SELECT collectionID, substr(collectionName, 1, 1000), parentCollectionID, libraryID, substr(key, 1, 20) "
        f"FROM collections WHERE NOT {in_trash} ORDER BY collectionID LIMIT ?",
        (_MAX_ROWS + 1,),
    ).fetchall()
    _check_size(len(rows))
    children: defaultdict[object, list[tuple[object, ...]]] = defaultdict(list)
    for row in rows:
        children[row[2]].append(row)
    papers = _papers(connection, groups)
    # From the outermost on, so that a circle or the child of one that is in the trash is never reached.
    reached = [(row, "") for row in children.pop(None, [])]
    for row, parent in reached:
        number, name, _, library, key = row
        group = groups.get(library) if isinstance(library, int) else None
        own_key = _key(clean_line(text_of(key)), group)
        reached += [(child, own_key) for child in children.pop(number, [])]
        outer = (group.name,) if group is not None and group.name else ()
        yield ImportedCollection(own_key, clean_line(text_of(name)), tuple(papers[number]), parent, outer)


def _key(key: str, group: GroupLibrary | None) -> str:
    return f"zotero:{key}" if group is None else f"zotero:{group.group_id}-{key}"


def _papers(connection: sqlite3.Connection, groups: dict[int, GroupLibrary]) -> defaultdict[object, list[PaperId]]:
    papers: defaultdict[object, list[PaperId]] = defaultdict(list)
    rows = connection.execute(
        "SELECT c.collectionID, substr(i.key, 1, 20), i.libraryID FROM collectionItems c "
        "JOIN items i ON i.itemID = c.itemID WHERE c.itemID NOT IN (SELECT itemID FROM deletedItems) "
        "ORDER BY c.collectionID, c.itemID LIMIT ?",
        (_MAX_ROWS + 1,),
    )
    for count, (number, key, library) in enumerate(rows, 1):
        _check_size(count)
        group = groups.get(library) if isinstance(library, int) else None
        paper_id = item_id(clean_line(text_of(key)), group)
        if paper_id is not None:
            papers[number].append(paper_id)
    return papers


def _check_size(rows: int) -> None:
    # Whatever is not read would count as taken out.
    if rows > _MAX_ROWS:
        raise BadInput(f"Zotero's collections hold more than {_MAX_ROWS:,} papers; none of them is taken over.")
