"""The choice between the fitted attributor and the lexical one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.attribution.features.citation_contexts import CitationContexts
from litterm.attribution.learned import FindByAuthorYear, LinearAttributor
from litterm.attribution.lexical import LexicalAttributor
from litterm.attribution.weights import WEIGHTS_FILE, read_weights
from litterm.core.errors import BadInput
from litterm.interfaces import Attributor, WeightedSearcher
from litterm.model.document import Document
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.search.citation_candidates import CitationCandidateSearcher


def open_attributor(
    citable: CitationCandidateSearcher,
    plain: Callable[[], WeightedSearcher],
    *,
    document: Callable[[PaperId], Document | None],
    written: FindByAuthorYear,
    contexts: CitationContexts | None = None,
    weights: Path = WEIGHTS_FILE,
) -> Attributor:
    """The fitted attributor, or BM25 over the words around the mark where the weights cannot be read."""
    try:
        return LinearAttributor(citable, read_weights(weights), document=document, written=written, contexts=contexts)
    except BadInput as error:
        notice = f"{error} Candidates are ranked by words alone, without confidence."
        return LexicalAttributor(plain(), document, notice)
