"""The file of a backup: a tar file packed by gzip, whose first member lists all others with size and SHA-256.

Only the plain headers of tar are used, so that `tar xzf` unpacks it. It is read by what the list says: a member of
another name, size or kind ends the reading.
"""

from __future__ import annotations

import gzip
import json
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, TYPE_CHECKING, Final, cast

from litterm.core.errors import BadInput, LibraryTooNew
from litterm.core.json_fields import integer, items, mapping, text
from litterm.model.backup import BackupContents

if TYPE_CHECKING:
    from pathlib import Path

BACKUP_VERSION: Final = 1
"""Of the format; a litterm refuses one that is higher than its own."""
LIBRARY_PREFIX, SERVERS_PREFIX, SETTINGS_PREFIX = "library/", "servers/", "settings/"
SEGMENTS_PREFIX = f"{LIBRARY_PREFIX}segments/"
CONFIG_NAME, THEMES_PREFIX = f"{SETTINGS_PREFIX}config.toml", f"{SETTINGS_PREFIX}themes/"
_FORMAT = "litterm backup"
_LIST_NAME = "backup.json"
_MAX_LIST_BYTES = 64 * 2**20
_CHUNK_BYTES = 2**20
_PACKING_LEVEL = 1
"""The databases are compressed already: higher levels take several times as long for a few percent."""
_SAFE_NAME = re.compile(r"(library|servers|settings)(/(?!\.\.?(/|$))[^/\\\x00-\x1f\x7f]+)+")
_PRIVATE_MODE = 0o600
_MODE_BITS = 0o644


