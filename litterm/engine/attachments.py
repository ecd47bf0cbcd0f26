"""PDFs that are attached to papers by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.engine.revise import check_own, revise
from litterm.model.paper import Paper, PaperId

if TYPE_CHECKING:
    from litterm.engine.parts import Parts


@dataclass(frozen=True, slots=True)
class Attachments:
    """Attaches PDFs, and takes them out again; the files stay where they are."""

    parts: Parts

    def attach(self, paper_id: PaperId, path: Path, *, force: bool = False) -> Task[Paper]:
        """Attaches a PDF to a paper: its text and annotations. Title, authors and ids of the paper stay.

        Raises:
            UnknownPaper: the paper is not in the user's library.
            OtherPaper: the PDF prints neither its title nor one of its ids; with `force` it is attached nevertheless.
            BadInput: it cannot be read, or is no PDF.
            UsageError: the paper belongs to the starter library.
        """
        from litterm.library.writer.attachment import attached, check_same_paper, read_pdf_file

        check_own(paper_id)
        pdf = yield from read_pdf_file(self.parts.reader, path)
        if not force:
            check_same_paper(self.parts.lookup.paper(paper_id), pdf, path)
        yield from revise(self.parts, attached(paper_id, pdf, path))
        return self.parts.lookup.paper(paper_id)

    def detach(self, paper_id: PaperId, path: Path) -> Task[Paper]:
        """Takes a PDF that was attached by hand out of the record again.

        Raises:
            UnknownPaper: the paper is not in the user's library.
            UsageError: it was not attached to the paper.
        """
        from litterm.library.writer.attachment import detached

        check_own(paper_id)
        yield from revise(self.parts, detached(paper_id, path))
        return self.parts.lookup.paper(paper_id)
