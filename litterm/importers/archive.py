"""Reads the members of tar and zip archives one by one, without writing where an archive says."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import (
    FREE_BYTES,
    MAX_RATIO,
    Content,
    check_whole,
    gunzip,
    is_damaged,
    printable,
    spool_content,
)
from litterm.model.library import Failure

_DAMAGED_MESSAGE: Final = "The archive is damaged or cut off; what stood before the damage was read."


def tar_members(content: Content, *, packed: bool, folder: Path) -> Iterator[Content | Failure]:
    """The files in a tar archive in their order; large ones wait in `folder`.

    Raises:
        BadInput: the archive is damaged from here on.
    """
    with content.open() as raw:
        stream = gunzip(raw) if packed else raw
        try:
            # As a stream: what is inside gzip cannot be read from the middle without unpacking it again.
            with tarfile.open(fileobj=stream, mode="r|", errorlevel=0) as archive:
                for member in archive:
                    yield from _tar_member(content.origin, archive, member, folder)
        except (tarfile.TarError, EOFError, zlib.error, UnicodeError, OverflowError, ValueError) as error:
            check_whole(stream)
            raise BadInput(_DAMAGED_MESSAGE) from error
        check_whole(stream)


def _tar_member(
    origin: str, archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path
) -> Iterator[Content | Failure]:
    name = f"{origin}!{printable(member.name)}"
    if _is_outside(member.name) or ((member.islnk() or member.issym()) and _is_outside(member.linkname, member.name)):
        yield Failure(name, "Its path leads out of the archive; left out.")
    elif member.issparse():
        yield Failure(name, "A sparse file inside an archive; left out.")
    elif member.isfile():
        yield from _tar_file(name, archive, member, folder)


def _tar_file(
    name: str, archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path
) -> Iterator[Content | Failure]:
    file = archive.extractfile(member)
    if file is None:
        return
    try:
        content = spool_content(name, file, folder)  # type: ignore[arg-type]  # typeshed: IO[bytes]
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
            for member in archive.infolist():
                if not member.is_dir():
                    yield _zip_member(content.origin, archive, member, folder)
    except (zipfile.BadZipFile, OSError, ValueError, UnicodeError) as error:
        raise BadInput("The zip archive is damaged or cut off.") from error


def _zip_member(origin: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> Content | Failure:
    name = f"{origin}!{printable(member.filename)}"
    # Nothing is written there anyway; but an archive that tries is reported, not read in silence.
    if _is_outside(member.filename):
        return Failure(name, "Its path leads out of the archive; left out.")
    if member.flag_bits & 1:
        return Failure(name, "Encrypted; unpack it first.")
    # The table of contents says so before anything is unpacked.
    if member.file_size > FREE_BYTES and member.file_size > MAX_RATIO * max(1, member.compress_size):
        return Failure(name, f"Unpacks to more than {MAX_RATIO} times its size: taken for a decompression bomb.")
    try:
        with archive.open(member) as file:
            return spool_content(name, _as_binary(file), folder)
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
