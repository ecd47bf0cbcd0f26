"""Databases as Zotero makes them: the tables that hold a library, in the schemas of versions 6 to 10."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

USERDATA = {6: 121, 7: 123, 8: 123, 9: 125, 10: 129}
TYPES = (
    "journalArticle conferencePaper book bookSection thesis report preprint webpage patent attachment note annotation"
).split()
FIELDS = (
    "title abstractNote date DOI url extra volume issue pages publicationTitle proceedingsTitle conferenceName"
    " bookTitle publisher university institution repository archiveID number thesisType type place language ISBN ISSN"
    " journalAbbreviation edition series citationKey PMID PMCID"
).split()
BASE_FIELDS = (
    ("conferencePaper", "publicationTitle", "proceedingsTitle"),
    ("bookSection", "publicationTitle", "bookTitle"),
    ("thesis", "publisher", "university"),
    ("report", "publisher", "institution"),
    ("preprint", "publisher", "repository"),
    ("preprint", "number", "archiveID"),
    ("thesis", "type", "thesisType"),
)
ROLES = "author editor translator seriesEditor inventor contributor".split()
_SCHEMA = """
CREATE TABLE version (schema TEXT PRIMARY KEY, version INT NOT NULL);
CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT, templateItemTypeID INT, display INT DEFAULT 1);
CREATE TABLE itemTypesCombined (itemTypeID INT NOT NULL, typeName TEXT NOT NULL, display INT DEFAULT 1 NOT NULL,
  custom INT NOT NULL, PRIMARY KEY (itemTypeID));
CREATE TABLE fields (fieldID INTEGER PRIMARY KEY, fieldName TEXT, fieldFormatID INT);
CREATE TABLE fieldsCombined (fieldID INT NOT NULL, fieldName TEXT NOT NULL, label TEXT, fieldFormatID INT,
  custom INT NOT NULL, PRIMARY KEY (fieldID));
CREATE TABLE itemTypeFields (itemTypeID INT, fieldID INT, hide INT, orderIndex INT,
  PRIMARY KEY (itemTypeID, orderIndex));
CREATE TABLE baseFieldMappings (itemTypeID INT, baseFieldID INT, fieldID INT,
  PRIMARY KEY (itemTypeID, baseFieldID, fieldID));
CREATE TABLE baseFieldMappingsCombined (itemTypeID INT, baseFieldID INT, fieldID INT,
  PRIMARY KEY (itemTypeID, baseFieldID, fieldID));
CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT NOT NULL, editable INT NOT NULL,
  filesEditable INT NOT NULL, version INT NOT NULL DEFAULT 0);
CREATE TABLE "groups" (groupID INTEGER PRIMARY KEY, libraryID INT NOT NULL UNIQUE, name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '', version INT NOT NULL DEFAULT 0);
CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT NOT NULL,
  dateAdded TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, dateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
  clientDateModified TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, libraryID INT NOT NULL, key TEXT NOT NULL,
  version INT NOT NULL DEFAULT 0, synced INT NOT NULL DEFAULT 0, UNIQUE (libraryID, key));
CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value UNIQUE{normalized});
CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT, PRIMARY KEY (itemID, fieldID));
CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, fieldMode INT{names});
CREATE TABLE itemCreators (itemID INT NOT NULL, creatorID INT NOT NULL, creatorTypeID INT NOT NULL DEFAULT 1,
  orderIndex INT NOT NULL DEFAULT 0, PRIMARY KEY (itemID, creatorID, creatorTypeID, orderIndex),
  UNIQUE (itemID, orderIndex));
CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE itemTags (itemID INT NOT NULL, tagID INT NOT NULL, type INT NOT NULL, PRIMARY KEY (itemID, tagID));
CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT, title TEXT);
CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT, contentType TEXT,
  charsetID INT, path TEXT, syncState INT DEFAULT 0, storageModTime INT, storageHash TEXT,
  lastProcessedModificationTime INT{last_read});
CREATE TABLE itemAnnotations (itemID INTEGER PRIMARY KEY, parentItemID INT NOT NULL, type INTEGER NOT NULL,
  authorName TEXT, text TEXT, comment TEXT, color TEXT, pageLabel TEXT, sortIndex TEXT NOT NULL,
  position TEXT NOT NULL, isExternal INT NOT NULL);
CREATE TABLE collections (collectionID INTEGER PRIMARY KEY, collectionName TEXT NOT NULL, parentCollectionID INT,
  libraryID INT NOT NULL, key TEXT NOT NULL);
CREATE TABLE collectionItems (collectionID INT NOT NULL, itemID INT NOT NULL, orderIndex INT NOT NULL DEFAULT 0);
CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY, dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL);
CREATE TABLE relationPredicates (predicateID INTEGER PRIMARY KEY, predicate TEXT UNIQUE);
CREATE TABLE itemRelations (itemID INT NOT NULL, predicateID INT NOT NULL, object TEXT NOT NULL,
  PRIMARY KEY (itemID, predicateID, object));
