"""Operations about papers that are named: records, texts, evidence in them, and how much there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.document import Document
from litterm.model.library import LibraryStatus
from litterm.model.paper import Paper, PaperId
from litterm.server.operations.operation import in_batches

if TYPE_CHECKING:
    from litterm.model.evidence import Evidence
    from litterm.server.operations.operation import Body


def show(_engine: Engine, paper: Paper) -> tuple[Paper, ...]:
    """What the library holds about a paper."""
    return (paper,)


def show_body(engine: Engine, _request: Any, papers: tuple[Paper, ...]) -> Task[Body]:
    """As `litterm show --json` prints it."""
    from litterm.model.annotations import PaperNotes
    from litterm.render import json
    from litterm.render.citations.citation_counts import counts_data

    (paper,) = papers
    document = (yield from engine.read(paper.id)) if paper.full_text else None
    (counts,) = engine.counts.counts_of([paper.id])
    # Notes belong to each user; those stored with this library belong to no user of the server.
    return {
        **json.show(paper, document, PaperNotes()),
        "known_as": json.known_names(engine.known_names.of_paper(paper)),
        "citations": counts_data(counts),
    }


def read(
    engine: Engine,
    paper_id: PaperId,
    *,
    targets: Annotated[bool, "Whether references are resolved to papers of the library."] = False,
    section: Annotated[
        str, "Title, number or kind of a section (`results`, `4.2`): the JSON has its text and that of its parts only."
    ] = "",
) -> Task[Document]:
    """The full text of a paper, or a text of its title and abstract."""
    document = yield from engine.read(paper_id)
    return (yield from engine.link_references(document)) if targets else document


def read_body(engine: Engine, request: Any, document: Document) -> Body:
    """As `litterm read --json` prints it; of one section, if that is asked for.

    Raises:
        UsageError: the paper has no such section.
    """
    from litterm.render import json

    paper = engine.paper(document.paper_id)
    if not request.section:
        return json.read(document, paper)
    return json.read(document, paper, _section_indices(document, request.section))


def _section_indices(document: Document, asked: str) -> frozenset[int]:
    """The sections that are asked for by title, number or kind, with those that lie in them."""
    folded = asked.strip().casefold()
    wanted: set[int] = set()
    level: int | None = None
    for section in document.sections:
        is_inside = level is not None and section.level > level
        if folded in (section.title.casefold(), section.number.casefold(), section.kind):
            level = section.level if not is_inside else level
            wanted.add(section.index)
        elif is_inside:
            wanted.add(section.index)
        else:
            level = None
    if not wanted:
        raise UsageError("The paper has no such section; `read` without `section` lists them under `sections`.")
    return frozenset(wanted)


def evidence_with_document(
    engine: Engine, paper_id: PaperId, hypothesis: str, **options: Any
) -> Task[tuple[Evidence, Document]]:
    """As `Engine.evidence`, with the document, which may be another one when it is read again."""
    document = yield from engine.read(paper_id)
    return (yield from engine.evidence_in(document, hypothesis, **options)), document


def evidence_body(_engine: Engine, _request: Any, result: tuple[Evidence, Document]) -> Body:
    """As `litterm evidence --json` prints it, with the places of the sentences in the document."""
    from litterm.render.evidence import evidence_data

    return evidence_data(*result)


def status(engine: Engine) -> LibraryStatus:
    """How much the library holds."""
    full_status = engine.status()
    # The writer is a process of the server, which does not concern its users.
    return LibraryStatus(
        full_status.generation,
        full_status.papers,
        full_status.documents,
        full_status.by_source,
        full_status.segments,
        full_status.bytes_on_disk,
        "an import on the server" if full_status.writer else "",
    )


def status_body(_engine: Engine, _request: Any, status: LibraryStatus) -> Body:
    """Numbers, and whether an import is running."""
    return {
        "papers": status.papers,
        "documents": status.documents,
        "by_source": dict(status.by_source),
        "generation": status.generation,
        "importing": bool(status.writer),
    }


def papers(engine: Engine, ids: Annotated[tuple[PaperId, ...], "Ids or aliases."]) -> Task[tuple[Paper, ...]]:
    """Papers by their ids or aliases, in order."""
    return (yield from in_batches(ids, engine.records.by_id))


def papers_body(_engine: Engine, _request: Any, papers: tuple[Paper, ...]) -> Body:
    """The records of the papers, as in an export."""
    from litterm.render import json

    return {"papers": [json.record(paper) for paper in papers]}


@dataclass(frozen=True, slots=True)
class LookupAnswer:
    """For each id, title, author with year, and citation key, the papers found."""

    keys: tuple[tuple[PaperId, ...], ...] = ()
    titles: tuple[tuple[PaperId, ...], ...] = ()
    written: tuple[tuple[PaperId, ...], ...] = ()
    citation_keys: tuple[tuple[PaperId, ...], ...] = ()


def lookup(
    engine: Engine,
    *,
    keys: Annotated[tuple[str, ...], "Ids, with or without scheme."] = (),
    titles: Annotated[tuple[str, ...], "Titles as cited; case, accents and punctuation do not matter."] = (),
    written: Annotated[tuple[tuple[str, int], ...], "Family name and year."] = (),
    citation_keys: Annotated[tuple[str, ...], "Keys as in a bibliography."] = (),
) -> Task[LookupAnswer]:
    """Papers by id, title, author and year, or citation key."""
    works = engine.works()

    def find_written(some: Sequence[tuple[str, int]]) -> Sequence[tuple[PaperId, ...]]:
        return [tuple(paper.id for paper in papers) for papers in works.find_by_author_years(some)]

    return LookupAnswer(
        (yield from in_batches(keys, engine.records.find)),
        (yield from in_batches(titles, works.find_by_title)),
        (yield from in_batches(written, find_written)),
        (yield from in_batches(citation_keys, engine.records.find_by_citation_key)),
    )


def lookup_body(_engine: Engine, _request: Any, answer: LookupAnswer) -> Body:
    """Lists of ids, also those that are empty."""
    return {
        "keys": answer.keys,
        "titles": answer.titles,
        "written": answer.written,
        "citation_keys": answer.citation_keys,
    }
