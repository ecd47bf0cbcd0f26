"""Operations that find papers for a query or a topic; reading lists are not stored, as they belong to the user."""

from __future__ import annotations

from dataclasses import replace

from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.reading_list import ListRequest, ReadingList
from litterm.model.search import Query, RankedPaper
from litterm.render import json
from litterm.render.citations.first_papers import first_data
from litterm.render.reading_lists.reading_list import list_data
from litterm.server.operations.operation import MAX_ASPECTS, MAX_IDS, MAX_RESULTS, OperationAnswer, require_at_most
from litterm.server.protocol.disk_paths import hide_origin_path
from litterm.server.protocol.own_conditions import refuse_own_conditions
from litterm.server.protocol.requests import (
    AspectsAnswer,
    AspectsRequest,
    CandidatesAnswer,
    CandidatesRequest,
    FacetsAnswer,
    FacetsRequest,
    FirstRequest,
    SearchRequest,
)


def search(engine: Engine, request: SearchRequest) -> Task[OperationAnswer]:
    """The best papers for a query, those one citation away among them where that is asked for."""
    query = _query(engine, request)
    k = require_at_most(MAX_RESULTS, "k", request.k)
    if request.one_hop is not None:
        task = engine.one_hop(query, k=k, hop=request.one_hop)
    else:
        task = engine.search(query, k=k, sort=request.sort, finished=request.finished, within=request.within)
    # With counts, which each client would otherwise ask for row by row.
    ranking = engine.counts.with_counts((yield from task))
    ranking = replace(ranking, papers=tuple(map(_hide_server_facts, ranking.papers)))
    typed = request.query if request.parsed is None else request.parsed.text
    return OperationAnswer(ranking, lambda: json.search(ranking, typed=typed))


def facets(engine: Engine, request: FacetsRequest) -> Task[OperationAnswer]:
    """Counts the papers found by year, venue, type and source."""
    query = request.parsed or engine.parse(request.query)
    refuse_own_conditions(query)
    facets = yield from engine.facets(query)
    return OperationAnswer(
        FacetsAnswer(facets),
        lambda: {"facets": [{"field": facet.field, "value": facet.value, "count": facet.count} for facet in facets]},
    )


def first(engine: Engine, request: FirstRequest) -> Task[OperationAnswer]:
    """The first papers on a topic."""
    query = request.parsed or engine.parse(request.query)
    refuse_own_conditions(query)
    firsts = yield from engine.first(query, k=require_at_most(MAX_RESULTS, "k", request.k))
    papers = tuple(replace(first_paper, paper=_hide_server_facts(first_paper.paper)) for first_paper in firsts.papers)
    firsts = replace(firsts, papers=papers)
    return OperationAnswer(firsts, lambda: first_data(firsts, typed=query.text))


def aspects(engine: Engine, request: AspectsRequest) -> Task[OperationAnswer]:
    """How far papers meet each part of a query."""
    require_at_most(MAX_ASPECTS, "the number of aspects", len(request.aspects))
    require_at_most(MAX_IDS, "the number of papers", len(request.papers))
    scores = yield from engine.aspects.scorer().scores(request.aspects, request.papers)
    rows = tuple(tuple(scores.cell(text, paper).score for paper in request.papers) for text in request.aspects)
    return OperationAnswer(
        AspectsAnswer(rows, scores.by),
        lambda: {
            "by": scores.by,
            "aspects": [
                {"text": text, "scores": dict(zip(request.papers, row, strict=True))}
                for text, row in zip(request.aspects, rows, strict=True)
            ],
        },
    )


def _query(engine: Engine, request: SearchRequest) -> Query:
    query = request.parsed
    if query is None:
        query = engine.parse(request.query, finished=request.finished).with_full_texts(False, request.in_full_text)
        query = replace(query, kind=request.kind or query.kind)
    refuse_own_conditions(query)
    return query


def _hide_server_facts(ranked: RankedPaper) -> RankedPaper:
    return replace(ranked, paper=hide_origin_path(ranked.paper))


def reading_list(engine: Engine, request: ListRequest) -> Task[OperationAnswer]:
    """A reading list on a topic."""
    reading_list = _hide_paths((yield from engine.reading_lists.build(request)))
    return OperationAnswer(reading_list, lambda: list_data(reading_list, {}))


def candidates(engine: Engine, request: CandidatesRequest) -> Task[OperationAnswer]:
    """The candidates for a reading list, with their features."""
    candidates = (yield from engine.reading_lists.builder().rank(request.asked)).candidates
    columns = tuple((name, tuple(column.tolist())) for name, column in candidates.columns.items())
    answer = CandidatesAnswer(
        candidates.topic, candidates.until, tuple(map(hide_origin_path, candidates.papers)), columns
    )
    return OperationAnswer(
        answer,
        lambda: {
            "until": answer.until,
            "papers": [paper.id for paper in answer.papers],
            "columns": {name: list(values) for name, values in columns},
        },
    )


def _hide_paths(reading_list: ReadingList) -> ReadingList:
    sections = tuple(
        replace(
            section,
            entries=tuple(replace(entry, paper=hide_origin_path(entry.paper)) for entry in section.entries),
        )
        for section in reading_list.sections
    )
    return replace(reading_list, sections=sections)
