from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from libraries import record, store

from litterm.core.errors import LibraryTooNew
from litterm.core.tasks import run
from litterm.library.segments.connections import attach_read_only, connect
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import publish, read_manifest, segment_folder
from litterm.library.segments.migration import migrate
from litterm.library.segments.schema import SCHEMA, Script, scripts

NEXT = Script(
    SCHEMA + 1, "-- A column more.\nALTER TABLE paper ADD COLUMN read BOOLEAN;\nUPDATE paper SET read = row = 1;\n"
)


def test_scripts_are_numbered_without_gaps() -> None:
    assert [step.version for step in scripts()] == list(range(1, SCHEMA + 1))


def test_an_older_library_is_brought_forward_in_new_segments(tmp_path: Path) -> None:
    store(tmp_path, [record("P1"), record("P2")])
    store(tmp_path, [record("P3")])
    before = read_manifest(tmp_path)
    run(migrate(tmp_path, (*scripts(), NEXT)))
    told = json.loads((tmp_path / f"manifest-{before.generation + 1}.json").read_text())
    assert (told["segment_schema"], told["papers"]) == (SCHEMA + 1, 3)
    keys = [entry["key"] for entry in told["segments"]]
    assert not {entry.key for entry in before.segments} & set(keys)
    cursor = connect(threads=1, memory_mb=64)
    attach_read_only(cursor, segment_folder(tmp_path, keys[0]) / "papers.duckdb", "one")
    assert cursor.execute("SELECT id, read FROM one.paper ORDER BY row").fetchall() == [
        ("acl:P1", False),
        ("acl:P2", True),
    ]
    cursor.close()
    assert all((segment_folder(tmp_path, key) / "index").is_dir() for key in keys)
    with pytest.raises(LibraryTooNew):
        DuckLibrary(tmp_path).snapshot()


def test_a_migration_that_fails_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    store(tmp_path, [record("P1")])
    before = read_manifest(tmp_path)
    with pytest.raises(Exception, match="no_such_table"):
        run(migrate(tmp_path, (*scripts(), Script(SCHEMA + 1, "DROP TABLE no_such_table;\n"))))
    assert read_manifest(tmp_path) == before
    assert list((tmp_path / "tmp").iterdir()) == []
    assert DuckLibrary(tmp_path).find(["P1"]) == (("acl:P1",),)


def test_an_up_to_date_library_is_left_alone(tmp_path: Path) -> None:
    run(migrate(tmp_path / "nowhere"))
    assert not (tmp_path / "nowhere").exists()
    store(tmp_path, [record("P1")])
    before = read_manifest(tmp_path)
    run(migrate(tmp_path))
    assert read_manifest(tmp_path) == before


def test_opening_an_older_library_brings_it_forward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path, [record("P1")])
    publish(tmp_path, replace(read_manifest(tmp_path), schema=SCHEMA - 1))
    monkeypatch.setattr(
        "litterm.library.segments.migration.scripts", lambda: (Script(SCHEMA, "CREATE TABLE extra (a INTEGER);\n"),)
    )
    library = DuckLibrary(tmp_path)
    assert library.find(["P1"]) == (("acl:P1",),)
    assert read_manifest(tmp_path).generation == 2
    (segment,) = library.snapshot().segments
    assert library.view.select(segment, "SELECT count(*) FROM {segment}.extra") == [(0,)]
