"""Sources of bytes to import: a file, a member of an archive, or the inside of a gzip file."""

from __future__ import annotations

import hashlib
import io
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from litterm.core.errors import BadInput
from litterm.importers.unpack_budget import (
    BOMB_MESSAGE,
    FREE_BYTES,
    MAX_RATIO,
    UnpackShare,
    new_share,
    refuse_overlaps,
)
from litterm.model.library import Failure

HEAD_BYTES: Final = 2**16
"""What a format is recognised by."""
_BLOCK_BYTES: Final = 2**20
_MAX_MEMORY_BYTES: Final = 32 * 2**20
_MAX_MEMBER_BYTES: Final = 4 * 2**30
_MAX_JSON_VALUES: Final = 3_000_000
_DAMAGED_MESSAGE: Final = "The archive is damaged or cut off; what stood before the damage was read."


@dataclass(frozen=True, slots=True)
class Content:
    """A stretch of bytes with a name; `open` starts at its beginning every time."""

    origin: str
    """Path, with `!member` inside an archive; printable."""
    size: int
    """Bytes; 0 if not known."""
    open: Callable[[], BinaryIO]
    path: Path | None = None
    """Where it lies as a file of its own, if it does."""
    packed: Content | None = None
    """The gzip file it is the inside of."""
    share: UnpackShare | None = None
    """Of a member of an archive: what it may unpack to, if it is packed itself."""

    def own_share(self) -> UnpackShare:
        """What it may unpack to: all of a file on disk, the rest of its archive's for a member."""
        return self.share or new_share(self.size)

    def head(self) -> bytes:
        """The first bytes, enough to recognise a format.

        Raises:
            BadInput: it is packed and damaged from its start.
        """
        with self.open() as stream:
            head = stream.read(HEAD_BYTES)
            if not head:
                check_whole(stream)
            return head

    def read(self, limit: int) -> bytes:
        """All of it.

        Raises:
            BadInput: it is larger than `limit` bytes, or damaged.
        """
        with self.open() as stream:
            # One more, so that a file of exactly the limit differs from a larger one.
            data = stream.read(limit + 1)
            if len(data) > limit:
                raise BadInput(f"Larger than the {limit // 2**20} MB litterm reads of this kind at once.")
            check_whole(stream)
        return data


