"""Verbs that tell which paper a citation mark stands for."""

from __future__ import annotations

from dataclasses import replace

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.render import json
from litterm.server.protocol.disk_paths import without_path
from litterm.server.protocol.requests import CiteBatchRequest, CiteRequest
from litterm.server.verbs.verb import MOST_EXCERPTS, MOST_RESULTS, Body, VerbAnswer, at_most


def cite(engine: Engine, request: CiteRequest) -> Task[VerbAnswer]:
    """The paper that a mark stands for."""
    excerpt = engine.excerpt(request.excerpt, request.mark - 1, request.claim)
    attribution = yield from _attributed(engine, excerpt, request)
    candidates = tuple(replace(candidate, paper=without_path(candidate.paper)) for candidate in attribution.candidates)
    attribution = replace(attribution, candidates=candidates)
    return VerbAnswer(attribution, lambda: json.cite(attribution))


def _attributed(engine: Engine, excerpt: Excerpt, request: CiteRequest) -> Task[Attribution]:
    k = at_most(MOST_RESULTS, "k", request.k)
    if request.bounds is not None:
        return (yield from engine.attribute(excerpt, k=k, bounds=request.bounds))
    return (yield from engine.cite(excerpt, k=k, before=request.before or None, source=request.source))


def cite_batch(engine: Engine, request: CiteBatchRequest) -> Task[VerbAnswer]:
    """The papers behind several excerpts."""
    at_most(MOST_EXCERPTS, "the number of excerpts", len(request.excerpts))
    answers: list[Body] = []
    for cite_request in request.excerpts:
        try:
            answer = yield from cite(engine, cite_request)
            answers.append(answer.body())
        # Only what is wrong with one excerpt; trouble of the library ends the whole request.
        except UsageError as error:
            answers.append({"error": str(error)})
    return VerbAnswer(None, lambda: {"count": len(answers), "answers": answers})
