"""Evidence with a language model: what it would cost, what would be sent, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError
from litterm.core.tasks import Task, collect_outgoing
from litterm.interfaces import EvidenceExtractor, Records
from litterm.library.full_text import read_full_text
from litterm.model.evidence import Evidence, EvidenceLlmOptions, EvidenceScope
from litterm.model.llm import CostEstimate
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.evidence.llm.extractor import LlmExtractor


@dataclass(frozen=True, slots=True)
class LlmEvidence:
    """Evidence with a model; every call is a run of its own, with its own cap. Safe from any thread."""

    library: Callable[[], Records]
    build_extractor: Callable[[EvidenceLlmOptions], LlmExtractor]
    """Raises `UsageError` where no model is set, `ModelError` where the one that is set cannot be asked."""
    build_dry_run: Callable[[EvidenceLlmOptions], LlmExtractor]
    """The same, that yields `OutgoingRequest` instead of sending."""
    offline_extractor: Callable[[], EvidenceExtractor]
    """What answers when no model can be had."""

    def find(
        self,
        paper_id: PaperId,
        hypothesis: str,
        options: EvidenceLlmOptions,
        *,
        k: int = 10,
        scope: EvidenceScope = "all",
    ) -> Task[Evidence]:
        """At most `k` sentences with the model's stance and reason; the offline answer is said first.

        Where the model fails it is the offline answer, or is in its place in part; notices say so.

        Raises:
            UnknownPaper: the library does not hold the paper.
            UsageError: no model is set, the hypothesis has no content word, or `k` is below 1.
        """
        document = yield from read_full_text(self.library(), paper_id)
        try:
            extractor = self.build_extractor(options)
        # Where the model cannot be had there is still an answer, which says so.
        except ModelError as error:
            evidence = yield from self.offline_extractor().extract(document, hypothesis, k=k, scope=scope)
            return replace(evidence, notices=(*evidence.notices, f"No model was asked: {error}"))
        return (yield from extractor.extract(document, hypothesis, k=k, scope=scope))

    def retry(
        self, earlier: Evidence, options: EvidenceLlmOptions, *, k: int = 10, retry_sections: Collection[str] = ()
    ) -> Task[Evidence]:
        """`earlier` with another try at the failed parts whose key is named, or at all of them.

        Raises:
            UnknownPaper: the library does not hold the paper any more.
            UsageError: no model is set.
            ModelError: the model cannot be asked.
        """
        extractor = self.build_extractor(options)
        document = yield from read_full_text(self.library(), earlier.paper_id)
        return (yield from extractor.retry(document, earlier, k=k, retry_sections=retry_sections))

    def estimate(
        self,
        paper_id: PaperId,
        hypothesis: str,
        options: EvidenceLlmOptions,
        *,
        k: int = 10,
        scope: EvidenceScope = "all",
    ) -> Task[CostEstimate]:
        """What `find` would cost at most; sends nothing.

        Raises:
            UnknownPaper: the library does not hold the paper.
            UsageError: no model is set, the hypothesis has no content word, or `k` is below 1.
            ModelError: the model cannot be asked.
        """
        extractor = self.build_extractor(options)
        document = yield from read_full_text(self.library(), paper_id)
        return (yield from extractor.estimate(document, hypothesis, k=k, scope=scope))

    def preview(
        self,
        paper_id: PaperId,
        hypothesis: str,
        options: EvidenceLlmOptions,
        *,
        k: int = 10,
        scope: EvidenceScope = "all",
    ) -> Task[tuple[str, ...]]:
        """The requests `find` would send first, to the letter; the last one depends on what these bring.

        Raises:
            UnknownPaper: the library does not hold the paper.
            UsageError: no model is set, the hypothesis has no content word, or `k` is below 1.
            ModelError: the model cannot be asked.
        """
        extractor = self.build_dry_run(options)
        document = yield from read_full_text(self.library(), paper_id)
        return (yield from collect_outgoing(extractor.extract(document, hypothesis, k=k, scope=scope)))
