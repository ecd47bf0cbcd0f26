"""The table of the server's operations."""

from __future__ import annotations

from types import NoneType

from litterm.model.attribution.citation import Attribution
from litterm.model.citations.graph import FirstPapers
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.library import LibraryStatus
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.model.search import Ranking
from litterm.server.operations import citations, papers, search
from litterm.server.operations.operation import Operation
from litterm.server.protocol.requests import (
    AspectsAnswer,
    AspectsRequest,
    CandidatesAnswer,
    CandidatesRequest,
    CitancesAnswer,
    CitancesRequest,
    CiteBatchRequest,
    CiteRequest,
    CountsAnswer,
    CountsRequest,
    EdgesAnswer,
    EdgesRequest,
    EvidenceRequest,
    FacetsAnswer,
    FacetsRequest,
    FirstRequest,
    ListedRequest,
    ListedWorksAnswer,
    LookupAnswer,
    LookupRequest,
    PapersAnswer,
    PapersRequest,
    ReadRequest,
    SearchRequest,
    ShowRequest,
    StatusRequest,
)

OPERATIONS: tuple[Operation, ...] = (
    Operation("search", SearchRequest, Ranking, search.search, "search the library", tool=True),
    Operation("read", ReadRequest, Document, papers.read, "the full text of a paper", tool=True),
    Operation("evidence", EvidenceRequest, Evidence, papers.evidence, "sentences that bear on a hypothesis", tool=True),
    Operation("cite", CiteRequest, Attribution, citations.cite, "the paper that a [CITATION] stands for", tool=True),
    Operation("cite-batch", CiteBatchRequest, NoneType, citations.cite_batch, "the papers behind several excerpts"),
    Operation("list", ListRequest, ReadingList, search.reading_list, "a reading list on a topic, which is not saved"),
    Operation("first", FirstRequest, FirstPapers, search.first, "where a topic comes from"),
    Operation(
        "refs",
        ListedRequest,
        ListedWorksAnswer,
        citations.references,
        "what a paper cites, as far as the library knows",
    ),
    Operation(
        "cited-by",
        ListedRequest,
        ListedWorksAnswer,
        citations.cited_by,
        "what cites a paper, as far as the library knows",
    ),
    Operation("show", ShowRequest, PapersAnswer, papers.show, "what the library holds about a paper"),
    Operation("status", StatusRequest, LibraryStatus, papers.status, "how much the library holds"),
    Operation(
        "facets", FacetsRequest, FacetsAnswer, search.facets, "years, venues, types and sources of what a query finds"
    ),
    Operation("aspects", AspectsRequest, AspectsAnswer, search.aspects, "how far papers meet each part of a query"),
    Operation("papers", PapersRequest, PapersAnswer, papers.papers, "papers by their ids"),
    Operation("counts", CountsRequest, CountsAnswer, citations.counts, "how often papers are cited"),
    Operation("lookup", LookupRequest, LookupAnswer, papers.lookup, "papers by id, title, or author and year"),
    Operation("edges", EdgesRequest, EdgesAnswer, citations.edges, "who cites whom, for several papers"),
    Operation("citances", CitancesRequest, CitancesAnswer, citations.citances, "the sentences that cite papers"),
    Operation(
        "list-candidates",
        CandidatesRequest,
        CandidatesAnswer,
        search.candidates,
        "the candidates for a reading list",
    ),
)
