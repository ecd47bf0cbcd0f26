"""A search as it is recorded, so that it can be repeated: what was asked for, of which library, and what came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from litterm.model.aspects import AspectQuery
    from litterm.model.paper import PaperId
    from litterm.model.search import HopOptions, Query, RerankOptions, Rewrite, SortOrder

RequestedOrder: TypeAlias = "SortOrder | Literal['aspects', 'sentences']"
"""`aspects` and `sentences` order the first papers of the whole query."""
ChangeReason = Literal["added", "rank", "merged", "gone"]
"""Why a paper is on one list only: it came into the library since, its rank passed the limit, it is now shown in
another record, or the library does not show it any more."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search with all that has a part in its order, what a model wrote for it included."""

    query: Query
    """As it is searched: with its filters, as what it is read, and whether in full texts."""
    limit: int
    """Papers at most, from 1."""
    order: RequestedOrder = "relevance"
    rewrite: Rewrite | None = None
    """Other queries that are searched with it."""
    aspects: AspectQuery | None = None
    each_aspect: bool = False
    """Whether each aspect is searched by itself, in place of the query."""
    hop: HopOptions | None = None
    rerank: RerankOptions | None = None
    """How a model orders the first papers; that is not repeated without one."""


@dataclass(frozen=True, slots=True)
class EncoderState:
    """The sentence encoder that takes part in searches."""

    name: str
    fingerprint: str
    """Equal for equal files."""
    encoded: int
    """Papers with a vector."""


@dataclass(frozen=True, slots=True)
class PapersState:
    """The papers of a library at one moment."""

    by_source: tuple[tuple[str, int], ...]
    """Scheme of the id and papers, the largest first."""
    ids: str
    """32 hexadecimal digits: equal for equal sets of ids."""
    records: str
    """The same of everything that the records say."""
    segments: tuple[str, ...] = ()
    """Keys of the stored parts."""

    @property
    def papers(self) -> int:
        """Papers that are shown."""
        return sum(count for _, count in self.by_source)


@dataclass(frozen=True, slots=True)
class SearchState:
    """All that a search depends on besides the request."""

    litterm: str
    """Its version."""
    library: PapersState
    full_texts: int
    reference_lists: int
    """Reference lists that citations were read from."""
    facts: str
    """A checksum of the citation facts that ship with litterm."""
    semantic_model: str
    """The name of the model that ships."""
    starter: str = ""
    """The version of the starter library; empty where it is not shown."""
    encoder: EncoderState | None = None
    project: str = ""
    """Empty for the default project."""


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """One search, when it was made, and its answer."""

    request: SearchRequest
    typed: str
    """The query as it was typed, without options."""
    date: str
    """ISO 8601 with seconds, in UTC."""
    state: SearchState
    found: int
    """Papers that match in all."""
    ids: tuple[PaperId, ...]
    """The papers listed, in order."""
    ordered_by: str = ""
    """The model that ordered them; empty where none did."""
    local_ids: tuple[PaperId, ...] = ()
    """Where a model ordered them, the local order before: what can be repeated."""

    @property
    def repeatable_ids(self) -> tuple[PaperId, ...]:
        """The list that the same search gives without a model."""
        return self.local_ids if self.ordered_by else self.ids


@dataclass(frozen=True, slots=True)
class ListChange:
    """A paper that is on one of the two lists only."""

    paper: PaperId
    rank: int
    """On that list, from 1."""
    reason: ChangeReason
    title: str = ""
    """As the library has it now; empty where the paper is gone."""
    shown_in: PaperId | None = None
    """The record that it is shown in now, where it was merged."""


@dataclass(frozen=True, slots=True)
class RankChange:
    """A paper that has another rank now; both from 1."""

    paper: PaperId
    then: int
    now: int


@dataclass(frozen=True, slots=True)
class PapersChange:
    """Papers of the library that are there now and were not, say something else, or are not shown any more."""

    added: int
    changed: int
    removed: int


@dataclass(frozen=True, slots=True)
class Rerun:
    """A recorded search made once more."""

    record: SearchRecord
    state: SearchState
    """What it depends on now."""
    found: int
    ids: tuple[PaperId, ...]
    """The list now, in the local order."""
    entered: tuple[ListChange, ...] = ()
    left: tuple[ListChange, ...] = ()
    moved: tuple[RankChange, ...] = ()
    library: PapersChange | None = None
    """`None` where the library has the same papers with the same records."""

    @property
    def is_same(self) -> bool:
        """Whether the list and the number found are the same."""
        return self.ids == self.record.repeatable_ids and self.found == self.record.found
