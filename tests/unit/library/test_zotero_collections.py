"""Zotero's collections arrive as such, and a later import leaves alone what was decided here."""

from __future__ import annotations

from pathlib import Path

import pytest
from zotero_databases import GROUP_LIBRARY, GROUP_NAME, ZoteroDatabase

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.importers.zotero.collections import read_collections
from litterm.model.annotations import ImportedCollection
from litterm.model.paper import PaperId


@pytest.fixture
def database(tmp_path: Path) -> ZoteroDatabase:
    return ZoteroDatabase(tmp_path / "Zotero" / "zotero.sqlite")


@pytest.fixture
def engine(home: Path) -> Engine:
    return build_engine(from_home(home))


def names_of(engine: Engine, key: str) -> tuple[str, ...]:
    return engine.annotations.notes(engine.paper(f"zotero:{key}").id).collections


def test_collections_are_read_outer_ones_first_without_trash_and_circles(database: ZoteroDatabase) -> None:
    moss, fern = database.add_item(title="Moss", key="MOSS2345"), database.add_item(title="Fern", key="FERN2345")
    shared = database.add_item(title="Shared", key="SHAR2345", library=GROUP_LIBRARY)
    thesis = database.add_collection("Thesis", key="THES2345")
    database.add_collection("TCP/IP", [moss, fern], parent=thesis, key="METH2345")
    database.add_collection("Lab", [shared], library=GROUP_LIBRARY, key="LABB2345")
    circle = database.add_collection("Circle", [moss])
    database.execute("UPDATE collections SET parentCollectionID = ? WHERE collectionID = ?", circle, circle)
    trashed = database.add_collection("Trash", [moss])
    database.add_collection("Below the trash", [moss], parent=trashed)
    database.execute("CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY, dateDeleted TEXT)")
    database.execute("INSERT INTO deletedCollections VALUES (?, '')", trashed)
    database.trash(fern)
    (group,) = (row[0] for row in database.execute('SELECT groupID FROM "groups"'))
    assert read_collections(database.path) == (
        ImportedCollection("zotero:THES2345", "Thesis", ()),
        ImportedCollection(
            f"zotero:{group}-LABB2345", "Lab", (PaperId(f"zotero:{group}-SHAR2345"),), outer=(GROUP_NAME,)
        ),
        ImportedCollection("zotero:METH2345", "TCP/IP", (PaperId("zotero:MOSS2345"),), parent="zotero:THES2345"),
    )


def test_a_later_import_adds_what_is_new_and_puts_nothing_back(engine: Engine, database: ZoteroDatabase) -> None:
    moss, fern = database.add_item(title="Moss", key="MOSS2345"), database.add_item(title="Fern", key="FERN2345")
    thesis = database.add_collection("Thesis", [moss, fern])
    report = run(engine.add([database.path]))
    assert [remark for remark in report.remarks if "2 papers filed under collections" in remark]
    assert names_of(engine, "MOSS2345") == names_of(engine, "FERN2345") == ("Thesis",)
    # Read again though the file is known, as after a kill between the items and their collections.
    engine.annotations.undo()
    assert run(engine.add([database.path])).remarks == ()
    engine.annotations.redo()
    engine.annotations.collections.take_out([engine.paper("zotero:FERN2345").id], "Thesis")
    engine.annotations.collections.rename("Thesis", "PhD")
    new = database.add_item(title="Lichen", key="LICH2345")
    database.file_item(new, thesis)
    database.add_collection("Part", [moss], parent=thesis)
    run(engine.add([database.path.parent]))
    assert names_of(engine, "MOSS2345") == ("PhD", "PhD/Part")
    assert names_of(engine, "FERN2345") == ()
    assert names_of(engine, "LICH2345") == ("PhD",)


def test_a_later_import_follows_zotero_where_nothing_was_decided_here(engine: Engine, database: ZoteroDatabase) -> None:
    moss, fern = database.add_item(title="Moss", key="MOSS2345"), database.add_item(title="Fern", key="FERN2345")
    thesis, reading = database.add_collection("Thesis", [moss, fern]), database.add_collection("To read")
    gone = database.add_collection("Gone", [fern])
    run(engine.add([database.path]))
    assert engine.annotations.collections.names() == ("Gone", "Thesis", "To read")
    engine.annotations.collections.file([engine.paper("zotero:MOSS2345").id], "To read")
    database.execute("UPDATE collections SET collectionName = 'PhD' WHERE collectionID = ?", thesis)
    database.execute("DELETE FROM collectionItems WHERE itemID = ? AND collectionID = ?", fern, thesis)
    database.execute("DELETE FROM collections WHERE collectionID IN (?, ?)", gone, reading)
    database.execute("DELETE FROM collectionItems WHERE collectionID = ?", gone)
    report = run(engine.add([database.path]))
    assert [remark.partition(": ")[2] for remark in report.remarks] == [
        "1 paper taken out of collections, 1 collection renamed, 1 collection removed, as in Zotero."
    ]
    assert names_of(engine, "MOSS2345") == ("PhD", "To read")
    assert names_of(engine, "FERN2345") == ()
    assert run(engine.add([database.path])).remarks == ()
    database.execute("DROP TABLE collectionItems")
    assert run(engine.add([database.path])).remarks == ()
    assert engine.annotations.collections.names() == ("PhD", "To read")
