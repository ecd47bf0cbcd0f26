"""Downloads large files: checks free space, reports progress in bytes, resumes interrupted downloads."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from litterm.core.backoff import OnEvent
from litterm.core.errors import DiskFull, Malformed, SourceError, TooLarge
from litterm.core.filesystem import replace_text, sync_file
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.services import OpenText
from litterm.services.http.client import ClientSession, HttpClient, send_with_retries
from litterm.services.http.error_mapping import check_body
from litterm.services.http.exchange import Reply, announced_bytes, read_body, read_pieces
from litterm.services.http.messages import MEGABYTE, TEXT_TIMEOUT_S, Request
from litterm.services.http.rate_limit import rate_limit_of

_FREE_SPACE_FACTOR = 1.1
"""Free space wanted, as a multiple of what is announced."""
_HEAD_BYTES = 2048
_RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/(\d{1,15}|\*)")
MAX_PDF_BYTES = 200 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that is whole."""

    path: Path
    url: str
    """Where it finally came from, without secrets."""


def download(client: HttpClient, request: Request, path: Path) -> Task[Downloaded]:
    """The answer to `request` as the file `path`; an older file is replaced once the new one is whole.

    What arrived stays in `PATH.part` when it is stopped, and is continued if the service still has the same content.

    Raises:
        DiskFull: there is no room; nothing was begun.
        TooLarge: it is more than the request allows.
        SourceError, Offline: as `HttpClient.get`.
    """
    return client.run(request, lambda session, tell: _download(session, request, path, tell))


def open_pdf(
    client: HttpClient,
    url: str,
    path: Path,
    *,
    licence: str = "",
    version: str = "",
    secret_headers: tuple[tuple[str, str], ...] = (),
) -> Task[OpenText]:
    """The PDF at `url`, which a service says is open, as `path`.

    Raises:
        Malformed: what is there is no PDF.
        SourceError, Offline: as `download`.
    """
    request = Request(
        url, expect="pdf", read_s=TEXT_TIMEOUT_S, most_bytes=MAX_PDF_BYTES, keep=False, secret_headers=secret_headers
    )
    downloaded = yield from download(client, request, path)
    return OpenText(downloaded.path, "pdf", downloaded.url, licence, version)


async def _download(session: ClientSession, request: Request, path: Path, tell: OnEvent) -> Downloaded:
    session.refuse_missing(request)
    session.refuse_offline(request)
    part = path.with_name(f"{path.name}.part")
    path.parent.mkdir(parents=True, exist_ok=True)
    # Each try continues where the one before broke off.
    reply = await send_with_retries(session, request, lambda: _continue_download(session, request, part, tell))
    with part.open("rb") as file:
        try:
            check_body(request, reply.headers, file.read(_HEAD_BYTES))
        except SourceError:
            _discard_partial(part)
            raise
    # Checked first: a page that says "log in" must never stand under the name of a PDF.
    part.replace(path)
    _discard_partial(part)
    return Downloaded(path, reply.url)


async def _continue_download(session: ClientSession, request: Request, part: Path, tell: OnEvent) -> Reply:
    have, validator = _read_partial(part)
    # Unpacked, so that a place in the file is a place in the answer.
    extra = {"accept-encoding": "identity"}
    if have:
        extra |= {"range": f"bytes={have}-", "if-range": validator}
    async with session.exchange.exchange(request, tell, extra) as reply:
        # The service has fewer bytes than the partial file: it is another file, or a shorter one.
        if reply.status == 416:
            _discard_partial(part)
            raise _broken_off_error(request)
        if not 200 <= reply.status < 300:
            session.refuse_failed(request, reply, await read_body(request, reply, tell))
        start, total_bytes = _parse_span(reply)
        if start != (have if reply.status == 206 else 0) or (start and _validator(reply) not in ("", validator)):
            # The rest of another file, whatever was asked for.
            _discard_partial(part)
            raise _broken_off_error(request)
        _check_room(part, request, announced_bytes(reply), start)
        # Before the first byte: a part without its validator can never be continued.
        _save_validator(part, reply)
        with part.open("r+b" if start else "wb") as file:
            file.seek(start)
            await _write_pieces(file, request, reply, (start, total_bytes), tell)
    return reply


async def _write_pieces(file: BinaryIO, request: Request, reply: Reply, span: tuple[int, int], tell: OnEvent) -> None:
    source_words = f"from {rate_limit_of(request.host).owner}"
    received, total = span
    async for piece in read_pieces(request, reply):
        received += len(piece)
        if received > request.most_bytes:
            raise TooLarge(f"{request.host} sends more than {request.most_bytes / 2**20:,.0f} MB.")
        file.write(piece)
        tell(Progress(source_words, received, total, "bytes"))
    # A continued file may be longer on the disk than the answer now is.
    file.truncate()
    file.flush()
    sync_file(file.fileno())
    if total and received != total:
        raise _broken_off_error(request)


def _broken_off_error(request: Request) -> SourceError:
    from litterm.core.errors import Unreachable

    return Unreachable(f"The download from {rate_limit_of(request.host).owner} broke off.")


def _parse_span(reply: Reply) -> tuple[int, int]:
    """The offset of its first byte, -1 if unknown; and the total number of bytes, 0 if unknown."""
    if reply.status != 206:
        return 0, announced_bytes(reply)
    match = _RANGE.fullmatch(reply.headers.get("content-range", "").strip())
    if match is None:
        return -1, 0
    start, size = int(match[1]), announced_bytes(reply)
    return start, int(match[2]) if match[2] != "*" else start + size if size else 0


def _check_room(part: Path, request: Request, size: int, start: int) -> None:
    if start + size > request.most_bytes:
        raise TooLarge(f"{request.host} announces {(start + size) / 2**20:,.0f} MB, more than litterm accepts.")
    free = shutil.disk_usage(part.parent).free
    if size * _FREE_SPACE_FACTOR > free:
        raise DiskFull(
            f"{size / 2**20:,.0f} MB are to be fetched, but only {free / 2**20:,.0f} MB are free in {part.parent}."
        )


def _read_partial(part: Path) -> tuple[int, str]:
    """The size and the validator of a partial download; (0, "") if it cannot be resumed."""
    try:
        validator = json.loads(_validator_file(part).read_text("utf-8"))["validator"]
        size = part.stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        return 0, ""
    return (size, str(validator)) if validator else (0, "")


def _save_validator(part: Path, reply: Reply) -> None:
    if reply.headers.get("content-encoding", "identity") != "identity":
        raise Malformed(f"{reply.url} arrives compressed, although the plain file was requested.")
    replace_text(_validator_file(part), json.dumps({"validator": _validator(reply)}))


def _validator(reply: Reply) -> str:
    # A weak validator promises the same meaning but not the same bytes, which is what a continued file needs.
    etag = reply.headers.get("etag", "")
    return etag if etag and not etag.startswith("W/") else reply.headers.get("last-modified", "")


def _discard_partial(part: Path) -> None:
    part.unlink(missing_ok=True)
    _validator_file(part).unlink(missing_ok=True)


def _validator_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")