CREATE TABLE retractedItems (itemID INTEGER PRIMARY KEY, data TEXT, flag INT DEFAULT 0);
CREATE TABLE feeds (libraryID INTEGER PRIMARY KEY, name TEXT NOT NULL, url TEXT NOT NULL UNIQUE);
CREATE TABLE feedItems (itemID INTEGER PRIMARY KEY, guid TEXT NOT NULL UNIQUE);
"""
FEED_LIBRARY, GROUP_LIBRARY, GROUP_NUMBER, GROUP_NAME = 7, 3, 4815, "Bryology lab"


class ZoteroDatabase:
    """A database in the schema of `version`, written as Zotero would."""

    def __init__(self, path: Path, version: int = 10) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA page_size=4096")
        self._connection.execute(f"PRAGMA journal_mode={'WAL' if version >= 10 else 'DELETE'}")
        self._connection.executescript(
            _SCHEMA.format(
                normalized=", valueNormalized TEXT" if version >= 10 else "",
                names=", lastNameNormalized TEXT" if version >= 10 else "",
                last_read=", lastRead INT" if version >= 9 else "",
            )
        )
        self._fill_names(version)

    def _fill_names(self, version: int) -> None:
        add = self._connection.executemany
        # Numbers differ between installations.
        add("INSERT INTO itemTypes VALUES (?, ?, NULL, 1)", [(at * 3 + 2, name) for at, name in enumerate(TYPES)])
        add("INSERT INTO fields VALUES (?, ?, NULL)", [(at * 2 + 5, name) for at, name in enumerate(FIELDS)])
        add("INSERT INTO creatorTypes VALUES (?, ?)", list(enumerate(ROLES, 1)))
        self.execute("INSERT INTO itemTypesCombined SELECT itemTypeID, typeName, 1, 0 FROM itemTypes")
        self.execute("INSERT INTO fieldsCombined SELECT fieldID, fieldName, NULL, NULL, 0 FROM fields")
        for table in ("baseFieldMappings", "baseFieldMappingsCombined"):
            rows = [(self._type(kind), self._field(base), self._field(name)) for kind, base, name in BASE_FIELDS]
            add(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
        add("INSERT INTO relationPredicates VALUES (?, ?)", [(4, "dc:replaces"), (2, "dc:relation"), (1, "owl:sameAs")])
        add("INSERT INTO version VALUES (?, ?)", [("userdata", USERDATA[version]), ("globalSchema", 39)])
        add(
            "INSERT INTO libraries VALUES (?, ?, 1, 1, 0)",
            [(1, "user"), (GROUP_LIBRARY, "group"), (FEED_LIBRARY, "feed")],
        )
        self.execute(
            'INSERT INTO "groups" (groupID, libraryID, name) VALUES (?, ?, ?)', GROUP_NUMBER, GROUP_LIBRARY, GROUP_NAME
        )

    def execute(self, query: str, *values: object) -> list[Any]:
        """The rows of any statement."""
        return self._connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything within is written at once."""
        self.execute("BEGIN IMMEDIATE")
        yield
        self.execute("COMMIT")

    def add_item(
        self,
        kind: str = "journalArticle",
        creators: Sequence[tuple[str, str, str]] = (),
        tags: Sequence[str] = (),
        library: int = 1,
        key: str = "",
        **values: object,
    ) -> int:
        """An item; a creator is a role, first and last name, with no first name in one field."""
        number = self._new(kind, library, key)
        for name, value in values.items():
            self.set_value(number, name, value)
        for order, (role, first, last) in enumerate(creators):
            creator = self._insert(
                "INSERT INTO creators (firstName, lastName, fieldMode) VALUES (?, ?, ?)", first, last, int(not first)
            )
            self.execute("INSERT INTO itemCreators VALUES (?, ?, ?, ?)", number, creator, ROLES.index(role) + 1, order)
        for at, tag in enumerate(tags):
            self.execute("INSERT OR IGNORE INTO tags (name) VALUES (?)", tag)
            self.execute("INSERT INTO itemTags SELECT ?, tagID, ? FROM tags WHERE name = ?", number, at % 2, tag)
        return number

    def set_value(self, item: int, name: str, value: object) -> None:
        """A field of an item, replaced."""
        self.execute("INSERT OR IGNORE INTO itemDataValues (value) VALUES (?)", value)
        self.execute(
            "INSERT OR REPLACE INTO itemData SELECT ?, ?, valueID FROM itemDataValues WHERE value IS ?",
            item, self._field(name), value,
        )  # fmt: skip

    def add_note(self, parent: int | None, note: object) -> int:
        """A note of an item, or one of its own."""
        number = self._new("note", 1, "")
        self.execute("INSERT INTO itemNotes VALUES (?, ?, ?, '')", number, parent, note)
        return number

    def add_attachment(self, parent: int | None, path: object, mode: int = 0, key: str = "") -> int:
        """An attachment; `path` as Zotero writes it."""
        number = self._new("attachment", 1, key)
        self.execute(
            "INSERT INTO itemAttachments (itemID, parentItemID, linkMode, contentType, path) VALUES (?, ?, ?, ?, ?)",
            number, parent, mode, "application/pdf", path,
        )  # fmt: skip
        return number

    def add_annotation(self, attachment: int, kind: int = 1, **values: object) -> int:
        """An annotation of an attachment."""
        number = self._new("annotation", 1, "")
        stated: Mapping[str, object] = {
            "text": None, "comment": None, "color": "#ffd400", "pageLabel": "", "sortIndex": f"{number:05}",
            "position": json.dumps({"pageIndex": 2, "rects": [[1, 2, 3, 4]]}), "isExternal": 0, **values,
        }  # fmt: skip
        names = ", ".join(stated)
        marks = ", ".join("?" for _ in stated)
        self.execute(
            f"INSERT INTO itemAnnotations (itemID, parentItemID, type, {names}) VALUES (?, ?, ?, {marks})",
            number, attachment, kind, *stated.values(),
        )  # fmt: skip
        return number

    def add_collection(
        self, name: str, items: Sequence[int] = (), parent: int | None = None, library: int = 1, key: str = ""
    ) -> int:
        """A collection with these items."""
        (count,) = self.execute("SELECT count(*) FROM collections")[0]
        number = self._insert(
            "INSERT INTO collections (collectionName, parentCollectionID, libraryID, key) VALUES (?, ?, ?, ?)",
            name, parent, library, key or item_key(count + 1_000),
        )  # fmt: skip
        for item in items:
            self.file_item(item, number)
        return number

    def file_item(self, item: int, collection: int) -> None:
        """Puts an item into a collection."""
        self.execute("INSERT INTO collectionItems (collectionID, itemID) VALUES (?, ?)", collection, item)

    def relate(self, item: int, address: str, predicate: str = "dc:relation") -> None:
        """States a relation of an item to the one at `address`, as `users/12/items/ABCD2345`."""
        self.execute(
            "INSERT INTO itemRelations SELECT ?, predicateID, ? FROM relationPredicates WHERE predicate = ?",
            item, f"http://zotero.org/{address}", predicate,
        )  # fmt: skip

    def trash(self, item: int) -> None:
        """Puts an item into the trash."""
        self.execute("INSERT INTO deletedItems (itemID) VALUES (?)", item)

    def lock(self) -> None:
        """Holds the database as a running Zotero does: nobody else can open it."""
        self.execute("PRAGMA locking_mode=EXCLUSIVE")
        self.execute("BEGIN EXCLUSIVE")
        self.execute("COMMIT")

    def close(self) -> None:
        """Ends the connection, as leaving Zotero does."""
        self._connection.close()

    def _new(self, kind: str, library: int, key: str) -> int:
        (count,) = self.execute("SELECT count(*) FROM items")[0]
        return self._insert(
            "INSERT INTO items (itemTypeID, libraryID, key) VALUES (?, ?, ?)",
            self._type(kind), library, key or item_key(count),
        )  # fmt: skip

    def _insert(self, query: str, *values: object) -> int:
        number = self._connection.execute(query, values).lastrowid
        assert number is not None
        return number

    def _type(self, name: str) -> int:
        return TYPES.index(name) * 3 + 2

    def _field(self, name: str) -> int:
        return FIELDS.index(name) * 2 + 5


