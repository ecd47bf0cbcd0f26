"""A sentence that cites, and the hypothesis that a cited paper is said to support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from litterm.model.document import Reference, Sentence, Span
    from litterm.model.paper import PaperId

MAX_HYPOTHESIS_WORDS: Final = 50
"""Words of a proposed hypothesis at most, as in EvidenceBench."""


@dataclass(frozen=True, slots=True)
class CitationPlace:
    """One work that a sentence cites."""

    reference: Reference
    """Its entry in the reference list; `target` is the paper of the library, where it was resolved."""
    marks: tuple[Span, ...]
    """Where it is cited, in characters of the sentence."""


@dataclass(frozen=True, slots=True)
class CitingSentence:
    """A sentence of a paper that cites at least one work."""

    paper_id: PaperId
    sentence: Sentence
    citations: tuple[CitationPlace, ...]
    """Each work once, in the order of the sentence."""


@dataclass(frozen=True, slots=True)
class ProposedHypothesis:
    """What a cited paper is said to support; a draft until a person has accepted it."""

    text: str
    """At most `MAX_HYPOTHESIS_WORDS` words."""
    by: str
    """`citing sentence`, or the name of the model that wrote it."""
    notices: tuple[str, ...] = ()
    """What the user should know of how it was made."""
