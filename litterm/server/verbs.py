"""What the server answers: a row a verb, with what is asked, what is given back, and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any, Literal

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import PaperNotes
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.library import LibraryStatus
from litterm.model.search import Query, Ranking
from litterm.render import json
from litterm.render.citations.citation_counts import counts_data
from litterm.server.disk_paths import without_path
from litterm.server.own_conditions import refuse_own_conditions
from litterm.server.requests import (
    CiteBatchRequest,
    CiteRequest,
    CountsAnswer,
    CountsRequest,
    EvidenceRequest,
    FacetsAnswer,
    FacetsRequest,
    LookupAnswer,
    LookupRequest,
    PapersAnswer,
    PapersRequest,
    ReadRequest,
    SearchRequest,
    ShowRequest,
    StatusRequest,
)

Role = Literal["read", "import", "admin"]
ROLES: tuple[Role, ...] = ("read", "import", "admin")
"""What a user may do, each more than the one before."""
MOST_RESULTS, MOST_SENTENCES, MOST_EXCERPTS, MOST_NAMED = 1000, 1000, 100, 2000
Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class VerbAnswer:
    """What a verb has found, as a noun for litterm itself and as JSON for everybody else."""

    value: object
    body: Callable[[], Body]


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of the server."""

    name: str
    request: type[Any]
    answer: type[Any]
    run: Callable[[Engine, Any], Task[VerbAnswer]]
    meaning: str
    role: Role = "read"
    tool: bool = False
    """Whether programs that call tools are offered it."""


def _search(engine: Engine, request: SearchRequest) -> Task[VerbAnswer]:
    query = _query(engine, request)
    k = _within("k", request.k, MOST_RESULTS)
    task = engine.search(query, k=k, sort=request.sort, finished=request.finished, within=request.within)
    # With counts, which each client would otherwise ask for row by row.
    ranking = engine.counts.onto((yield from task))
    papers = tuple(replace(ranked, paper=without_path(ranked.paper)) for ranked in ranking.papers)
    ranking = replace(ranking, papers=papers)
    typed = request.query if request.parsed is None else request.parsed.text
    return VerbAnswer(ranking, lambda: json.search(ranking, typed=typed))


def _query(engine: Engine, request: SearchRequest) -> Query:
    query = request.parsed
    if query is None:
        query = engine.parse(request.query, finished=request.finished).with_full_texts(False, request.in_full_text)
        query = replace(query, kind=request.kind or query.kind)
    refuse_own_conditions(query)
    return query


def _facets(engine: Engine, request: FacetsRequest) -> Task[VerbAnswer]:
    query = request.parsed or engine.parse(request.query)
    refuse_own_conditions(query)
    facets = yield from engine.facets(query)
    return VerbAnswer(
        FacetsAnswer(facets),
        lambda: {"facets": [{"field": facet.field, "value": facet.value, "count": facet.count} for facet in facets]},
    )


def _show(engine: Engine, request: ShowRequest) -> Task[VerbAnswer]:
    paper = without_path(engine.paper(request.paper))
    document = (yield from engine.read(paper.id)) if paper.full_text else None
    counts = engine.counts.of([paper.id])[0]
    # Notes are each user's own, and those kept beside this library are no user's of the server.
    return VerbAnswer(
        PapersAnswer((paper,)),
        lambda: {**json.show(paper, document, PaperNotes()), "citations": counts_data(counts)},
    )


def _read(engine: Engine, request: ReadRequest) -> Task[VerbAnswer]:
    paper = engine.paper(request.paper)
    document = yield from engine.read(paper.id)
    if request.targets:
        document = yield from engine.with_targets(document)
    return VerbAnswer(document, lambda: json.read(document, paper))


def _evidence(engine: Engine, request: EvidenceRequest) -> Task[VerbAnswer]:
    k = _within("k", request.k, MOST_SENTENCES)
    # Read here and not by `engine.evidence`, as the JSON takes its places from the document.
    document = yield from engine.read(engine.paper(request.paper).id)
    evidence = yield from engine.evidence_in(
        document, request.hypothesis, k=k, scope=request.scope, everything=request.everything
    )
    return VerbAnswer(evidence, lambda: json.evidence(evidence, document))


def _cite(engine: Engine, request: CiteRequest) -> Task[VerbAnswer]:
    excerpt = engine.excerpt(request.excerpt, request.mark - 1, request.claim)
    attribution = yield from _attributed(engine, excerpt, request)
    candidates = tuple(replace(candidate, paper=without_path(candidate.paper)) for candidate in attribution.candidates)
    attribution = replace(attribution, candidates=candidates)
    return VerbAnswer(attribution, lambda: json.cite(attribution))


