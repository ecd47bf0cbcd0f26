"""What failed and no longer does, by whatever way and under whatever id the paper has come since."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from litterm.importers.ids import recognised
from litterm.interfaces import FailureBook, Records
from litterm.model.library import Failure
from litterm.model.paper import PaperId

_FILES = (".xml", ".bib", ".gz", ".json", ".jsonl", ".tar", ".zip")


def mend(
    book: FailureBook, records: Records, *, tried: Collection[PaperId] = (), still: Collection[str] = ()
) -> tuple[str, ...]:
    """Forgets what failed about papers that the library holds by now; the origins that are gone.

    A text that is missing stays missing until it is here; those of the papers `tried` just now are told anew by
    whoever tried, under the origins `still`.
    """
    about = tuple(papers_of(book.all(), records))
    held = records.by_id([paper_id for _, paper_id in about])
    here = {paper.id for paper in held if paper.full_text} | set(tried)
    pairs = zip(about, held, strict=True)
    gone = {
        failure.origin
        for (failure, _), paper in pairs
        if failure.origin not in still and (failure.missing == "record" or paper.id in here)
    }
    if gone:
        book.mended(gone, still=still)
    return tuple(sorted(gone))


def papers_of(failures: Sequence[Failure], records: Records) -> Iterator[tuple[Failure, PaperId]]:
    """Those of `failures` that are about a paper of the library, each with it."""
    named = [(failure, each) for failure in failures if (each := id_of(failure.origin)) is not None]
    found = records.find([each for _, each in named])
    for (failure, _), ids in zip(named, found, strict=True):
        if ids:
            yield failure, ids[0]


def id_of(origin: str) -> PaperId | None:
    """The id that was asked for, if that is what failed; `None` for files, and addresses of no paper."""
    return None if came_in_a_file(origin) else recognised(origin)


def came_in_a_file(origin: str) -> bool:
    """Whether `origin` is `acl:2020.acl.xml` or a place in it: ids of papers never end in the name of a format."""
    name = origin.partition("!")[0].rpartition(":")[0] if origin.rpartition(":")[2].isdigit() else origin
    return name.partition("!")[0].lower().endswith(_FILES)
