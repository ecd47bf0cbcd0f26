"""Durable files: whole and on the disk before the call that writes them returns."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from litterm.core.errors import LibraryError, ReadOnly
from litterm.core.filesystem import DISK_FULL, no_space, sync_file
from litterm.core.filesystem import sync_folder as sync_folder

_READ_ONLY_ERRORS = frozenset((errno.EROFS, errno.EACCES, errno.EPERM))
_UTC_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def new_key() -> str:
    """A ULID: 26 characters that never repeat and sort by when they were made.

    A ULID tells the millisecond in its first 48 bits and leaves 80 to chance. Here 20 of these are the nanoseconds
    within it, so that two keys made at once keep their order.
    """
    millisecond, nanoseconds = divmod(time.time_ns(), 1_000_000)
    number = millisecond << 80 | nanoseconds << 60 | int.from_bytes(os.urandom(8), "big") >> 4
    return _encode_ulid(number)


def key_after(key: str) -> str:
    """The key that sorts right behind `key`, made at the same time; a new one where `key` is none."""
    try:
        return _encode_ulid(_decode_ulid(key) + 1)
    except ValueError:
        return new_key()


def time_of(key: str) -> str:
    """When `key` was made: ISO 8601 to the second, in UTC; empty if it is none."""
    try:
        return datetime.fromtimestamp((_decode_ulid(key) >> 80) / 1000, UTC).strftime(_UTC_FORMAT)
    except (ValueError, OverflowError, OSError):
        return ""


def _encode_ulid(number: int) -> str:
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def _decode_ulid(key: str) -> int:
    return sum(_CROCKFORD.index(digit) << 5 * place for place, digit in enumerate(reversed(key)))


def utc_now() -> str:
    """ISO 8601 to the second, in UTC."""
    return datetime.now(UTC).strftime(_UTC_FORMAT)


@contextmanager
def translate_write_errors(path: Path) -> Iterator[None]:
    """Translates operating system errors while writing `path` into errors of litterm.

    Raises:
        DiskFull: there is no room.
        LibraryError: `path` may not be written.
    """
    try:
        yield
    except OSError as error:
        raise write_error(error, path) from error


def write_error(error: OSError, path: Path) -> LibraryError:
    """The error of litterm for an operating system error while writing `path`."""
    if error.errno in DISK_FULL:
        return no_space(path)
    kind = ReadOnly if error.errno in _READ_ONLY_ERRORS else LibraryError
    return kind(f"Cannot write {path}: {error.strerror or error}.")


def sync_tree(folder: Path) -> None:
    """Makes every file below `folder`, and the folders, durable."""
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb") as file:
                sync_file(file.fileno())
    sync_folder(folder)


def replace_file(path: Path, content: bytes, *, private: bool = False) -> None:
    """`path` holds either its old content or all of `content`, even after a crash or a power cut in between.

    A `private` file only its owner may read.
    """
    # Process and key in the name: two processes that write at once must not write into each other's copy.
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{new_key()}")
    with translate_write_errors(path):
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                # Before the rename: else a crash may leave the new name without content.
                sync_file(file.fileno())
            fresh.replace(path)
        finally:
            # Gone already where the rename succeeded.
            fresh.unlink(missing_ok=True)
        # The rename is an entry of the folder, which has to be on the disk, too.
        sync_folder(path.parent)


def remove_tree(folder: Path) -> None:
    """Removes as much of `folder` as it can; what is left is tried again at the next start."""
    shutil.rmtree(folder, ignore_errors=True)


def bytes_below(folder: Path) -> int:
    """Sum of the file sizes below `folder`."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