def item_key(number: int) -> str:
    """The key of item `number`, in the letters that Zotero uses."""
    letters = "23456789ABCDEFGHIJKLMNPQRSTUVWXYZ"
    key = ""
    for _ in range(8):
        number, place = divmod(number, len(letters))
        key = letters[place] + key
    return key


def write_better_bibtex(path: Path, keys: Mapping[str, str]) -> None:
    """Better BibTeX's database with the citation keys of items of the user's own library."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE citationkey (itemID INT, itemKey TEXT, libraryID INT, citationKey TEXT)")
        connection.executemany("INSERT INTO citationkey VALUES (0, ?, 1, ?)", keys.items())


def write_older_better_bibtex(path: Path, keys: Mapping[int, str]) -> None:
    """As `write_better_bibtex`, in the form of earlier versions, by numbers of items."""
    data = json.dumps({"data": [{"itemID": number, "citekey": key} for number, key in keys.items()]})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute('CREATE TABLE "better-bibtex" (name TEXT PRIMARY KEY, data TEXT)')
        connection.execute('INSERT INTO "better-bibtex" VALUES (?, ?)', ("better-bibtex.citekey", data))


def fill(database: ZoteroDatabase, count: int) -> None:
    """Adds `count` articles with two authors, tags, a note, a file and an annotation each."""
    with database.transaction():
        for number in range(count):
            item = database.add_item(
                creators=[("author", "Ann", f"Lee{number % 90}"), ("editor", "Bo", "Chen")],
                tags=["moss", f"plot {number % 20}"],
                title=f"Mosses of the stony meadow number {number}",
                date=f"{2000 + number % 25}-05-00 May {2000 + number % 25}",
                publicationTitle="Bryology",
                volume=str(number % 40 + 1),
                DOI=f"10.5555/moss.{number}" if number % 2 else "",
                abstractNote=f"We counted {number} mosses.",
            )
            database.add_note(item, f"<p>Count again: {number}</p>")
            attachment = database.add_attachment(item, f"storage:Lee{number}.pdf")
            database.add_annotation(attachment, text=f"mosses {number}", comment="check")
