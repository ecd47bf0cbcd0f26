"""The table of the server's operations, from which routes, requests, description, tools and the client follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from litterm.engine import Engine
from litterm.model.answer import MAX_ANSWER_PAPERS, MAX_ANSWER_SENTENCES
from litterm.server.operations import citations, own, papers, search, tools
from litterm.server.operations.operation import Limit, Operation
from litterm.server.operations.tools import LibraryTool
from litterm.text.request_limits import MAX_ASPECTS, MAX_EXCERPTS

_RESULTS = (Limit(1000, "k", ("k",)),)
_NAMES = ("keys", "titles", "written", "citation_keys")
_IDS = (Limit(2000, "the number of ids", ("ids",)),)

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "search",
        search.search,
        search.search_body,
        limits=_RESULTS,
        tool=LibraryTool(
            'Papers for a query: words, "phrases", AND, OR, NOT, and filters such as year:2020.. venue:acl.',
            "results",
            tools.search_status,
            left_out=frozenset(("why", "matched")),
            resolve=search.with_own_papers,
        ),
    ),
    Operation(
        "read",
        papers.read,
        papers.read_body,
        tool=LibraryTool(
            "The text of a paper or of one section, sentence by sentence, each with the place where it stands.",
            "text",
            tools.read_status,
        ),
    ),
    Operation(
        "evidence",
        Engine.evidence,
        papers.evidence_body,
        body_method=papers.evidence_with_document,
        limits=_RESULTS,
        tool=LibraryTool(
            "The sentences of one paper that bear on a hypothesis, with how closely, and whether any do.",
            "sentences",
            tools.evidence_status,
        ),
    ),
    Operation(
        "cite",
        citations.cite,
        citations.cite_body,
        limits=(citations.MAX_CANDIDATES,),
        tool=LibraryTool(
            "Which paper of the library a [CITATION] in a text stands for, with probabilities.",
            "candidates",
            tools.cite_status,
        ),
    ),
    Operation(
        "cite-batch",
        citations.cite_batch,
        citations.cite_batch_body,
        limits=(Limit(MAX_EXCERPTS, "the number of excerpts", ("excerpts",)),),
        result_field="answers",
        one_each={"answers": "excerpts"},
    ),
    Operation(
        "ask",
        search.ask,
        search.ask_body,
        limits=(Limit(MAX_ANSWER_SENTENCES, "k", ("k",)), Limit(MAX_ANSWER_PAPERS, "papers", ("papers",))),
        tool=LibraryTool(
            "Sentences of the papers of the library that answer a question, or that the library does not say.",
            "sentences",
            tools.ask_status,
            arrange=tools.sentences_in_one_list,
            resolve=search.ask_with_own_papers,
        ),
    ),
    Operation(
        "list",
        search.reading_list,
        search.reading_list_body,
        tool=LibraryTool(
            "A reading list on a topic, in the order in which a newcomer best reads it; it is not saved.",
            "papers",
            tools.list_status,
        ),
    ),
    Operation("first", Engine.first, search.first_body, limits=_RESULTS),
    Operation(
        "refs",
        citations.references,
        citations.references_body,
        result_field="works",
        tool=LibraryTool(
            "What a paper cites, with the sentences that do and the ids of those that the library holds.",
            "references",
            tools.references_status,
        ),
    ),
    Operation(
        "cited-by",
        citations.cited_by,
        citations.cited_by_body,
        result_field="works",
        tool=LibraryTool(
            "Papers of the library that cite a paper, with the sentences that do.", "citations", tools.cited_by_status
        ),
    ),
    Operation("show", papers.show, papers.show_body, result_field="papers"),
    Operation("status", papers.status, papers.status_body),
    Operation("facets", Engine.facets, search.facets_body, result_field="facets"),
    Operation(
        "aspects",
        search.aspects,
        search.aspects_body,
        limits=(
            Limit(MAX_ASPECTS, "the number of aspects", ("aspects",)),
            Limit(2000, "the number of papers", ("papers",)),
        ),
        one_each={"scores": "aspects"},
    ),
    Operation(
        "papers", papers.papers, papers.papers_body, limits=_IDS, result_field="papers", one_each={"papers": "ids"}
    ),
    Operation(
        "counts",
        citations.counts,
        citations.counts_body,
        limits=_IDS,
        result_field="counts",
        one_each={"counts": "ids"},
    ),
    Operation(
        "lookup",
        papers.lookup,
        papers.lookup_body,
        limits=(Limit(2000, "the number of names", _NAMES),),
        one_each={names: names for names in _NAMES},
    ),
    Operation("edges", citations.edges, citations.edges_body, limits=_IDS, one_each={"edges": "ids", "known": "ids"}),
    Operation(
        "citances",
        citations.citances,
        citations.citances_body,
        limits=_IDS,
        result_field="citances",
        one_each={"citances": "ids"},
    ),
    Operation("list-candidates", search.candidates, search.candidates_body),
)
"""A method of the engine becomes an operation by a row here."""

OWN_OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "check",
        own.check,
        own.check_body,
        limits=(Limit(own.MAX_BIBTEX_CHARS, "the number of characters", ("bibtex",)),),
        tool=LibraryTool(
            "Holds the entries of a bibliography against the library: wrong fields, retractions, works not found.",
            "entries",
            tools.check_status,
            left_out=frozenset(("file",)),
        ),
    ),
    Operation(
        "mark",
        own.mark,
        own.mark_body,
        limits=(Limit(own.MAX_MARKED, "the number of papers", ("papers",)),),
        tool=LibraryTool(
            "Stars papers, includes or excludes them, sets reading status, tags, collections and notes, as one change.",
            "papers",
            tools.mark_status,
            changes=True,
        ),
    ),
    Operation(
        "undo",
        own.undo,
        own.undo_body,
        tool=LibraryTool(
            "Takes back a change made by `mark`, if nothing was changed since.", "", tools.undo_status, changes=True
        ),
    ),
)
"""What an agent on the user's machine may do besides; what changes the user's notes only where the user lets it."""

_BY_METHOD: Mapping[Callable[..., object], Operation] = {operation.method: operation for operation in OPERATIONS}


def operation_of(method: Callable[..., object]) -> Operation:
    """The operation that performs `method` on the server."""
    return _BY_METHOD[method]
