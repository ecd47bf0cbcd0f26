"""Parses the files of an import as tasks of a Ray cluster; records come back in the order of the files."""

from __future__ import annotations

import atexit
import logging
import pickle
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from litterm.cluster.connection import error_from_node
from litterm.core.errors import BadInput
from litterm.core.lazy import once
from litterm.core.settings.model import PdfLimits
from litterm.core.temporary_files import scratch_folder
from litterm.importers.attached_files import FORMATS_WITH_FILES
from litterm.importers.byte_sources import Content, gunzip_content, memory_content
from litterm.importers.deferred import DeferredRecords
from litterm.importers.import_context import ImportContext
from litterm.importers.registry import PARSER_FAULT_MESSAGE, PARSER_FAULTS, TOO_DEEP_MESSAGE, BytesRead
from litterm.library.workers.pdf_pool import PdfPool
from litterm.library.workers.record_parser import ChildParser
from litterm.library.workers.records import RecordPickler
from litterm.model.library import Failure, Parsed

if TYPE_CHECKING:
    from litterm.cluster.connection import RayCluster

MAX_SENT_BYTES = 64 * 2**20
"""Bytes of a file that is sent to a node; larger ones are parsed where they lie."""
_MAX_TASK_RETRIES = 3
"""Retries of a task whose process or node is lost: after more, the file itself is probably at fault."""
_LOST_MESSAGE = f"The process of the cluster that read it died {_MAX_TASK_RETRIES + 1} times in a row."
_PDFS_PER_TASK = 4
"""PDF files per task: each task starts a child process, which has to be worth it."""
_TASKS_PER_CORE = 3
"""Tasks submitted per core."""
_POLL_S = 0.1
"""Between two checks whether to stop."""
_log = logging.getLogger(__name__)


class ClusterParser:
    """Implements `importers.registry.RecordParser`: files go to the nodes as they are met."""

    def __init__(self, cluster: RayCluster, folder: Path) -> None:
        """`folder` is for the files that are parsed here, since they are too large to be sent."""
        self._ray = cluster.ray()
        self._here = ChildParser(folder)
        self._task = self._ray.remote(parse_file).options(
            num_cpus=1, max_retries=_MAX_TASK_RETRIES, scheduling_strategy="SPREAD"
        )
        self._pending: set[_FileTask] = set()
        self._facts: tuple[object, str, Any] = (None, "", None)

    def records(
        self, content: Content, kind: str, collection: ImportContext
    ) -> Iterator[Parsed | Failure | BytesRead | DeferredRecords]:
        """The records of `content`, when they are there.

        Raises:
            BadInput, OSError: it is large, and cannot be read on.
        """
        stored = content.packed or content
        with stored.open() as stream:
            data = stream.read(MAX_SENT_BYTES + 1)
        # The files that records name lie here; those of archives are not read.
        if len(data) > MAX_SENT_BYTES or (kind in FORMATS_WITH_FILES and content.path is not None):
            yield from self._here.records(content, kind, collection)
            return
        packed = content.packed is not None
        ref = self._task.remote(content.origin, data, kind, packed, *self._share_collection(collection))
        task = _FileTask(self._ray, ref, content.origin, len(data), self._pending)
        self._pending.add(task)
        yield task

    def close(self) -> None:
        """Cancels the tasks that have not finished."""
        for task in self._pending:
            task.cancel()
        self._here.close()

    def _share_collection(self, collection: ImportContext) -> tuple[str, list[Any]]:
        """The name of what `collection` has learnt from its files, and the reference by which a node fetches it."""
        counts, acronyms = collection.facts()
        if not counts and not acronyms:
            return "", []
        state = (collection, len(counts), len(acronyms))
        if self._facts[0] != state:
            name = f"{id(self)}-{id(collection)}-{state[1]}-{state[2]}"
            self._facts = (state, name, self._ray.put((dict(counts), dict(acronyms))))
        # In a list it is not fetched before the task asks for it, which it does once a process.
        return self._facts[1], [self._facts[2]]


class _FileTask(DeferredRecords):
    """The records of one file, on a node."""

    def __init__(self, ray: Any, ref: Any, origin: str, size: int, pending: set[_FileTask]) -> None:
        self.size = size
        self._ray = ray
        self._ref = ref
        self._origin = origin
        self._pending = pending

    def ready(self, timeout_s: float) -> bool:
        """Whether the records have arrived, waiting at most `timeout_s`."""
        return bool(self._ray.wait([self._ref], timeout=timeout_s)[0])

    def records(self) -> Iterable[Parsed | Failure]:
        """All records of the file."""
        self._pending.discard(self)
        return _fetch_records(self._ray, self._ref) or [Failure(self._origin, _LOST_MESSAGE, transient=True)]

    def cancel(self) -> None:
        """Cancels the task."""
        self._ray.cancel(self._ref, force=False)


