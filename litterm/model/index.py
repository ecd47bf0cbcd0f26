"""The input of a segment's index, and the statistics it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from litterm.model.paper import Decision, Paper, PaperId, PaperType

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# An index holds types and decisions as positions in these tuples: new values go to the end.
PAPER_TYPES: tuple[str, ...] = get_args(PaperType)
DECISIONS: tuple[str, ...] = get_args(Decision)

MIN_PAPERS_FOR_ANN = 1_000_000
"""Papers of a library from which on not every vector is compared, where the index can do without: up to here comparing
all takes less than 20 ms of one core."""
MIN_ROWS_FOR_ANN = 50_000
"""Rows of a segment from which on its vectors are made ready for that; scanning fewer takes less than a millisecond."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One paper as the index needs it; rows are handed over in the order of their row numbers."""

    id: PaperId
    title: str
    abstract: str = ""
    year: int | None = None
    date: str = ""
    """ISO 8601, as exact as known."""
    venue_keys: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    """Schemes of the id and of all aliases; what `source:` matches."""
    type: str = "other"
    decision: str = ""
    full_text: bool = False
    retracted: bool = False
    author: str = ""
    """Family name of the first author; what sorting by author goes by."""
    authors: tuple[str, ...] = ()
    """Every author as `family|given`."""
    more_text: tuple[str, ...] = ()
    """Titles and abstracts of other sources of the record: searched, but shown only by `show`."""


def index_row(paper: Paper) -> IndexRow:
    """`paper` as the index needs it."""
    return IndexRow(
        id=paper.id,
        title=paper.title,
        abstract=paper.abstract,
        year=paper.year,
        date=paper.date,
        venue_keys=paper.venue_keys,
        schemes=tuple(dict.fromkeys(paper_id.partition(":")[0] for paper_id in (paper.id, *paper.aliases))),
        type=paper.type,
        decision=paper.decision,
        full_text=paper.full_text,
        # A concern or a correction is shown with the paper, which still stands.
        retracted=paper.retraction.startswith(("retracted", "removed")),
        author=paper.authors[0].surname if paper.authors else "",
        authors=tuple(f"{author.surname}|{author.given}" for author in paper.authors),
        more_text=_more_text(paper),
    )


def _more_text(paper: Paper) -> tuple[str, ...]:
    said = (text for source in paper.sources for text in (source.paper.title, source.paper.abstract))
    return tuple(dict.fromkeys(text for text in said if text and text not in (paper.title, paper.abstract)))


@dataclass(frozen=True, slots=True)
class SegmentIndexStats:
    """Statistics of the index of one segment."""

    count: int
    """Rows."""
    average_length: float
    """In stems, stop words excluded; the one handed in, else that of the rows."""
    terms: int
    """Distinct stems."""
    tokenizer: str
    """Version of the tokenizer; a part of another version must be rebuilt."""
    embedder: str = ""
    """Name of the model that made its vectors; empty if it has none."""
    grouped: bool = False
    """Whether its vectors can be searched without comparing every one."""


@dataclass(frozen=True, slots=True)
class FilterColumns:
    """The columns that filters and sort orders read: one array per property, one entry per row."""

    year: npt.NDArray[np.int16]
    """0 where unknown."""
    date: npt.NDArray[np.int32]
    """As the number YYYYMMDD with zeros for what is unknown; 0 where nothing is known."""
    schemes: npt.NDArray[np.uint16]
    """Bit n is set if an id or alias has the scheme `SCHEMES[n]`."""
    type: npt.NDArray[np.uint8]
    """Place in `PAPER_TYPES`."""
    decision: npt.NDArray[np.uint8]
    """Place in `DECISIONS`."""
    full_text: npt.NDArray[np.bool_]
    retracted: npt.NDArray[np.bool_]
    length: npt.NDArray[np.int32]
    """Words of title and abstract, stop words and two breaks included."""
    name_length: npt.NDArray[np.uint8]
    """Words of the title before its colon; 0 without one, and where an older litterm built the index."""
    id_order: npt.NDArray[np.int32]
    """Place among the ids of the segment, ascending; so for the two below."""
    title_order: npt.NDArray[np.int32]
    author_order: npt.NDArray[np.int32]
