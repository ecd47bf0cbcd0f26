"""State shared by the files of one import: venue names, and which hyphen gaps are broken words."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.anthology import AnthologyReader, running_text, venue_acronym, venue_acronyms
from litterm.importers.byte_sources import Content, gunzip, is_tar, tar_members, zip_members
from litterm.importers.detect import detect
from litterm.importers.xml.tree import MAX_TREE_BYTES
from litterm.model.library import Failure
from litterm.text.documents.hyphens import HyphenStatistics

_VENUE_FOLDER: Final = ("yaml", "venues")
"""Where a checkout of the Anthology named its venues until 2026, a file each; since then all are in one."""
_SIDE_DATA_FOLDER: Final = ("data", "json")
_VENUE_FILE: Final = "venues.json"
_MAX_JSON_BYTES: Final = 2**22
_MAX_SURVEYED_MEMBERS: Final = 2000
_MAX_SURVEYED_BYTES: Final = 200 * 2**20
"""How far into an archive to look for the first text that may have hyphen gaps."""
_MAX_KEPT_BYTES: Final = 192 * 2**20
"""An archive that unpacks to less is unpacked once: a tenth of the Anthology's time for memory that is soon free."""
_BLOCK_BYTES: Final = 2**20
_MAX_YAML_BYTES: Final = 2**16


