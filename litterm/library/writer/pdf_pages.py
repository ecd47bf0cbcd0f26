"""Page numbers for a better full text of a paper, taken from its PDF."""

from __future__ import annotations

from collections.abc import Iterable

from litterm.core.tasks import Task
from litterm.library.segments.documents import BEST_FIRST, located
from litterm.library.segments.library import DuckLibrary
from litterm.library.writer.deduplicate import PendingPaper
from litterm.model.document import Document, DocumentId
from litterm.model.events import Progress
from litterm.text.documents.page_alignment import align_pages


def align_all(drafts: Iterable[PendingPaper], library: DuckLibrary) -> Task[None]:
    """Gives every draft with new full texts the pages they make known, wherever the other text lies."""
    for draft in drafts:
        if draft.documents:
            yield Progress("finding pages")
            draft.documents |= _located(draft, library)


def _located(draft: PendingPaper, library: DuckLibrary) -> dict[DocumentId, Document]:
    stored = library.documents(draft.before.id) if draft.before is not None and draft.before.full_text else ()
    # Later ones replace earlier ones: of the stored texts the best stands first, and new ones count before any stored.
    newest = {document.origin: document for document in (*reversed(stored), *draft.documents.values())}
    pdf = newest.get("pdf")
    best = next((newest[origin] for origin in BEST_FIRST if origin in newest), None)
    # Pages come from the PDF alone; a better text gets them, a PDF has its own.
    if pdf is None or best is None or best is pdf:
        return {}
    aligned = align_pages(best, pdf)
    return {aligned.id: aligned} if located(aligned) > located(best) else {}
