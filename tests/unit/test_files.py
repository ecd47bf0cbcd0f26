"""Files of the user's: whole or not at all, and nothing that somebody else wrote is lost unasked."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from litterm.core.errors import BadInput, DiskFull, UsageError
from litterm.core.user_files import append_to_file, refuse_input, resolve_target, write_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_new_file_is_written_and_the_same_again_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    assert write_file(out, b"one") is None
    before = out.stat()
    assert write_file(out, b"one") is None
    assert (out.read_bytes(), out.stat().st_ino, names(tmp_path)) == (b"one", before.st_ino, ["out.txt"])


def test_every_file_that_stood_there_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_bytes(b"thesis")
    out.chmod(0o640)
    assert write_file(out, b"one") == tmp_path / "out.txt~"
    assert write_file(out, b"two") == tmp_path / "out.txt~2"
    out.write_bytes(b"thesis")
    assert write_file(out, b"three") == tmp_path / "out.txt~", "kept already"
    assert [(tmp_path / name).read_bytes() for name in names(tmp_path)] == [b"three", b"thesis", b"one"]
    assert out.stat().st_mode & 0o777 == 0o640


def test_force_keeps_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_bytes(b"old")
    assert write_file(out, b"new", force=True) is None
    assert (out.read_bytes(), names(tmp_path)) == (b"new", ["out.txt"])


def test_a_link_to_another_folder_is_not_followed_unasked(tmp_path: Path) -> None:
    home, outside = tmp_path / "here", tmp_path / "elsewhere.txt"
    home.mkdir()
    outside.write_bytes(b"precious")
    link = home / "out.txt"
    link.symlink_to(outside)
    for write in (write_file, append_to_file):
        with pytest.raises(BadInput, match="is a link to"):
            write(link, b"new")
    assert (outside.read_bytes(), names(home)) == (b"precious", ["out.txt"])
    write_file(link, b"new", force=True)
    assert outside.read_bytes() == b"new" and link.is_symlink()


def test_a_link_within_the_folder_is_followed_and_one_to_itself_refused(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_bytes(b"old")
    link = tmp_path / "out.txt"
    link.symlink_to("real.txt")
    assert write_file(link, b"new") == tmp_path / "real.txt~"
    assert (tmp_path / "real.txt").read_bytes() == b"new" and link.is_symlink()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(BadInput, match="cannot be written"):
        write_file(loop, b"new")


def test_a_link_to_nothing_elsewhere_makes_no_file_there(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    link = tmp_path / "here" / "out.txt"
    link.symlink_to(tmp_path / "elsewhere.txt")
    with pytest.raises(BadInput, match="is a link to"):
        write_file(link, b"new")
    assert not (tmp_path / "elsewhere.txt").exists()


@pytest.mark.parametrize("old", [None, b"old"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: bytes | None) -> None:
    out = tmp_path / "out.txt"
    if old is not None:
        out.write_bytes(old)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull, match="free some space"):
        write_file(out, b"new", force=True)
    assert (out.read_bytes() if out.exists() else None) == old
    assert names(tmp_path) == (["out.txt"] if old else [])


def test_folders_and_what_cannot_be_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        write_file(tmp_path, b"new")
    with pytest.raises(BadInput, match="cannot be written"):
        write_file(tmp_path / "none" / "out.txt", b"new")
    assert resolve_target(tmp_path / "none" / "out.txt") == tmp_path / "none" / "out.txt"


def test_a_device_is_written_to_as_it_is() -> None:
    assert write_file(Path("/dev/null"), b"new") is None
    assert not Path("/dev/null").is_file()


def test_an_addition_changes_nothing_that_stood_there(tmp_path: Path) -> None:
    refs = tmp_path / "refs.bib"
    append_to_file(refs, b"one")
    append_to_file(refs, b" two")
    assert (refs.read_bytes(), names(tmp_path)) == (b"one two", ["refs.bib"])


@pytest.mark.parametrize("name", ["in.csv", "./in.csv", "link.csv", "hard.csv"])
def test_the_input_is_no_output_by_any_name(tmp_path: Path, name: str) -> None:
    source = tmp_path / "in.csv"
    source.write_text("excerpt\n")
    (tmp_path / "link.csv").symlink_to(source)
    os.link(source, tmp_path / "hard.csv")
    with pytest.raises(UsageError, match="is the input"):
        refuse_input(tmp_path / name, source)
    refuse_input(tmp_path / "other.csv", source)
