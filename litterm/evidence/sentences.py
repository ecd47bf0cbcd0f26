"""Finds evidence in the text of one paper."""

from __future__ import annotations

from collections.abc import Callable

from litterm.core.tasks import Task
from litterm.interfaces import Records
from litterm.library.full_text import read_full_text
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.paper import PaperId


def find_evidence(library: Records, extract: Callable[[Document], Task[Evidence]], paper_id: PaperId) -> Task[Evidence]:
    """What `extract` finds in the paper's full text, or in its abstract, which a notice then says.

    Raises:
        UnknownPaper: the library does not hold the paper.
    """
    document = yield from read_full_text(library, paper_id)
    return (yield from extract(document))