@dataclass(frozen=True, slots=True)
class Member:
    """A file of the backup."""

    name: str
    """Its path, with `/`, below one of the prefixes."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class MemberList:
    """What the first member says."""

    contents: BackupContents
    members: tuple[Member, ...]


class ArchiveWriter:
    """Writes members one by one to an open file."""

    def __init__(self, file: IO[bytes], contents: BackupContents, members: Iterable[Member]) -> None:
        self._packed = gzip.GzipFile("", "wb", _PACKING_LEVEL, file, mtime=0)
        body = {
            "format": _FORMAT,
            "version": BACKUP_VERSION,
            "made": contents.made,
            "litterm": contents.litterm,
            "papers": contents.papers,
            "files": contents.files,
            "bytes": dict(contents.bytes_by_part),
            "members": {member.name: [member.size, member.sha256] for member in members},
        }
        content = json.dumps(body, ensure_ascii=False, indent=1).encode()
        self._packed.write(_header(_LIST_NAME, len(content), _PRIVATE_MODE))
        self._packed.write(content + _padding(len(content)))

    def add(self, member: Member, path: Path) -> Iterator[int]:
        """Writes `member` from the file at `path`; yields the bytes written since.

        Raises:
            BadInput: the file is no longer what its sum says.
        """
        digest, size = sha256(), 0
        with path.open("rb") as file:
            self._packed.write(_header(member.name, member.size, path.stat().st_mode & _MODE_BITS | _PRIVATE_MODE))
            while piece := file.read(_CHUNK_BYTES):
                digest.update(piece)
                size += len(piece)
                self._packed.write(piece)
                yield len(piece)
        if (size, digest.hexdigest()) != (member.size, member.sha256):
            raise BadInput(f"{path} was changed while it was read; run the backup again.")
        self._packed.write(_padding(size))

    def close(self) -> None:
        """Writes the end of the archive."""
        self._packed.write(bytes(2 * tarfile.BLOCKSIZE))
        self._packed.close()


class ArchiveReader:
    """Reads the list, then the members in their order."""

    def __init__(self, packed: IO[bytes], path: Path) -> None:
        """Reads the list of the archive at `path`.

        Raises:
            BadInput: it is no backup, or names unsafe paths.
            LibraryTooNew: a newer litterm wrote it.
        """
        self._packed = packed
        self._path = path
        header = self._read_header()
        if header is None or header.name != _LIST_NAME or header.size > _MAX_LIST_BYTES:
            raise BadInput(f"{path} is not a backup of litterm.")
        content = self._packed.read(header.size)
        self._packed.read(len(_padding(header.size)))
        self.list = _parse(content, path)

    def members(self) -> Iterator[tuple[Member, int, Iterator[bytes]]]:
        """Each member, its mode and its content in pieces, which is to be read to its end before the next.

        Raises:
            BadInput: what follows is not what the list says.
        """
        expected = {member.name: member for member in self.list.members}
        while (header := self._read_header()) is not None:
            member = expected.pop(header.name, None)
            if member is None or header.size != member.size:
                raise BadInput(f"{self._path} holds a file that its list does not name; it is not restored.")
            yield member, header.mode & _MODE_BITS | _PRIVATE_MODE, self._content(member)
        # To the end of the file, where gzip has its own sum; `tar` may have filled up its last record.
        if self._packed.read(_CHUNK_BYTES).strip(b"\0"):
            raise BadInput(f"{self._path} goes on behind its end; it is not restored.")
        if expected:
            raise BadInput(f"{self._path} lacks {len(expected):,} files of its list; it is not restored.")

    def _content(self, member: Member) -> Iterator[bytes]:
        digest, left = sha256(), member.size
        while left:
            piece = self._packed.read(min(left, _CHUNK_BYTES))
            if not piece:
                raise BadInput(f"{self._path} ends in the middle of {member.name}; it is not restored.")
            digest.update(piece)
            left -= len(piece)
            yield piece
        if digest.hexdigest() != member.sha256:
            raise BadInput(f"{self._path} is damaged: {member.name} is not what was backed up; it is not restored.")
        self._packed.read(len(_padding(member.size)))

    def _read_header(self) -> tarfile.TarInfo | None:
        """The next header; `None` at the end."""
        block = self._packed.read(tarfile.BLOCKSIZE)
        if not block.strip(b"\0"):
            return None
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        except (tarfile.HeaderError, UnicodeDecodeError) as error:
            raise BadInput(f"{self._path} is not a backup of litterm, or damaged.") from error
        # Neither links nor folders nor devices, and none of the extensions by which other headers change this one.
        if header.type != tarfile.REGTYPE or header.size < 0:
            raise BadInput(f"{self._path} holds something that is no plain file; it is not restored.")
        return header


@contextmanager
def open_archive(path: Path) -> Iterator[ArchiveReader]:
    """The archive at `path`, its list read.

    Raises:
        BadInput: it cannot be read, is damaged or no backup; also within the block.
        LibraryTooNew: a newer litterm wrote it.
    """
    try:
        with gzip.open(path) as packed:
            yield ArchiveReader(cast(IO[bytes], packed), path)
    except FileNotFoundError as error:
        if error.filename != str(path):
            raise
        raise BadInput(f"{path}: there is no such file.") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadInput(f"{path} is not a backup of litterm, or damaged ({error}); it is not restored.") from error


def sum_file(path: Path, name: str) -> Member:
    """The member that the file at `path` becomes."""
    digest, size = sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(_CHUNK_BYTES):
            digest.update(piece)
            size += len(piece)
    return Member(name, size, digest.hexdigest())


def _parse(content: bytes, path: Path) -> MemberList:
    try:
        fields = mapping(json.loads(content))
        if fields["format"] != _FORMAT:
            raise ValueError("another format")
        version = integer(fields["version"])
        if version > BACKUP_VERSION:
            raise LibraryTooNew(
                f"{path} was written by a newer litterm ({text(fields['litterm'])}, backups of version {version}; this"
                f" one knows {BACKUP_VERSION}): update litterm; nothing was touched."
            )
        members = tuple(_member(name, items(value)) for name, value in mapping(fields["members"]).items())
        return MemberList(_contents(fields), members)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadInput(f"{path} is not a backup of litterm, or damaged.") from error


def _contents(fields: Mapping[str, object]) -> BackupContents:
    parts = mapping(fields["bytes"])
    return BackupContents(
        made=text(fields["made"]),
        litterm=text(fields["litterm"]),
        papers=integer(fields["papers"]),
        files=integer(fields["files"]),
        bytes_by_part=tuple((part, integer(size)) for part, size in parts.items()),
    )


def _member(name: str, value: object) -> Member:
    size, digest = items(value)
    # Files of the settings are two kinds: another one could be a key.
    is_safe = _SAFE_NAME.fullmatch(name) is not None
    if name.startswith(SETTINGS_PREFIX):
        is_safe &= name == CONFIG_NAME or (
            name.startswith(THEMES_PREFIX) and name.count("/") == THEMES_PREFIX.count("/")
        )
    if not is_safe or integer(size) < 0:
        raise ValueError(f"an unsafe path: {name}")
    return Member(name, integer(size), text(digest))


def _header(name: str, size: int, mode: int) -> bytes:
    header = tarfile.TarInfo(name)
    header.size, header.mode = size, mode
    return header.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict")


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)
