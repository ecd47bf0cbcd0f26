"""Retries what failed: files are read again, ids looked up and full texts fetched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import Offline
from litterm.core.tasks import Task
from litterm.interfaces import Records
from litterm.library.failure_list import id_of, is_from_file, mark_resolved
from litterm.library.import_files import add, failed_file
from litterm.model.events import Notice
from litterm.model.library import Failure, ImportReport
from litterm.model.paper import PaperId
from litterm.model.services import FetchResult, RetryReport
from litterm.services.add_by_id import is_id, obtain
from litterm.services.full_text import fetch
from litterm.services.sync import PaperSink
from litterm.text.references.identity import scheme_of

if TYPE_CHECKING:
    from litterm.services.registry import ServiceRegistry


@dataclass(slots=True)
class _RetryPlan:
    """Failures by the way in which they are tried again."""

    files: list[Path] = field(default_factory=list)
    texts: list[PaperId] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    wanted: set[str] = field(default_factory=set)
    """Those of the ids whose full text is wanted, too."""
    left: int = 0


def retry(
    sink: PaperSink, records: Records, services: Callable[[], ServiceRegistry], only: Collection[str] = ()
) -> Task[RetryReport]:
    """Another try at every failure, or with `only` at those of these origins; what is fixed leaves the list.

    What the library holds by now leaves it first. Failures inside a file of a service, which is gone, are left to the
    next synchronisation.

    Raises:
        Offline: everything that failed has to be asked for, and the network is switched off.
    """
    mark_resolved(sink.failures, records)
    failures = [item for item in sink.failures.all() if not only or item.origin in only]
    plan = _plan_retry(failures, records, services)
    report = ImportReport()
    if plan.files:
        report = yield from add(sink.writer(), sink.reader, sink.failures, plan.files)
    try:
        looked_up = (yield from obtain(sink, records, services(), plan.ids)) if plan.ids else ()
        looked_up_ids = [item.paper_id for item in looked_up if item.asked in plan.wanted and item.paper_id is not None]
        texts = tuple(dict.fromkeys((*plan.texts, *looked_up_ids)))
        fetched = (yield from fetch(sink, records, services(), texts)) if texts else ()
    except Offline as error:
        if not plan.files:
            raise
        yield Notice(str(error))
        return RetryReport(report, left=plan.left + len(plan.texts) + len(plan.ids))
    obtained: tuple[FetchResult, ...] = (*fetched, *(item for item in looked_up if item.paper_id not in looked_up_ids))
    return RetryReport(report, obtained, plan.left)


def _plan_retry(failures: Sequence[Failure], records: Records, services: Callable[[], ServiceRegistry]) -> _RetryPlan:
    plan, files = _RetryPlan(), dict[Path, None]()
    for failure in failures:
        origin, path = failure.origin, failed_file(failure.origin)
        if path is not None and path.exists():
            files[path] = None
        elif "://" not in origin and is_from_file(origin) and scheme_of(origin) in services().catalogues:
            plan.left += 1
        elif (paper_id := id_of(origin)) is not None and (stored_ids := records.find([paper_id])[0]):
            plan.texts.append(stored_ids[0])
        elif is_id(origin):
            plan.ids.append(origin)
            plan.wanted |= {origin} if failure.missing == "text" else set()
        elif path is not None:
            files[path] = None
        else:
            plan.left += 1
    plan.files = list(files)
    return plan
