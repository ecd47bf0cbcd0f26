"""Operations about citations: the paper that a mark stands for, who cites whom, in which words, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.attribution.citation import Attribution, CandidateBounds
from litterm.model.citations.citation_counts import PaperCounts
from litterm.model.citations.graph import Citance, Direction, Edge, ListedWork
from litterm.model.document import Span
from litterm.model.paper import Paper, PaperId
from litterm.server.operations.operation import Limit, in_batches

if TYPE_CHECKING:
    from litterm.server.operations.operation import Body

MAX_CANDIDATES = Limit(1000, "k", ("k",))
_Ids = Annotated[tuple[PaperId, ...], "Ids of papers."]


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


def cite(engine: Engine, request: CiteRequest) -> Task[Attribution]:
    """The paper that a [CITATION] stands for."""
    excerpt = engine.excerpt(request.excerpt, request.mark - 1, request.claim)
    if request.bounds is not None:
        return (yield from engine.attribute(excerpt, k=request.k, bounds=request.bounds))
    return (yield from engine.cite(excerpt, k=request.k, before=request.before or None, source=request.source))


def cite_body(engine: Engine, _request: CiteRequest, attribution: Attribution) -> Body:
    """As `litterm cite --json` prints it."""
    from litterm.render.attribution.candidates import cite_data

    return cite_data(attribution, engine.citation_keys)


def cite_batch(
    engine: Engine, excerpts: Annotated[tuple[CiteRequest, ...], "Each as in `cite`."]
) -> Task[tuple[Attribution | str, ...]]:
    """The papers behind several excerpts; for one that cannot be answered, a sentence that says why."""
    answers: list[Attribution | str] = []
    for request in excerpts:
        try:
            MAX_CANDIDATES.check(request)
            answers.append((yield from cite(engine, request)))
        # Only what is wrong with one excerpt; trouble of the library ends the whole request.
        except UsageError as error:
            answers.append(str(error))
    return tuple(answers)


def cite_batch_body(engine: Engine, _request: Any, answers: tuple[Attribution | str, ...]) -> Body:
    """As `litterm cite --batch` prints them."""
    from litterm.render.attribution.candidates import cite_data

    keys = engine.citation_keys
    bodies = [{"error": answer} if isinstance(answer, str) else cite_data(answer, keys) for answer in answers]
    return {"count": len(bodies), "answers": bodies}


def references(engine: Engine, paper: Paper) -> Task[tuple[ListedWork, ...]]:
    """What a paper cites, as far as the library knows, with the sentences that do."""
    return (yield from engine.listed_works(paper, "references"))


def references_body(engine: Engine, request: Any, works: tuple[ListedWork, ...]) -> Body:
    """As `litterm refs --json` prints it."""
    return _listed_body(engine, request, works, "references")


def cited_by(engine: Engine, paper: Paper) -> Task[tuple[ListedWork, ...]]:
    """What cites a paper, as far as the library knows, with the sentences that do."""
    return (yield from engine.listed_works(paper, "citations"))


def cited_by_body(engine: Engine, request: Any, works: tuple[ListedWork, ...]) -> Body:
    """As `litterm cited-by --json` prints it."""
    return _listed_body(engine, request, works, "citations")


def _listed_body(engine: Engine, request: Any, works: tuple[ListedWork, ...], direction: Direction) -> Body:
    from litterm.citations.references import held_ids
    from litterm.render.citations.listed_works import listed_data

    paper = engine.paper(request.paper)
    return listed_data(paper.id, direction, works, held_ids(works, engine.records.find))


@dataclass(frozen=True, slots=True)
class EdgesAnswer:
    """Edges of the citation graph, in the order of the ids."""

    edges: tuple[tuple[Edge, ...], ...]
    """Per paper, one edge for each paper that it cites or that cites it."""
    known: tuple[bool, ...]
    """Per paper, whether its references are known; if not, a lack of edges means nothing."""


def edges(
    engine: Engine,
    ids: _Ids,
    *,
    direction: Annotated[Direction, "`references`: what they cite; `citations`: what cites them."] = "references",
    until: Annotated[int | None, "With `citations`, only citing papers of this year or earlier."] = None,
) -> Task[EdgesAnswer]:
    """Papers of the library that papers cite, or that cite them."""
    graph = yield from engine.citations.update()
    edges = yield from in_batches(
        ids, graph.references if direction == "references" else lambda some: graph.citations(some, until=until)
    )
    return EdgesAnswer(edges, (yield from in_batches(ids, graph.has_references)))


def edges_body(_engine: Engine, request: Any, answer: EdgesAnswer) -> Body:
    """Per paper the ids at the other ends of its edges."""
    end = "cited" if request.direction == "references" else "citing"
    return {
        "papers": [
            {"id": paper_id, "known": is_known, request.direction: [getattr(edge, end) for edge in edges]}
            for paper_id, is_known, edges in zip(request.ids, answer.known, answer.edges, strict=True)
        ]
    }


def citances(
    engine: Engine,
    ids: Annotated[tuple[PaperId, ...], "The cited papers."],
    *,
    citing: Annotated[PaperId | None, "Only sentences of this paper; `null` for every paper of the library."] = None,
    until: Annotated[int | None, "Only citing papers of this year or earlier."] = None,
    exclude: Annotated[tuple[PaperId, ...], "Citing papers to leave out."] = (),
) -> Task[tuple[tuple[Citance, ...], ...]]:
    """The sentences that cite papers, in the order of the ids, those of the newest citing paper first."""
    graph = yield from engine.citations.update()
    if citing is not None:
        return (yield from in_batches(ids, lambda some: [graph.contexts(citing, paper_id) for paper_id in some]))
    return (yield from in_batches(ids, lambda some: graph.citances(some, until=until, exclude=exclude)))


def citances_body(_engine: Engine, request: Any, citances: tuple[tuple[Citance, ...], ...]) -> Body:
    """Per paper the sentences, with the paper that each is from."""
    return {
        "papers": [
            {
                "id": paper_id,
                "sentences": [
                    {"citing": citance.citing, "text": citance.text, "year": citance.year} for citance in sentences
                ],
            }
            for paper_id, sentences in zip(request.ids, citances, strict=True)
        ]
    }


def counts(engine: Engine, ids: _Ids) -> Task[tuple[PaperCounts, ...]]:
    """How often papers are cited, in the order of the ids."""
    return (yield from in_batches(ids, engine.counts.counts_of))


def counts_body(_engine: Engine, _request: Any, counts: tuple[PaperCounts, ...]) -> Body:
    """The counts of each paper, as in its record."""
    from litterm.render.citations.citation_counts import counts_data

    return {"counts": [counts_data(paper_counts) for paper_counts in counts]}
