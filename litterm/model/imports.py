"""An import: one source of papers that the user brought, such as a file, a folder or a library of Zotero."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LibraryImport:
    """One source of papers, as the records in the library state it."""

    name: str
    """What `import:` finds it by, and no other import has: `refs.bib`, `Zotero: My Library`, `Embase 2026-11-02`."""
    format: str
    """Of most of its records, as `Provenance.format` names it."""
    origin: str
    """Path of the file, folder, archive or database; the name of the service of what came from one."""
    papers: int
    """Papers shown that it states."""
    merged: int
    """Those of them that another import states, too."""
    imported_on: str
    """Day on which the first of its records came, as ISO 8601; empty where unknown."""
    is_mine: bool
    """Whether it is the user's own, and no archive: see `litterm.library.imports`."""
