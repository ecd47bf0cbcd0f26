"""Inputs that could not be imported, kept until they are retried, dismissed, or the paper has come in another way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.durable_files import utc_now
from litterm.library.journal import FileJournal
from litterm.model.library import Failure, MissingPart
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.interfaces import Records

_IMPORTED_SUFFIXES = (".xml", ".bib", ".gz", ".json", ".jsonl", ".tar", ".zip")
"""Endings of file names, which no id of a paper has."""


class FailureList:
    """The list of failures, stored as a journal in `<root>/failures`; the last line about an origin is valid."""

    def __init__(self, root: Path) -> None:
        self._journal = FileJournal(root / "failures")
        self._folded: tuple[object, tuple[Failure, ...]] | None = None

    def all(self) -> tuple[Failure, ...]:
        """The current failures, oldest first; as long as nothing is written, only the journal's size is checked."""
        version = self._journal.version()
        if self._folded is None or self._folded[0] != version:
            self._folded = (version, self._fold())
        return self._folded[1]

    def _fold(self) -> tuple[Failure, ...]:
        failures: dict[str, Failure] = {}
        for time, kind, body in self._journal.entries():
            origin = str(body.get("origin", ""))
            # Removed and added again, so that what failed once more comes last.
            failures.pop(origin, None)
            if kind == "failed":
                failures[origin] = _failure(origin, time, body)
        return tuple(failures.values())

    def record(self, failures: Sequence[Failure]) -> tuple[Failure, ...]:
        """Stores `failures` in one durable write, and returns them with the time."""
        if not failures:
            return ()
        self._journal.append_all([("failed", _as_json(failure)) for failure in failures])
        timestamp = utc_now()
        return tuple(replace(failure, at=timestamp) for failure in failures)

    def mark_mended(self, files: Iterable[str], *, still: Iterable[str] = ()) -> int:
        """Forgets what is in `files`, which were just read to their end, except the origins `still`; how many."""
        read_files, still_failing = set(files), set(still)
        origins = [
            failure.origin
            for failure in self.all()
            if files_of(failure.origin) & read_files and failure.origin not in still_failing
        ]
        return self._forget(origins, "mended")

    def dismiss(self, only: Collection[str] = ()) -> int:
        """Removes all failures, or only those of the origins `only`; returns how many there were."""
        return self._forget(
            [failure.origin for failure in self.all() if not only or failure.origin in only], "dismissed"
        )

    def _forget(self, origins: Sequence[str], kind: str) -> int:
        if origins:
            # Said, not removed: the journal only grows, and a crash in between leaves a first part of it.
            self._journal.append_all([(kind, {"origin": origin}) for origin in origins])
        return len(origins)


def _as_json(failure: Failure) -> dict[str, object]:
    return {
        "origin": failure.origin,
        "cause": failure.cause,
        "transient": failure.transient,
        "missing": failure.missing,
    }


def _failure(origin: str, time: str, body: Mapping[str, object]) -> Failure:
    # An older litterm did not say what was missing: until a text is here, it may have been the text.
    stored = body.get("missing")
    missing: MissingPart = "record" if stored == "record" else "fields" if stored == "fields" else "text"
    return Failure(origin, str(body.get("cause", "")), body.get("transient") is True, time, missing)


def files_of(origin: str) -> set[str]:
    """The origin itself and the files that contain it: of `a.tar!b.jsonl:3` also `a.tar!b.jsonl` and `a.tar`."""
    outer, files = origin, {origin}
    head, colon, line = origin.rpartition(":")
    if colon and line.isdigit():
        outer = head
        files.add(outer)
    # Archives hold archives: each of them may be what is read again.
    while "!" in outer:
        outer = outer.rpartition("!")[0]
        files.add(outer)
    return files


def mark_resolved(
    book: FailureList, records: Records, *, tried: Collection[PaperId] = (), still: Collection[str] = ()
) -> tuple[str, ...]:
    """Forgets failures of papers that the library holds by now; returns their origins, sorted.

    A missing full text stays a failure until the library has it. For the papers `tried` now the caller has
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
        book.mark_mended(mended, still=still)
    return tuple(sorted(mended))


def papers_of(failures: Sequence[Failure], records: Records) -> Iterator[tuple[Failure, PaperId]]:
    """The `failures` that are about a paper of the library, each with that paper."""
    named = [(failure, paper_id) for failure in failures if (paper_id := id_of(failure.origin)) is not None]
    matches = records.find([paper_id for _, paper_id in named])
    for (failure, _), ids in zip(named, matches, strict=True):
        if ids:
            yield failure, ids[0]


def id_of(origin: str) -> PaperId | None:
    """The paper id that a failure is about; `None` for a file or an address of no paper."""
    # Files of the Anthology are named like ids of its papers: 2020.acl.xml.
    # Imported here: the status line asks for failures, and never for ids.
    from litterm.importers.ids import recognize_id

    return None if is_from_file(origin) else recognize_id(origin)


def is_from_file(origin: str) -> bool:
    """Whether `origin` is `acl:2020.acl.xml` or a place in it: ids of papers never end in the name of a format."""
    name = origin.partition("!")[0].rpartition(":")[0] if origin.rpartition(":")[2].isdigit() else origin
    return name.partition("!")[0].lower().endswith(_IMPORTED_SUFFIXES)
