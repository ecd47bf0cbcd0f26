"""Who may ask a server: tokens, roles, rates, web pages, and what is written down of it."""

from __future__ import annotations

import json
import socket
import ssl
import stat
from pathlib import Path

import httpx
import pytest
import trustme
from library_servers import client, served

from litterm.core.errors import SettingsError, UsageError
from litterm.server.http.listen import ListenAddress
from litterm.server.protocol.error_mapping import Refused
from litterm.server.users import audit_log
from litterm.server.users.access import AccessControl, is_loopback
from litterm.server.users.audit_log import AuditLine, AuditLog
from litterm.server.users.limits import RequestRate, ServerLimits
from litterm.server.users.user_file import UserFile

SECRET = "a query that nobody else should see"


def test_a_token_is_kept_as_a_hash_in_a_file_of_ones_own(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    token = users.add("ada", "import")
    assert token not in users.path.read_text("utf-8")
    assert stat.S_IMODE(users.path.stat().st_mode) == 0o600
    found = UserFile(tmp_path).find_by_token(token)
    assert found is not None
    assert (found.name, found.role) == ("ada", "import")
    assert users.find_by_token(token[:-1]) is None


def test_the_same_name_again_has_another_token_and_a_removed_one_has_none(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    first, second = users.add("ada", "read"), users.add("ada", "admin")
    assert users.find_by_token(first) is None
    assert [(user.name, user.role) for user in users.all()] == [("ada", "admin")]
    users.remove("ada")
    assert users.find_by_token(second) is None
    with pytest.raises(UsageError, match="no user ada"):
        users.remove("ada")
    with pytest.raises(UsageError, match="not a valid user name"):
        users.add("a b", "read")


def test_a_file_that_holds_no_users_is_no_open_door(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    users.add("ada", "read")
    users.path.write_text('{"users": [{"name": "ada", "role": "owner", "sha256": ""}]}')
    with pytest.raises(SettingsError, match="holds no users"):
        users.all()


def test_every_request_needs_a_token_once_there_are_users(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    token = users.add("ada", "read")
    with served(tmp_path) as server:
        for given, status, words in (("", 401, "A token is needed"), ("x", 401, "does not know"), (token, 200, "")):
            with client(server, given) as asking:
                answer = asking.post("/v1/search", json={"query": "pruning"})
                assert answer.status_code == status
                assert words in answer.text
        with client(server, token) as asking:
            assert asking.post("/v1/add?name=a.bib", content=b"").status_code == 403
            users.remove("ada")
            users.add("bob", "read")
            assert asking.post("/v1/search", json={}).status_code == 401


def test_who_has_the_role_changes_users_over_http(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    admin, importer = users.add("ada", "admin"), users.add("bob", "import")
    with served(tmp_path) as server:
        with client(server, importer) as asking:
            assert asking.get("/v1/users").status_code == 403
            assert asking.post("/v1/users", json={"name": "eve", "role": "admin"}).status_code == 403
            assert asking.delete("/v1/users/ada").status_code == 403
        with client(server, admin) as asking:
            token = asking.post("/v1/users", json={"name": "cem"}).json()["token"]
            assert asking.post("/v1/users", json={"name": "c m"}).status_code == 400
            told = asking.get("/v1/users")
            assert [(each["name"], each["role"]) for each in told.json()["users"]] == [
                ("ada", "admin"),
                ("bob", "import"),
                ("cem", "read"),
            ]
            assert token not in told.text
            with client(server, token) as new:
                assert new.post("/v1/status").status_code == 200
                assert asking.delete("/v1/users/cem").json() == {"removed": "cem"}
                assert new.post("/v1/status").status_code == 401


def test_without_users_another_name_of_this_machine_and_foreign_pages_are_refused(tmp_path: Path) -> None:
    with served(tmp_path) as server, client(server) as asking:
        rebound = asking.post("/v1/search", json={}, headers={"host": "evil.example"})
        assert (rebound.status_code, "its own machine" in rebound.text) == (403, True)
        page = asking.post("/v1/search", json={}, headers={"origin": "https://evil.example"})
        assert (page.status_code, "web page" in page.text) == (403, True)
        assert asking.post("/v1/add?name=a.bib", content=b"x").status_code == 403
        assert asking.get("/health").json() == {"status": "ok"}


def test_without_the_last_user_the_server_is_shut_and_not_open_to_all(tmp_path: Path) -> None:
    users = UserFile(tmp_path)
    token = users.add("ada", "admin")
    with served(tmp_path) as server, client(server, token) as asking:
        assert asking.delete("/v1/users/ada").json() == {"removed": "ada"}
        answer = asking.post("/v1/search", json={})
        assert (answer.status_code, "no users any more" in answer.text) == (401, True)
        again = users.add("bob", "read")
        assert asking.post("/v1/search", json={}, headers={"authorization": f"Bearer {again}"}).status_code == 200


def test_without_users_another_machine_is_refused_whatever_host_it_names(tmp_path: Path) -> None:
    access = AccessControl(UserFile(tmp_path), ServerLimits())
    assert access.authorize({"host": "localhost:8765"}, "127.0.0.1", "read").name == "anonymous"
    with pytest.raises(Refused, match="its own machine"):
        access.authorize({"host": "localhost:8765"}, "192.0.2.7", "read")


def test_who_asks_too_often_is_told_when_to_come_back(tmp_path: Path) -> None:
    limits = ServerLimits(per_minute=1, burst=2, refused_per_minute=1)
    users = UserFile(tmp_path)
    ada, bob = users.add("ada", "read"), users.add("bob", "read")
    with served(tmp_path, limits=limits) as server:
        with client(server, ada) as asking:
            statuses = [asking.post("/v1/status").status_code for _ in range(3)]
            assert statuses == [200, 200, 429]
            assert int(asking.post("/v1/status").headers["retry-after"]) in range(55, 62)
        with client(server, bob) as asking:
            assert asking.post("/v1/status").status_code == 200
        with client(server, "guess") as asking:
            assert [asking.post("/v1/status").status_code for _ in range(2)] == [401, 429]
        with client(server, bob) as asking:
            assert asking.post("/v1/status").status_code == 200


def test_a_rate_lets_so_many_through_in_the_long_run() -> None:
    now = [0.0]
    rate = RequestRate(60, 3, clock=lambda: now[0])
    passed = 0
    for _ in range(100):
        passed += rate.wait_s("ada") == 0
        now[0] += 0.1
    assert passed in (12, 13)


def test_what_is_written_down_tells_who_and_what_and_no_contents(tmp_path: Path) -> None:
    token = UserFile(tmp_path).add("ada", "read")
    with served(tmp_path) as server, client(server, token) as asking:
        asking.post("/v1/search", json={"query": SECRET})
        asking.post("/v1/evidence", json={"paper": "P18-1001", "hypothesis": SECRET})
    text = (tmp_path / "log" / "audit.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["user"], line["verb"], line["status"], line["address"]) for line in lines] == [
        ("ada", "search", 200, "127.0.0.1"),
        ("ada", "evidence", 200, "127.0.0.1"),
    ]
    assert all(line["bytes_in"] > 0 and line["bytes_out"] > 0 for line in lines)
    assert SECRET not in text
    assert token not in text
    assert stat.S_IMODE((tmp_path / "log" / "audit.jsonl").stat().st_mode) == 0o600


def test_every_request_is_written_down_also_one_that_asks_for_nothing_there_is(tmp_path: Path) -> None:
    with served(tmp_path) as server, client(server) as asking:
        statuses = [
            answer.status_code
            for answer in (
                asking.get("/health"),
                asking.get(f"/{SECRET}"),
                asking.get("/v1/search"),
                asking.post("/v1/search/", json={"query": SECRET}),
                asking.request("DELETE", "/"),
            )
        ]
    text = (tmp_path / "log" / "audit.jsonl").read_text("utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert statuses == [200, 404, 405, 404, 404]
    assert [(line["verb"], line["status"]) for line in lines] == [
        ("health", 200),
        ("unknown", 404),
        ("unknown", 405),
        ("unknown", 404),
        ("unknown", 404),
    ]
    assert "nobody" not in text


def test_what_is_written_down_is_for_the_owner_alone_also_after_a_rotation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "_MAX_FILE_BYTES", 1_000)
    older = tmp_path / "audit.jsonl"
    older.write_text("{}\n")
    older.chmod(0o644)
    log = AuditLog(tmp_path)
    for _ in range(30):
        log.write(AuditLine("ada", "127.0.0.1", "search", 200, 1, 2, 3))
    log.close()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) > 3
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize(
    ("host", "only_here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("127.0.0.1.", False),
        ("localhost", True),
        ("127.example.org", False),
        ("127.0.0.1.example.org", False),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
    ],
)
def test_a_host_is_of_this_machine_by_its_address_and_not_by_how_it_begins(host: str, only_here: bool) -> None:
    assert is_loopback(host) is only_here


def test_a_large_request_is_refused_and_the_next_is_answered(tmp_path: Path) -> None:
    with served(tmp_path, limits=ServerLimits(request_bytes=1000)) as server, client(server) as asking:
        answer = asking.post("/v1/search", json={"query": "x" * 2000})
        assert (answer.status_code, "larger than the 1,000 bytes" in answer.text) == (413, True)
        assert asking.post("/v1/search", json={"query": "pruning"}).status_code == 200


def test_whoever_says_nothing_or_half_a_thing_is_left_and_harms_nobody(tmp_path: Path) -> None:
    limits = ServerLimits(header_s=0.5, body_s=0.5)
    with served(tmp_path, limits=limits) as server, client(server) as asking:
        place = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        opened = [socket.create_connection(place, timeout=30) for _ in range(20)]
        half_bodies = opened[:5]
        for one in half_bodies:
            one.sendall(b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
        for one in opened[5:15]:
            one.sendall(b"POST /v1/search HTTP/1.1\r\nHost: ")
        opened[15].sendall(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
        assert asking.post("/v1/search", json={"query": "pruning"}).status_code == 200
        for one in opened:
            received = b""
            while chunk := one.recv(4096):
                received += chunk
                if one in half_bodies:
                    break
            assert (b" 408 " in received) is (one in half_bodies)
            one.close()
        assert asking.post("/v1/search", json={"query": "pruning"}).status_code == 200


def test_a_second_request_that_stays_half_is_left_too(tmp_path: Path) -> None:
    with (
        served(tmp_path, limits=ServerLimits(header_s=0.5)) as server,
        socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2])), timeout=30) as one,
    ):
        one.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        received = b""
        while b'"ok"' not in received:
            received += one.recv(4096)
        one.sendall(b"GET /health HTTP/1.1\r\nHos")
        assert one.recv(4096) == b""


def test_it_speaks_tls_with_a_certificate(tmp_path: Path) -> None:
    authority = trustme.CA()
    certificate, key, trusted = tmp_path / "one.pem", tmp_path / "one.key", tmp_path / "ca.pem"
    leaf = authority.issue_cert("127.0.0.1")
    leaf.private_key_pem.write_to_path(key)
    for blob in leaf.cert_chain_pems:
        blob.write_to_path(certificate, append=True)
    authority.cert_pem.write_to_path(trusted)
    with served(tmp_path / "home", address=ListenAddress(port=0, certificate=certificate, key=key)) as server:
        assert server.url.startswith("https://")
        context = ssl.create_default_context(cafile=str(trusted))
        with httpx.Client(base_url=server.url, verify=context, trust_env=False) as asking:
            assert asking.post("/v1/search", json={"query": "pruning"}).status_code == 200


def test_a_certificate_that_is_none_and_a_port_that_is_taken_are_told(tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("nothing")
    address = ListenAddress(port=0, certificate=tmp_path / "no.pem", key=tmp_path / "no.pem")
    with pytest.raises(UsageError, match="certificate or its key"), served(tmp_path / "a", address=address):
        pass
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = ListenAddress(port=taken.getsockname()[1])
        with pytest.raises(UsageError, match="Cannot listen at"), served(tmp_path / "b", address=address):
            pass
