"""The requests of the server, one data class per operation; the interface description and the client use them."""

from __future__ import annotations

from dataclasses import dataclass

from litterm.model.attribution.citation import CandidateBounds
from litterm.model.citations.citation_counts import PaperCounts
from litterm.model.citations.graph import Citance, Direction, Edge, ListedWork
from litterm.model.document import Span
from litterm.model.evidence import EvidenceScope
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import ListRequest, Topic
from litterm.model.search import DEFAULT_RESULTS, Facet, HopOptions, Query, QueryKind, SortOrder


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The best `k` papers for a query in the query language."""

    query: str = ""
    """As in `litterm search`; empty lists the whole library."""
    k: int = DEFAULT_RESULTS
    """Maximum number of papers, up to 1,000."""
    sort: SortOrder = "relevance"
    """`relevance` lists the best first; any other order sorts the best 200, if the query has words."""
    in_full_text: bool | None = None
    """Whether full texts are searched, too; `null` leaves that to the query (`in:fulltext`)."""
    kind: QueryKind | None = None
    """How to read the query; `null` lets the server guess."""
    finished: bool = True
    """False while the query is still being typed."""
    within: tuple[PaperId, ...] | None = None
    """If given, only these papers are ranked."""
    one_hop: HopOptions | None = None
    """Which papers one citation away from the best are added; `{}` for those that they cite."""
    parsed: Query | None = None
    """The query as parsed by a litterm client; replaces `query`, `in_full_text` and `kind`."""


@dataclass(frozen=True, slots=True)
class FacetsRequest:
    """The years, venues, types and sources of the papers that a query finds."""

    query: str = ""
    """As in a search."""
    parsed: Query | None = None
    """As in a search."""


@dataclass(frozen=True, slots=True)
class FirstRequest:
    """The papers that a topic began with, and the sentences that say so."""

    query: str = ""
    """The topic; filters work as in a search."""
    k: int = 10
    """Maximum number of papers, up to 1,000."""
    parsed: Query | None = None
    """As in a search."""


@dataclass(frozen=True, slots=True)
class AspectsRequest:
    """How far papers meet each part of a query."""

    aspects: tuple[str, ...]
    """The parts, each a text that makes sense alone; at most 50."""
    papers: tuple[PaperId, ...]
    """The papers to score, such as those that the whole query finds; at most 2,000."""


@dataclass(frozen=True, slots=True)
class AspectsAnswer:
    """Scores in [0, 1]: 1 is the paper of the library that fits an aspect best."""

    scores: tuple[tuple[float | None, ...], ...]
    """One row per aspect, in it one score per paper, in the order of the request."""
    by: str = ""
    """The method that scored."""


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """Everything that the library holds about a paper."""

    paper: str
    """An id such as `acl:P18-1082`, or its key alone where that is unambiguous."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The full text of a paper, or a text of its title and abstract."""

    paper: str
    """An id such as `acl:P18-1082`, or its key alone where that is unambiguous."""
    targets: bool = False
    """Whether references are resolved to papers of the library."""


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """Sentences of a paper that bear on a hypothesis."""

    paper: str
    """An id such as `acl:P18-1082`, or its key alone where that is unambiguous."""
    hypothesis: str
    """A sentence that the paper may support or contradict."""
    k: int = 10
    """Maximum number of sentences, up to 1,000."""
    scope: EvidenceScope = "all"
    """`results`: only sentences that report results."""
    everything: bool = False
    """Whether to return `k` sentences even if fewer bear on the hypothesis."""


@dataclass(frozen=True, slots=True)
class CiteRequest:
    """The paper behind a masked citation."""

    excerpt: str
    """The text, with `[CITATION]` where the citation stands."""
    k: int = 5
    """Maximum number of candidates, up to 1,000."""
    mark: int = 1
    """The number of the mark, from 1, if there are several."""
    before: str = ""
    """The last year (`2018`) or month (`2018-07`) that counts."""
    source: str = ""
    """Title or id of the citing paper."""
    claim: Span | None = None
    """The claim that the mark supports, in characters of the excerpt; by default it is guessed."""
    bounds: CandidateBounds | None = None
    """The papers to exclude, as resolved by a litterm client; replaces `before` and `source`."""


