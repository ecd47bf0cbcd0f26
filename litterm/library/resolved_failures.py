"""Failures that are over, because the paper came in since, whatever the way and the id."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from litterm.importers.ids import recognised
from litterm.interfaces import Records
from litterm.model.library import Failure
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.library.failure_list import FailureList

_FILES = (".xml", ".bib", ".gz", ".json", ".jsonl", ".tar", ".zip")


def mend(
    book: FailureList, records: Records, *, tried: Collection[PaperId] = (), still: Collection[str] = ()
) -> tuple[str, ...]:
    """Forgets failures of papers that the library holds by now; returns their origins, sorted.

    A missing full text stays a failure until the library has it. For the papers `tried` just now the caller has
    recorded what still fails, under the origins `still`.
    """
    failed = tuple(papers_of(book.all(), records))
    papers = records.by_id([paper_id for _, paper_id in failed])
    with_text = {paper.id for paper in papers if paper.full_text} | set(tried)
    pairs = zip(failed, papers, strict=True)
    mended = {
        failure.origin
        for (failure, _), paper in pairs
        if failure.origin not in still and (failure.missing == "record" or paper.id in with_text)
    }
    if mended:
        book.mended(mended, still=still)
    return tuple(sorted(mended))


def papers_of(failures: Sequence[Failure], records: Records) -> Iterator[tuple[Failure, PaperId]]:
    """Those of `failures` that are about a paper of the library, each with it."""
    named = [(failure, paper_id) for failure in failures if (paper_id := id_of(failure.origin)) is not None]
    matches = records.find([paper_id for _, paper_id in named])
    for (failure, _), ids in zip(named, matches, strict=True):
        if ids:
            yield failure, ids[0]


def id_of(origin: str) -> PaperId | None:
    """The id that was asked for, if that is what failed; `None` for files, and addresses of no paper."""
    # Files of the Anthology are named like ids of its papers: 2020.acl.xml.
    return None if came_in_a_file(origin) else recognised(origin)


def came_in_a_file(origin: str) -> bool:
    """Whether `origin` is `acl:2020.acl.xml` or a place in it: ids of papers never end in the name of a format."""
    name = origin.partition("!")[0].rpartition(":")[0] if origin.rpartition(":")[2].isdigit() else origin
    return name.partition("!")[0].lower().endswith(_FILES)
