"""The HTTP client for services of papers, against a real local server."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import trustme
from fakes_web_server import Page, WebServer, as_json, packed, page, ranged
from http_clients import WebClock, opened, serving

from litterm.core import errors
from litterm.core.tasks import run
from litterm.model.events import Event, Progress, WaitingForServer
from litterm.services.http.client import HttpClient
from litterm.services.http.download import download
from litterm.services.http.messages import Request, ServiceResponse
from litterm.services.http.rate_limit import RATE_LIMITS
from litterm.services.http.safe_transport import check_url, is_public, public_addresses

SECRET = "s3cr3t-key"


def ask(server: WebServer, path: str = "/a", **changes: object) -> Request:
    return Request(f"{server.url}{path}", **changes)  # type: ignore[arg-type]


def test_who_asks_is_said(client: HttpClient, server: WebServer) -> None:
    server.on("/a", as_json({"ok": True}))
    assert run(client.get(ask(server, params=(("q", "a b+c"),)))).text == '{"ok": true}'
    (asked,) = server.asked
    # No page of the project is named, as there is none.
    assert asked.headers["user-agent"] == "litterm/9.9 (mailto:me@uni.example)"
    assert replace(client.settings, contact="").agent == "litterm/9.9"
    assert asked.one("q") == "a b+c"


def test_a_fresh_answer_is_not_asked_for_again_and_an_old_one_conditionally(
    client: HttpClient, server: WebServer, clock: WebClock
) -> None:
    server.on("/a", as_json([1], etag='"v1"'), page(status=304), as_json([2], etag='"v2"'))
    request = ask(server, fresh_s=100.0)
    assert run(client.get(request)).kept is False
    assert run(client.get(request)).kept is True
    assert len(server.asked) == 1
    clock.now += 200
    assert run(client.get(request)).text == "[1]"
    assert server.asked[1].headers["if-none-match"] == '"v1"'
    assert run(client.get(request)).kept is True, "a 304 makes it fresh again"
    clock.now += 200
    assert run(client.get(request)).text == "[2]"


def test_an_answer_from_the_future_is_not_fresh(client: HttpClient, server: WebServer, clock: WebClock) -> None:
    server.on("/a", as_json([1]), as_json([2]))
    run(client.get(ask(server, fresh_s=100.0)))
    clock.now -= 3600
    assert run(client.get(ask(server, fresh_s=100.0))).text == "[2]"


def test_what_is_not_there_is_remembered_for_a_day(client: HttpClient, server: WebServer, clock: WebClock) -> None:
    server.on("/a", page("no such paper", 404))
    for _ in range(2):
        with pytest.raises(errors.NotFound):
            run(client.get(ask(server)))
    assert len(server.asked) == 1
    clock.now += 90_000
    with pytest.raises(errors.NotFound):
        run(client.get(ask(server)))
    assert len(server.asked) == 2


def test_only_that_it_is_missing_is_remembered_of_what_is_not_kept(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    server.on("/a", page("no such page", 404))
    for _ in range(2):
        with pytest.raises(errors.NotFound):
            run(client.get(ask(server, keep=False)))
        with pytest.raises(errors.NotFound):
            run(download(client, ask(server, "/b.pdf", expect="pdf", keep=False), tmp_path / "b.pdf"))
    assert [each.path for each in server.asked] == ["/a", "/b.pdf"]
    server.on("/c", as_json([1]), as_json([2]))
    assert [run(client.get(ask(server, "/c", keep=False))).text for _ in range(2)] == ["[1]", "[2]"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (page("{}", 401), errors.AuthRequired),
        (page("{}", 403), errors.AuthRequired),
        (page("<html>Just a moment...</html>", 403, content_type="text/html"), errors.Challenged),
        (page("<!DOCTYPE html><div class='cf-chl'>", 200), errors.Challenged),
        (page("<html>hello</html>", 200), errors.Malformed),
        (page("oops", 200), errors.Malformed),
        (page("{}", 400), errors.RequestFaulty),
        (page('{"error": "daily budget exhausted"}', 429), errors.QuotaExhausted),
        (page("", 402), errors.QuotaExhausted),
    ],
)
def test_trouble_that_stays_is_not_tried_again(
    client: HttpClient, server: WebServer, answer: Page, kind: type[errors.SourceError]
) -> None:
    server.on("/a", answer)
    with pytest.raises(kind) as raised:
        run(client.get(ask(server)))
    assert not raised.value.transient
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (page("slow down", 429), errors.RateLimited),
        (page("", 503), errors.ServiceDown),
        (Page(b"x" * 500, headers={"content-type": "application/json"}, cut_at=100), errors.Unreachable),
    ],
)
def test_trouble_that_passes_is_tried_four_times_with_growing_waits(
    client: HttpClient, server: WebServer, clock: WebClock, answer: Page, kind: type[errors.SourceError]
) -> None:
    server.on("/a", answer)
    with pytest.raises(kind, match="was tried 4 times") as raised:
        run(client.get(ask(server)))
    assert raised.value.transient
    assert len(server.asked) == 4
    assert sum(clock.slept) == pytest.approx(1 + 2 + 4)


def counted(events: list[Event]) -> list[int]:
    """The countdown, each second once: on a slow machine one may be said again while it lasts."""
    return list(dict.fromkeys(round(event.left_s) for event in events if isinstance(event, WaitingForServer)))


class SlowClock(WebClock):
    """Its seconds are short, and yet long enough for a lull to be noticed."""

    async def sleep(self, seconds: float) -> None:
        await super().sleep(seconds)
        await asyncio.sleep(0.3)


def test_nothing_else_is_said_to_be_waited_for_during_a_countdown(tmp_path: Path, server: WebServer) -> None:
    server.on("/a", page("", 429, retry_after="2"), as_json([]))
    events: list[Event] = []
    with opened(tmp_path, server, clock=SlowClock()) as client:
        run(client.get(ask(server)), events.append)
    first = next(at for at, event in enumerate(events) if isinstance(event, WaitingForServer))
    last = max(at for at, event in enumerate(events) if isinstance(event, WaitingForServer))
    assert {type(event) for event in events[first:last]} == {WaitingForServer}
    assert counted(events) == [2, 1, 0]


def test_retry_after_wins_and_is_counted_down(client: HttpClient, server: WebServer) -> None:
    server.on("/a", page("", 429, retry_after="3"), as_json([]))
    events: list[Event] = []
    assert run(client.get(ask(server)), events.append).text == "[]"
    assert counted(events) == [3, 2, 1, 0]


def test_a_time_in_the_body_is_waited_for_too(client: HttpClient, server: WebServer, clock: WebClock) -> None:
    clock.now = 1_788_166_765.0  # 2026-08-31T08:59:25Z
    refusal = {"name": "RateLimitError", "details": {"resetTime": "2026-08-31T08:59:29Z"}}
    server.on("/a", as_json(refusal, 429), as_json([]))
    events: list[Event] = []
    assert run(client.get(ask(server)), events.append).text == "[]"
    assert counted(events) == [4, 3, 2, 1, 0]


def test_a_reset_of_its_own_is_more_exact_than_the_usual_header(client: HttpClient, server: WebServer) -> None:
    server.on("/a", page("", 429, ratelimit_reset="2", retry_after="90"), as_json([]))
    events: list[Event] = []
    run(client.get(ask(server)), events.append)
    assert counted(events) == [2, 1, 0]


def test_what_is_allowed_now_is_kept_to_before_it_is_refused(
    client: HttpClient, server: WebServer, clock: WebClock
) -> None:
    server.on("/a", as_json([], ratelimit_remaining="0", ratelimit_reset="5"))
    server.on("/b", as_json([], ratelimit_remaining="0", ratelimit_reset="3000"))
    server.on("/c", as_json([], ratelimit_remaining="12", ratelimit_reset="60"))
    run(client.get(ask(server)))
    assert clock.slept == []
    for path in ("/b", "/c", "/d"):
        server.on("/d", as_json([]))
        run(client.get(ask(server, path)))
    assert sum(clock.slept) == pytest.approx(5)


def test_a_service_that_blocks_who_comes_back_soon_is_left_alone_for_longer(
    client: HttpClient, server: WebServer, clock: WebClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RATE_LIMITS, "127.0.0.1", RATE_LIMITS["export.arxiv.org"])
    server.on("/a", page("Rate exceeded.", 429))
    with pytest.raises(errors.RateLimited, match="was tried 3 times"):
        run(client.get(ask(server)))
    assert len(server.asked) == 3
    assert sum(clock.slept) >= 60 + 90
    server.on("/a", page("", 503))
    with pytest.raises(errors.ServiceDown, match="was tried 4 times"):
        run(client.get(ask(server)))


def test_an_hour_is_reported_and_not_slept(client: HttpClient, server: WebServer, clock: WebClock) -> None:
    server.on("/a", page("", 503, retry_after="3600"))
    with pytest.raises(errors.ServiceDown, match="3,600 s"):
        run(client.get(ask(server)))
    assert clock.slept == []


def test_a_failure_inside_a_good_answer_is_not_kept(client: HttpClient, server: WebServer) -> None:
    server.on("/a", as_json({"error": "backend down"}), as_json({"ok": 1}))

    def check(answer: ServiceResponse) -> None:
        if "error" in answer.text:
            raise errors.Malformed("The service reports an error.")

    with pytest.raises(errors.Malformed):
        run(client.get(ask(server), check))
    assert run(client.get(ask(server), check)).kept is False


def test_a_small_answer_that_unpacks_to_gigabytes_is_refused(client: HttpClient, server: WebServer) -> None:
    bomb = gzip.compress(b"[" + b" " * 30_000_000)
    server.on("/a", Page(bomb, headers={"content-encoding": "gzip"}))
    with pytest.raises(errors.TooLarge):
        run(client.get(ask(server, most_bytes=1 << 20)))


def test_packed_answers_are_unpacked(client: HttpClient, server: WebServer) -> None:
    server.on("/a", packed(as_json({"n": "x" * 300_000})))
    assert len(run(client.get(ask(server))).body) > 300_000


def test_a_key_is_sent_and_never_shown(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    server.on("/a", page(f"bad key {SECRET} for mailto=me@uni.example", 400))
    request = ask(server, secret_headers=(("x-api-key", SECRET),), secret_params=(("api_key", SECRET),))
    with pytest.raises(errors.RequestFaulty) as raised:
        run(client.get(request))
    assert server.asked[0].headers["x-api-key"] == SECRET
    assert server.asked[0].one("api_key") == SECRET
    assert SECRET not in str(raised.value) and "uni.example" not in str(raised.value)
    server.on("/a", as_json([]))
    assert SECRET not in run(client.get(request)).url
    assert all(SECRET.encode() not in each.read_bytes() for each in tmp_path.rglob("*.answer"))


@pytest.mark.parametrize(("status", "method"), [(303, "GET"), (307, "POST"), (308, "POST"), (301, "POST")])
def test_a_post_that_is_sent_to_see_something_else_reads_it(
    client: HttpClient, server: WebServer, status: int, method: str
) -> None:
    server.on("/there", as_json({"read": True}))
    server.on("/here", page(status=status, location="/there"))
    run(client.get(Request(f"{server.url}/here", method="POST", json={"ids": ["secret"]})))
    asked = server.asked[-1]
    assert (asked.path, asked.method, bool(asked.body)) == ("/there", method, method == "POST")
    assert ("content-type" in asked.headers) == (method == "POST")


def test_a_key_does_not_follow_a_redirect_to_another_service(tmp_path: Path, clock: WebClock) -> None:
    with serving() as first, serving() as second, opened(tmp_path, first, second, clock=clock) as client:
        first.on("/a", page(status=302, location=f"{second.url}/b"))
        second.on("/b", as_json([]))
        run(client.get(ask(first, secret_headers=(("authorization", SECRET),), secret_params=(("key", SECRET),))))
        assert "authorization" not in second.asked[0].headers
        assert "key" not in second.asked[0].query


@pytest.mark.parametrize("there", ["http://127.0.0.1:9/x", "http://169.254.169.254/latest", "file:///etc/passwd"])
def test_a_redirect_into_this_machine_is_refused(client: HttpClient, server: WebServer, there: str) -> None:
    server.on("/a", page(status=302, location=there))
    with pytest.raises(errors.AddressRefused):
        run(client.get(ask(server)))


def test_being_sent_in_circles_ends(client: HttpClient, server: WebServer) -> None:
    server.on("/a", page(status=301, location="/a"))
    with pytest.raises(errors.Malformed, match="never answers"):
        run(client.get(ask(server)))
    assert len(server.asked) == 6


def test_offline_says_so_and_asks_nobody(tmp_path: Path, server: WebServer) -> None:
    with opened(tmp_path, server, offline=True) as client, pytest.raises(errors.Offline, match="offline"):
        run(client.get(ask(server)))
    assert server.asked == []


def test_closing_a_request_lets_go_at_once(client: HttpClient, server: WebServer) -> None:
    server.on("/a", Page(silent=True))
    task = client.get(ask(server))
    while not server.asked:
        assert isinstance(next(task), Progress)
    task.close()


# -- addresses ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    "127.0.0.1 10.1.2.3 192.168.0.1 172.16.0.1 169.254.1.1 0.0.0.0 100.64.0.1 224.0.0.1 240.0.0.1"
    " ::1 fe80::1 fc00::1 ::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1::".split(),
)
def test_what_is_not_public_is_refused(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    with pytest.raises(errors.AddressRefused):
        check_url(f"http://[{address}]/" if ":" in address else f"http://{address}/")


async def test_one_private_address_among_public_ones_refuses_the_name() -> None:
    async def resolver(_host: str, _port: int) -> tuple[str, ...]:
        return "93.184.216.34", "10.0.0.1"

    with pytest.raises(errors.AddressRefused, match=r"10\.0\.0\.1"):
        await public_addresses("papers.example", 443, resolver)


@pytest.mark.parametrize(
    "url", ["ftp://x.org/a", "javascript:alert(1)", "https://me:pw@x.org/", "https://", "http://x:99999/"]
)
def test_what_is_no_plain_web_address_is_refused(url: str) -> None:
    with pytest.raises(errors.AddressRefused):
        check_url(url)


# -- downloads ---------------------------------------------------------------------------------------------------------

PDF = b"%PDF-1.7\n" + bytes(range(256)) * 2000


def test_a_download_goes_on_where_it_broke_off(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    whole = ranged(PDF)
    server.on("/p.pdf", Page(PDF, headers={"etag": '"one"'}, cut_at=200_000), whole)
    events: list[Event] = []
    got = run(download(client, ask(server, "/p.pdf", expect="pdf"), tmp_path / "p.pdf"), events.append)
    assert got.path.read_bytes() == PDF
    assert int(server.asked[1].headers["range"].removeprefix("bytes=").rstrip("-")) > 0
    assert Progress(f"from {server.netloc.partition(':')[0]}", len(PDF), len(PDF), "bytes") in events
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["p.pdf"]


def test_a_changed_file_is_fetched_anew(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    server.on("/p.pdf", Page(b"%PDF-old" + PDF, headers={"etag": '"old"'}, cut_at=1000), ranged(PDF, etag='"new"'))
    run(download(client, ask(server, "/p.pdf", expect="pdf"), tmp_path / "p.pdf"))
    assert (tmp_path / "p.pdf").read_bytes() == PDF


def test_what_may_differ_in_a_byte_is_not_continued(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    weak = 'W/"one"'
    server.on("/p.pdf", Page(PDF, headers={"etag": weak}, cut_at=200_000), ranged(PDF, etag=weak))
    run(download(client, ask(server, "/p.pdf", expect="pdf"), tmp_path / "p.pdf"))
    assert "range" not in server.asked[1].headers
    assert (tmp_path / "p.pdf").read_bytes() == PDF


def test_a_web_page_is_no_pdf_and_leaves_nothing(client: HttpClient, server: WebServer, tmp_path: Path) -> None:
    server.on("/p.pdf", page("<html>sign in</html>"))
    with pytest.raises(errors.Malformed, match="web page"):
        run(download(client, ask(server, "/p.pdf", expect="pdf"), tmp_path / "p.pdf"))
    assert [each for each in tmp_path.iterdir() if each.is_file()] == []


def test_more_than_was_allowed_is_refused_before_it_comes(
    client: HttpClient, server: WebServer, tmp_path: Path
) -> None:
    server.on("/p.pdf", ranged(PDF))
    with pytest.raises(errors.TooLarge, match="announces"):
        run(download(client, ask(server, "/p.pdf", expect="pdf", most_bytes=1000), tmp_path / "p.pdf"))


def test_without_room_nothing_is_begun(
    client: HttpClient, server: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil
    from types import SimpleNamespace

    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=1000))
    server.on("/p.pdf", ranged(PDF))
    with pytest.raises(errors.DiskFull, match="are free"):
        run(download(client, ask(server, "/p.pdf", expect="pdf"), tmp_path / "p.pdf"))


# -- pace --------------------------------------------------------------------------------------------------------------


async def test_hosts_of_one_owner_share_their_pace() -> None:
    from litterm.core.backoff import Clock
    from litterm.services.http.rate_limit import RateLimiter

    clock = WebClock()
    gates = RateLimiter(Clock(lambda: clock.now, clock.sleep, lambda: 0.0))
    for host in ("eutils.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "export.arxiv.org", "arxiv.org"):
        async with gates.slot(host, lambda _event: None):
            pass
    assert clock.slept == pytest.approx([0.34, 3.0])


@pytest.mark.parametrize(
    ("refusal", "why"),
    [
        (page("", 429, retry_after="2"), "asked for patience"),
        (page("", 503), "has trouble"),
        (Page(b"{}" * 500, cut_at=100), "cannot be reached"),
    ],
)
def test_what_is_waited_for_is_said_as_it_is(client: HttpClient, server: WebServer, refusal: Page, why: str) -> None:
    server.on("/x", refusal, as_json({}))
    events: list[Event] = []
    run(client.get(ask(server, "/x")), events.append)
    assert {event.why for event in events if isinstance(event, WaitingForServer)} == {f"127.0.0.1 {why}"}


# -- names and certificates --------------------------------------------------------------------------------------------


async def leads_here(_host: str, _port: int) -> tuple[str, ...]:
    return ("127.0.0.1",)


async def test_a_name_is_looked_up_once_and_that_address_is_connected_to(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpx

    from litterm.services.http import safe_transport
    from litterm.services.http.safe_transport import CheckedTransport

    looked_up: list[str] = []

    async def resolver(host: str, _port: int) -> tuple[str, ...]:
        looked_up.append(host)
        return await leads_here(host, 0)

    port = server.netloc.partition(":")[2]
    server.on("/a", as_json([]))
    async with httpx.AsyncClient(transport=CheckedTransport(resolver=resolver)) as client:
        with pytest.raises(errors.AddressRefused):
            await client.get(f"http://papers.example:{port}/a")
        assert server.asked == []
        monkeypatch.setattr(safe_transport, "is_public", lambda _address: True)
        await client.get(f"http://papers.example:{port}/a")
    assert server.asked[0].headers["host"] == f"papers.example:{port}"
    assert looked_up == ["papers.example"] * 2


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secure(authority: trustme.CA) -> Iterator[WebServer]:
    with serving(authority.issue_cert("papers.example")) as server:
        server.on("/a", as_json([]))
        yield server


def test_a_certificate_nobody_vouches_for_is_explained(tmp_path: Path, secure: WebServer) -> None:
    request = Request(f"https://{secure.netloc}/a")
    with (
        opened(tmp_path, secure) as client,
        pytest.raises(errors.SourceError, match=r"not trusted.*SSL_CERT_FILE") as raised,
    ):
        run(client.get(request))
    assert not raised.value.transient
    assert secure.asked == []


async def test_the_certificate_is_checked_against_the_name_not_the_address(
    secure: WebServer, authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpx

    from litterm.services.http import safe_transport
    from litterm.services.http.safe_transport import CheckedTransport

    monkeypatch.setattr(safe_transport, "is_public", lambda _address: True)
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    port = secure.netloc.partition(":")[2]
    async with httpx.AsyncClient(transport=CheckedTransport(resolver=leads_here)) as client:
        assert (await client.get(f"https://papers.example:{port}/a")).status_code == 200
        with pytest.raises(httpx.ConnectError):
            await client.get(f"https://other.example:{port}/a")


def test_the_network_is_told_from_the_service(client: HttpClient, server: WebServer) -> None:
    assert client.network.word == "unused"
    server.on("/a", as_json([]))
    run(client.get(ask(server)))
    assert client.network.word == "online"
    server.on("/b", page("", 503, retry_after="9999"))
    with pytest.raises(errors.ServiceDown):
        run(client.get(Request(f"{server.url}/b")))
    assert client.network.word == "service down"
    server.on("/c", page("", 404))
    with pytest.raises(errors.NotFound):
        run(client.get(Request(f"{server.url}/c")))
    assert client.network.word == "online"
    with pytest.raises(errors.NoNetwork, match=r"is there a network connection\? It was tried 2 times"):
        run(client.get(Request("https://nowhere.invalid/")))
    assert client.network.word == "no network"
