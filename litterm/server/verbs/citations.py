"""Verbs of the citation graph: who cites whom, in which words, and how often."""

from __future__ import annotations

from functools import partial

from litterm.citations.references import held_ids
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.citations.graph import Direction
from litterm.render.citations.citation_counts import counts_data
from litterm.render.citations.listed_works import listed_data
from litterm.server.protocol.requests import (
    CitancesAnswer,
    CitancesRequest,
    CountsAnswer,
    CountsRequest,
    EdgesAnswer,
    EdgesRequest,
    ListedRequest,
    ListedWorksAnswer,
)
from litterm.server.verbs.verb import MOST_NAMED, VerbAnswer, at_most


def _listed(direction: Direction, engine: Engine, request: ListedRequest) -> Task[VerbAnswer]:
    paper = engine.paper(request.paper)
    works = yield from engine.listed_here(paper, direction)
    return VerbAnswer(
        ListedWorksAnswer(works),
        lambda: listed_data(paper.id, direction, works, held_ids(works, engine.records.find)),
    )


references = partial(_listed, "references")
"""What a paper cites."""
cited_by = partial(_listed, "citations")
"""What cites a paper."""


def edges(engine: Engine, request: EdgesRequest) -> Task[VerbAnswer]:
    """Who cites whom, for several papers."""
    at_most(MOST_NAMED, "the number of ids", len(request.ids))
    graph = yield from engine.citations.update()
    if request.direction == "references":
        edges = graph.references(request.ids)
    else:
        edges = graph.citations(request.ids, until=request.until)
    answer = EdgesAnswer(edges, graph.has_references(request.ids))
    return VerbAnswer(
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


def citances(engine: Engine, request: CitancesRequest) -> Task[VerbAnswer]:
    """The sentences that cite papers."""
    at_most(MOST_NAMED, "the number of ids", len(request.ids))
    graph = yield from engine.citations.update()
    if request.citing is not None:
        citances = tuple(graph.contexts(request.citing, paper_id) for paper_id in request.ids)
    else:
        citances = graph.citances(request.ids, until=request.until, exclude=request.exclude)
    return VerbAnswer(
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


def counts(engine: Engine, request: CountsRequest) -> Task[VerbAnswer]:
    """How often papers are cited."""
    yield from ()
    at_most(MOST_NAMED, "the number of ids", len(request.ids))
    counts = engine.counts.of(request.ids)
    return VerbAnswer(CountsAnswer(counts), lambda: {"counts": [counts_data(paper_counts) for paper_counts in counts]})