class ImportContext:
    """Filled by `survey`, used by the parsers; an unfilled one mends nothing and prints venue slugs."""

    def __init__(self) -> None:
        self.hyphens = HyphenStatistics()
        self._acronyms: dict[str, str] = {}
        self._folders: set[Path] = set()
        self._kept: deque[Content | Failure] | None = None
        self.anthology = AnthologyReader(self._acronyms, self.hyphens)

    def facts(self) -> tuple[Mapping[str, int], Mapping[str, str]]:
        """All that parsers use of it: how often words occur, and the names of venues."""
        return self.hyphens.counts, self._acronyms

    def learn(self, counts: Mapping[str, int], acronyms: Mapping[str, str]) -> None:
        """Adds the `facts` of another one."""
        self.hyphens.counts.update(counts)
        self._acronyms.update(acronyms)

    def seed(self) -> str:
        """Differs where the same bytes would give other papers, because the venues are known under other names."""
        # Sorted: the same venues in another order are the same.
        lines = "\n".join(f"{slug}={acronym}" for slug, acronym in sorted(self._acronyms.items()))
        return hashlib.sha256(lines.encode("utf-8", "replace")).hexdigest()[:8] if lines else ""

    def add_venues_near(self, path: Path) -> None:
        """Venue names of the checkout in which `path` is an XML file, if it is one."""
        folder = path.parent.parent.joinpath(*_VENUE_FOLDER)
        # Asked for each of 1,535 files, and the same for all of one checkout.
        if folder in self._folders:
            return
        self._folders.add(folder)
        venue_file = path.parent.parent / _SIDE_DATA_FOLDER[-1] / _VENUE_FILE
        if venue_file.is_file():
            with venue_file.open("rb") as stream:
                self._acronyms.update(venue_acronyms(stream.read(_MAX_JSON_BYTES)))
        if folder.is_dir():
            for file in sorted(folder.iterdir()):
                if file.is_file():
                    with file.open("rb") as stream:
                        self._add_venue(file.stem, stream.read(_MAX_YAML_BYTES))

    def survey(self, contents: Iterable[Content]) -> Iterator[None]:
        """Look through files before they are read, pausing often."""
        for content in contents:
            try:
                yield from self._survey_file(content)
            except (BadInput, OSError):
                # Said when the file itself is read.
                yield
        yield from self.hyphens.count()

    def survey_archive(self, content: Content, folder: Path) -> Iterator[None]:
        """Look through an archive before it is read, pausing often; stops early where there is nothing to learn."""
        member_count, size, is_relevant = 0, 0, False
        kept_members: deque[Content | Failure] | None = deque()
        try:
            for member in members_of(content, folder):
                member_count, size = member_count + 1, size + _size(member)
                is_relevant |= isinstance(member, Content) and self._survey_member(member)
                kept_members = self._keep(member, kept_members, size)
                if not is_relevant and (member_count > _MAX_SURVEYED_MEMBERS or size > _MAX_SURVEYED_BYTES):
                    kept_members = None
                    break
                yield
        except (BadInput, OSError):
            # Said when the archive itself is read.
            kept_members = None
        self._kept = kept_members
        yield from self.hyphens.count()

    def members(self, content: Content, folder: Path) -> Iterator[Content | Failure]:
        """The files of the archive just surveyed: those it kept in memory, else by reading it again.

        Raises:
            BadInput: it is damaged from here on.
        """
        if self._kept is None:
            yield from members_of(content, folder)
            return
        while self._kept:
            yield self._kept.popleft()

    def kept_bytes(self) -> int:
        """Size of the members that are held in memory; 0 where the archive is read again."""
        return sum(map(_size, self._kept or ()))

    def _keep(
        self, member: Content | Failure, kept_members: deque[Content | Failure] | None, size: int
    ) -> deque[Content | Failure] | None:
        """`member` remembered, or nothing any more where the archive is too large for that."""
        on_disk = member.path if isinstance(member, Content) else None
        if on_disk is not None:
            # It is unpacked again when it is read: keeping both would fill the disk.
            on_disk.unlink(missing_ok=True)
        if kept_members is None or on_disk is not None or size > _MAX_KEPT_BYTES:
            return None
        kept_members.append(member)
        return kept_members

    def _survey_member(self, member: Content) -> bool:
        path = PurePosixPath(member.origin.partition("!")[2])
        if path.parent.parts[-2:] == _VENUE_FOLDER:
            self._add_venue(path.stem, member.head())
            return False
        if path.parts[-3:] == (*_SIDE_DATA_FOLDER, _VENUE_FILE):
            self._acronyms.update(venue_acronyms(member.read(_MAX_JSON_BYTES)))
            return False
        # Only the Anthology's texts have gaps at hyphens in an archive; other members are passed over unread.
        if detect(member.head(), path.name) != "anthology":
            return False
        self.hyphens.add_text(running_text(member.read(MAX_TREE_BYTES)))
        return True

    def _survey_file(self, content: Content) -> Iterator[None]:
        kind = detect(content.head(), content.origin)
        if kind == "anthology":
            if content.path is not None:
                self.add_venues_near(content.path)
            self.hyphens.add_text(running_text(content.read(MAX_TREE_BYTES)))
            yield
        elif kind == "jsonl" or (kind == "gzip" and _holds_lines(content)):
            with content.open() as raw, gunzip(raw) if kind == "gzip" else raw as stream:
                while block := stream.read(_BLOCK_BYTES):
                    self.hyphens.add_text(block)
                    yield

    def _add_venue(self, slug: str, yaml: bytes) -> None:
        if acronym := venue_acronym(yaml):
            self._acronyms[slug.lower()] = acronym


def is_side_data(name: str) -> bool:
    """Whether a file called `name` tells of venues and people in a checkout of the Anthology: no papers."""
    return PurePosixPath(name.rpartition("!")[2]).parts[-3:-1] == _SIDE_DATA_FOLDER


def _size(member: Content | Failure) -> int:
    return member.size if isinstance(member, Content) else 0


def members_of(content: Content, folder: Path) -> Iterator[Content | Failure]:
    """The files in an archive of any kind.

    Raises:
        BadInput: it is damaged from here on.
    """
    kind = detect(content.head(), content.origin)
    if kind == "zip":
        return zip_members(content, folder)
    return tar_members(content, packed=kind == "gzip", folder=folder)


def is_archive(content: Content, kind: str) -> bool:
    """Whether `content` of format `kind` holds files of their own."""
    return kind in ("zip", "tar") or (kind == "gzip" and is_tar(content))


def _holds_lines(content: Content) -> bool:
    with content.open() as raw, gunzip(raw) as stream:
        return detect(stream.read(2**16), content.origin) == "jsonl"
