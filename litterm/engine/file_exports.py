"""Exports besides those of `export_papers`: a folder with a file for each paper, a table in Parquet, references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.core.user_files import resolve_target, write_file
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.engine.parts import Parts
    from litterm.model.export import FolderReport


@dataclass(frozen=True, slots=True)
class FileExports:
    """Writes papers to files, or as references.

    Which papers and `keys` are given as in `Engine.export_papers`, with its errors.
    """

    parts: Parts

    def write_folder(
        self,
        ids: Sequence[str] | None,
        folder: Path,
        *,
        notes: bool = True,
        force: bool = False,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[FolderReport]:
        """Writes a Markdown file for each paper into `folder`, and updates the files that are there from before.

        What the user wrote below litterm's part stays. A file whose upper part was changed is left, unless `force`,
        which keeps a copy of it.

        Raises:
            BadInput: the template or the folder cannot be used.
        """
        from litterm.engine.markdown_folder import export_folder

        return (yield from export_folder(self.parts, ids, folder, notes=notes, force=force, keys=keys))

    def write_parquet(
        self,
        ids: Sequence[str] | None,
        path: Path,
        *,
        notes: bool = True,
        force: bool = False,
        keys: Mapping[PaperId, str] | None = None,
    ) -> Task[Path | None]:
        """Writes a table with a row a paper as the Parquet file `path`; the columns are those of CSV.

        Returns where the previous file was saved, or `None`, as in `core.user_files.write_file`.

        Raises:
            BadInput, DiskFull, LittermError: the file cannot be written.
        """
        from litterm.core.temporary_files import scratch_folder
        from litterm.engine.exports import KeptPaper, write_papers
        from litterm.library.parquet import write_parquet
        from litterm.render.export.table import PARQUET_TYPES, json_row

        resolve_target(path, force=force)
        with scratch_folder() as scratch:
            rows, table = scratch / "papers.jsonl", scratch / "papers.parquet"
            with rows.open("wb") as file:

                def write(kept: KeptPaper) -> None:
                    row = json_row(kept.paper, kept.key, kept.notes, kept.quotes)
                    file.write(f"{row}\n".encode("utf-8", "replace"))

                yield from write_papers(self.parts, ids, write, notes=notes, keys=keys)
            write_parquet(rows, PARQUET_TYPES, table)
            return write_file(path, table.read_bytes(), force=force)

    def references(
        self, ids: Sequence[str] | None, style: str, *, html: bool = False, most: int | None = None
    ) -> Task[str]:
        """The papers as a list of references in a CSL style: a line a paper, or with `html` a page.

        `style` is a file, or the name of one beside the settings or of citeproc-py. `most` limits the number of papers.

        Raises:
            UsageError: citeproc-py is not installed.
            BadInput: there is no such style, or citeproc-py cannot use it.
        """
        import json

        from litterm.engine.exports import export_papers
        from litterm.render.export.references import find_style, format_references

        # First: a style that is not there must not cost the export.
        path = find_style(style, self.parts.styles_folder)
        items = json.loads((yield from export_papers(self.parts, ids, "csl", notes=False, most=most)))
        return format_references(items, path, html=html)

    def style_names(self) -> tuple[str, ...]:
        """The names of the CSL styles that are there: the user's own, then those of citeproc-py; none without it."""
        from litterm.render.export.references import style_names

        return style_names(self.parts.styles_folder)
