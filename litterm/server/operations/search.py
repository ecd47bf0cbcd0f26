"""Operations that find papers for a query or a topic; reading lists are not stored, as they belong to the user."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.answer import DEFAULT_ANSWER_PAPERS, DEFAULT_ANSWER_SENTENCES, Answer
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import ListRequest, ReadingList, Topic
from litterm.model.search import DEFAULT_RESULTS, HopOptions, Query, QueryKind, Ranking, SortOrder
from litterm.server.operations.parameters import check_received
from litterm.server.protocol.own_conditions import resolve_own_conditions

if TYPE_CHECKING:
    from litterm.model.citations.graph import FirstPapers
    from litterm.model.search import Facet
    from litterm.server.operations.operation import Body


def search(
    engine: Engine,
    query: Annotated[str, "As in `litterm search`; empty lists the whole library."] = "",
    *,
    k: Annotated[int, "Maximum number of papers."] = DEFAULT_RESULTS,
    sort: Annotated[
        SortOrder, "`relevance` lists the best first; any other order sorts the best 200, if the query has words."
    ] = "relevance",
    in_full_text: Annotated[
        bool | None, "Whether full texts are searched, too; `null` leaves that to the query (`in:fulltext`)."
    ] = None,
    kind: Annotated[QueryKind | None, "How to read the query; `null` lets the server guess."] = None,
    finished: Annotated[bool, "False while the query is still being typed."] = True,
    within: Annotated[tuple[PaperId, ...] | None, "If given, only these papers are ranked."] = None,
    one_hop: Annotated[
        HopOptions | None, "Which papers one citation away from the best are added; `{}` for those that they cite."
    ] = None,
    parsed: Annotated[
        Query | None, "The query as parsed by a litterm client; replaces `query`, `in_full_text` and `kind`."
    ] = None,
) -> Task[Ranking]:
    """The best `k` papers for a query in the query language, with those one citation away if `one_hop` is given."""
    if parsed is None:
        parsed = _parse(engine, query, in_full_text, kind, finished=finished)
    check_received(parsed)
    if one_hop is not None:
        task = engine.one_hop(parsed, k=k, hop=one_hop)
    else:
        task = engine.search(parsed, k=k, sort=sort, finished=finished, within=within)
    # With counts, which each client would otherwise ask for row by row.
    return engine.counts.with_counts((yield from task))


def _parse(engine: Engine, typed: str, in_full_text: bool | None, kind: QueryKind | None, *, finished: bool) -> Query:
    parsed = engine.parse(typed, finished=finished).with_full_texts(False, in_full_text)
    return replace(parsed, kind=kind or parsed.kind)


def with_own_papers(engine: Engine, request: Any) -> Any:
    """A request for `search` by the user's own agent: tags, collections, notes and the like stand for their papers."""
    if request.parsed is not None:
        return request
    parsed = _parse(engine, request.query, request.in_full_text, request.kind, finished=request.finished)
    resolved = resolve_own_conditions(parsed, engine.papers_under)
    # Unlike a server, which has collections of its own.
    return replace(request, parsed=replace(resolved, library_name=parsed.library_name))


def search_body(_engine: Engine, request: Any, ranking: Ranking) -> Body:
    """As `litterm search --json` prints it."""
    from litterm.render import json

    return json.search(ranking, typed=_typed(request))


def facets_body(_engine: Engine, _request: Any, facets: tuple[Facet, ...]) -> Body:
    """Field, value and count of each."""
    return {"facets": [{"field": facet.field, "value": facet.value, "count": facet.count} for facet in facets]}


def first_body(_engine: Engine, request: Any, firsts: FirstPapers) -> Body:
    """As `litterm first --json` prints it."""
    from litterm.render.citations.first_papers import first_data

    return first_data(firsts, typed=_typed(request))


def _typed(request: Any) -> str:
    typed: str = request.query if request.parsed is None else request.parsed.text
    return typed


