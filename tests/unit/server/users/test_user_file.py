"""The file of users: many who change it at once, its lock and its mode, and tokens revoked while a request runs."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from library_servers import client, served

from litterm.core.errors import SettingsError
from litterm.engine import Engine
from litterm.server.protocol.error_mapping import Refused
from litterm.server.users.access import AccessControl
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import UserFile

ROUNDS = 50
OTHER_PROCESS = """
import sys
from pathlib import Path
from litterm.server.users.user_file import UserFile

users = UserFile(Path(sys.argv[1]))
for n in range(int(sys.argv[2])):
    users.add(f"other-{n}", "read")
    print(users.add(f"gone-other-{n}", "read"), flush=True)
    users.remove(f"gone-other-{n}")
"""


def test_no_change_is_lost_and_no_revoked_token_comes_back_among_many_who_change_users(tmp_path: Path) -> None:
    access = AccessControl(UserFile(tmp_path), ServerLimits(per_minute=1_000_000, burst=1_000_000))
    lost = list[str]()

    def change(worker: int) -> None:
        users = UserFile(tmp_path)
        for n in range(ROUNDS):
            kept, revoked = users.add(f"kept-{worker}-{n}", "read"), users.add(f"gone-{worker}-{n}", "read")
            users.remove(f"gone-{worker}-{n}")
            if users.find_by_token(revoked) is not None:
                lost.append(f"gone-{worker}-{n} came back")
            if users.find_by_token(kept) is None:
                lost.append(f"kept-{worker}-{n} is lost")

    changing = [threading.Thread(target=change, args=(worker,)) for worker in range(3)]
    command = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path), str(ROUNDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        for thread in changing:
            thread.start()
        assert other.stdout is not None
        revoked_elsewhere = other.stdout.read().split()
        for thread in changing:
            thread.join()
    assert (other.returncode, lost, len(revoked_elsewhere)) == (0, [], ROUNDS)
    kept = {f"kept-{worker}-{n}" for worker in range(3) for n in range(ROUNDS)} | {f"other-{n}" for n in range(ROUNDS)}
    assert {user.name for user in UserFile(tmp_path).all()} == kept
    for token in revoked_elsewhere:
        with pytest.raises(Refused, match=r"does not know|wrong tokens"):
            access.authorize({"authorization": f"Bearer {token}"}, "127.0.0.1", "read")


def test_the_lock_of_a_killed_process_holds_nobody_up(tmp_path: Path) -> None:
    code = "import sys, time; from pathlib import Path; from litterm.library.lock import WriteLock;"
    code += "WriteLock(Path(sys.argv[1])).try_acquire(); print('held', flush=True); time.sleep(60)"
    command = [sys.executable, "-c", code, str(tmp_path / "server-users.json.lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
    token = UserFile(tmp_path).add("ada", "read")
    assert UserFile(tmp_path).find_by_token(token) is not None


def test_a_change_within_a_tick_of_the_clock_counts(tmp_path: Path) -> None:
    users, other = UserFile(tmp_path), UserFile(tmp_path)
    revoked = users.add("ada", "read")
    assert other.find_by_token(revoked) is not None
    before, first_file = users.path.stat(), tmp_path / "first"
    first_file.hardlink_to(users.path)
    users.add("ada", "read")
    # As a file system may give the inode of the removed file, and the time of the same tick, to the next one.
    first_file.write_bytes(users.path.read_bytes())
    os.utime(first_file, ns=(before.st_atime_ns, before.st_mtime_ns))
    first_file.replace(users.path)
    after = users.path.stat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (before.st_ino, before.st_size, before.st_mtime_ns)
    assert other.find_by_token(revoked) is None


def test_the_file_of_users_is_private_from_its_first_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = list[int]()
    rename = Path.replace

    def watched(self: Path, target: Path) -> Path:
        modes.append(stat.S_IMODE(self.stat().st_mode))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    previous = os.umask(0o000)
    try:
        UserFile(tmp_path).add("ada", "read")
    finally:
        os.umask(previous)
    assert modes == [0o600]
    assert stat.S_IMODE((tmp_path / "server-users.json.lock").stat().st_mode) == 0o600


def test_a_file_of_users_that_cannot_be_read_is_no_open_door(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    users.path.mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        users.all()


def test_a_token_revoked_on_an_open_connection_is_refused_there(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    users.add("bob", "admin")
    token = users.add("ada", "import")
    with served(tmp_path) as server, socket.create_connection(("127.0.0.1", urlsplit(server.url).port or 0)) as half:
        content = b'{"query": "pruning"}'
        head = f"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        half.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content[:5])
        # The head has been admitted once another request is answered by the same thread.
        with client(server, token) as asking:
            assert asking.post("/v1/status").status_code == 200
        users.remove("ada")
        half.sendall(content[5:])
        answer = half.recv(65536)
    assert answer.startswith(b"HTTP/1.1 401")
    assert b"pruning of" not in answer


def test_an_answer_in_preparation_is_withheld_from_a_token_revoked_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = UserFile(tmp_path)
    users.add("bob", "admin")
    token = users.add("ada", "read")
    asked = Engine.search

    def search_while_revoked(*args: object, **options: object) -> object:
        users.remove("ada")
        return asked(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Engine, "search", search_while_revoked)
    with served(tmp_path) as server, client(server, token) as asking:
        answer = asking.post("/v1/search", json={"query": "pruning"})
    assert answer.status_code == 401
    assert "pruning of" not in answer.text
