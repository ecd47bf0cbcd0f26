"""Requests of the driver to the shards of a library, and their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from litterm.model.search import Filters, nested_filters

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.interfaces.arrays import Hashes
    from litterm.model.library import Segment
    from litterm.model.paper import PaperId
    from litterm.model.search import Query
    from litterm.search.filters.filters import PapersByLeastCount, PapersByTag
    from litterm.search.open_index import Mask, Rows
    from litterm.search.signals.bm25 import LengthTotals, Scores, Term


@dataclass(frozen=True, slots=True)
class ShardView:
    """The part of one snapshot that a shard holds; rows are numbered over the whole library."""

    snapshot: str
    """Names the snapshot and what the user hides of it."""
    segments: tuple[Segment, ...]
    """In the order of the library."""
    starts: tuple[int, ...]
    """The row of the library at which each of them begins."""
    adopted: tuple[Segment, ...] = ()
    """Segments of other shards that hold full texts of papers here."""

    @property
    def papers(self) -> int:
        """Living rows."""
        return sum(segment.count - len(segment.shadowed) for segment in self.segments)


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """What a shard says when it has opened its segments."""

    without_vectors: int
    """Rows that are found by their words alone."""
    texts: int
    """Full texts."""
    unplaced: Mapping[str, frozenset[PaperId]]
    """By segment, papers whose full text is here and whose record is not."""
    totals: LengthTotals
    """How long its papers are."""
    newest: int
    """The last year of which it has a paper; 0 without any."""


@dataclass(frozen=True, slots=True)
class UserFacts:
    """What the user keeps about papers, as far as a query asks for it."""

    tagged: Mapping[str, frozenset[PaperId]] = field(default_factory=dict)
    cited: Mapping[int, tuple[PaperId, ...]] | None = None
    """By a number, the papers that are cited at least so often."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which papers may be found."""

    query: Query
    own: UserFacts
    within: frozenset[PaperId] | None = None
    filtered: bool = True
    """Whether the filters of the query hold; its phrases and operators always do."""


@dataclass(frozen=True, slots=True)
class MeaningRequest:
    """One vector to compare papers with."""

    vector: Scores
    levelled: bool
    all_papers: bool
    """Whether it is compared with every paper."""


@dataclass(frozen=True, slots=True, eq=False)
class PoolRequest:
    """What candidates are found by; equal to itself alone, as arrays are."""

    selection: Selection
    terms: tuple[Term, ...]
    idfs: tuple[float, ...]
    totals: LengthTotals
    """Of all shards; their average length is counted with."""
    text_idfs: tuple[float, ...] | None
    """`None` where full texts are not searched."""
    titles: bool
    meanings: tuple[MeaningRequest, ...]
    count: int
    """How many of the best of each signal."""
    name_stems: tuple[str, ...]
    """Words that may be the name of a paper."""
    always: Rows
    """Rows of the library that are candidates whatever their scores."""


@dataclass(frozen=True, slots=True)
class CandidateColumns:
    """What the ranking asks about candidates; arrays have one entry a candidate."""

    inside: Mask
    """Those that may be found; where the query is not asked within some papers, all."""
    words: Scores
    texts: Scores | None
    titles: Scores
    near: tuple[Scores, ...]
    """By meaning: cosines that are good for choosing."""
    codes: npt.NDArray[np.int8]
    """The vectors of the candidates as `library.index.vectors` stores them, so that the driver can look closer."""
    scales: Scores
    levels: Scores
    """What the cosine of each is multiplied by where long and short texts are made comparable."""
    years: npt.NDArray[np.int64]
    main_venue: Mask
    name_bits: npt.NDArray[np.uint8]
    """Which of the `name_stems` the title holds."""
    title_years: npt.NDArray[np.int64]
    """Of all titles, candidates or not, three rows: bits, year, and how many titles have both."""
    matching: int
    """Of all papers that may be found, candidates or not, those for which a word speaks."""


@dataclass(frozen=True, slots=True)
class ShardPool(CandidateColumns):
    """The candidates of one shard."""

    rows: Rows
    """Of the library, ascending."""


@dataclass(frozen=True, slots=True)
class CoverageRequest:
    """How well each word is met by some papers."""

    terms: Sequence[Term]
    idfs: Sequence[float]


CountQuestion = tuple[str, "Hashes", "npt.NDArray[np.integer[Any]]"]
"""A method of `TitleAuthorIndex` that counts, the hashes it counts, and the last year of each."""


@dataclass(frozen=True, slots=True, eq=False)
class CitationScoring:
    """What papers are scored by for one excerpt."""

    key: str
    """Tells one excerpt from another: its scores are kept by it from one request to the next."""
    terms: tuple[Term, ...]
    idfs: tuple[float, ...]
    totals: LengthTotals
    vector: Scores | None
    until: int | None
    exclude: frozenset[PaperId]
    size: int
    """Of the pool."""


@dataclass(frozen=True, slots=True)
class CitationStatistics:
    """The best scores of one shard for an excerpt."""

    allowed: int
    """Papers that may be the cited one."""
    words: Scores
    titles: Scores
    near: Scores
    """Of the papers that are nearest by the short vectors, these cosines."""
    exact: Scores
    """Of the same papers, the cosines over all dimensions."""
    others: Scores
    """The best cosines by the short vectors of all other papers."""


@dataclass(frozen=True, slots=True, eq=False)
class CitationSelection:
    """Which papers of a shard are candidates."""

    best: tuple[Scores, Scores, Scores | None]
    """The best scores of the whole library by words, titles and meaning: what these are normalised by."""
    closer: float
    """From which cosine on, by the short vectors, those over all dimensions count."""
    always: Rows
    """Rows of the library that are candidates whatever their scores, if they are allowed."""


@dataclass(frozen=True, slots=True)
class ShardCitationPool:
    """The candidates of one shard for an excerpt, and the citing paper where it is here; one entry a row."""

    rows: Rows
    """Of the library, ascending."""
    allowed: Mask
    citing: Mask
    words: Scores
    titles: Scores
    near: Scores
    codes: npt.NDArray[np.int8]
    scales: Scores
    years: npt.NDArray[np.int64]
    venues: npt.NDArray[np.uint32]
    """Bit n is set where the paper was at the venue n of `citing_features.VENUES`."""
    title_words: tuple[Hashes, npt.NDArray[np.int64]]
    """As `TitleAuthorIndex.words` gives them: hashes, and how many a row."""
    authors: tuple[Hashes, npt.NDArray[np.int64]]
    has_facts: bool
    """Whether any segment here knows the words and authors of its titles."""


def collect_user_facts(query: Query, tagged: PapersByTag, cited_at_least: PapersByLeastCount | None) -> UserFacts:
    """All that the filters of `query`, wherever they are in it, ask about tags, notes, projects and counts."""
    all_filters = list(nested_filters((query.filters, *query.conditions)))
    counts = {count for filters in all_filters for count in _citation_bounds(filters)}
    return UserFacts(
        {tag: frozenset(tagged(tag)) for filters in all_filters for names in filters.required_names for tag in names},
        None if cited_at_least is None else {count: tuple(cited_at_least(count)) for count in counts},
    )


def _citation_bounds(filters: Filters) -> Iterator[int]:
    for count_range in filters.cited:
        if count_range.least > 0:
            yield count_range.least
        if count_range.most is not None:
            yield count_range.most + 1
