"""What a test set holds: questions, excerpts and hypotheses whose right answers the library knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litterm.model.document import Span
    from litterm.model.paper import Paper, PaperId
    from litterm.model.reading_list import ExpertList

SetKind = Literal["questions", "excerpts", "hypotheses", "lists", "subqueries"]
SET_KINDS: tuple[SetKind, ...] = ("questions", "excerpts", "hypotheses", "lists", "subqueries")
DEFAULT_ITEMS = 100
"""Of a test set: the error of a share of a half is then five points."""
MAX_GRADE = 2.0
"""Of a paper on an aspect, as in DORIS-MAE."""
DEFAULT_OVERLAP = 0.3
"""Share of a question's words in titles of its papers above which it is left out: that of LitSearch for questions whose
citing paper is searched as well, as it always is in one's own library."""


@dataclass(frozen=True, slots=True)
class CitationGroup:
    """One citation in a sentence, with all works cited at that place."""

    span: Span
    """Of the mark with its brackets, in characters of the sentence."""
    cited: tuple[PaperId, ...]
    """Those of the works that the library holds."""
    others: int = 0
    """Works cited there that the library lacks, or that nobody can tell."""

    @property
    def is_single(self) -> bool:
        """Whether one work is cited here, and the library holds it."""
        return len(self.cited) == 1 and not self.others


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """A sentence of a passage with its citations."""

    number: int
    """Index in the document."""
    text: str
    groups: tuple[CitationGroup, ...] = ()
    """In the order of the text."""


@dataclass(frozen=True, slots=True)
class CitingPassage:
    """A paragraph of a paper that cites papers of the library."""

    source: Paper
    """The citing paper."""
    sentences: tuple[PassageSentence, ...]
    papers: Mapping[PaperId, Paper]
    """The cited papers that the library holds."""
    section_title: str = ""

    @property
    def key(self) -> str:
        """The same for the same paragraph in every run."""
        return f"{self.source.id}#{self.sentences[0].number}"


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """A search question and the papers that answer it."""

    key: str
    query: str
    targets: tuple[Paper, ...]
    overlap: float
    """Share of the question's words that are in titles of its targets, in [0, 1]."""
    source: Paper
    passage: str
    """The text it was made from."""
    by: str
    """How it was made: `clause`, or the name of a model."""


@dataclass(frozen=True, slots=True)
class MaskedExcerpt:
    """An excerpt with one citation masked, and the paper that was cited there."""

    key: str
    text: str
    target: Paper
    source: Paper
    by: str


@dataclass(frozen=True, slots=True)
class CitedHypothesis:
    """A hypothesis, and the paper that is cited for it."""

    key: str
    text: str
    paper: Paper
    source: Paper
    passage: str
    """The paragraph that cites."""
    by: str


@dataclass(frozen=True, slots=True)
class SubQuery:
    """Two aspects of what a paragraph is about, and a pool of papers that are graded by them."""

    key: str
    aspects: tuple[tuple[str, tuple[PaperId, ...]], ...]
    """Each with the papers that are cited for it."""
    source: Paper
    by: str
    pool: tuple[Paper, ...] = ()
    """Empty until it was searched for."""

    @property
    def text(self) -> str:
        """The aspects as one query."""
        return " ".join(f"{clause[:1].upper()}{clause[1:]}." for clause, _ in self.aspects)

    def grade(self, paper: PaperId) -> float:
        """The mean of the paper's grades on the aspects, in [0, 2]: 2 on those that it is cited for, else 0."""
        return MAX_GRADE * sum(paper in cited for _, cited in self.aspects) / len(self.aspects)


@dataclass(frozen=True, slots=True)
class QueriedList:
    """An expert's reading list, and what somebody might type who asks for it."""

    expert: ExpertList
    keywords: str
    sentence: str

    @property
    def key(self) -> str:
        """The id of the paper that prints the list."""
        return self.expert.paper.id


@dataclass(frozen=True, slots=True)
class SetCounts:
    """What making a test set came to."""

    made: int = 0
    looked_at: int = 0
    """Citing sentences, paragraphs or papers that came into question."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many were left out, by reason."""
    complete: bool = True
    """False where the library had no more to look at before the number asked for was reached."""


SetItem: TypeAlias = "SearchQuestion | MaskedExcerpt | CitedHypothesis | SubQuery | QueriedList"


@dataclass(frozen=True, slots=True)
class SetRequest:
    """What a test set is to hold."""

    kind: SetKind
    count: int = DEFAULT_ITEMS
    """Items, those of `done` included."""
    max_overlap: float = DEFAULT_OVERLAP
    seed: int = 0
    """Another number draws other paragraphs."""
    done: frozenset[str] = frozenset()
    """Keys of items made before, which are not made again."""