@dataclass(frozen=True, slots=True)
class CiteBatchRequest:
    """Several excerpts; if one cannot be answered, the others still are."""

    excerpts: tuple[CiteRequest, ...]
    """At most 100."""


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """How much the library holds."""


@dataclass(frozen=True, slots=True)
class PapersRequest:
    """Papers by their ids or aliases, in order."""

    ids: tuple[PaperId, ...]
    """At most 2,000."""


@dataclass(frozen=True, slots=True)
class CountsRequest:
    """How often papers are cited."""

    ids: tuple[PaperId, ...]
    """At most 2,000."""


@dataclass(frozen=True, slots=True)
class LookupRequest:
    """Looks up papers by id, title, or author and year."""

    keys: tuple[str, ...] = ()
    """Ids, with or without scheme."""
    titles: tuple[str, ...] = ()
    """Titles as cited; case, accents and punctuation do not matter."""
    written: tuple[tuple[str, int], ...] = ()
    """Family name and year."""
    citation_keys: tuple[str, ...] = ()
    """Keys as in a bibliography."""


@dataclass(frozen=True, slots=True)
class LookupAnswer:
    """For each id, title, and author with year, the papers found."""

    keys: tuple[tuple[PaperId, ...], ...] = ()
    titles: tuple[tuple[PaperId, ...], ...] = ()
    written: tuple[tuple[PaperId, ...], ...] = ()
    citation_keys: tuple[tuple[PaperId, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class CountsAnswer:
    """Counts, in the order of the ids."""

    counts: tuple[PaperCounts, ...]


@dataclass(frozen=True, slots=True)
class PapersAnswer:
    """Papers, in the order of the request."""

    papers: tuple[Paper, ...]


@dataclass(frozen=True, slots=True)
class FacetsAnswer:
    """Numbers of the papers found by year, venue, type and source."""

    facets: tuple[Facet, ...]


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """What a paper cites, or what cites it, with the sentences that do; as far as the library itself knows."""

    paper: str
    """An id such as `acl:P18-1082`, or its key alone where that is unambiguous."""


@dataclass(frozen=True, slots=True)
class ListedWorksAnswer:
    """Works of a list, in the library or not."""

    works: tuple[ListedWork, ...]


@dataclass(frozen=True, slots=True)
class EdgesRequest:
    """Papers of the library that papers cite, or that cite them."""

    ids: tuple[PaperId, ...]
    """At most 2,000."""
    direction: Direction = "references"
    """`references`: what they cite; `citations`: what cites them."""
    until: int | None = None
    """With `citations`, only citing papers of this year or earlier."""


@dataclass(frozen=True, slots=True)
class EdgesAnswer:
    """Edges of the citation graph, in the order of the ids."""

    edges: tuple[tuple[Edge, ...], ...]
    """Per paper, one edge for each paper that it cites or that cites it."""
    known: tuple[bool, ...]
    """Per paper, whether its references are known; if not, a lack of edges means nothing."""


@dataclass(frozen=True, slots=True)
class CitancesRequest:
    """Sentences that cite papers."""

    ids: tuple[PaperId, ...]
    """The cited papers, at most 2,000."""
    citing: PaperId | None = None
    """Only sentences of this paper; `null` for every paper of the library."""
    until: int | None = None
    """Only citing papers of this year or earlier."""
    exclude: tuple[PaperId, ...] = ()
    """Citing papers to leave out."""


@dataclass(frozen=True, slots=True)
class CitancesAnswer:
    """Sentences in the order of the ids, those of the newest citing paper first."""

    citances: tuple[tuple[Citance, ...], ...]


@dataclass(frozen=True, slots=True)
class CandidatesRequest:
    """The candidates for a reading list, from which a language model of the client chooses."""

    asked: ListRequest
    """As in `list`."""


@dataclass(frozen=True, slots=True)
class CandidatesAnswer:
    """Candidates with their features."""

    topic: Topic
    until: int
    """The last year of a paper that is considered."""
    papers: tuple[Paper, ...]
    columns: tuple[tuple[str, tuple[float, ...]], ...]
    """Name and one number per paper."""
