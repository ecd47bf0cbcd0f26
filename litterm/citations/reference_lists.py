"""The reference lists to be resolved: those of the library's full texts, and those that services gave."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from litterm.core.durable_files import replace_file, utc_now, writing
from litterm.core.errors import OutOfMemory
from litterm.core.json_fields import items, mapping, text, texts, whole, whole_or_none
from litterm.library.segments.documents import BEST_FIRST, read_document
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.load_papers import papers_by_key
from litterm.model.document import Document, DocumentId, Reference
from litterm.model.graph import Direction, EdgeSource, ExternalList, ListedWork, ReferenceListHead
from litterm.model.library import Snapshot
from litterm.model.paper import Paper, PaperId

_ALL = "SELECT paper, origin, stored, id FROM {segment}.document"
_BY_ID = "SELECT doc FROM {segment}.document WHERE id = ? ORDER BY stored"
_WORTH = {origin: -place for place, origin in enumerate(BEST_FIRST)}


class StoredLists:
    """Implements `interfaces.Lists` over a library's segments and the folder `external` beside the graph."""

    def __init__(self, library: DuckLibrary, folder: Path) -> None:
        """`folder` is the graph's own."""
        self._library = library
        self._external = folder / "external"

    def heads(self) -> tuple[ReferenceListHead, ...]:
        """Every list there is now; of a paper's full texts the one that is served."""
        texts_here = self._library.again(self._document_heads)
        services = [(path.name, listed) for path in self._files() if (listed := _read(path)) is not None]
        names = self._current_papers([listed.paper for _, listed in services])
        given = (
            ReferenceListHead(names[listed.paper].id, name, names[listed.paper].year, listed.source, listed.direction)
            for name, listed in services
            # A paper that has left the library has no edges; should it come back, its list is still there.
            if listed.paper in names
        )
        return tuple(sorted((*texts_here, *given), key=lambda head: (head.source != "text", head.paper, head.key)))

    def version(self) -> object:
        """When a service's list was last written; one stat."""
        try:
            return self._external.stat().st_mtime_ns
        except OSError:
            return None

    def document(self, head: ReferenceListHead) -> Document | None:
        """The full text with the id `head.key`, under the paper's id of today."""
        document = self._library.again(lambda snapshot: self._document(snapshot, DocumentId(head.key)))
        return None if document is None else replace(document, paper_id=head.paper)

    def external(self, head: ReferenceListHead) -> ExternalList | None:
        """The list in the file `head.key`."""
        return _read(self._external / head.key)

    def take(self, listed: ExternalList) -> None:
        """Keeps a service's list; whole on the disk when this returns.

        Raises:
            DiskFull: it could not be written.
        """
        path = self._external / _name(listed.paper, listed.source, listed.direction)
        with writing(path):
            self._external.mkdir(parents=True, exist_ok=True)
        stamped = listed if listed.fetched_at else replace(listed, fetched_at=utc_now())
        content = json.dumps(_line(stamped), ensure_ascii=False).encode("utf-8", "backslashreplace")
        # The name carries a digest: a list that says something else has another key, so that it is resolved again.
        fresh = path.with_name(f"{path.name}-{hashlib.sha256(content).hexdigest()[:12]}.json")
        replace_file(fresh, content)
        for old in self._external.glob(f"{path.name}-*.json"):
            if old != fresh:
                old.unlink(missing_ok=True)

    def listed(self, paper_id: PaperId, source: EdgeSource, direction: Direction) -> ExternalList | None:
        """What the service said last of the paper."""
        paths = sorted(self._external.glob(f"{_name(paper_id, source, direction)}-*.json"))
        return _read(paths[-1]) if paths else None

    def _files(self) -> list[Path]:
        return sorted(self._external.glob("*.json")) if self._external.is_dir() else []

    def _document_heads(self, snapshot: Snapshot) -> list[ReferenceListHead]:
        view = self._library.view
        rows = [
            # By origin before age: the text that is served is the one whose references count.
            (text(paper), (_WORTH[origin], text(stored)), text(key))  # type: ignore[index]
            for segment in snapshot.segments
            for paper, origin, stored, key in view.select(segment, _ALL)
        ]
        names = self._current_papers(sorted({PaperId(paper) for paper, _, _ in rows}), snapshot)
        best: dict[PaperId, tuple[tuple[int, str], str, int | None]] = {}
        for paper, worth, key in rows:
            now = names.get(PaperId(paper))
            if now is not None:
                best[now.id] = max(best.get(now.id, (worth, key, now.year)), (worth, key, now.year))
        return [ReferenceListHead(paper_id, key, year) for paper_id, (_, key, year) in best.items()]

    def _current_papers(self, ids: list[PaperId], snapshot: Snapshot | None = None) -> Mapping[PaperId, Paper]:
        """The papers by what they were called when something was stored of them."""
        if snapshot is None:
            return self._library.again(lambda newest: self._current_papers(ids, newest))
        papers_by_id = zip(ids, papers_by_key(self._library.view, snapshot, ids), strict=True)
        return {stored_id: _named(stored_id, papers) for stored_id, papers in papers_by_id if papers}

    def _document(self, snapshot: Snapshot, key: DocumentId) -> Document | None:
        view = self._library.view
        for segment in reversed(snapshot.segments):
            for (doc,) in view.select(segment, _BY_ID, [key])[-1:]:
                try:
                    return read_document(view, segment, whole(doc))
                except OutOfMemory:
                    # Too large to be read: as if there were none.
                    return None
        return None


def _named(stored_id: PaperId, papers: tuple[Paper, ...]) -> Paper:
    # An id may be another paper's alias: two versions of a work can share a DOI.
    return next((paper for paper in papers if paper.id == stored_id), papers[0])


def _name(paper_id: PaperId, source: EdgeSource, direction: Direction) -> str:
    return hashlib.sha256(f"{paper_id}\n{source}\n{direction}".encode()).hexdigest()[:24]


def _line(listed: ExternalList) -> dict[str, object]:
    return {
        "paper": listed.paper,
        "source": listed.source,
        "direction": listed.direction,
        "fetched_at": listed.fetched_at,
        "works": [_work_line(work) for work in listed.works],
    }


def _work_line(work: ListedWork) -> dict[str, object]:
    entry = work.reference
    return {
        "text": entry.text,
        "label": entry.label,
        "title": entry.title,
        "families": entry.families,
        "year": entry.year,
        "ids": entry.ids,
        "contexts": work.contexts,
    }


def _read(path: Path) -> ExternalList | None:
    """The list in a file; one that cannot be read is none: the service can be asked again."""
    try:
        fields = mapping(json.loads(path.read_bytes()))
        return ExternalList(
            paper=PaperId(text(fields["paper"])),
            source=cast(EdgeSource, text(fields["source"])),
            direction=cast(Direction, text(fields["direction"])),
            works=tuple(_works(items(fields["works"]))),
            fetched_at=text(fields["fetched_at"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _works(works: list[object]) -> Iterator[ListedWork]:
    for index, fields in enumerate(map(mapping, works)):
        reference = Reference(
            index=index,
            text=text(fields["text"]),
            label=text(fields["label"]),
            title=text(fields["title"]),
            families=texts(fields["families"]),
            year=whole_or_none(fields["year"]),
            ids=cast(tuple[PaperId, ...], texts(fields["ids"])),
        )
        yield ListedWork(reference, texts(fields["contexts"]))
