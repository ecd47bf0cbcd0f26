"""The PDF that a record of a bibliography names: it is read with the record, as the text of one paper."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from litterm.importers.byte_sources import Content, file_content, printable
from litterm.importers.registry import PARSER_VERSION
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper

FORMATS_WITH_FILES: Final = ("bibtex", "papis", "zotero")
"""Formats whose records name files that lie beside them, or anywhere on this machine."""
_PDF_MAGIC: Final = b"%PDF-"
_HEAD_BYTES: Final = 1024
"""Within which a PDF says what it is; some begin with other bytes."""


@dataclass(frozen=True, slots=True)
class AttachedPdf:
    """The PDFs of a record that are there: the first is its text, others are what belongs to it."""

    paper: Paper
    path: Path
    others: tuple[Path, ...] = ()

    @property
    def origin(self) -> str:
        """The bibliography and the file, so that a retry of its failure reads the bibliography again."""
        return f"{self.paper.provenance.origin}!{printable(str(self.path))}"

    @property
    def content(self) -> Content:
        """The bytes of the first.

        Raises:
            OSError: it is gone.
        """
        return file_content(self.path, self.path.stat().st_size)

    def stamp(self) -> str:
        """What changes whenever one of the files is written or replaced: by it they are known without reading them."""
        stated = [PARSER_VERSION, self.paper.id]
        for path in (self.path, *self.others):
            with suppress(OSError):
                status = path.stat()
                stated.append(f"{path}\n{status.st_size}\n{status.st_mtime_ns}\n{status.st_ino}")
        return hashlib.sha256("\n\n".join(stated).encode("utf-8", "surrogateescape")).hexdigest()

    def places(self) -> set[str]:
        """Where the files are, whatever links lead there."""
        return {os.path.realpath(path) for path in (self.path, *self.others)}

    def joined(self, read: Parsed | Failure) -> Parsed | Failure:
        """The record with the text and annotations of its file; the abstract of the file where the record has none."""
        if isinstance(read, Failure):
            return replace(read, origin=self.origin)
        abstract = self.paper.abstract or read.paper.abstract
        document = None if read.document is None else replace(read.document, paper_id=self.paper.id)
        annotated = (*self.paper.imprint.annotated_files, *read.paper.imprint.annotated_files)
        imprint = replace(self.paper.imprint, annotated_files=annotated)
        return Parsed(replace(self.paper, abstract=abstract, imprint=imprint), document, remark=read.remark)


def find_attached(paper: Paper, bibliography: Path) -> AttachedPdf | None:
    """The PDFs that `paper` names; relative paths are those from the folder of its `bibliography`."""
    paths = []
    for name in paper.imprint.files:
        try:
            path = bibliography.parent / Path(name).expanduser()
            # Never waited for: a name may lead to a device or a pipe.
            if path.is_file() and _is_pdf(path):
                paths.append(path)
        except (OSError, ValueError, RuntimeError):
            # It may not be read, no file can have this name, or it is in the home folder of nobody.
            continue
    return AttachedPdf(paper, paths[0], tuple(paths[1:])) if paths else None


def _is_pdf(path: Path) -> bool:
    with path.open("rb") as file:
        return _PDF_MAGIC in file.read(_HEAD_BYTES)
