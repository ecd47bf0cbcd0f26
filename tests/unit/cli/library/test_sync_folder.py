"""`litterm sync folder`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import Command
from fakes import FakeEngine

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.library import Failure, ImportReport


class Folders:
    """Watched folders whose import gives `report`."""

    def __init__(self, report: ImportReport) -> None:
        self.report = report
        self.imported: list[Path] = []

    def sync(self, folder: Path) -> Task[ImportReport]:
        self.imported.append(folder)
        yield Progress("importing")
        return self.report


@pytest.fixture
def engine() -> Iterator[FakeEngine]:
    engine = FakeEngine()
    engine.watched_folders = Folders(ImportReport(added=2, skipped_files=3))  # type: ignore[attr-defined]
    yield engine


def test_the_folder_given_or_that_of_the_settings(
    litterm: Command, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = litterm("sync", "folder", "~/drop", "--json", engine=engine)
    assert (first.status, json.loads(first.out)["added"]) == (0, 2)
    monkeypatch.setenv("LITTERM_WATCHED_FOLDER", "/srv/drop")
    second = litterm("sync", "folder", engine=engine)
    assert "2 added" in second.out and "3 files already imported, skipped" in second.out
    assert engine.watched_folders.imported == [Path("~/drop").expanduser(), Path("/srv/drop")]  # type: ignore[attr-defined]


def test_failures_end_with_one_and_misuse_with_two(litterm: Command, engine: FakeEngine) -> None:
    engine.watched_folders.report = ImportReport(failures=(Failure("/drop/a.bib", "No entry."),))  # type: ignore[attr-defined]
    assert litterm("sync", "folder", "/drop", engine=engine).status == 1
    for argv in (("folder",), ("folder", "/a", "/b"), ("folder", "/a", "--limit", "3")):
        refused = litterm("sync", *argv, engine=engine)
        assert refused.status == 2 and refused.err.count("\n") <= 2


def test_sync_without_a_source_includes_the_watched_folder(
    litterm: Command, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing() -> Task[tuple[()]]:
        yield Progress("synchronising")
        return ()

    engine.services = SimpleNamespace(sync_all=nothing)  # type: ignore[attr-defined]
    engine.saved_searches = SimpleNamespace(all=tuple)  # type: ignore[attr-defined]
    engine.after_import = nothing  # type: ignore[attr-defined]
    assert "folder" not in litterm("sync", "--json", engine=engine).json
    monkeypatch.setenv("LITTERM_WATCHED_FOLDER", "/srv/drop")
    answer = litterm("sync", "--json", engine=engine)
    assert answer.json["folder"]["added"] == 2 and answer.status == 0  # type: ignore[index]
    assert engine.watched_folders.imported == [Path("/srv/drop")]  # type: ignore[attr-defined]
