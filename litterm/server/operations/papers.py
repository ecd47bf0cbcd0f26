"""Operations about papers that are named: records, texts, evidence in them, and how much there is."""

from __future__ import annotations

from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.annotations import PaperNotes
from litterm.model.library import LibraryStatus
from litterm.render import json
from litterm.render.citations.citation_counts import counts_data
from litterm.server.operations.operation import MAX_IDS, MAX_SENTENCES, OperationAnswer, require_at_most
from litterm.server.protocol.disk_paths import hide_origin_path
from litterm.server.protocol.requests import (
    EvidenceRequest,
    LookupAnswer,
    LookupRequest,
    PapersAnswer,
    PapersRequest,
    ReadRequest,
    ShowRequest,
    StatusRequest,
)


def show(engine: Engine, request: ShowRequest) -> Task[OperationAnswer]:
    """All that the library holds of a paper."""
    paper = hide_origin_path(engine.paper(request.paper))
    document = (yield from engine.read(paper.id)) if paper.full_text else None
    counts = engine.counts.counts_of([paper.id])[0]
    # Notes belong to each user; those stored with this library belong to no user of the server.
    return OperationAnswer(
        PapersAnswer((paper,)),
        lambda: {**json.show(paper, document, PaperNotes()), "citations": counts_data(counts)},
    )


def read(engine: Engine, request: ReadRequest) -> Task[OperationAnswer]:
    """The text of a paper."""
    paper = engine.paper(request.paper)
    document = yield from engine.read(paper.id)
    if request.targets:
        document = yield from engine.link_references(document)
    return OperationAnswer(document, lambda: json.read(document, paper))


def evidence(engine: Engine, request: EvidenceRequest) -> Task[OperationAnswer]:
    """Sentences of a paper that bear on a hypothesis."""
    k = require_at_most(MAX_SENTENCES, "k", request.k)
    # Read here and not by `engine.evidence`, as the JSON takes its places from the document.
    document = yield from engine.read(engine.paper(request.paper).id)
    evidence = yield from engine.evidence_in(
        document, request.hypothesis, k=k, scope=request.scope, everything=request.everything
    )
    return OperationAnswer(evidence, lambda: json.evidence(evidence, document))


def status(engine: Engine, _request: StatusRequest) -> Task[OperationAnswer]:
    """How much the library holds."""
    # No steps to report, but an operation has to be a task.
    yield from ()
    full_status = engine.status()
    # The writer is a process of the server, which does not concern its users.
    visible_status = LibraryStatus(
        full_status.generation,
        full_status.papers,
        full_status.documents,
        full_status.by_source,
        full_status.segments,
        full_status.bytes_on_disk,
        "an import on the server" if full_status.writer else "",
    )
    return OperationAnswer(
        visible_status,
        lambda: {
            "papers": visible_status.papers,
            "documents": visible_status.documents,
            "by_source": dict(visible_status.by_source),
            "generation": visible_status.generation,
            "importing": bool(visible_status.writer),
        },
    )


_LOOKUP_NAMES = ("keys", "titles", "written", "citation_keys")


def papers(engine: Engine, request: PapersRequest) -> Task[OperationAnswer]:
    """Papers by their ids."""
    yield from ()
    require_at_most(MAX_IDS, "the number of ids", len(request.ids))
    records = tuple(map(hide_origin_path, engine.records.by_id(request.ids)))
    return OperationAnswer(PapersAnswer(records), lambda: {"papers": [json.record(paper) for paper in records]})


def lookup(engine: Engine, request: LookupRequest) -> Task[OperationAnswer]:
    """Papers by id, title, or author and year."""
    yield from ()
    require_at_most(MAX_IDS, "the number of names", _count_names(request))
    works = engine.works()
    answer = LookupAnswer(
        engine.records.find(request.keys) if request.keys else (),
        works.find_by_title(request.titles) if request.titles else (),
        tuple(tuple(paper.id for paper in papers) for papers in works.find_by_author_years(request.written)),
        engine.records.find_by_citation_key(request.citation_keys) if request.citation_keys else (),
    )
    return OperationAnswer(answer, lambda: {name: getattr(answer, name) for name in _LOOKUP_NAMES})


def _count_names(request: LookupRequest) -> int:
    return sum(len(getattr(request, name)) for name in _LOOKUP_NAMES)
