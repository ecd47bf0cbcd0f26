"""The requests of the server, a dataclass a verb; the interface description and the client are made from them."""

from __future__ import annotations

from dataclasses import dataclass

from litterm.model.attribution.citation import CandidateBounds
from litterm.model.citations.citation_counts import PaperCounts
from litterm.model.citations.graph import Citance, Direction, Edge, ListedWork
from litterm.model.document import Span
from litterm.model.evidence import EvidenceScope
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import ListRequest, Topic
from litterm.model.search import Facet, HopOptions, Query, QueryKind, SortOrder


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The best `k` papers for a query in the query language."""

    query: str = ""
    """As in `litterm search`; empty lists the whole library."""
    k: int = 20
    """Papers at most, up to 1,000."""
    sort: SortOrder = "relevance"
    """`relevance` is the best first; any other rearranges the best 200 where the query has words."""
    in_full_text: bool | None = None
    """Whether full texts are searched, too; `null` leaves it to the query (`in:fulltext`)."""
    kind: QueryKind | None = None
    """How the query is to be read; `null` leaves it to a guess."""
    finished: bool = True
    """False while the query is still being typed."""
    within: tuple[PaperId, ...] | None = None
    """Only among these papers."""
    one_hop: HopOptions | None = None
    """Which papers one citation away from the best take part; `{}` for those that they cite."""
    parsed: Query | None = None
    """The query as litterm itself has read it; takes the place of `query`, `in_full_text` and `kind`."""


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
    """Papers at most, up to 1,000."""
    parsed: Query | None = None
    """As in a search."""


@dataclass(frozen=True, slots=True)
class AspectsRequest:
    """How far papers meet each part of a query."""

    aspects: tuple[str, ...]
    """The parts, each a text that makes sense alone; at most 50."""
    papers: tuple[PaperId, ...]
    """The papers in question, such as those that the whole query finds; at most 2,000."""


@dataclass(frozen=True, slots=True)
class AspectsAnswer:
    """Scores in [0, 1]: 1 is the paper of the library that fits an aspect best."""

    scores: tuple[tuple[float | None, ...], ...]
    """One row per aspect, in it one score per paper, in the order of the request."""
    by: str = ""
    """The method that scored."""


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """All that the library holds of a paper."""

    paper: str
    """An id such as `acl:P18-1082`, or its key alone where that is unambiguous."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The full text of a paper, or a text of its title and abstract."""

    paper: str
    """An id such as `acl:P18-1082`, or its key alone where that is unambiguous."""
    targets: bool = False
    """Whether references are to point at papers of the library."""


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """Sentences of a paper that bear on a hypothesis."""

    paper: str
    """An id such as `acl:P18-1082`, or its key alone where that is unambiguous."""
    hypothesis: str
    """A sentence that the paper may support or contradict."""
    k: int = 10
    """Sentences at most, up to 1,000."""
    scope: EvidenceScope = "all"
    """`results`: only sentences that report results."""
    everything: bool = False
    """Whether there are to be `k` sentences even where the paper says less."""


@dataclass(frozen=True, slots=True)
class CiteRequest:
    """Which paper a masked citation stands for."""

    excerpt: str
    """The text, with `[CITATION]` where the citation stands."""
    k: int = 5
    """Candidates at most, up to 1,000."""
    mark: int = 1
    """Which of several marks, from 1."""
    before: str = ""
    """The last year (`2018`) or month (`2018-07`) that counts."""
    source: str = ""
    """Title or id of the citing paper."""
    claim: Span | None = None
    """The stretch that the mark stands for, in characters of the excerpt, where it is not to be guessed."""
    bounds: CandidateBounds | None = None
    """What cannot be the cited paper, as litterm itself has read it; takes the place of `before` and `source`."""


@dataclass(frozen=True, slots=True)
class CiteBatchRequest:
    """Several excerpts; one that cannot be answered costs no other."""

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
    """Which papers the library holds of those named."""

    keys: tuple[str, ...] = ()
    """Ids, with or without scheme."""
    titles: tuple[str, ...] = ()
    """As cited; equal but for case, accents and punctuation."""
    written: tuple[tuple[str, int], ...] = ()
    """Family name and year."""


@dataclass(frozen=True, slots=True)
class LookupAnswer:
    """Per key, title, and author with year, the papers there are."""

    keys: tuple[tuple[PaperId, ...], ...] = ()
    titles: tuple[tuple[PaperId, ...], ...] = ()
    written: tuple[tuple[PaperId, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class CountsAnswer:
    """Counts, in the order of the ids."""

    counts: tuple[PaperCounts, ...]


@dataclass(frozen=True, slots=True)
class PapersAnswer:
    """Papers, in the order of what was asked."""

    papers: tuple[Paper, ...]


@dataclass(frozen=True, slots=True)
class FacetsAnswer:
    """What the papers found are."""

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
    """Of `citations`, the last year of a citing paper that counts."""


@dataclass(frozen=True, slots=True)
class EdgesAnswer:
    """Edges of the citation graph, in the order of the ids."""

    edges: tuple[tuple[Edge, ...], ...]
    """Per paper, one a paper that it cites or that cites it."""
    known: tuple[bool, ...]
    """Per paper, whether its references are known: where they are not, a lack of edges says nothing."""


@dataclass(frozen=True, slots=True)
class CitancesRequest:
    """Sentences that cite papers."""

    ids: tuple[PaperId, ...]
    """The cited papers, at most 2,000."""
    citing: PaperId | None = None
    """Only sentences of this paper; `null`: of every paper of the library."""
    until: int | None = None
    """The last year of a citing paper that counts."""
    exclude: tuple[PaperId, ...] = ()
    """Citing papers to be left out."""


@dataclass(frozen=True, slots=True)
class CitancesAnswer:
    """Sentences in the order of the ids, those of the newest citing paper first."""

    citances: tuple[tuple[Citance, ...], ...]


@dataclass(frozen=True, slots=True)
class CandidatesRequest:
    """The papers that come into question for a reading list; for a language model of the client's."""

    asked: ListRequest
    """As in `list`."""


@dataclass(frozen=True, slots=True)
class CandidatesAnswer:
    """Papers and columns of numbers that speak for them."""

    topic: Topic
    until: int
    """The last year that counts."""
    papers: tuple[Paper, ...]
    columns: tuple[tuple[str, tuple[float, ...]], ...]
    """Name and one number per paper."""
