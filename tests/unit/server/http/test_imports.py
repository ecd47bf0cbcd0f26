"""Files that are sent to a server: their names, and what becomes of them when it ends."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from library_servers import client, served
from starlette.requests import Request
from starlette.types import Message

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.events import PapersStored
from litterm.model.library import ImportReport
from litterm.server.http.app import LibraryApp, ServedRequest
from litterm.server.http.imports import ImportQueue
from litterm.server.http.library_server import LibraryServer
from litterm.server.users.audit_log import AuditLog
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import UserFile

RECORD = b"@article{a, title={On the names of files}, author={Doe, Jo}, year={2020}}"


@pytest.mark.parametrize(
    "name", ["\u8bba\u6587" * 100 + ".bib", "x" * 300 + ".bib", "../../a.bib", "a\0b\n.bib", "..a"]
)
def test_a_file_of_any_name_is_imported(tmp_path: Path, name: str) -> None:
    token = UserFile(tmp_path).add("ada", "import")
    with served(tmp_path, filled=False) as server, client(server, token) as asking:
        answer = asking.post("/v1/add", params={"name": name}, content=RECORD)
        assert (answer.status_code, answer.json()["added"]) == (200, 1)
        assert list((tmp_path / "cache" / "uploads").iterdir()) == []


@pytest.mark.parametrize("name", ["", " ", ".", ".."])
def test_a_file_without_a_name_is_refused(tmp_path: Path, name: str) -> None:
    token = UserFile(tmp_path).add("ada", "import")
    with served(tmp_path, filled=False) as server, client(server, token) as asking:
        answer = asking.post("/v1/add", params={"name": name}, content=RECORD)
        assert answer.status_code == 400
        assert "POST /v1/add?name=papers.bib" in answer.json()["error"]["message"]


def test_an_import_under_way_keeps_its_file_while_the_server_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    reports: list[ImportReport] = []
    real_add = Engine.add

    def slow_add(
        engine: Engine, paths: list[Path], *, retry: bool = False, attached: bool = True
    ) -> Task[ImportReport]:
        begun.set()
        go_on.wait(60)
        report = yield from real_add(engine, paths, retry=retry, attached=attached)
        reports.append(report)
        return report

    monkeypatch.setattr(Engine, "add", slow_add)
    settings = replace(from_home(tmp_path), offline=True)
    users = UserFile(tmp_path)
    token = users.add("ada", "import")
    library = LibraryApp(build_engine(settings), users, ServerLimits(), AuditLog(tmp_path / "log"))
    imports = ImportQueue(library, tmp_path / "uploads")
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/v1/add",
        "query_string": b"name=a.bib",
        "headers": [(b"authorization", f"Bearer {token}".encode())],
        "client": ("127.0.0.1", 1),
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": RECORD, "more_body": False}

    async def cancelled_while_importing() -> None:
        answering = asyncio.ensure_future(imports.answer(ServedRequest(Request(scope, receive), "add")))
        await asyncio.to_thread(begun.wait, 60)
        # As the server does with what is not finished some time after it was told to end.
        answering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answering

    asyncio.run(cancelled_while_importing())
    go_on.set()
    imports.close()
    library.close()
    assert [(report.added, report.failures) for report in reports] == [(1, ())]
    assert list((tmp_path / "uploads").iterdir()) == []


@contextmanager
def half_sent(server: LibraryServer, token: str, *, announced: int = 1000) -> Iterator[socket.socket]:
    """A file of which nothing but the first byte arrives."""
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as one:
        head = f"POST /v1/add?name=a.bib HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        one.sendall(f"{head}Content-Length: {announced}\r\n\r\n@".encode())
        folder = server_uploads(server)
        while not any(folder.glob("*/a.bib")):
            time.sleep(0.01)
        yield one


def server_uploads(server: LibraryServer) -> Path:
    return server._imports._folder


def test_2_uploads_of_one_user_and_the_third_is_told_to_wait(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    ada, bob = users.add("ada", "import"), users.add("bob", "import")
    with served(tmp_path, filled=False) as server, client(server, ada) as asking, client(server, bob) as other:
        with half_sent(server, ada), half_sent(server, ada):
            third = asking.post("/v1/add?name=b.bib", content=RECORD)
            assert (third.status_code, "2 of your files" in third.text) == (503, True)
            assert int(third.headers["retry-after"]) > 0
            assert other.post("/v1/add?name=b.bib", content=RECORD).json()["added"] == 1
        for _ in range(300):
            if not list(server_uploads(server).iterdir()):
                break
            time.sleep(0.02)
        assert asking.post("/v1/add?name=b.bib", content=RECORD).status_code == 200


def test_all_uploads_have_2_gb_and_half_of_the_free_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ServerLimits().all_uploads_bytes == 2_000_000_000
    users = UserFile(tmp_path)
    ada, bob = users.add("ada", "import"), users.add("bob", "import")
    limits = ServerLimits(all_uploads_bytes=3000)
    with served(tmp_path, filled=False, limits=limits) as server, client(server, bob) as asking:
        with half_sent(server, ada, announced=2500):
            refused = asking.post("/v1/add?name=b.bib", content=b" " * 600)
            assert (refused.status_code, "all the room" in refused.text) == (503, True)
            assert asking.post("/v1/add?name=b.bib", content=RECORD).status_code == 200
        # What is not announced is counted as it arrives.
        assert asking.post("/v1/add?name=b.bib", content=iter([b" " * 4000])).status_code == 503
        monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=100))
        assert asking.post("/v1/add?name=c.bib", content=RECORD).status_code == 503
    assert list((tmp_path / "cache" / "uploads").iterdir()) == []


def test_a_file_that_does_not_arrive_in_time_is_refused(tmp_path: Path) -> None:
    assert ServerLimits().upload_s == 600
    token = UserFile(tmp_path).add("ada", "import")
    with (
        served(tmp_path, filled=False, limits=ServerLimits(upload_s=0.3)) as server,
        half_sent(server, token) as one,
    ):
        # A byte now and then does not keep it.
        answer = b""
        while not answer:
            one.sendall(b" ")
            one.settimeout(0.1)
            with suppress(TimeoutError):
                answer = one.recv(4096)
        assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Imports of a file `endless.bib` go on until they are closed, which sets the event; others are real."""
    ended, real_add = threading.Event(), Engine.add

    def add(engine: Engine, paths: list[Path], *, retry: bool = False, attached: bool = True) -> Task[ImportReport]:
        if paths[0].name != "endless.bib":
            return (yield from real_add(engine, paths, retry=retry, attached=attached))
        try:
            while True:
                time.sleep(0.005)
                yield PapersStored(7)
        finally:
            ended.set()

    monkeypatch.setattr(Engine, "add", add)
    return ended


