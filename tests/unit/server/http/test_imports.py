"""Files that are sent to a server: their names, and what becomes of them when it ends."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from library_servers import client, served
from starlette.requests import Request
from starlette.types import Message

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.library import ImportReport
from litterm.server.http.app import LibraryApp, ServedRequest
from litterm.server.http.imports import ImportQueue
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
