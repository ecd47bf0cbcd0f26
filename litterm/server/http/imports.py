"""Imports on the server: a file is received completely, then read as by `litterm add`, one file after the other."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from starlette.requests import ClientDisconnect
from starlette.responses import Response

from litterm.core.errors import Stopped
from litterm.core.tasks import Task, run
from litterm.model.events import PapersStored
from litterm.model.library import Failure, ImportReport
from litterm.render.imports import import_report_data
from litterm.render.json import dumps
from litterm.server.http.app import API_PREFIX, JSON_MEDIA_TYPE, LibraryApp, ServedRequest
from litterm.server.http.uploads import Upload, Uploads
from litterm.server.protocol import codec
from litterm.server.protocol.disk_paths import hide_folders
from litterm.server.protocol.error_mapping import BAD_REQUEST, BUSY, REQUEST_TIMEOUT, TOO_LARGE, Refused

PATH = f"{API_PREFIX}/add"
_MAX_WAITING = 20
_MAX_NAME_BYTES = 200
"""Characters of a file name; file systems allow 255."""
_RETRY_AFTER_S = 60
_FORBIDDEN_CHARACTERS = re.compile(r"[\0-\x1f/\\]")
_TOO_LARGE = "The file is larger than the {:,} bytes that the server accepts; import it on the server itself."
_UPLOAD_STALLED = "No data of the file has arrived for {:g} s."
_UPLOAD_SLOW = "The file has not arrived within {:g} s; import it on the server itself."
_NO_NAME = "Give the name of the file: `POST /v1/add?name=papers.bib`."
_TOO_MANY_WAIT = "Too many files wait to be imported; send it again in a minute."
_OTHERS_WAIT = (
    "Others have waited for this import to end. {:,} records of the file are stored; send it again, and it continues."
)


class ImportQueue:
    """Runs one import at a time, in a thread of its own, and none for long while others wait."""

    def __init__(self, library: LibraryApp, folder: Path) -> None:
        """`folder` holds files while they arrive and are read."""
        self._library = library
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="import")
        self._uploads = Uploads(library.limits)
        self._waiting: set[Upload] = set()
        # Partial uploads to a server that was killed.
        shutil.rmtree(folder, ignore_errors=True)

    async def answer(self, served: ServedRequest) -> Response:
        """Receives the file, and answers once everything in it is stored durably.

        An import is cancelled if its client disconnects; what it has stored stays, and the same file continues it.
        """
        self._library.admit(served, "import")
        name = _file_name(served.request.query_params.get("name", ""))
        user = served.user.name if served.user else ""
        self._uploads.check_user(user)
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        retry = served.request.query_params.get("retry") == "1"
        # A folder each, as two users may send files of one name.
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        upload = Upload(user, folder, name, retry, self._announced_bytes(served))
        importing: Future[ImportReport] | None = None
        try:
            self._uploads.begin(upload)
            await self._receive(served, upload)
            self._library.confirm(served)
            if len(self._waiting) >= _MAX_WAITING:
                raise Refused(BUSY, "LibraryServerBusy", _TOO_MANY_WAIT, retry_after_s=_RETRY_AFTER_S)
            self._waiting.add(upload)
            importing = self._thread.submit(self._import, upload)
            report = await _result_for(served, upload, importing)
        finally:
            # Not under an import that continues while the server ends, and waits here no more: it would fail half-way.
            if importing is None or importing.cancel():
                self._waiting.discard(upload)
                self._uploads.end(upload)
        report = replace(report, failures=tuple(_named_reading(failure, upload.path) for failure in report.failures))
        if served.request.headers.get("accept") == codec.TYPED_MEDIA_TYPE:
            return Response(codec.dumps(report), media_type=codec.TYPED_MEDIA_TYPE)
        return Response(f"{dumps(import_report_data(report))}\n", media_type=JSON_MEDIA_TYPE)

    def close(self) -> None:
        """Waits for the current import, and drops those that have not begun."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _announced_bytes(self, served: ServedRequest) -> int:
        length = served.request.headers.get("content-length", "")
        size = int(length) if length.isdecimal() else 0
        # Before anything of it is sent.
        if size > self._library.limits.upload_bytes:
            raise Refused(TOO_LARGE, "UsageError", _TOO_LARGE.format(self._library.limits.upload_bytes))
        return size

    async def _receive(self, served: ServedRequest, upload: Upload) -> None:
        """Writes the body into a file; raises `Refused` if it is too large, too slow, or stops arriving."""
        limits = self._library.limits
        chunks = served.request.stream().__aiter__()
        end = asyncio.get_running_loop().time() + limits.upload_s
        with upload.path.open("wb") as file:
            while (left_s := end - asyncio.get_running_loop().time()) > 0:
                try:
                    chunk = await asyncio.wait_for(anext(chunks), min(limits.silence_s, left_s))
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    if left_s <= limits.silence_s:
                        break
                    raise _refuse_slow(_UPLOAD_STALLED, limits.silence_s) from None
                served.bytes_in += len(chunk)
                if served.bytes_in > limits.upload_bytes:
                    raise Refused(TOO_LARGE, "UsageError", _TOO_LARGE.format(limits.upload_bytes))
                self._uploads.grow(upload, len(chunk))
                file.write(chunk)
        raise _refuse_slow(_UPLOAD_SLOW, limits.upload_s)

    def _import(self, upload: Upload) -> ImportReport:
        self._waiting.discard(upload)
        engine = self._library.engine
        try:
            report = self._finish(upload, engine.add([upload.path], retry=upload.retry, attached=False))
            run(engine.after_import())
        finally:
            self._uploads.end(upload)
        return report

    def _finish(self, upload: Upload, task: Task[ImportReport]) -> ImportReport:
        """The result of `task`, unless its client has gone or its turn is over.

        Raises:
            Stopped: the client has gone.
            Refused: others wait.
        """
        started, stored = time.monotonic(), 0
        try:
            while True:
                event = next(task)
                is_stored = isinstance(event, PapersStored)
                stored = event.papers if isinstance(event, PapersStored) else stored
                if upload.is_cancelled.is_set():
                    raise Stopped("Its client has gone.")
                turns = (time.monotonic() - started) / self._library.limits.import_turn_s
                # Right after something was stored, so that little is read twice; at last in any case.
                if turns >= (1 if is_stored else 2) and any(
                    other.user != upload.user for other in self._waiting.copy()
                ):
                    raise Refused(BUSY, "LibraryServerBusy", _OTHERS_WAIT.format(stored), retry_after_s=_RETRY_AFTER_S)
        except StopIteration as end:
            report: ImportReport = end.value
            return report
        finally:
            task.close()


