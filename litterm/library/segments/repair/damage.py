"""Finds segments that cannot be read, reports what was in them, and sets them aside; nothing is deleted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from litterm.core.checksums import clear_damage, find_fault, mark_damaged, read_damage
from litterm.core.durable_files import sync_folder, translate_write_errors
from litterm.core.errors import DatabaseDamaged
from litterm.library.segments.built_segment import read_description
from litterm.library.segments.connections import attach_read_only, connect, translate_errors
from litterm.library.segments.manifest import DATABASE, segment_folder
from litterm.model.library import Segment

ASIDE_FOLDER = "damaged"
"""Folder of the library for segments that were set aside."""
_KEY_LOOKUPS_SQL = ("SELECT id FROM suspect.paper WHERE row = 0", "SELECT id FROM suspect.document WHERE doc = 0")
"""Statements that read the keys, which no scan does."""
_MAX_ORIGINS_NAMED = 5
"""Origins named in the message."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One segment that cannot be read."""

    folder: Path
    fault: str
    papers: int
    """Rows it was published with; 0 if unknown."""
    origins: tuple[tuple[str, int], ...] = ()
    """Where its papers came from, the most first; empty if unknown."""

    def __str__(self) -> str:
        records = f" with {self.papers:,} record{'s' * (self.papers != 1)}" if self.papers else ""
        return f"A part of the library{records} is damaged: {self.folder} ({self.fault})."

    @property
    def remedy(self) -> str:
        """What to import again."""
        if not self.origins:
            return "import the files its papers came from again with `litterm add`"
        listed_origins = ", ".join(
            f"{name or 'unknown'} ({count:,})" for name, count in self.origins[:_MAX_ORIGINS_NAMED]
        )
        more = f" and {len(self.origins) - _MAX_ORIGINS_NAMED:,} more" if len(self.origins) > _MAX_ORIGINS_NAMED else ""
        return f"import again with `litterm add`: {listed_origins}{more}"

    @property
    def sentence(self) -> str:
        """What was in it and what to do."""
        return f"{self} {self.remedy[0].upper()}{self.remedy[1:]}."


def damage_of(segment: Segment) -> Damage | None:
    """What is wrong with the database of `segment`, found without reading all of it."""
    # A mark that another process left counts without a look: reading a database to its end takes long.
    fault = read_damage(segment.folder).get(DATABASE, "") or _fault(segment, full=False)
    return damage_with_contents(segment, fault) if fault else None


def confirm_damage(segments: Iterable[Segment], *, full: bool = False) -> tuple[Damage, ...]:
    """Those whose database cannot be read; one that was marked, or all with `full`, are read to the end."""
    faults = []
    for segment in segments:
        suspect = DATABASE in read_damage(segment.folder)
        fault = _fault(segment, full=full or suspect)
        if fault:
            mark_segment(segment, fault)
            faults.append(damage_with_contents(segment, fault))
        elif suspect:
            # Marked wrongly, by a disk or a network that had failed for a moment.
            clear_damage(segment.folder)
    return tuple(faults)


def mark_segment(segment: Segment, fault: str) -> None:
    """Notes that the database of `segment` cannot be read, for the processes after this one."""
    mark_damaged(segment.folder, read_damage(segment.folder) | {DATABASE: fault})


def set_aside(root: Path, keys: Sequence[str]) -> None:
    """Moves segments where no clean-up removes them; the caller holds the write lock."""
    target = root / ASIDE_FOLDER
    for key in keys:
        folder = segment_folder(root, key)
        with translate_write_errors(target):
            target.mkdir(exist_ok=True)
            # Gone altogether: then there is nothing to keep.
            with suppress(FileNotFoundError):
                folder.rename(target / key)
            sync_folder(target)


def segments_set_aside(root: Path) -> tuple[Damage, ...]:
    """What has been set aside and not been removed by the user since."""
    folders = sorted((root / ASIDE_FOLDER).iterdir()) if (root / ASIDE_FOLDER).is_dir() else ()
    return tuple(
        damage_with_contents(Segment(folder.name, folder, 0), "set aside") for folder in folders if folder.is_dir()
    )


def read_fault(path: Path) -> str:
    """Why the database `path` cannot be read to its end; empty if it can."""
    cursor = connect(threads=1, memory_mb=512)
    try:
        with translate_errors(path):
            attach_read_only(cursor, path, "suspect")
            names = cursor.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'suspect'").fetchall()
            for (name,) in names:
                # Needs every value of every column; a count would be answered without reading any.
                cursor.execute(f"SELECT bit_xor(hash(each)) FROM suspect.{name} AS each").fetchall()
            for look_up in _KEY_LOOKUPS_SQL:
                cursor.execute(look_up).fetchall()
    except DatabaseDamaged as error:
        return str(error.__cause__ or error).partition("\n")[0]
    finally:
        cursor.close()
    return ""


def _fault(segment: Segment, *, full: bool) -> str:
    known = next((file for file in segment.files if file.name == DATABASE), None)
    if known is not None:
        return find_fault(segment.folder, known, full=full)
    path = segment.folder / DATABASE
    if not path.is_file():
        return "is gone"
    return read_fault(path) if full else ""


def damage_with_contents(segment: Segment, fault: str) -> Damage:
    """`fault` with what was in `segment`."""
    description = read_description(segment.folder)
    count = segment.count or (0 if description is None else description.built.rows)
    return Damage(segment.folder, fault, count, () if description is None else description.origins)
