"""Inputs that could not be imported, kept until they are retried, dismissed, or the paper has come in another way."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.durable_files import utc_now
from litterm.core.errors import DatabaseDamaged
from litterm.library.state.connection import KEY_WAIT_S, WRITE_WAIT_S, StateDatabase
from litterm.library.state.row_codec import decode_failure, encode_failure, encode_json
from litterm.model.library import Failure
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.interfaces import Records

_log = logging.getLogger(__name__)
_IMPORTED_SUFFIXES = (".xml", ".bib", ".gz", ".json", ".jsonl", ".tar", ".zip")
"""Endings of file names, which no id of a paper has."""


class FailureList:
    """The failures in the state of a library; of one origin, the last one."""

    def __init__(self, state: StateDatabase) -> None:
        self._state = state
        self._known: tuple[int, tuple[Failure, ...]] | None = None

    def all(self) -> tuple[Failure, ...]:
        """The current failures, oldest first; read again only when something was written."""
        try:
            return self._read()
        except DatabaseDamaged as error:
            # Nothing but the list needs them; `doctor` says what is damaged.
            _log.warning("%s", error)
            return ()

    def _read(self) -> tuple[Failure, ...]:
        version = self._state.version()
        # The status line asks every few seconds.
        if version is not None and self._known is not None and self._known[0] == version:
            return self._known[1]
        with self._state.read() as connection:
            rows = connection.execute("SELECT origin, at, body FROM failure ORDER BY number").fetchall()
        failures = tuple(decode_failure(json.loads(origin), time, json.loads(body)) for origin, time, body in rows)
        # With the version from before: what was written meanwhile is read again.
        self._known = None if version is None else (version, failures)
        return failures

    def record(self, failures: Sequence[Failure]) -> tuple[Failure, ...]:
        """Stores `failures` in one durable write, and returns them with the time."""
        if not failures:
            return ()
        timestamp = utc_now()
        rows = [(encode_json(failure.origin), timestamp, encode_json(encode_failure(failure))) for failure in failures]
        with self._state.write() as connection:
            # Removed and added again, so that what failed once more comes last.
            connection.executemany("INSERT OR REPLACE INTO failure (origin, at, body) VALUES (?, ?, ?)", rows)
        return tuple(replace(failure, at=timestamp) for failure in failures)

    def forget_read(self, files: Iterable[str], *, still: Iterable[str] = ()) -> int:
        """Forgets what is in `files`, which were just read to their end, except the origins `still`; how many."""
        read_files, still_failing = set(files), set(still)
        origins = [
            failure.origin
            for failure in self.all()
            if files_of(failure.origin) & read_files and failure.origin not in still_failing
        ]
        return self._forget(origins, WRITE_WAIT_S)

    def dismiss(self, only: Collection[str] = ()) -> int:
        """Removes all failures, or only those of the origins `only`; returns how many there were."""
        origins = [failure.origin for failure in self.all() if not only or failure.origin in only]
        # A key does this, which must not wait.
        return self._forget(origins, KEY_WAIT_S)

    def _forget(self, origins: Sequence[str], wait_s: float) -> int:
        if origins:
            with self._state.write(wait_s) as connection:
                rows = [(encode_json(origin),) for origin in origins]
                connection.executemany("DELETE FROM failure WHERE origin = ?", rows)
        return len(origins)


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
    failures: FailureList, records: Records, *, tried: Collection[PaperId] = (), still: Collection[str] = ()
) -> tuple[str, ...]:
    """Forgets failures of papers that the library holds by now; returns their origins, sorted.

    A missing full text stays a failure until the library has it. For the papers `tried` now the caller has
    recorded what still fails, under the origins `still`.
    """
    failed = tuple(papers_of(failures.all(), records))
    papers = records.by_id([paper_id for _, paper_id in failed])
    with_text = {paper.id for paper in papers if paper.full_text} | set(tried)
    pairs = zip(failed, papers, strict=True)
    resolved = {
        failure.origin
        for (failure, _), paper in pairs
        if failure.origin not in still and (failure.missing == "record" or paper.id in with_text)
    }
    if resolved:
        failures.forget_read(resolved, still=still)
    return tuple(sorted(resolved))


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