async def _result_for(served: ServedRequest, upload: Upload, importing: Future[ImportReport]) -> ImportReport:
    """The result of an import, which is cancelled if the client disconnects; not if only the server ends."""
    result = asyncio.wrap_future(importing)
    leaving = asyncio.ensure_future(served.request.receive())
    try:
        await asyncio.wait((result, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not result.done() and leaving.result()["type"] == "http.disconnect":
            upload.is_cancelled.set()
            raise ClientDisconnect
        # Without a deadline: half an import would be of no use.
        return await result
    finally:
        leaving.cancel()


def _refuse_slow(message: str, seconds: float) -> Refused:
    return Refused(REQUEST_TIMEOUT, "LibraryServerError", message.format(seconds))


def _file_name(sent_name: str) -> str:
    # The end of a long name, which may show the format; a letter cut in two is left out.
    name = (
        _FORBIDDEN_CHARACTERS.sub("_", sent_name)
        .encode("utf-8", "replace")[-_MAX_NAME_BYTES:]
        .decode("utf-8", "ignore")
        .strip()
    )
    if not name.strip("."):
        raise Refused(BAD_REQUEST, "UsageError", _NO_NAME)
    return name


def _named_reading(failure: Failure, path: Path) -> Failure:
    """`failure` under the name that the client knows."""
    folder = f"{path.parent}/"
    cause = hide_folders(failure.cause.replace(folder, ""))
    return replace(failure, origin=failure.origin.replace(folder, ""), cause=cause)
