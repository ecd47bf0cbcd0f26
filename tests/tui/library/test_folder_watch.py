"""The watched folder while the workbench is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tui.engines import SmallEngine
from tui.harness import Start

from litterm.core.errors import LittermError, UsageError
from litterm.core.settings import from_home
from litterm.core.tasks import Task, run
from litterm.model.events import Progress
from litterm.model.library import Failure, ImportReport
from litterm.tui.library.folder_watch import FolderWatch

Files = Mapping[str, tuple[int, int]]


class Folder:
    """A folder whose files are what the test says, and the watch of it."""

    def __init__(self, tmp_path: Path) -> None:
        self.files: Files | LittermError = {}
        self.imported: list[set[str]] = []
        self.said: list[str] = []
        context = SimpleNamespace(
            work=SimpleNamespace(start=self._start, jobs=()),
            engine=SimpleNamespace(watched_folders=SimpleNamespace(changed=self._changed)),
            settings=replace(from_home(tmp_path), watched_folder=str(tmp_path)),
            tell=lambda text, *, warn: self.said.append(text),
        )
        self._watch = FolderWatch(cast(Any, context), lambda _folder, files: self.imported.append(set(files)))

    def look(self, files: Files | LittermError) -> None:
        self.files = files
        self._watch.look()

    def _changed(self, _folder: Path) -> Files:
        if isinstance(self.files, LittermError):
            raise self.files
        return self.files

    def _start(
        self,
        _group: str,
        _what: str,
        task: Callable[[], Task[Files]],
        done: Callable[[Files], None],
        *,
        failed: Callable[[LittermError], None],
    ) -> None:
        try:
            done(run(task()))
        except LittermError as error:
            failed(error)


def test_a_file_is_imported_once_it_no_longer_grows(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.look({"a.pdf": (10, 1), "b.bib": (5, 1)})
    assert folder.imported == []
    folder.look({"a.pdf": (20, 2), "b.bib": (5, 1)})
    folder.look({"a.pdf": (20, 2), "b.bib": (5, 1)})
    assert folder.imported == [{"b.bib"}, {"a.pdf"}]
    # As they stay where an import was stopped: not again before they change.
    folder.look({"a.pdf": (20, 2), "b.bib": (5, 1)})
    folder.look({"a.pdf": (20, 2), "b.bib": (6, 3)})
    folder.look({"a.pdf": (20, 2), "b.bib": (6, 3)})
    assert folder.imported == [{"b.bib"}, {"a.pdf"}, {"b.bib"}]


def test_a_folder_that_is_not_there_is_said_once_each_time(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    gone = UsageError("there is no folder /media/drop")
    for files in (gone, gone, {}, gone):
        folder.look(files)
    assert folder.said == ["The watched folder cannot be read: there is no folder /media/drop."] * 2


async def test_what_is_dropped_is_imported_while_the_workbench_is_open(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("litterm.tui.workbench.POLL_INTERVAL_S", 0.02)
    imported: list[Files] = []

    def sync(_folder: Path, files: Files) -> Task[ImportReport]:
        imported.append(files)
        yield Progress("importing")
        return ImportReport(added=1, failures=(Failure("b.bib", "It is empty."),))

    engine = SmallEngine()
    files = {"a.pdf": (10, 1)}
    engine.parts.watched_folders = SimpleNamespace(changed=lambda _folder: files, sync=sync)  # type: ignore[assignment]
    settings = replace(from_home(tmp_path), network_notice=False, watched_folder=str(tmp_path))
    async with start(engine, settings=settings) as bench:
        await bench.until(lambda: any("1 added" in said for said in bench.said))
    assert imported == [files]