def ask(
    engine: Engine,
    question: Annotated[str, "A question or a claim; several at once: `A? and how B?`. Filters as in `search`."] = "",
    *,
    k: Annotated[int, "Maximum number of sentences."] = DEFAULT_ANSWER_SENTENCES,
    papers: Annotated[int, "Papers of the search that are read."] = DEFAULT_ANSWER_PAPERS,
    parsed: Annotated[Query | None, "The question as parsed by a litterm client; replaces `question`."] = None,
) -> Task[Answer]:
    """Sentences of the papers of the library that answer a question, or that it does not say."""
    query = engine.parse(question) if parsed is None else parsed
    check_received(query)
    return (yield from engine.ask(query, k=k, papers=papers))


def ask_with_own_papers(engine: Engine, request: Any) -> Any:
    """As `with_own_papers`, of a request for `ask`."""
    query = engine.parse(request.question) if request.parsed is None else request.parsed
    resolved = resolve_own_conditions(query, engine.papers_under)
    return replace(request, parsed=replace(resolved, library_name=query.library_name))


def ask_body(_engine: Engine, _request: Any, answer: Answer) -> Body:
    """As `litterm ask --json` prints it."""
    from litterm.render.answers import answer_data

    return answer_data(answer)


@dataclass(frozen=True, slots=True)
class AspectsAnswer:
    """Scores in [0, 1]: 1 is the paper of the library that fits an aspect best."""

    scores: tuple[tuple[float | None, ...], ...]
    """One row per aspect, in it one score per paper, in the order of the request."""
    by: str = ""
    """The method that scored."""


def aspects(
    engine: Engine,
    aspects: Annotated[tuple[str, ...], "The parts of a query, each a text that makes sense alone."],
    papers: Annotated[tuple[PaperId, ...], "The papers to score, such as those that the whole query finds."],
) -> Task[AspectsAnswer]:
    """How far papers meet each part of a query."""
    scores = yield from engine.aspects.scorer().scores(aspects, papers)
    return AspectsAnswer(
        tuple(tuple(scores.cell(text, paper).score for paper in papers) for text in aspects), scores.by
    )


def aspects_body(_engine: Engine, request: Any, answer: AspectsAnswer) -> Body:
    """The score of each paper, by aspect."""
    return {
        "by": answer.by,
        "aspects": [
            {"text": text, "scores": dict(zip(request.papers, row, strict=True))}
            for text, row in zip(request.aspects, answer.scores, strict=True)
        ],
    }


def reading_list(engine: Engine, request: ListRequest) -> Task[ReadingList]:
    """A reading list on a topic, which is not saved."""
    return (yield from engine.reading_lists.build(request))


def reading_list_body(_engine: Engine, _request: ListRequest, reading_list: ReadingList) -> Body:
    """As `litterm list --json` prints it."""
    from litterm.render.reading_lists.reading_list import list_data

    return list_data(reading_list, {})


@dataclass(frozen=True, slots=True)
class CandidatesAnswer:
    """Candidates for a reading list, with their features."""

    topic: Topic
    until: int
    """The last year of a paper that is considered."""
    papers: tuple[Paper, ...]
    columns: tuple[tuple[str, tuple[float, ...]], ...]
    """Name and one number per paper."""
    names: tuple[tuple[PaperId, str], ...] = ()
    """Papers that a name in the topic stands for, and the name."""


def candidates(engine: Engine, asked: Annotated[ListRequest, "As in `list`."]) -> Task[CandidatesAnswer]:
    """The candidates for a reading list, from which a language model of the client chooses."""
    candidates = (yield from engine.reading_lists.builder(None).rank(asked)).candidates
    columns = tuple((name, tuple(column.tolist())) for name, column in candidates.columns.items())
    names = tuple(candidates.names.items())
    return CandidatesAnswer(candidates.topic, candidates.until, candidates.papers, columns, names)


def candidates_body(_engine: Engine, _request: Any, answer: CandidatesAnswer) -> Body:
    """Ids of the papers, and features by name."""
    return {
        "until": answer.until,
        "papers": [paper.id for paper in answer.papers],
        "columns": {name: list(values) for name, values in answer.columns},
        "names": dict(answer.names),
    }