class ClusterPdf:
    """Fits `interfaces.PdfParser`: PDF files are read on the nodes, some a task."""

    def __init__(self, cluster: RayCluster, limits: PdfLimits) -> None:
        self._cluster = cluster
        # A task has one core.
        self._limits = replace(limits, workers=1)

    def parse_files(self, paths: Iterable[Path]) -> Iterator[tuple[Path, Parsed | Failure] | None]:
        """One result a path, in the order given; `None` every 100 ms of waiting for one."""
        batches, pending = _batch_pdfs(list(paths)), deque[tuple[Sequence[Path], Any]]()
        try:
            while self._hand_out(batches, pending):
                names, ref = pending[0]
                if ref is None:
                    yield from PdfPool(self._limits).parse_files(names)
                elif self._cluster.ray().wait([ref], timeout=_POLL_S)[0]:
                    lost = [Failure(str(path), _LOST_MESSAGE, transient=True) for path in names]
                    yield from zip(names, _fetch_records(self._cluster.ray(), ref) or lost, strict=True)
                else:
                    yield None
                    continue
                pending.popleft()
        finally:
            for _, ref in pending:
                if ref is not None:
                    self._cluster.ray().cancel(ref, force=False)

    def _hand_out(self, batches: Iterator[Mapping[Path, bytes]], pending: deque[tuple[Sequence[Path], Any]]) -> bool:
        """Submits tasks until every core has enough; whether any task is pending."""
        while len(pending) < _TASKS_PER_CORE * self._cluster.count_cpus() and (batch := next(batches, None)):
            ref = self._task.remote(list(batch.items()), self._limits) if all(batch.values()) else None
            pending.append((tuple(batch), ref))
        return bool(pending)

    @once
    def _task(self) -> Any:
        options = {"num_cpus": 1, "max_retries": _MAX_TASK_RETRIES, "scheduling_strategy": "SPREAD"}
        return self._cluster.ray().remote(read_pdfs).options(**options)


def parse_file(
    origin: str, data: bytes, kind: str, packed: bool, collection_name: str, collection_refs: list[Any]
) -> bytes:
    """Parses one file on a node; returns its records and failures, pickled."""
    content = memory_content(origin, data)
    records: list[Parsed | Failure] = []
    try:
        parser = _process_parser()
        for record in parser.records(
            gunzip_content(content) if packed else content, kind, _shared_collection(collection_name, collection_refs)
        ):
            if not isinstance(record, BytesRead):
                records.append(record)
    except BadInput as error:
        records.append(Failure(origin, str(error)))
    except RecursionError:
        records.append(Failure(origin, TOO_DEEP_MESSAGE))
    except PARSER_FAULTS:
        _log.exception("parser failed on %s", origin)
        records.append(Failure(origin, PARSER_FAULT_MESSAGE))
    except MemoryError:
        records.append(Failure(origin, "Needs more memory than is available.", transient=True))
    except OSError as error:
        records.append(Failure(origin, f"Cannot be read: {error.strerror or error}.", transient=True))
    return _pickle_records(records)


def read_pdfs(files: Sequence[tuple[Path, bytes]], limits: PdfLimits) -> bytes:
    """The papers in some PDF files, pickled, in their order; what a task does."""
    with scratch_folder() as folder:
        copies = []
        for index, (path, data) in enumerate(files):
            # Under its own name, by which a paper without a title is called.
            copy = folder / str(index) / path.name
            copy.parent.mkdir()
            copy.write_bytes(data)
            copies.append(copy)
        return _pickle_records([result for _, result in PdfPool(limits).parse(copies)])


def _fetch_records(ray: Any, ref: Any) -> list[Parsed | Failure] | None:
    """The records a task has read; `None` if its process died every time.

    Raises:
        ClusterError: it failed otherwise.
    """
    try:
        records: list[Parsed | Failure] = pickle.loads(ray.get(ref))
    except ray.exceptions.RayTaskError as error:
        raise error_from_node(error) from error
    except ray.exceptions.RayError:
        return None
    return records


def _batch_pdfs(paths: Sequence[Path]) -> Iterator[Mapping[Path, bytes]]:
    """PDF files with their bytes, several at a time; other files alone and without bytes, read where they are."""
    batch: dict[Path, bytes] = {}
    for path in paths:
        try:
            data = path.read_bytes() if path.stat().st_size <= MAX_SENT_BYTES else b""
        except OSError:
            # The reader on this machine reports it.
            data = b""
        if batch and (not data or len(batch) == _PDFS_PER_TASK):
            yield batch
            batch = {}
        batch[path] = data
        if not data:
            yield batch
            batch = {}
    if batch:
        yield batch


def _pickle_records(records: list[Parsed | Failure]) -> bytes:
    buffer = BytesIO()
    RecordPickler(buffer, pickle.HIGHEST_PROTOCOL).dump(records)
    return buffer.getvalue()


@cache
def _process_parser() -> ChildParser:
    """The parser of this process; its child process is reused from task to task."""
    opened = ExitStack()
    atexit.register(opened.close)
    parser = ChildParser(opened.enter_context(scratch_folder()))
    opened.callback(parser.close)
    return parser


_collections: dict[str, ImportContext] = {"": ImportContext()}


def _shared_collection(name: str, refs: Sequence[Any]) -> ImportContext:
    """What the collection of files says as a whole, fetched once in each process."""
    if name not in _collections:
        import ray

        collection = ImportContext()
        collection.learn(*ray.get(refs[0]))
        _collections.clear()
        _collections.update({"": ImportContext(), name: collection})
    return _collections[name]
