"""Interface of evidence that a language model picks."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol

from litterm.interfaces.search import EvidenceExtractor

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.document import Document
    from litterm.model.evidence import Evidence, EvidenceScope
    from litterm.model.llm import CostEstimate


class EvidenceJudge(EvidenceExtractor, Protocol):
    """An extractor that asks a model, and falls back to one that does not; one run, whose caps count over all calls."""

    def retry(
        self, document: Document, earlier: Evidence, *, k: int, retry_sections: Collection[str] = ()
    ) -> Task[Evidence]:
        """`earlier` with another try at the failed parts whose `FailedSection.key` is named, or at all of them."""
        ...

    def estimate(self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope) -> Task[CostEstimate]:
        """What `extract` would cost at most; sends nothing."""
        ...
