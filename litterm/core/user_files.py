"""Writes files that the user names: whole or not at all, keeping a copy of the previous content.

Every command that writes to a name somebody typed goes through here, so that one rule holds for all.
"""

from __future__ import annotations

import os
import shutil
from itertools import count
from pathlib import Path
from secrets import token_hex

from litterm.core.errors import BadInput, LittermError, UsageError
from litterm.core.filesystem import DISK_FULL, no_space, sync_file, sync_folder


def write_file(path: Path, content: bytes, *, force: bool = False) -> Path | None:
    """`path` holds its old content or all of `content`, whatever happens meanwhile.

    Where something else was there it is kept beside it as `NAME~` (`NAME~2`, ... where that is taken), unless
    `force`; returned is where, or `None`. A device or a pipe is written to as it is.

    Raises:
        BadInput: it is a folder, or, without `force`, a link to another folder.
        DiskFull: there is no room; what was there is still there.
        LittermError: it cannot be written.
    """
    real = resolve_target(path, force=force)
    try:
        if real.exists() and not real.is_file():
            # A device or a pipe (`/dev/stdout`) cannot be replaced by a rename.
            real.write_bytes(content)
            return None
        if not real.exists():
            _replace_content(real, content)
            return None
        # The same content once more must not leave another copy behind.
        if real.read_bytes() == content:
            return None
        previous = None if force else _copy_beside(real)
        _replace_content(real, content)
    except OSError as error:
        raise refusal(path, error) from error
    return previous


def make_folder(path: Path) -> None:
    """The folder `path` with those above it, unless it is there.

    Raises:
        LittermError: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refusal(path, error) from error


def append_to_file(path: Path, addition: bytes, *, force: bool = False) -> None:
    """`path` with `addition` at its end, whole or as it was; nothing that was there changes.

    Raises:
        BadInput, DiskFull, LittermError: as `write_file`.
    """
    real = resolve_target(path, force=force)
    try:
        _replace_content(real, (real.read_bytes() if real.exists() else b"") + addition)
    except OSError as error:
        raise refusal(path, error) from error


def resolve_target(path: Path, *, force: bool = False) -> Path:
    """The file that a write to `path` changes: a link is followed inside its own folder, elsewhere only with `force`.

    Raises:
        BadInput: it is a folder, or a link to another folder.
    """
    try:
        if path.is_dir():
            raise BadInput(f"{path}: is a folder; name a file in it.")
        if not path.is_symlink():
            return path
        real = path.resolve()
        stays_in_folder = real.parent.is_relative_to(path.parent.resolve())
    except (OSError, RuntimeError) as error:
        # Older Pythons tell a link that leads to itself as a RuntimeError.
        reason = getattr(error, "strerror", None) or "a link that leads to itself"
        raise BadInput(f"{path}: cannot be written ({reason}).") from error
    if not stays_in_folder and not force:
        raise BadInput(f"{path}: is a link to {real}, which lies elsewhere; name that file itself if you mean it.")
    return real


def backup_sentence(backup: Path | None) -> str:
    """A sentence, with a space before it, on where the old content is; empty if there was none."""
    return f" Previous version saved as {backup.name}." if backup is not None else ""


def refuse_input(output: Path, *sources: Path) -> None:
    """Refuses an output that is one of the inputs, before anything is read.

    Raises:
        UsageError: `output` is one of `sources`, by whatever name.
    """
    for source in sources:
        try:
            # By both: `samefile` also knows hard links, but only files that exist.
            is_same_file = output.resolve() == source.resolve() or output.samefile(source)
        except (OSError, RuntimeError):
            is_same_file = False
        if is_same_file:
            raise UsageError(f"{output} is the input; choose another name for the output.")


def refusal(path: Path, error: OSError) -> LittermError:
    """The error of litterm for an operating system error while writing `path`."""
    if error.errno in DISK_FULL:
        return no_space(path)
    return BadInput(f"{path}: cannot be written ({error.strerror or error}).")


def _copy_beside(path: Path) -> Path:
    """Copies the file at `path` to an unused name beside it, and returns that name."""
    content = path.read_bytes()
    for number in count(1):
        copy = path.with_name(f"{path.name}~{number if number > 1 else ''}")
        if copy.is_file() and not copy.is_symlink() and copy.read_bytes() == content:
            return copy
        # `exists` would follow a broken link and call its name free.
        if not os.path.lexists(copy):
            shutil.copy2(path, copy)
            return copy
    raise AssertionError("numbers do not end")


def _replace_content(path: Path, content: bytes) -> None:
    # File systems end names at 255 bytes; a long one must leave room for what is added.
    fresh = path.with_name(f".{path.name[:100]}.{os.getpid()}-{token_hex(4)}")
    try:
        with fresh.open("xb") as file:
            file.write(content)
            file.flush()
            sync_file(file.fileno())
        # A file that others may not read stays so under its new content.
        if path.exists():
            shutil.copymode(path, fresh)
        fresh.replace(path)
        sync_folder(path.parent)
    finally:
        fresh.unlink(missing_ok=True)
