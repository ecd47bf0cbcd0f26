"""The server as a process: killed, filled while others search, and started with options that make no sense."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from commands import Done, done
from library_servers import client, served

from litterm.cli import serve
from litterm.cli.main import main
from litterm.server.users.user_file import UserFile


def rows(first: int, count: int) -> bytes:
    """So many papers as JSON Lines, each with a word of its own."""
    told = (
        {"id": f"acl:X{n:04}", "title": f"On the parsing of word{n:04}", "abstract": "Trees are parsed.", "year": 2020}
        for n in range(first, first + count)
    )
    return "".join(f"{json.dumps(each)}\n" for each in told).encode()


@contextmanager
def running(home: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that serves the library in `home`, and its address."""
    argv = [sys.executable, "-m", "litterm", "serve", "--port", "0", "--home", str(home)]
    process = subprocess.Popen(argv, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        (url,) = re.findall(r"http://[\d.:]+", process.stderr.readline())
        yield process, url
    finally:
        process.kill()
        process.communicate()


def titles(url: str, token: str, query: str) -> list[str]:
    headers = {"authorization": f"Bearer {token}"}
    answer = httpx.post(f"{url}/v1/search", json={"query": query}, headers=headers, trust_env=False, timeout=60)
    return [each["title"] for each in answer.json()["results"] if not each["starter"]]


def test_a_kill_takes_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    token = UserFile(tmp_path).add("ada", "import")
    headers = {"authorization": f"Bearer {token}"}
    with running(tmp_path) as (process, url):
        answer = httpx.post(
            f"{url}/v1/add?name=first.jsonl", content=rows(0, 3), headers=headers, trust_env=False, timeout=120
        )
        assert answer.json()["added"] == 3
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as half:
            content = rows(3, 3)
            head = f"POST /v1/add?name=second.jsonl HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n"
            half.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content[:100])
            process.send_signal(signal.SIGKILL)
            process.wait()
    with running(tmp_path) as (process, url):
        assert titles(url, token, "word0001") == ["On the parsing of word0001"]
        answer = httpx.post(
            f"{url}/v1/add?name=second.jsonl", content=content, headers=headers, trust_env=False, timeout=120
        )
        assert answer.json()["added"] == 3
        assert titles(url, token, "word0004") == ["On the parsing of word0004"]
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def test_twenty_search_while_one_imports(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    importer, reader = users.add("bob", "import"), users.add("ada", "read")
    ended, statuses = threading.Event(), list[int]()

    with served(tmp_path) as server:

        def search() -> None:
            with client(server, reader) as asking:
                while not ended.is_set() or not statuses:
                    statuses.append(asking.post("/v1/search", json={"query": "pruning"}).status_code)
                    ended.wait(0.5)

        searching = [threading.Thread(target=search) for _ in range(20)]
        for thread in searching:
            thread.start()
        with client(server, importer) as asking:
            added = [
                asking.post(f"/v1/add?name={n}.jsonl", content=rows(100 * n, 40), timeout=120).json()["added"]
                for n in range(2)
            ]
        ended.set()
        for thread in searching:
            thread.join()
    assert added == [40, 40]
    assert set(statuses) == {200}


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    return lambda *argv: done(main(["serve", *argv]), capsys)


def test_users_are_added_listed_and_removed_by_the_command(litterm: Callable[..., Done]) -> None:
    added = litterm("--add-user", "ada", "--role", "import")
    assert added.out.startswith("litterm-")
    assert "shown only once" in added.err
    assert re.fullmatch(r"ada  import  \S+Z\n", litterm("--list-users").out)
    assert litterm("--remove-user", "ada").status == 0
    assert litterm("--list-users").out == ""
    assert litterm("--remove-user", "ada").status == 2


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--host", "0.0.0.0"), "the server has no users"),
        (("--key", "a.pem"), "belong together"),
        (("--role", "read"), "belongs to --add-user"),
        (("--add-user", "ada", "--list-users"), "cannot be combined"),
        (("--add-user", "a b"), "not a valid user name"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    litterm: Callable[..., Done], argv: tuple[str, ...], words: str
) -> None:
    refused = litterm(*argv)
    assert (refused.status, words in refused.err) == (2, True)


def test_without_the_extra_the_command_says_what_to_install(
    litterm: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "find_spec", lambda _name: None)
    refused = litterm("--list-users")
    assert (refused.status, 'pip install "starlette' in refused.err) == (2, True)


def test_nothing_of_server_or_cluster_is_loaded_by_other_commands(home: Path) -> None:
    code = (
        "import sys; from litterm.cli.main import main; main(['search', 'pruning']); "
        "print([name for name in sys.modules if name.startswith(('litterm.server', 'litterm.cluster')) "
        "or name.split('.')[0] in ('starlette', 'uvicorn', 'h11', 'anyio', 'ray', 'fsspec')])"
    )
    argv = [sys.executable, "-c", code]
    ended = subprocess.run(argv, capture_output=True, text=True, check=True, env={**os.environ, "LITTERM_OFFLINE": "1"})
    assert ended.stdout.splitlines()[-1] == "[]"
