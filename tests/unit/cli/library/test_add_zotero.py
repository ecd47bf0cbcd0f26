"""`litterm add zotero`."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Command
from fakes import FakeEngine
from zotero_databases import ZoteroDatabase


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
