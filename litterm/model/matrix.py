"""The evidence matrix: the same hypotheses over many papers, and what people decided about each cell."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NewType

from litterm.model.evidence import CLOSENESS
from litterm.model.llm import ModelCost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litterm.model.annotations import MarkKind
    from litterm.model.document import DocumentId, SentenceKind
    from litterm.model.evidence import EvidenceLlmOptions, EvidenceScope, LikelyStance, Stance, Strength, Verdict
    from litterm.model.paper import Paper, PaperId

MatrixId = NewType("MatrixId", str)
"""A ULID: sorts by the time the matrix was begun."""

CellDecision = Literal["accepted", "rejected"]
"""A person's answer to the same question; never computed."""
TextBasis = Literal["full text", "abstract", "title", "none"]
"""How much text of a paper there was to read."""
EmptyReason = Literal[
    "not in library", "not open", "abstract only", "parse failed", "nothing found", "too short", "failed"
]
"""Why a cell holds no evidence. `not open`: neither full text nor abstract could be had; `abstract only`: nothing
found, and only the abstract was there; `too short`: nothing found in too few sentences to say that there is nothing;
`failed`: the method broke off, and the next run tries again."""


@dataclass(frozen=True, slots=True)
class MatrixRequest:
    """What a matrix was asked for with; the same request again continues with the cells that are there."""

    papers: tuple[PaperId, ...]
    """In order, no two alike; a key the library does not know stands as it was typed."""
    hypotheses: tuple[str, ...]
    """Columns in order, no two alike, blanks squeezed."""
    query: str = ""
    """The search the papers came from; empty if they were named."""
    k: int = 10
    """Sentences a cell at most."""
    scope: EvidenceScope = "all"
    method: str = ""
    """Name of the extractor asked for; what a cell was really made with is its `by`."""
    options: EvidenceLlmOptions | None = None
    """How a language model is asked; `None`: none is."""


@dataclass(frozen=True, slots=True)
class CellQuote:
    """An evidence sentence as it was in the document it was taken from."""

    index: int
    """`Sentence.index` in the cell's document."""
    text: str
    kind: SentenceKind
    section: str
    """Title of its section, without number; empty before the first heading."""
    locator: str
    """Section, paragraph, sentence, and the page where it is known, in words."""
    page: int | None
    score: float
    """Of the method named in `MatrixCell.by`."""
    strength: Strength
    stance: Stance | None = None
    """Only where a model computed it."""
    reason: str = ""
    """The model's one line on why."""
    likely_stance: LikelyStance | None = None
    """As in `EvidenceSentence.likely_stance`."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What one paper says about one hypothesis, and if nothing, why."""

    paper_id: PaperId
    """As in `MatrixRequest.papers`."""
    hypothesis: str
    ground: TextBasis
    by: str = ""
    """Which method produced it; empty where nothing could be computed."""
    document_id: DocumentId | None = None
    quotes: tuple[CellQuote, ...] = ()
    """Best first; empty exactly where `empty` says why."""
    verdict: Verdict = "nothing"
    confidence: float | None = None
    """Of the method, as in `Evidence.confidence`."""
    empty: EmptyReason | None = None
    why: str = ""
    """One sentence on what limits the cell or emptied it."""
    partial: bool = False
    """Whether a model that was to be asked could not be, in whole or in part; the next run tries again."""
    spent: ModelCost = field(default=ModelCost())
    at: str = ""
    """UTC, ISO 8601; set by the store."""

    @property
    def strong_count(self) -> int:
        """The number of its strong sentences."""
        return sum(quote.strength == "strong" for quote in self.quotes)

    @property
    def closest_quote(self) -> CellQuote:
        """The sentence to quote where there is room for one: the closest to the hypothesis; of equals the first.

        Where a model judged, its order stands. Only of a cell that has quotes.
        """
        # A model has read the sentences; their strength is only reckoned from words.
        if any(quote.stance for quote in self.quotes):
            return self.quotes[0]
        return next(quote for strength in CLOSENESS for quote in self.quotes if quote.strength == strength)

    @property
    def has_stance(self) -> bool:
        """Whether a model judged any of its sentences."""
        return any(quote.stance for quote in self.quotes)

    def count_stance(self, stance: Stance) -> int:
        """The number of its sentences with this stance."""
        return sum(quote.stance == stance for quote in self.quotes)


