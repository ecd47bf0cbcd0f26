"""Evidence sentences: indices into a paper's own sentences, never text of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from litterm.model.document import DocumentId, Sentence
    from litterm.model.paper import PaperId

EvidenceScope = Literal["all", "results"]
Strength = Literal["strong", "medium", "weak"]
Verdict = Literal["strong", "weak", "nothing", "unclear"]
"""Whether the paper speaks to the hypothesis at all; `unclear`: too few sentences to say that it does not."""
Stance = Literal["supports", "refutes", "context"]
"""What a sentence does for the hypothesis, as judged by a model."""
Strategy = Literal["auto", "sections", "sections+examples", "whole", "whole+examples"]
"""How a paper is put before a model: section by section or at once, also after worked examples.

`auto` is at once up to 12,000 tokens, else section by section.
"""
WITH_EXAMPLES: Final = "+examples"
"""How the strategies with worked examples end."""


# The closest first: `MatrixCell.closest_quote` goes through it in this order.
CLOSENESS: Mapping[Strength, str] = {"strong": "on topic", "medium": "partly on topic", "weak": "mentions"}
"""What each strength is called wherever people read it: how close it comes to the hypothesis, not for or against."""
NO_EVIDENCE = "no evidence"
"""The same scale's word for a paper none of whose sentences is shown."""
TOO_SHORT = "too short to tell"
"""The same for a record of so few sentences that none being shown says nothing."""
ABSTRACT_ONLY_CAVEAT = "No full text: limited evidence."
"""The notice of an answer from an abstract."""
NO_SHARED_WORD = "No word of the hypothesis occurs in this paper."
"""The notice of such an answer."""


@dataclass(frozen=True, slots=True)
class LikelyStance:
    """What a sentence probably does for the hypothesis, known from its wording alone."""

    stance: Literal["supports", "refutes"]
    probability: float
    """In [0.8, 1]; below that no stance is given."""


@dataclass(frozen=True, slots=True)
class EvidenceSentence:
    """A sentence that bears on the hypothesis."""

    rank: int
    """From 1, in the order of selection: rank 1 covers most by itself."""
    sentence: Sentence
    score: float
    """Of the method named in `Evidence.by`; larger is better, no fixed range."""
    strength: Strength
    """How close it comes to the hypothesis; what the screen shows, as in `CLOSENESS`, instead of a number."""
    terms: tuple[str, ...] = ()
    """Hypothesis words it contains, or says in another form, as typed."""
    stance: Stance | None = None
    """Only where a model judged it."""
    reason: str = ""
    """The model's one line on why; a model's text, not the paper's."""
    likely_stance: LikelyStance | None = None
    """Without a model, of at most one of the best three sentences, and only where its wording tells."""


@dataclass(frozen=True, slots=True)
class FailedSection:
    """A part of the paper that a model could not be asked about; the rest of the answer stands."""

    key: str
    """Names it within the document; a retry asks for it by this key."""
    title: str
    why: str
    """One sentence."""


@dataclass(frozen=True, slots=True)
class EvidenceLlmOptions:
    """How a model is to look for evidence."""

    strategy: Strategy = "auto"
    shortlist: int = 0
    """Sentences per section that are shown to the model, the offline extractor's best; 0 means all."""
    negate: bool = False
    """Whether the negated hypothesis is asked too."""
    cached: bool = True
    """Whether replies kept from earlier may answer."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one paper says about one hypothesis."""

    paper_id: PaperId
    document_id: DocumentId
    hypothesis: str
    scope: EvidenceScope
    by: str
    """Which method extracted it: `h1`, `linear`, ..."""
    sentences: tuple[EvidenceSentence, ...]
    """What speaks to the hypothesis: fewer than asked for, or none, where the paper does not."""
    notices: tuple[str, ...] = ()
    """For example that only the abstract was there, or that cue words are English."""
    verdict: Verdict | None = None
    """`None`: the method gives none."""
    confidence: float | None = None
    """Probability, in [0, 1], that the hypothesis is one about this paper, where as many are as are not."""
    key_findings: tuple[EvidenceSentence, ...] = ()
    """What the paper itself says most, the hypothesis weighing less; never evidence. May repeat `sentences`."""
    judged: tuple[EvidenceSentence, ...] = ()
    """Everything a model picked in the parts of the paper, in paper order, before the best were chosen."""
    failed: tuple[FailedSection, ...] = ()
    """Parts a model could not be asked about; their place is taken by what was found offline."""
    negated: Evidence | None = None
    """The answer for the negated hypothesis, if it was asked for."""


def has_model_stance(evidence: Evidence) -> bool:
    """Whether a model judged any of its sentences."""
    return any(item.stance for item in evidence.sentences)
