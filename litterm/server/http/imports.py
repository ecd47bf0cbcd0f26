"""Imports on the server: a file is received completely, then read as by `litterm add`, one file after the other."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from starlette.responses import Response

from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.library import Failure, ImportReport
from litterm.render.json import dumps, import_report
from litterm.server.http.app import API_PREFIX, JSON_MEDIA_TYPE, LibraryApp, ServedRequest
from litterm.server.http.workers import WorkerPool
from litterm.server.protocol import codec
from litterm.server.protocol.disk_paths import hide_folders
from litterm.server.protocol.error_mapping import BAD_REQUEST, REQUEST_TIMEOUT, TOO_LARGE, Refused

PATH = f"{API_PREFIX}/add"
_MAX_WAITING = 20
_MAX_NAME_BYTES = 200
"""Characters of a file name; file systems allow 255."""
_FORBIDDEN_CHARACTERS = re.compile(r"[\0-\x1f/\\]")
_TOO_LARGE = "The file is larger than the {:,} bytes that the server accepts; import it on the server itself."
_UPLOAD_STALLED = "No data of the file has arrived for {:g} s."
_NO_NAME = "Give the name of the file: `POST /v1/add?name=papers.bib`."


class ImportQueue:
    """Runs one import at a time, in a thread of its own."""

    def __init__(self, library: LibraryApp, folder: Path) -> None:
        """`folder` holds files while they arrive and are read."""
        self._library = library
        self._folder = folder
        self._worker = WorkerPool("import", 1, _MAX_WAITING)
        # Partial uploads to a server that was killed.
        shutil.rmtree(folder, ignore_errors=True)

    async def answer(self, served: ServedRequest) -> Response:
        """Receives the file, and answers once everything in it is stored durably."""
        self._library.admit(served, "import")
        name = _file_name(served.request.query_params.get("name", ""))
        retry = served.request.query_params.get("retry") == "1"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A folder each, as two users may send files of one name.
        upload = _Upload(Path(tempfile.mkdtemp(dir=self._folder)), name, retry)
        try:
            await self._receive(served, upload.path)
            self._library.confirm(served)
            # Without a deadline: half an import would be of no use.
            report = await self._worker.run(lambda _stopped: upload.import_file(self._library.engine), 0)
        finally:
            # Not under an import that continues while the server ends, and waits here no more: it would fail half-way.
            if not upload.begun:
                upload.remove()
        report = replace(report, failures=tuple(_named_reading(failure, upload.path) for failure in report.failures))
        if served.request.headers.get("accept") == codec.TYPED_MEDIA_TYPE:
            return Response(codec.dumps(report), media_type=codec.TYPED_MEDIA_TYPE)
        return Response(f"{dumps(import_report(report))}\n", media_type=JSON_MEDIA_TYPE)

    def close(self) -> None:
        """Waits for the current import."""
        self._worker.close()

    async def _receive(self, served: ServedRequest, path: Path) -> None:
        """Writes the body into a file; raises `Refused` if it is too large or stops arriving."""
        limits = self._library.limits
        chunks = served.request.stream().__aiter__()
        with path.open("wb") as file:
            while True:
                try:
                    # By silence and not by time: a large file over a slow line may take as long as it comes.
                    chunk = await asyncio.wait_for(anext(chunks), limits.silence_s)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    raise Refused(
                        REQUEST_TIMEOUT, "LibraryServerError", _UPLOAD_STALLED.format(limits.silence_s)
                    ) from None
                served.bytes_in += len(chunk)
                if served.bytes_in > limits.upload_bytes:
                    raise Refused(TOO_LARGE, "UsageError", _TOO_LARGE.format(limits.upload_bytes))
                file.write(chunk)


@dataclass(slots=True)
class _Upload:
    """A file in a folder of its own, from its first byte to the end of its import."""

    folder: Path
    name: str
    retry: bool
    begun: bool = False
    """Whether the import has begun, which removes the file at its end."""

    @property
    def path(self) -> Path:
        return self.folder / self.name

    def import_file(self, engine: Engine) -> ImportReport:
        """Imports the file, even if the client has disconnected: half a file is of no use."""
        self.begun = True
        try:
            report = run(engine.add([self.path], retry=self.retry, attached=False))
            run(engine.after_import())
        finally:
            self.remove()
        return report

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


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