@dataclass(frozen=True, slots=True)
class MatrixRun:
    """One line of the audit: when cells were computed, with what, and what it cost."""

    at: str
    """When it began: UTC, ISO 8601."""
    version: str
    """Of litterm."""
    by: tuple[str, ...]
    """The rungs that produced its cells, in order of first use."""
    k: int
    scope: EvidenceScope
    cells: int = 0
    spent: ModelCost = field(default=ModelCost())
    """Calls for cells that were never finished included."""
    ended: Literal["done", "stopped", "interrupted"] = "interrupted"
    """`interrupted`: it left no word, or is still at work."""


@dataclass(frozen=True, slots=True)
class MatrixRecord:
    """A matrix as stored."""

    id: MatrixId
    begun_at: str
    """UTC, ISO 8601."""
    request: MatrixRequest
    """With every hypothesis added since."""
    cells: tuple[MatrixCell, ...] = ()
    """One a paper and hypothesis, in the order computed; the last one computed holds."""
    runs: tuple[MatrixRun, ...] = ()


@dataclass(frozen=True, slots=True)
class MatrixSummary:
    """A line in the list of matrices."""

    id: MatrixId
    begun_at: str
    query: str
    papers: int
    hypotheses: tuple[str, ...]
    cells: int
    """Computed so far, of `papers` times hypotheses."""

    @property
    def complete(self) -> bool:
        """Whether nothing is left to compute."""
        return self.cells >= self.papers * len(self.hypotheses)


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One requested paper."""

    paper_id: PaperId
    """As in `MatrixRequest.papers`."""
    paper: Paper | None
    """`None`: the library does not hold it."""
    cells: tuple[MatrixCell | None, ...]
    """One a hypothesis, in order; `None` while it is not computed."""
    decisions: tuple[CellDecision | None, ...]
    """The user's, one a hypothesis; `None` is undecided."""
    marks: tuple[Mapping[str, MarkKind], ...] = ()
    """The user's marks on sentences of the paper, by their text: one mapping a hypothesis, or none at all.

    Those made for the hypothesis, also on sentences that are not in the cell, and those for none on sentences that are.
    """

    def mark_on(self, column: int, text: str) -> MarkKind | None:
        """The user's mark on a sentence, for the hypothesis of a column."""
        return self.marks[column].get(text) if self.marks else None

    def accepted_in(self, column: int) -> tuple[str, ...]:
        """The sentences that the user accepted or marked by hand for the hypothesis of a column."""
        marks = self.marks[column] if self.marks else {}
        return tuple(text for text, kind in marks.items() if kind != "rejected")

    def quote_of(self, column: int) -> CellQuote | None:
        """The sentence of a cell to show where there is room for one: the best accepted one, else the closest.

        `None` where the cell has none but rejected ones.
        """
        cell = self.cells[column]
        kept = tuple(quote for quote in cell.quotes if self.mark_on(column, quote.text) != "rejected") if cell else ()
        if cell is None or not kept:
            return None
        accepted = (quote for quote in kept if self.mark_on(column, quote.text))
        return next(accepted, None) or replace(cell, quotes=kept).closest_quote


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix as shown and exported: a row for every requested paper."""

    id: MatrixId
    begun_at: str
    request: MatrixRequest
    rows: tuple[MatrixRow, ...]
    runs: tuple[MatrixRun, ...] = ()

    @property
    def computed_count(self) -> int:
        """The number of computed cells."""
        return sum(cell is not None for row in self.rows for cell in row.cells)

    @property
    def cell_count(self) -> int:
        """The number of cells when all are computed."""
        return len(self.rows) * len(self.request.hypotheses)


@dataclass(frozen=True, slots=True)
class CodedCell:
    """One person's decision on one cell, read from a file or from the journal."""

    paper_id: PaperId
    hypothesis: str
    decision: CellDecision


@dataclass(frozen=True, slots=True)
class DecisionSheet:
    """The decisions in one co-author's file."""

    coder: str
    """Who decided: the file's name without folder and ending."""
    cells: tuple[CodedCell, ...]
    undecided: int = 0
    """Rows without a decision."""
    faults: tuple[str, ...] = ()
    """Rows that could not be read, a sentence each."""


@dataclass(frozen=True, slots=True)
class CoderPair:
    """How far two people agree on the cells both decided."""

    one: str
    other: str
    both: int
    """Cells both decided."""
    agreed: int
    kappa: float | None
    """Cohen's kappa in [-1, 1]; `None` where chance alone explains full agreement, or nothing was decided by both."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A cell that people decided differently."""

    paper_id: PaperId
    hypothesis: str
    decisions: tuple[tuple[str, CellDecision], ...]
    """Coder and decision, in the order of the coders."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a merge found."""

    coders: tuple[str, ...]
    """The user first, as `you`."""
    pairs: tuple[CoderPair, ...]
    disagreements: tuple[Disagreement, ...]
    faults: tuple[str, ...] = ()
