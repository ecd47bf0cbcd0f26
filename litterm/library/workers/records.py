"""The child's job `records`: the papers of one file, a batch a request, under a limit on memory."""

from __future__ import annotations

import json
import pickle
import time
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from litterm.core.errors import BadInput
from litterm.core.json_fields import integer, text
from litterm.importers.byte_sources import file_content, gunzip_content
from litterm.importers.import_context import ImportContext
from litterm.importers.registry import PARSER_FAULT_MESSAGE, PARSER_FAULTS, TOO_DEEP_MESSAGE, parse
from litterm.library.workers.memory import TOO_LARGE_MESSAGE, limit_memory, peak_megabytes
from litterm.model.library import Failure, Parsed

_MAX_BATCH_RECORDS = 200
_MAX_BATCH_BYTES = 4 * 2**20
_MAX_BATCH_S = 0.2
"""A batch ends with whichever comes first: the parent holds a whole batch in memory, and reports progress after it."""


@dataclass(slots=True)
class _Reading:
    """The file under work."""

    records: Iterator[Parsed | Failure]
    memory_mb: int
    stream: BinaryIO | None = None


_reading: _Reading | None = None
_field_names: Final[dict[type, tuple[str, ...] | None]] = {}
"""Of each type that was met, the fields it is made from; `None` where it is no dataclass."""
_collection: tuple[str, ImportContext] = ("", ImportContext())


def answer(request: Mapping[str, object]) -> Mapping[str, object]:
    """The next batch of the file that `request` begins, or of the one before if it names none.

    Its records lie pickled in the file `batch`; `offset` is how far the file was read. `ended` with an empty `cause`
    says that all of it was; a `cause` that it cannot be read on, with `errno` where the system says so, and `trace`
    where a parser is at fault.
    """
    global _reading
    if "path" in request:
        _reading = _begin_reading(request)
    assert _reading is not None
    fault, records = _write_batch(_reading, Path(text(request["batch"])))
    offset = 0 if _reading.stream is None or _reading.stream.closed else _reading.stream.tell()
    if fault is not None:
        _reading = None
    return {"records": records, "offset": offset, "peak_mb": peak_megabytes(), "ended": fault is not None} | (
        fault or {}
    )


def _begin_reading(request: Mapping[str, object]) -> _Reading:
    memory_mb = integer(request["memory_mb"])
    limit_memory(memory_mb)
    path = Path(text(request["path"]))
    reading = _Reading(iter(()), memory_mb)

    def open_bytes() -> BinaryIO:
        reading.stream = path.open("rb")
        return reading.stream

    content = replace(file_content(path, 0), origin=text(request["origin"]), open=open_bytes)
    inner = gunzip_content(content) if request["gzipped"] else content
    reading.records = parse(text(request["kind"]), inner, _open_collection(text(request["collection"])))
    return reading


class RecordPickler(pickle.Pickler):
    """Writes a dataclass as its type and its fields: left to itself it takes two to three times as long, either way."""

    def reducer_override(self, record: object) -> Any:
        """Type and fields of a dataclass; everything else as usual."""
        cls = type(record)
        if cls not in _field_names:
            _field_names[cls] = tuple(field.name for field in fields(cls)) if is_dataclass(cls) else None
        names = _field_names[cls]
        return NotImplemented if names is None else (cls, tuple([getattr(record, name) for name in names]))


def _open_collection(path: str) -> ImportContext:
    """What the parent has learnt from the other files; the same file always says the same."""
    global _collection
    if path != _collection[0]:
        collection = ImportContext()
        if path:
            counts, acronyms = json.loads(Path(path).read_text("utf-8"))
            collection.learn(counts, acronyms)
        _collection = (path, collection)
    return _collection[1]


def _write_batch(reading: _Reading, path: Path) -> tuple[dict[str, object] | None, int]:
    """Why nothing follows any more, empty words for the end of the file, and how many records were written."""
    count = 0
    try:
        with path.open("wb") as file:
            pickler = RecordPickler(file, pickle.HIGHEST_PROTOCOL)
            end = time.monotonic() + _MAX_BATCH_S
            for record in reading.records:
                pickler.dump(record)
                count += 1
                if count >= _MAX_BATCH_RECORDS or file.tell() >= _MAX_BATCH_BYTES or time.monotonic() >= end:
                    return None, count
        return {"cause": ""}, count
    except BadInput as error:
        return {"cause": str(error)}, count
    except RecursionError:
        return {"cause": TOO_DEEP_MESSAGE}, count
    except MemoryError:
        return {"cause": TOO_LARGE_MESSAGE.format(reading.memory_mb)}, count
    except OSError as error:
        return {"cause": str(error.strerror or error), "errno": error.errno or 0}, count
    except PARSER_FAULTS:
        return {"cause": PARSER_FAULT_MESSAGE, "trace": traceback.format_exc()}, count
