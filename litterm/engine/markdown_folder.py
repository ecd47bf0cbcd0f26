"""A folder with a Markdown file for each paper, written once and updated while the user writes in its files."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from litterm.core.errors import BadInput
from litterm.core.tasks import Task
from litterm.core.user_files import backup_sentence, make_folder, write_file
from litterm.engine.exports import KeptPaper, write_papers
from litterm.model.events import Notice
from litterm.model.export import FolderReport
from litterm.model.paper import Paper, PaperId
from litterm.render.export.paper_file import (
    DEFAULT_TEMPLATE,
    FileTemplate,
    OwnPart,
    file_name,
    new_file,
    read_file_template,
    read_id,
    render_own_part,
    updated_file,
)
from litterm.text.references.identity import paper_ids

if TYPE_CHECKING:
    from litterm.engine.parts import Parts

_MAX_HEAD_BYTES = 100_000
"""Read of each file of the folder to find its id."""
_MAX_FILE_BYTES = 50_000_000
_MAX_TEMPLATE_BYTES = 1_000_000
_ID_LINE = re.compile(rb"^litterm-id:", re.MULTILINE)
_MAX_NOTICES = 10
_Outcome = Literal["new", "updated", "unchanged", "left"]


def export_folder(
    parts: Parts,
    ids: Sequence[str] | None,
    folder: Path,
    *,
    notes: bool,
    force: bool,
    keys: Mapping[PaperId, str] | None,
) -> Task[FolderReport]:
    """Writes or updates a file for each paper in `folder`; see `FileExports.write_folder`."""
    template = _read_template(parts.paper_template)
    make_folder(folder)
    files = _PaperFiles(folder, force)
    outcomes = Counter[_Outcome]()

    def write(kept: KeptPaper) -> None:
        part = render_own_part(template, kept.paper, kept.key, kept.notes, kept.quotes)
        outcomes[files.write(kept.paper, kept.key, part)] += 1

    yield from write_papers(parts, ids, write, notes=notes, keys=keys)
    for sentence in files.notices[:_MAX_NOTICES]:
        yield Notice(sentence)
    if (more := len(files.notices) - _MAX_NOTICES) > 0:
        yield Notice(f"{more:,} more files like these.")
    return FolderReport(outcomes["new"], outcomes["updated"], outcomes["unchanged"], outcomes["left"])


@dataclass(slots=True)
class _PaperFiles:
    """The files of a folder, by the ids in their front matter."""

    folder: Path
    force: bool
    notices: list[str] = field(default_factory=list)
    """What the user should know, in sentences."""
    _paths: dict[str, list[Path]] = field(init=False)
    _names: set[str] = field(init=False)
    """Those taken in the folder itself, folded as a file system may fold them."""

    def __post_init__(self) -> None:
        try:
            self._names = {_folded(path.name) for path in self.folder.iterdir()}
        except OSError as error:
            raise BadInput(f"{self.folder}: cannot be read ({error.strerror}).") from error
        self._paths = _find_files(self.folder)

    def write(self, paper: Paper, key: str, part: OwnPart) -> _Outcome:
        """Writes or updates the file of `paper`.

        Raises:
            DiskFull, LittermError: it cannot be written.
        """
        path = self._take_path(paper)
        if path is not None:
            return self._update(path, part)
        path = self.folder / self._free_name(file_name(key))
        write_file(path, new_file(part))
        return "new"

    def _take_path(self, paper: Paper) -> Path | None:
        """The file of `paper`; from now on it is that of no other paper."""
        paths = [path for paper_id in paper_ids(paper) for path in self._paths.pop(paper_id, ())]
        if len(paths) > 1:
            others = ", ".join(path.name for path in paths[1:])
            self.notices.append(f"{paths[0].name} is updated; {others} has the same id, and is left as it is.")
        return paths[0] if paths else None

    def _update(self, path: Path, part: OwnPart) -> _Outcome:
        try:
            content = _read_whole(path)
        except OSError as error:
            self.notices.append(f"{path.name}: cannot be read ({error.strerror}).")
            return "left"
        updated = updated_file(content, part)
        if updated is not None:
            if updated == content:
                return "unchanged"
            # The user's own words are in it, as before; a copy of each version would fill the folder.
            write_file(path, updated, force=True)
            return "updated"
        forced = updated_file(content, part, force=True) if self.force else None
        if forced is None:
            advice = "" if self.force else "; --force writes it again, and keeps a copy"
            self.notices.append(f"{path.name} was changed above litterm's last line, and is left as it is{advice}.")
            return "left"
        backup = write_file(path, forced)
        self.notices.append(f"{path.name} is written again.{backup_sentence(backup)}")
        return "updated"

    def _free_name(self, name: str) -> str:
        stem = name.removesuffix(".md")
        names = (name if number == 1 else f"{stem}-{number}.md" for number in count(1))
        free = next(name for name in names if _folded(name) not in self._names)
        self._names.add(_folded(free))
        return free


def _read_template(path: Path) -> FileTemplate:
    """The user's template, or the one that litterm has.

    Raises:
        BadInput: it cannot be read or has a mistake.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_TEMPLATE_BYTES).decode("utf-8")
    except FileNotFoundError:
        text = DEFAULT_TEMPLATE
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'it is no UTF-8'}).") from error
    try:
        return read_file_template(text)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error


def _find_files(folder: Path) -> dict[str, list[Path]]:
    """By id, the Markdown files of `folder` and the folders below it; hidden ones and links are left out."""
    paths: dict[str, list[Path]] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(place, name)
            if name.lower().endswith(".md") and not name.startswith(".") and not path.is_symlink() and path.is_file():
                paper_id = _read_id(path)
                if paper_id:
                    paths.setdefault(paper_id, []).append(path)
    return paths


def _read_id(path: Path) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(_MAX_HEAD_BYTES)
    except OSError:
        return ""
    # Most files of a vault are not litterm's.
    return read_id(head) if _ID_LINE.search(head) else ""


def _read_whole(path: Path) -> bytes:
    if path.stat().st_size > _MAX_FILE_BYTES:
        raise OSError(0, "it is too large")
    return path.read_bytes()


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
