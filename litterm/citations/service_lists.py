"""The references and citations of papers as services list them, in a file for each list."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from litterm.core.durable_files import replace_file, translate_write_errors, utc_now
from litterm.core.json_fields import integer_or_none, items, mapping, text, texts
from litterm.model.citations.graph import Direction, EdgeSource, ExternalList, ListedWork, ReferenceListHead
from litterm.model.document import Reference
from litterm.model.paper import Paper, PaperId


class ServiceLists:
    """Lists of services in the folder `citations/external` of the library in `root`."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "citations" / "external"

    def heads(
        self, current_papers: Callable[[list[PaperId]], Mapping[PaperId, Paper]]
    ) -> tuple[ReferenceListHead, ...]:
        """The heads of all lists; `current_papers` gives papers by the ids that they had when a list was stored."""
        lists = [(path.name, external_list) for path in self._files() if (external_list := _read(path)) is not None]
        papers = current_papers([external_list.paper for _, external_list in lists])
        return tuple(
            ReferenceListHead(
                papers[external_list.paper].id,
                name,
                papers[external_list.paper].year,
                external_list.source,
                external_list.direction,
            )
            for name, external_list in lists
            if external_list.paper in papers
        )

    def version(self) -> object:
        """When a service's list was last written; one stat."""
        try:
            return self._folder.stat().st_mtime_ns
        except OSError:
            return None

    def load(self, head: ReferenceListHead) -> ExternalList | None:
        """The list in the file `head.key`."""
        # The place of earlier versions first: another process may be moving it at this moment.
        return _read(self._folder / head.key) or _read(self._shard_folder(head.key) / head.key)

    def put(self, external_list: ExternalList) -> None:
        """Stores a service's list durably.

        Raises:
            DiskFull: it could not be written.
        """
        name = _name(external_list.paper, external_list.source, external_list.direction)
        folder = self._shard_folder(name)
        with translate_write_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._move_flat_files()
        stamped = external_list if external_list.fetched_at else replace(external_list, fetched_at=utc_now())
        content = json.dumps(_line(stamped), ensure_ascii=False).encode("utf-8", "backslashreplace")
        # The name carries a digest: a list that says something else has another key, so that it is resolved again.
        fresh = folder / f"{name}-{hashlib.sha256(content).hexdigest()[:12]}.json"
        replace_file(fresh, content)
        # After the new one is on the disk: a kill in between leaves two, of which one is taken, and never none.
        for old in self._files_of(name):
            if old != fresh:
                old.unlink(missing_ok=True)
        with translate_write_errors(self._folder):
            # What `version` looks at: a file in a folder below changes the time of that folder alone.
            os.utime(self._folder)

    def _shard_folder(self, name: str) -> Path:
        """The folder of a list; a single folder for all would get slower with each list."""
        return self._folder / name[:2]

    def _files_of(self, name: str) -> list[Path]:
        """The files of one list, by name; more than one after a kill."""
        folders = (self._folder, self._shard_folder(name))
        return sorted(
            {path.name: path for folder in folders for path in folder.glob(f"{name}-*.json")}.values(), key=_by_name
        )

    def _files(self) -> list[Path]:
        # The place of earlier versions first, as above.
        paths = (path for pattern in ("*.json", "??/*.json") for path in self._folder.glob(pattern))
        return sorted({path.name: path for path in paths}.values(), key=_by_name)

    def _move_flat_files(self) -> None:
        """Moves lists that an earlier version stored in one folder; after a kill, it continues with the next list."""
        for path in self._folder.glob("*.json"):
            self._shard_folder(path.name).mkdir(exist_ok=True)
            path.replace(self._shard_folder(path.name) / path.name)


def _by_name(path: Path) -> str:
    return path.name


def _name(paper_id: PaperId, source: EdgeSource, direction: Direction) -> str:
    # Ids hold slashes and colons, and may be longer than the name of a file.
    return hashlib.sha256(f"{paper_id}\n{source}\n{direction}".encode()).hexdigest()[:24]


def _line(external_list: ExternalList) -> dict[str, object]:
    return {
        "paper": external_list.paper,
        "source": external_list.source,
        "direction": external_list.direction,
        "fetched_at": external_list.fetched_at,
        "works": [_work_line(work) for work in external_list.works],
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
    """The list in a file; `None` if it cannot be read, as the service can be asked again."""
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
            year=integer_or_none(fields["year"]),
            ids=cast(tuple[PaperId, ...], texts(fields["ids"])),
        )
        yield ListedWork(reference, texts(fields["contexts"]))
