"""Study aspects: the single facts that a hypothesis and a paper's findings are made of, and the sentences for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from litterm.model.document import DocumentId
    from litterm.model.evidence import EvidenceSentence
    from litterm.model.paper import PaperId

AspectOrigin = Literal["hypothesis", "abstract", "hand", "model"]
"""Where a study aspect was taken from."""

MIN_COVERED_SHARE: Final = 0.7
"""Share of the aspects below which EvidenceBench drops a paper: the rest mostly stands in figures or tables."""
MAX_STUDY_ASPECTS: Final = 36
"""As many as the largest list of EvidenceBench has."""


@dataclass(frozen=True, slots=True)
class StudyAspect:
    """One fact of a study, which some single sentence of a paper may carry."""

    text: str
    is_result: bool
    """Whether it reports a result, not how the study was made."""
    origin: AspectOrigin


@dataclass(frozen=True, slots=True)
class StudyAspects:
    """The study aspects of a hypothesis on one paper."""

    hypothesis: str
    aspects: tuple[StudyAspect, ...]
    by: str
    """`clauses` without a model, `hand`, or the name of the model that split it."""
    notices: tuple[str, ...] = ()
    """How they were made, and what was left out."""


@dataclass(frozen=True, slots=True)
class AlignedAspect:
    """A study aspect and the sentences that carry it."""

    aspect: StudyAspect
    sentences: tuple[int, ...]
    """Indices of sentences of the document, those that carry most first; empty where it is uncovered."""


@dataclass(frozen=True, slots=True)
class StudyCoverage:
    """Which sentences of one paper carry which study aspects, and a smallest choice of them."""

    paper_id: PaperId
    document_id: DocumentId
    study: StudyAspects
    aligned: tuple[AlignedAspect, ...]
    """All aspects, in the order of `study`."""
    cover: tuple[EvidenceSentence, ...]
    """Few sentences that carry every covered aspect, those that carry most first."""
    by: str
    """What aligned them: `similarity`, or the name of a model."""
    notices: tuple[str, ...] = ()

    @property
    def uncovered(self) -> tuple[StudyAspect, ...]:
        """The aspects that no sentence carries."""
        return tuple(item.aspect for item in self.aligned if not item.sentences)

    @property
    def covered_share(self) -> float | None:
        """Share of the aspects that some sentence carries, in [0, 1]; `None` where there is no aspect."""
        return 1 - len(self.uncovered) / len(self.aligned) if self.aligned else None
