"""Tables of columns: what each of many papers states of the same things, and in which of its sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NewType

from litterm.model.llm import ModelCost
from litterm.model.matrix import TextBasis

if TYPE_CHECKING:
    from litterm.model.document import DocumentId
    from litterm.model.paper import Paper, PaperId

ColumnTableId = NewType("ColumnTableId", str)
"""A ULID: sorts by the time the table was begun."""

PILOT_PAPERS = 5
"""Papers that are read first, so that one sees what the columns give."""

EmptyColumnReason = Literal[
    "not stated", "none found", "needs a model", "not in library", "not open", "parse failed", "failed"
]
"""Why a cell has no value. `not stated`: a model has read all there is and says so; `none found`: the rules have found
none, or a model that did not see the whole text; `needs a model`: no rule reads such a column; `not open`: neither full
text nor abstract could be had; `failed`: the method broke off, and the next run tries again."""


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """Where a value stands."""

    index: int
    """`Sentence.index` in the cell's document."""
    text: str
    """The sentence, or the row of a table."""
    locator: str
    """Section, paragraph, sentence, page; of a cell of a table its label, row and column."""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class ColumnValue:
    """One value that a paper states."""

    value: str
    """As it stands in the source: `147`, `0.19–0.21`, `SQuAD`."""
    unit: str = ""
    """As it stands in the source; of a count what is counted."""
    source: ColumnSource | None = None
    """`None` for what is no sentence's: the year of the record."""


@dataclass(frozen=True, slots=True)
class ColumnCell:
    """What one paper states of one column, and if nothing, why."""

    paper_id: PaperId
    """As in `ColumnRequest.papers`."""
    column: str
    ground: TextBasis
    by: str = ""
    """`rules`, `record`, or the name of the model; empty where nothing could be read."""
    document_id: DocumentId | None = None
    values: tuple[ColumnValue, ...] = ()
    """Best first; empty exactly where `empty` says why."""
    empty: EmptyColumnReason | None = None
    why: str = ""
    """One sentence on what limits the cell or emptied it."""
    partial: bool = False
    """Whether a model that was to be asked could not be; the next run tries again."""
    at: str = ""
    """UTC, ISO 8601; set by the store."""


@dataclass(frozen=True, slots=True)
class ColumnEdit:
    """What the user wrote into a cell; an empty value says that the paper does not state it."""

    value: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ColumnLlmOptions:
    """How a language model is asked."""

    cached: bool = True
    """Whether replies kept from earlier may answer."""


@dataclass(frozen=True, slots=True)
class ColumnRequest:
    """What a table was asked for with; the same request again continues with the cells that are there."""

    papers: tuple[PaperId, ...]
    """In order, no two alike; a key the library does not know stands as it was typed."""
    columns: tuple[str, ...]
    """In order, no two alike, blanks squeezed."""
    query: str = ""
    """The search the papers came from; empty if they were named."""
    options: ColumnLlmOptions | None = None
    """`None`: no model is asked."""


@dataclass(frozen=True, slots=True)
class ColumnRun:
    """When cells were computed, with what, and what it cost."""

    at: str
    version: str
    by: tuple[str, ...] = ()
    cells: int = 0
    spent: ModelCost = field(default=ModelCost())
    ended: Literal["done", "stopped", "interrupted"] = "interrupted"
    """`interrupted`: it left no word, or is still at work."""


@dataclass(frozen=True, slots=True)
class ColumnRecord:
    """A table as stored."""

    id: ColumnTableId
    begun_at: str
    request: ColumnRequest
    """With every column added since."""
    cells: tuple[ColumnCell, ...] = ()
    """One a paper and column; the last one computed holds."""
    runs: tuple[ColumnRun, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """One requested paper."""

    paper_id: PaperId
    paper: Paper | None
    """`None`: the library does not hold it."""
    cells: tuple[ColumnCell | None, ...]
    """One a column, in order; `None` while it is not computed."""
    edits: tuple[ColumnEdit | None, ...]
    """What the user wrote, which stands before what was computed; `None` where they wrote nothing."""


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """A table as shown and exported: a row for every requested paper."""

    id: ColumnTableId
    begun_at: str
    request: ColumnRequest
    rows: tuple[ColumnRow, ...]
    runs: tuple[ColumnRun, ...] = ()

    @property
    def computed_count(self) -> int:
        """The number of computed cells."""
        return sum(cell is not None for row in self.rows for cell in row.cells)

    @property
    def cell_count(self) -> int:
        """The number of cells when all are computed."""
        return len(self.rows) * len(self.request.columns)


@dataclass(frozen=True, slots=True)
class ColumnTableSummary:
    """A line in the list of tables."""

    id: ColumnTableId
    begun_at: str
    query: str
    papers: int
    columns: tuple[str, ...]
    cells: int
    """Computed so far, of `papers` times columns."""