class Gunzip(io.RawIOBase):
    """Unpacks gzip; where the data ends too early or expands like a bomb it ends, and `damage` says why.

    What was packed before the damage can so still be read.
    """

    def __init__(self, packed: BinaryIO, share: UnpackShare | None = None) -> None:
        self._packed = packed
        self._share = share
        # 16 more: with the header and the checksum of gzip.
        self._unzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._unread_bytes = b""
        self._bytes_read = 0
        self._bytes_made = 0
        self._ended = False
        self.damage = ""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what BufferedReader passes
        """Fill `buffer` with unpacked bytes; 0 at the end or at the damage."""
        while not self._ended:
            data = self._read_block(len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)
        return 0

    def _read_block(self, size: int) -> bytes:
        packed = self._unread_bytes or self._packed.read(_BLOCK_BYTES // 4)
        self._bytes_read += len(packed) - len(self._unread_bytes)
        if not packed:
            self._end("" if self._unzip.eof else "The gzip data ends too early: the file is cut off.")
            return b""
        try:
            data = self._unzip.decompress(packed, size)
        except zlib.error:
            self._end("The gzip data is damaged.")
            return b""
        self._unread_bytes = self._unzip.unconsumed_tail
        if self._unzip.eof:
            self._next_member()
        self._bytes_made += len(data)
        # Ended and not raised: what came before is read, and `check_whole` tells of it.
        is_bomb = self._bytes_made > FREE_BYTES and self._bytes_made > MAX_RATIO * self._bytes_read
        if is_bomb or (self._share is not None and not self._share.allows(self._bytes_made)):
            self._end(BOMB_MESSAGE)
        return data

    def _next_member(self) -> None:
        rest = self._unzip.unused_data or self._packed.read(_BLOCK_BYTES // 4)
        self._bytes_read += 0 if self._unzip.unused_data else len(rest)
        # A gzip file may be several, one behind the other; zeros behind the last one only fill a block.
        rest = rest.lstrip(b"\0")
        if rest[:2] == b"\x1f\x8b":
            self._unzip = zlib.decompressobj(zlib.MAX_WBITS | 16)
            self._unread_bytes = rest
        else:
            self._end("")

    def _end(self, damage: str) -> None:
        self._ended = True
        self.damage = damage

    def close(self) -> None:
        """Close the packed stream too."""
        self._packed.close()
        super().close()


def file_content(path: Path, size: int) -> Content:
    """A file on disk."""
    return Content(printable(str(path)), size, lambda: path.open("rb"), path)


def memory_content(origin: str, data: bytes) -> Content:
    """Bytes at hand."""
    return Content(printable(origin), len(data), lambda: io.BytesIO(data))


def gunzip_content(content: Content) -> Content:
    """The inside of a gzip file, under the same name."""
    return Content(content.origin, 0, lambda: gunzip(content.open(), content.share), packed=content)


def gunzip(packed: BinaryIO, share: UnpackShare | None = None) -> BinaryIO:
    """A buffered stream of what `packed` holds, a member of an archive within its `share`; see `check_whole`."""
    return io.BufferedReader(Gunzip(packed, share), _BLOCK_BYTES // 4)


def check_expansion(content: Content) -> None:
    """Unpacks a gzip file of an archive once, and keeps nothing: whoever reads it may be in another process.

    Raises:
        BadInput: it is damaged, or with all other members it unpacks to more than the archive may.
    """
    with gunzip(content.open(), content.share) as stream:
        while stream.read(_BLOCK_BYTES):
            pass
        check_whole(stream)


def check_whole(stream: BinaryIO) -> None:
    """To be called at the end of a stream.

    Raises:
        BadInput: it is gzip and ended before its data did.
    """
    raw = getattr(stream, "raw", None)
    if isinstance(raw, Gunzip) and raw.damage:
        raise BadInput(raw.damage)


def is_damaged(stream: BinaryIO) -> bool:
    """Whether a gzip stream has ended too early."""
    raw = getattr(stream, "raw", None)
    return isinstance(raw, Gunzip) and bool(raw.damage)


def spool_content(origin: str, stream: BinaryIO, folder: Path, share: UnpackShare) -> Content:
    """A member's bytes so that they can be read again: small ones in memory, large ones as a file in `folder`.

    Raises:
        BadInput: it is larger than any file litterm reads, or than its `share`.
    """
    # A tar stream cannot be read back, but parsers read the beginning first to tell the format.
    data = stream.read(_MAX_MEMORY_BYTES)
    share.spend(len(data))
    if len(data) < _MAX_MEMORY_BYTES:
        return replace(memory_content(origin, data), share=share)
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        path = Path(file.name)
        try:
            size = file.write(data)
            while block := stream.read(_BLOCK_BYTES):
                size += file.write(block)
                share.spend(size)
                if size > _MAX_MEMBER_BYTES:
                    raise BadInput(f"Larger than {_MAX_MEMBER_BYTES // 2**30} GB.")
        except BadInput:
            path.unlink()
            raise
    return Content(printable(origin), size, lambda: path.open("rb"), path, share=share)


def digest_steps(content: Content, seed: str) -> Iterator[str]:
    """Pauses (empty strings) while hashing, then the SHA-256 of `seed` and the bytes."""
    # Seeded with the parser's version: a better parser makes every file a new one.
    sha = hashlib.sha256(f"{seed}\n".encode())
    with content.open() as stream:
        for count, block in enumerate(iter(lambda: stream.read(_BLOCK_BYTES), b"")):
            sha.update(block)
            # Every 32 MB: between two pauses nobody can stop it.
            if count % 32 == 31:
                yield ""
    yield sha.hexdigest()


def check_values(data: bytes) -> None:
    """Before JSON is read: an empty list takes sixty times the memory of its two characters.

    Raises:
        BadInput: it holds more values than any paper.
    """
    # Counted as bytes, strings included: quick, and too high only for texts that no paper has.
    if sum(map(data.count, (b",", b"[", b"{"))) > _MAX_JSON_VALUES:
        raise BadInput(f"JSON with more than {_MAX_JSON_VALUES:,} values in one piece.")


def printable(name: str) -> str:
    """A path or member name that can be stored and shown: undecodable bytes and control characters replaced."""
    sound = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return sound if sound.isprintable() else "".join(c if c.isprintable() or c == " " else "\ufffd" for c in sound)


def tar_members(content: Content, *, packed: bool, folder: Path) -> Iterator[Content | Failure]:
    """The files in a tar archive in their order; large ones wait in `folder`.

    Raises:
        BadInput: the archive is damaged from here on.
    """
    with content.open() as raw:
        share = content.own_share()
        stream = gunzip(raw, content.share) if packed else raw
        try:
            # As a stream: what is inside gzip cannot be read from the middle without unpacking it again.
            with tarfile.open(fileobj=stream, mode="r|", errorlevel=0) as archive:
                for member in archive:
                    yield from _tar_member(content.origin, archive, member, folder, share)
        except (tarfile.TarError, EOFError, zlib.error, UnicodeError, OverflowError, ValueError) as error:
            check_whole(stream)
            raise BadInput(_DAMAGED_MESSAGE) from error
        check_whole(stream)


def _tar_member(
    origin: str, archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, share: UnpackShare
) -> Iterator[Content | Failure]:
    name = f"{origin}!{printable(member.name)}"
    if _is_outside(member.name) or ((member.islnk() or member.issym()) and _is_outside(member.linkname, member.name)):
        yield Failure(name, "Its path leads out of the archive; left out.")
    elif member.issparse():
        yield Failure(name, "A sparse file inside an archive; left out.")
    elif member.isfile():
        yield from _tar_file(name, archive, member, folder, share.of_member(member.offset))


def _tar_file(
    name: str, archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path, share: UnpackShare
) -> Iterator[Content | Failure]:
    file = archive.extractfile(member)
    if file is None:
        return
    try:
        content = spool_content(name, file, folder, share)  # type: ignore[arg-type]  # typeshed: IO[bytes]
    except BadInput as error:
        yield Failure(name, str(error))
        return
    # Of a member that is cut off `tarfile` gives what there is, without an error.
    if content.size < member.size:
        raise tarfile.ReadError("unexpected end of data")
    yield content


def zip_members(content: Content, folder: Path) -> Iterator[Content | Failure]:
    """The files in a zip archive in their order; large ones wait in `folder`.

    Raises:
        BadInput: it has no readable table of contents.
    """
    try:
        with content.open() as stream, zipfile.ZipFile(stream) as archive:
            share = content.own_share()
            refuse_overlaps(archive.infolist())
            for member in archive.infolist():
                if not member.is_dir():
                    yield _zip_member(content.origin, archive, member, folder, share.of_member(member.header_offset))
    except (zipfile.BadZipFile, OSError, ValueError, UnicodeError) as error:
        raise BadInput("The zip archive is damaged or cut off.") from error


def _zip_member(
    origin: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, share: UnpackShare
) -> Content | Failure:
    name = f"{origin}!{printable(member.filename)}"
    # Nothing is written there anyway; but an archive that tries is reported, not read in silence.
    if _is_outside(member.filename):
        return Failure(name, "Its path leads out of the archive; left out.")
    if member.flag_bits & 1:
        return Failure(name, "Encrypted; unpack it first.")
    # The table of contents says so before anything is unpacked.
    is_bomb = member.file_size > FREE_BYTES and member.file_size > MAX_RATIO * max(1, member.compress_size)
    if is_bomb or not share.allows(member.file_size):
        return Failure(name, BOMB_MESSAGE)
    try:
        with archive.open(member) as file:
            return spool_content(name, _as_binary(file), folder, share)
    except BadInput as error:
        return Failure(name, str(error))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        return Failure(name, f"Damaged inside the archive: {error}.")


def _as_binary(file: object) -> BinaryIO:
    # typeshed calls it IO[bytes]; it reads, which is all that is done with it.
    return file  # type: ignore[return-value]


def is_tar(content: Content) -> bool:
    """Whether the inside of a gzip file is a tar archive."""
    with gunzip(content.open()) as stream:
        # Where every tar header since POSIX has its name.
        return stream.read(512)[257:262] == b"ustar" and not is_damaged(stream)


def _is_outside(name: str, base: str = "") -> bool:
    """Whether a path, or a link's target seen from `base`, ends outside the archive's own folder."""
    # Windows packs with backslashes, and names of drives.
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or name[1:3] in (":/", ":\\"):
        return True
    depth = len(PurePosixPath(base).parts) - 1 if base else 0
    for part in path.parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
