"""Reads PDFs in this process, where the program starts others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.importers.pdf.pdf_paper import to_parsed
from litterm.importers.pdf.reader import read_pdf
from litterm.model.library import Failure, Parsed


class PdfParserHere:
    """Reads PDF files in this process."""

    def parse_files(self, paths: Iterable[Path]) -> Iterator[tuple[Path, Parsed | Failure] | None]:
        for path in paths:
            try:
                yield path, to_parsed(read_pdf(path.read_bytes()), str(path), path.stem)
            except BadInput as error:
                yield path, Failure(str(path), str(error))