def _attributed(engine: Engine, excerpt: Excerpt, request: CiteRequest) -> Task[Attribution]:
    k = _within("k", request.k, MOST_RESULTS)
    if request.bounds is not None:
        return (yield from engine.attribute(excerpt, k=k, bounds=request.bounds))
    return (yield from engine.cite(excerpt, k=k, before=request.before or None, source=request.source))


def _cite_batch(engine: Engine, request: CiteBatchRequest) -> Task[VerbAnswer]:
    _within("the number of excerpts", len(request.excerpts), MOST_EXCERPTS)
    answers: list[Body] = []
    for cite_request in request.excerpts:
        try:
            answer = yield from _cite(engine, cite_request)
            answers.append(answer.body())
        # Only what is wrong with one excerpt; trouble of the library ends the whole request.
        except UsageError as error:
            answers.append({"error": str(error)})
    return VerbAnswer(None, lambda: {"count": len(answers), "answers": answers})


def _status(engine: Engine, _request: StatusRequest) -> Task[VerbAnswer]:
    # No steps to report, but a verb has to be a task.
    yield from ()
    full_status = engine.status()
    # Who writes is a process of the server, which is nothing to its users.
    status = LibraryStatus(
        full_status.generation,
        full_status.papers,
        full_status.documents,
        full_status.by_source,
        full_status.segments,
        full_status.bytes_on_disk,
        "an import on the server" if full_status.writer else "",
    )
    return VerbAnswer(
        status,
        lambda: {
            "papers": status.papers,
            "documents": status.documents,
            "by_source": dict(status.by_source),
            "generation": status.generation,
            "importing": bool(status.writer),
        },
    )


def _papers(engine: Engine, request: PapersRequest) -> Task[VerbAnswer]:
    yield from ()
    _within("the number of ids", len(request.ids), MOST_NAMED)
    papers = tuple(map(without_path, engine.records.by_id(request.ids)))
    return VerbAnswer(PapersAnswer(papers), lambda: {"papers": [json.record(paper) for paper in papers]})


def _counts(engine: Engine, request: CountsRequest) -> Task[VerbAnswer]:
    yield from ()
    _within("the number of ids", len(request.ids), MOST_NAMED)
    counts = engine.counts.of(request.ids)
    return VerbAnswer(CountsAnswer(counts), lambda: {"counts": [counts_data(paper_counts) for paper_counts in counts]})


def _lookup(engine: Engine, request: LookupRequest) -> Task[VerbAnswer]:
    yield from ()
    _within("the number of names", len(request.keys) + len(request.titles) + len(request.written), MOST_NAMED)
    works = engine.works()
    works.prepare(request.written)
    answer = LookupAnswer(
        engine.records.find(request.keys) if request.keys else (),
        works.titled(request.titles) if request.titles else (),
        tuple(tuple(paper.id for paper in works.written(*pair)) for pair in request.written),
    )
    return VerbAnswer(answer, lambda: {"keys": answer.keys, "titles": answer.titles, "written": answer.written})


VERBS: tuple[Verb, ...] = (
    Verb("search", SearchRequest, Ranking, _search, "search the library", tool=True),
    Verb("read", ReadRequest, Document, _read, "the full text of a paper", tool=True),
    Verb("evidence", EvidenceRequest, Evidence, _evidence, "sentences that bear on a hypothesis", tool=True),
    Verb("cite", CiteRequest, Attribution, _cite, "the paper that a [CITATION] stands for", tool=True),
    Verb("cite-batch", CiteBatchRequest, NoneType, _cite_batch, "the papers behind several excerpts"),
    Verb("show", ShowRequest, PapersAnswer, _show, "what the library holds of a paper"),
    Verb("status", StatusRequest, LibraryStatus, _status, "how much the library holds"),
    Verb("facets", FacetsRequest, FacetsAnswer, _facets, "years, venues, types and sources of what a query finds"),
    Verb("papers", PapersRequest, PapersAnswer, _papers, "papers by their ids"),
    Verb("counts", CountsRequest, CountsAnswer, _counts, "how often papers are cited"),
    Verb("lookup", LookupRequest, LookupAnswer, _lookup, "papers by id, title, or author and year"),
)
BY_NAME = {verb.name: verb for verb in VERBS}


def _within(what: str, number: int, most: int) -> int:
    if not 0 <= number <= most:
        raise UsageError(f"{what} is {number:,}, but the server takes at most {most:,} at once.")
    return number
