"""Operations about citations: the paper that a mark stands for, who cites whom, in which words, and how often."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from litterm.citations.references import held_ids
from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.citations.graph import Direction
from litterm.render import json
from litterm.render.citations.citation_counts import counts_data
from litterm.render.citations.listed_works import listed_data
from litterm.server.operations.operation import (
    MAX_EXCERPTS,
    MAX_IDS,
    MAX_RESULTS,
    Body,
    OperationAnswer,
    require_at_most,
)
from litterm.server.protocol.disk_paths import hide_origin_path
from litterm.server.protocol.requests import (
    CitancesAnswer,
    CitancesRequest,
    CiteBatchRequest,
    CiteRequest,
    CountsAnswer,
    CountsRequest,
    EdgesAnswer,
    EdgesRequest,
    ListedRequest,
    ListedWorksAnswer,
)


def _list_works(direction: Direction, engine: Engine, request: ListedRequest) -> Task[OperationAnswer]:
    paper = engine.paper(request.paper)
    works = yield from engine.listed_works(paper, direction)
    return OperationAnswer(
        ListedWorksAnswer(works),
        lambda: listed_data(paper.id, direction, works, held_ids(works, engine.records.find)),
    )


references = partial(_list_works, "references")
"""What a paper cites."""
cited_by = partial(_list_works, "citations")
"""What cites a paper."""


def edges(engine: Engine, request: EdgesRequest) -> Task[OperationAnswer]:
    """Who cites whom, for several papers."""
    require_at_most(MAX_IDS, "the number of ids", len(request.ids))
    graph = yield from engine.citations.update()
    if request.direction == "references":
        edges = graph.references(request.ids)
    else:
        edges = graph.citations(request.ids, until=request.until)
    answer = EdgesAnswer(edges, graph.has_references(request.ids))
    return OperationAnswer(
        answer,
        lambda: {
            "papers": [
                {
                    "id": paper_id,
                    "known": is_known,
                    request.direction: [
                        edge.cited if request.direction == "references" else edge.citing for edge in edges_of_paper
                    ],
                }
                for paper_id, is_known, edges_of_paper in zip(request.ids, answer.known, answer.edges, strict=True)
            ]
        },
    )


def citances(engine: Engine, request: CitancesRequest) -> Task[OperationAnswer]:
    """The sentences that cite papers."""
    require_at_most(MAX_IDS, "the number of ids", len(request.ids))
    graph = yield from engine.citations.update()
    if request.citing is not None:
        citances = tuple(graph.contexts(request.citing, paper_id) for paper_id in request.ids)
    else:
        citances = graph.citances(request.ids, until=request.until, exclude=request.exclude)
    return OperationAnswer(
        CitancesAnswer(citances),
        lambda: {
            "papers": [
                {
                    "id": paper_id,
                    "sentences": [
                        {"citing": citance.citing, "text": citance.text, "year": citance.year} for citance in sentences
                    ],
                }
                for paper_id, sentences in zip(request.ids, citances, strict=True)
            ]
        },
    )


def counts(engine: Engine, request: CountsRequest) -> Task[OperationAnswer]:
    """How often papers are cited."""
    yield from ()
    require_at_most(MAX_IDS, "the number of ids", len(request.ids))
    counts = engine.counts.counts_of(request.ids)
    return OperationAnswer(
        CountsAnswer(counts), lambda: {"counts": [counts_data(paper_counts) for paper_counts in counts]}
    )


def cite(engine: Engine, request: CiteRequest) -> Task[OperationAnswer]:
    """The paper behind a citation mark."""
    excerpt = engine.excerpt(request.excerpt, request.mark - 1, request.claim)
    attribution = yield from _attribute(engine, excerpt, request)
    candidates = tuple(
        replace(candidate, paper=hide_origin_path(candidate.paper)) for candidate in attribution.candidates
    )
    attribution = replace(attribution, candidates=candidates)
    return OperationAnswer(attribution, lambda: json.cite(attribution))


def _attribute(engine: Engine, excerpt: Excerpt, request: CiteRequest) -> Task[Attribution]:
    k = require_at_most(MAX_RESULTS, "k", request.k)
    if request.bounds is not None:
        return (yield from engine.attribute(excerpt, k=k, bounds=request.bounds))
    return (yield from engine.cite(excerpt, k=k, before=request.before or None, source=request.source))


def cite_batch(engine: Engine, request: CiteBatchRequest) -> Task[OperationAnswer]:
    """The papers cited in several excerpts."""
    require_at_most(MAX_EXCERPTS, "the number of excerpts", len(request.excerpts))
    answers: list[Body] = []
    for cite_request in request.excerpts:
        try:
            answer = yield from cite(engine, cite_request)
            answers.append(answer.body())
        # Only what is wrong with one excerpt; trouble of the library ends the whole request.
        except UsageError as error:
            answers.append({"error": str(error)})
    return OperationAnswer(None, lambda: {"count": len(answers), "answers": answers})
