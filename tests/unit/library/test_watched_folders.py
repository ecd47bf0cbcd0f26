"""A watched folder: what is new or changed is imported, and nothing else is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from libraries import HereBuilder

from litterm.core.errors import UsageError
from litterm.core.tasks import run
from litterm.importers.reader import FileReader
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.library.watched_folders import WatchedFolders
from litterm.library.writer.library_writer import LibraryWriter

Make = Callable[[], WatchedFolders]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """The watched folders of one library, as the next process has them."""
    root = tmp_path / "library"
    libraries: list[DuckLibrary] = []

    def folders() -> WatchedFolders:
        libraries.append(DuckLibrary(root))
        return WatchedFolders(
            StateDatabase(root), FileReader, lambda: LibraryWriter(root, HereBuilder()), lambda: libraries[-1]
        )

    yield folders
    for library in libraries:
        library.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "drop"
    (folder / "more").mkdir(parents=True)
    (folder / "owls.bib").write_text(entry("Owls of the North"))
    (folder / "more" / "voles.bib").write_text(entry("Voles by Night"))
    return folder


def entry(title: str) -> str:
    return f"@article{{a, title={{{title}}}, year={{2018}}}}\n"


def names(files: object) -> set[str]:
    assert isinstance(files, dict)
    return {Path(path).name for path in files}


def test_new_and_changed_files_are_imported_and_others_not_opened(make: Make, folder: Path) -> None:
    folders = make()
    assert names(folders.changed(folder)) == {"owls.bib", "voles.bib"}
    assert run(folders.sync(folder)).added == 2
    folders = make()
    before = (folder / "owls.bib").stat()
    (folder / "owls.bib").write_text(entry("Owls of the South"))
    # Other words, of the same size and time: nobody has looked.
    os.utime(folder / "owls.bib", ns=(before.st_atime_ns, before.st_mtime_ns))
    again = run(folders.sync(folder))
    assert (again.added, again.skipped_files, again.failures) == (0, 2, ()) and not folders.changed(folder)
    (folder / "owls.bib").write_text(entry("Owls of the North") + entry("Owls of the South"))
    (folder / "new.bib").write_text(entry("Moths at Dusk"))
    assert names(folders.changed(folder)) == {"owls.bib", "new.bib"}
    changed = run(folders.sync(folder))
    assert (changed.added, changed.unchanged, changed.skipped_files) == (2, 1, 1)


def test_a_file_with_another_time_and_the_same_content_is_not_read_again(make: Make, folder: Path) -> None:
    folders = make()
    run(folders.sync(folder))
    os.utime(folder / "owls.bib", ns=(1, 1))
    assert names(folders.changed(folder)) == {"owls.bib"}
    report = run(folders.sync(folder))
    assert (report.added, report.unchanged, report.skipped_files) == (0, 0, 2)
    assert not folders.changed(folder)


def test_only_the_files_that_are_asked_for_are_read(make: Make, folder: Path) -> None:
    folders = make()
    ready = {path: stamp for path, stamp in folders.changed(folder).items() if path.endswith("owls.bib")}
    assert run(folders.sync(folder, ready)).added == 1
    assert names(folders.changed(folder)) == {"voles.bib"}


def test_a_file_that_fails_waits_for_a_change(make: Make, folder: Path, tmp_path: Path) -> None:
    (folder / "broken.bib").write_text("@article{a, author={Roe}}\n")
    folders = make()
    assert len(run(folders.sync(folder)).failures) == 1
    assert not folders.changed(folder) and run(folders.sync(folder)).failures == ()
    (folder / "broken.bib").write_text(entry("Mended"))
    assert run(folders.sync(folder)).added == 1
    assert FailureList(StateDatabase(tmp_path / "library")).all() == ()


def test_unfinished_empty_and_hidden_files_wait_and_those_that_are_gone_are_forgotten(make: Make, folder: Path) -> None:
    for name in ("a.pdf.part", "b.pdf.crdownload", ".c.bib", "d.bib~"):
        (folder / name).write_text(entry(name))
    (folder / "empty.pdf").touch()
    folders = make()
    assert run(folders.sync(folder)).added == 2
    stamp = (folder / "owls.bib").stat()
    (folder / "owls.bib").unlink()
    assert run(folders.sync(folder)).skipped_files == 1
    (folder / "owls.bib").write_text(entry("Owls of the North"))
    os.utime(folder / "owls.bib", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert names(folders.changed(folder)) == {"owls.bib"}


def test_a_folder_that_is_not_there_is_named(make: Make, folder: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no folder .*/gone"):
        make().changed(folder / "gone")
    with pytest.raises(UsageError, match=r"there is no folder .*owls\.bib"):
        run(make().sync(folder / "owls.bib"))
