"""Reads the text of a paper: its best full text, or else its abstract."""

from __future__ import annotations

from litterm.core.tasks import Task
from litterm.interfaces import Records
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.text.documents.builder import abstract_document


def read_full_text(library: Records, paper_id: PaperId) -> Task[Document]:
    """The best full text of a paper, or a document of its title and abstract (`origin` is then `abstract`).

    Raises:
        UnknownPaper: the library does not hold it.
    """
    yield Progress("opening the paper")
    document = library.document(paper_id)
    if document is not None:
        return document
    (paper,) = library.by_id([paper_id])
    return abstract_document(paper)
