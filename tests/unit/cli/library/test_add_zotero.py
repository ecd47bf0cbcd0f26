"""`litterm add zotero`."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Command
from fakes import FakeEngine
from zotero_databases import ZoteroDatabase

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.model.annotations import PaperNotes
from litterm.model.paper import PaperId
from litterm.render import lines
from litterm.render.bibliography import bibtex


def test_the_word_zotero_imports_the_users_library(
    litterm: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    missing = litterm("add", "zotero")
    assert missing.status == 2 and "no database of Zotero" in missing.err
    database = ZoteroDatabase(tmp_path / "Zotero" / "zotero.sqlite")
    database.add_item(title="Moss")
    engine = FakeEngine()
    done = litterm("add", "zotero", engine=engine)
    assert engine.asked[0] == ((database.path,), False)
    assert f"Zotero's database is {database.path}." in done.err


def test_the_lines_of_a_note_are_told_apart_where_it_is_shown_on_one(home: Path, tmp_path: Path) -> None:
    database = ZoteroDatabase(tmp_path / "zotero.sqlite")
    item = database.add_item(title="Moss", key="MOSS2345")
    database.add_note(item, "<p>Count again</p><p>in spring</p>")
    engine = build_engine(from_home(home))
    run(engine.add([database.path]))
    paper = engine.paper(PaperId("zotero:MOSS2345"))
    assert paper.imprint.note == "Count again\nin spring"
    assert "note of the source: Count again; in spring" in lines.show(paper, None, PaperNotes(), lines.LineOptions())
    assert "{Count again; in spring}" in bibtex.entries([paper])
