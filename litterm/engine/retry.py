"""Once more what failed: files are read again, ids looked up and full texts fetched, each the way it failed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from litterm.engine.add import add, failed_file
from litterm.engine.fetch import fetch
from litterm.engine.obtain import is_id, obtain
from litterm.engine.sync import Stock
from litterm.errors import Offline
from litterm.model.events import Notice
from litterm.model.library import Failure, ImportReport
from litterm.model.paper import PaperId
from litterm.model.sources import Obtained, Retried
from litterm.protocols import Records
from litterm.protocols.sourcing import Services
from litterm.tasks import Task
from litterm.text.identity import scheme_of


@dataclass(slots=True)
class _Again:
    """What is to be tried how."""

    files: list[Path] = field(default_factory=list)
    texts: list[PaperId] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    left: int = 0


def retry(
    stock: Stock, records: Records, services: Callable[[], Services], only: Collection[str] = ()
) -> Task[Retried]:
    """Another try at every failure, or with `only` at those of these origins; what is mended leaves the list.

    What came inside a file of a service, which is gone by now, is left to the next synchronisation.

    Raises:
        Offline: everything that failed has to be asked for, and the network is switched off.
    """
    failures = [each for each in stock.failures.all() if not only or each.origin in only]
    todo = _sorted(failures, records, services)
    report = ImportReport()
    if todo.files:
        report = yield from add(stock.writer(), stock.reader, stock.failures, todo.files)
    try:
        fetched = (yield from fetch(stock, records, services(), todo.texts)) if todo.texts else ()
        looked_up = (yield from obtain(stock, records, services(), todo.ids)) if todo.ids else ()
    except Offline as error:
        if not todo.files:
            raise
        yield Notice(str(error))
        return Retried(report, left=todo.left + len(todo.texts) + len(todo.ids))
    found: tuple[Obtained, ...] = (*fetched, *looked_up)
    return Retried(report, found, todo.left)


def _sorted(failures: Sequence[Failure], records: Records, services: Callable[[], Services]) -> _Again:
    todo, files = _Again(), dict[Path, None]()
    for failure in failures:
        origin, path = failure.origin, failed_file(failure.origin)
        if path is not None and path.exists():
            files[path] = None
        elif "://" not in origin and _came_in_a_file(origin) and scheme_of(origin) in services().catalogues:
            todo.left += 1
        elif held := records.find([origin])[0]:
            todo.texts.append(held[0])
        elif is_id(origin):
            todo.ids.append(origin)
        elif path is not None:
            files[path] = None
        else:
            todo.left += 1
    todo.files = list(files)
    return todo


def _came_in_a_file(origin: str) -> bool:
    """Whether `origin` is `acl:2020.acl.xml` or a place in it: ids of papers never end in the name of a format."""
    name = origin.partition("!")[0].rpartition(":")[0] if origin.rpartition(":")[2].isdigit() else origin
    return name.partition("!")[0].lower().endswith((".xml", ".bib", ".gz", ".json", ".jsonl", ".tar", ".zip"))
