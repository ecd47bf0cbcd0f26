"""Lists what a paper cites and what cites it, as far as the library itself knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.citations.shipped import ShippedEdges, anthology_year
from litterm.core.tasks import Task
from litterm.interfaces import CitationGraph, Records, WorkLookup
from litterm.library.title_lookup import resolve_document
from litterm.model.citations.facts import SHIPPED_SOURCES
from litterm.model.citations.graph import Direction, Edge, ListedWork
from litterm.model.document import Document, Reference
from litterm.model.paper import Paper, PaperId
from litterm.text.references.identity import paper_ids


def find_listed_works(
    paper: Paper,
    direction: Direction,
    graph: CitationGraph,
    records: Records,
    works: WorkLookup,
    shipped: ShippedEdges | None = None,
) -> Task[tuple[ListedWork, ...]]:
    """The entries of the paper's own reference list, in the library or not, then what is known from elsewhere.

    What the library holds is named by `Reference.target`; sentences that cite come along where they are known. What
    `shipped` knows and the library lacks comes last, by its id.
    """
    listed_works: tuple[ListedWork, ...] = ()
    if direction == "references":
        document = records.document(paper.id)
        if document is not None and document.references:
            listed_works = _entries((yield from resolve_document(document, works)))
    edges = graph.references([paper.id])[0] if direction == "references" else graph.citations([paper.id])[0]
    listed_ids = {work.reference.target for work in listed_works}
    ends = {_other_paper(edge, direction): edge for edge in reversed(edges)}
    # A target of the paper's own list is there already, with its entry as printed.
    missing_ids = [
        end for end in dict.fromkeys(_other_paper(edge, direction) for edge in edges) if end not in listed_ids
    ]
    papers = records.by_id(missing_ids) if missing_ids else ()
    held = listed_works + tuple(
        ListedWork(
            _as_reference(len(listed_works) + number, paper_found),
            tuple(_sentences(graph, ends[end])),
            SHIPPED_SOURCES.get(ends[end].source, ""),
        )
        for number, (end, paper_found) in enumerate(zip(missing_ids, papers, strict=True))
    )
    return held if shipped is None else (*held, *unheld_works(paper, direction, shipped, held))


def unheld_works(
    paper: Paper, direction: Direction, shipped: ShippedEdges, listed: Sequence[ListedWork] = ()
) -> tuple[ListedWork, ...]:
    """What `shipped` knows the paper to cite, or to be cited by, that the library lacks, and `listed` does not name."""
    named = {paper_id for work in listed for paper_id in work.reference.ids}
    missing = ((paper_id, source) for paper_id, source in shipped.unheld(paper.id, direction) if paper_id not in named)
    return tuple(
        ListedWork(
            Reference(number, "", year=anthology_year(paper_id), ids=(paper_id,)), collection=SHIPPED_SOURCES[source]
        )
        for number, (paper_id, source) in enumerate(missing, len(listed))
    )


def held_ids(
    works: Sequence[ListedWork], find: Callable[[Sequence[str]], Sequence[Sequence[PaperId]]]
) -> list[PaperId | None]:
    """The id of each work in the library, by its target or its ids, which `find` looks up; `None` for one it lacks."""
    # In one look-up for all works: one by one, ten thousand ids took minutes.
    keys = [key for work in works for key in work.reference.ids]
    id_by_key = {key: ids[0] for key, ids in zip(keys, find(keys), strict=True) if ids}
    return [
        work.reference.target or next((id_by_key[key] for key in work.reference.ids if key in id_by_key), None)
        for work in works
    ]


def _entries(document: Document) -> tuple[ListedWork, ...]:
    sentences_by_entry: dict[int, dict[str, None]] = {}
    for context in document.contexts:
        sentences_by_entry.setdefault(context.reference, {})[document.sentences[context.sentence].text] = None
    return tuple(ListedWork(entry, tuple(sentences_by_entry.get(entry.index, ()))) for entry in document.references)


def _other_paper(edge: Edge, direction: Direction) -> PaperId:
    return edge.cited if direction == "references" else edge.citing


def _sentences(graph: CitationGraph, edge: Edge) -> list[str]:
    return [citance.text for citance in graph.contexts(edge.citing, edge.cited)]


def _as_reference(index: int, paper: Paper) -> Reference:
    families = tuple(author.surname for author in paper.authors)
    ids = paper_ids(paper)
    return Reference(index, paper.title, "", paper.title, families, paper.year, ids, target=paper.id)
