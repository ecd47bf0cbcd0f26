"""The table of the server's verbs."""

from __future__ import annotations

from types import NoneType

from litterm.model.attribution.citation import Attribution
from litterm.model.citations.graph import FirstPapers
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.library import LibraryStatus
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.model.search import Ranking
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
from litterm.server.verbs import citations, papers, search
from litterm.server.verbs.verb import Verb

VERBS: tuple[Verb, ...] = (
    Verb("search", SearchRequest, Ranking, search.search, "search the library", tool=True),
    Verb("read", ReadRequest, Document, papers.read, "the full text of a paper", tool=True),
    Verb("evidence", EvidenceRequest, Evidence, papers.evidence, "sentences that bear on a hypothesis", tool=True),
    Verb("cite", CiteRequest, Attribution, citations.cite, "the paper that a [CITATION] stands for", tool=True),
    Verb("cite-batch", CiteBatchRequest, NoneType, citations.cite_batch, "the papers behind several excerpts"),
    Verb("list", ListRequest, ReadingList, search.reading_list, "a reading list on a topic, which is not saved"),
    Verb("first", FirstRequest, FirstPapers, search.first, "where a topic comes from"),
    Verb(
        "refs",
        ListedRequest,
        ListedWorksAnswer,
        citations.references,
        "what a paper cites, as far as the library knows",
    ),
    Verb(
        "cited-by",
        ListedRequest,
        ListedWorksAnswer,
        citations.cited_by,
        "what cites a paper, as far as the library knows",
    ),
    Verb("show", ShowRequest, PapersAnswer, papers.show, "what the library holds about a paper"),
    Verb("status", StatusRequest, LibraryStatus, papers.status, "how much the library holds"),
    Verb(
        "facets", FacetsRequest, FacetsAnswer, search.facets, "years, venues, types and sources of what a query finds"
    ),
    Verb("aspects", AspectsRequest, AspectsAnswer, search.aspects, "how far papers meet each part of a query"),
    Verb("papers", PapersRequest, PapersAnswer, papers.papers, "papers by their ids"),
    Verb("counts", CountsRequest, CountsAnswer, citations.counts, "how often papers are cited"),
    Verb("lookup", LookupRequest, LookupAnswer, papers.lookup, "papers by id, title, or author and year"),
    Verb("edges", EdgesRequest, EdgesAnswer, citations.edges, "who cites whom, for several papers"),
    Verb("citances", CitancesRequest, CitancesAnswer, citations.citances, "the sentences that cite papers"),
    Verb(
        "list-candidates",
        CandidatesRequest,
        CandidatesAnswer,
        search.candidates,
        "the candidates for a reading list",
    ),
)