def test_an_import_without_an_end_makes_room_for_one_that_waits(tmp_path: Path, endless: threading.Event) -> None:
    users = UserFile(tmp_path)
    ada, bob = users.add("ada", "import"), users.add("bob", "import")
    limits = ServerLimits(import_turn_s=0.2)
    with (
        served(tmp_path, filled=False, limits=limits) as server,
        ThreadPoolExecutor(1) as threads,
        client(server, ada) as long,
        client(server, bob) as asking,
    ):
        stopped = threads.submit(long.post, "/v1/add?name=endless.bib", content=RECORD)
        while not server._imports._uploads._uploads:
            time.sleep(0.01)
        assert asking.post("/v1/add?name=b.bib", content=RECORD).json()["added"] == 1
        assert stopped.result().status_code == 503
        assert "7 records of the file are stored; send it again" in stopped.result().text
    assert endless.is_set()


def test_an_import_ends_when_its_client_goes(tmp_path: Path, endless: threading.Event) -> None:
    token = UserFile(tmp_path).add("ada", "import")
    with served(tmp_path, filled=False) as server, client(server, token) as asking:
        with pytest.raises(httpx.ReadTimeout):
            asking.post("/v1/add?name=endless.bib", content=RECORD, timeout=0.5)
        assert endless.wait(30)
        assert asking.post("/v1/add?name=b.bib", content=RECORD).json()["added"] == 1
    assert list((tmp_path / "cache" / "uploads").iterdir()) == []
