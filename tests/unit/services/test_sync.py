"""Keeping in step with a service: to the end, after trouble, after a kill."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from arxiv_server import collection, feed
from fakes_web_server import Asked, Page, WebServer, as_json, page, ranged

from litterm.build import build_engine
from litterm.core import errors
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.events import Event, Notice, Progress
from litterm.model.search import YearRange
from litterm.model.services import Scope

ARXIV = "/arxiv/api/query"
CL = Scope("cat:cs.CL")
VOLUME = (
    "<collection id='2020.{0}'><volume id='main'><meta><booktitle>B</booktitle><year>2020</year></meta>"
    "<paper id='1'><title>A paper of {0}</title><author><first>A</first><last>B</last></author>"
    "<url>2020.{0}-main.1</url></paper></volume></collection>"
)


@pytest.fixture
def engine(home: Path, server: WebServer) -> Iterator[Engine]:
    yield build_engine(from_home(home))


def rows(engine: Engine) -> list[dict[str, object]]:
    return [json.loads(line) for line in engine.export_rows()]


def test_everything_comes_and_later_only_what_is_new(engine: Engine, server: WebServer) -> None:
    server.on(ARXIV, collection(230))  # type: ignore[arg-type]
    events: list[Event] = []
    done = run(engine.services.sync("arxiv", CL), events.append)
    assert (done.report.added, done.trouble, done.subscription.complete) == (230, "", True)
    assert Progress("sync arxiv", 100, 230) in events
    assert engine.status().papers == 230
    assert rows(engine)[0]["source"] == "arxiv"
    # No paper of the user's own, as one that was asked for by its id would be.
    (synchronised,) = run(engine.imports())
    assert (synchronised.name, synchronised.papers, synchronised.is_mine) == ("arXiv", 230, False)
    server.on(ARXIV, page(feed(range(230, 235), 235)))
    (again,) = run(engine.services.sync_all())
    assert again.report.added == 5
    assert server.asked[-1].one("start") == "230"
    assert again.subscription.papers == 235


def test_trouble_keeps_what_was_stored_and_says_so(engine: Engine, server: WebServer) -> None:
    server.on(ARXIV, page(feed(range(1), 230)), page(feed(range(100), 230)), page("gone", 403))
    done = run(engine.services.sync("arxiv", CL))
    assert (done.report.added, done.subscription.complete, done.transient) == (100, False, False)
    assert "403" in done.trouble
    assert engine.services.subscriptions()[0].trouble == done.trouble
    server.on(ARXIV, collection(230))  # type: ignore[arg-type]
    assert run(engine.services.sync("arxiv", CL)).report.added == 130
    assert engine.services.subscriptions()[0].trouble == ""


def test_a_collection_nobody_has_counted_has_no_total(engine: Engine, server: WebServer) -> None:
    server.on("*", page("", 404))
    rows = [{"id": f"n{number}", "title": f"Subject {number}", "status": "Poster"} for number in range(7)]
    server.on("/iclr/lists/iclr2024.json", as_json(rows))
    server.on("/iclr/lists/iclr2023.json", as_json([]))
    events: list[Event] = []
    assert run(engine.services.sync("iclr", Scope(years=YearRange(2023, 2024))), events.append).report.added == 7
    counts = [each for each in events if isinstance(each, Progress) and each.done and each.unit == "steps"]
    assert counts and {(each.what, each.done, each.total) for each in counts} == {("sync iclr", 7, 0)}


def test_no_network_is_no_empty_collection(engine: Engine, server: WebServer) -> None:
    server.on(ARXIV, page("", 404))
    done = run(engine.services.sync("arxiv", CL))
    assert done.trouble and not done.subscription.complete and done.report.added == 0
    assert engine.services.subscriptions() == ()


def test_a_service_that_is_down_at_first_is_asked_again_by_the_next_synchronisation(
    engine: Engine, server: WebServer
) -> None:
    server.on(ARXIV, page("", 503, retry_after="999"))
    assert run(engine.services.sync("arxiv", CL)).transient
    server.on(ARXIV, collection(3))  # type: ignore[arg-type]
    assert run(engine.services.sync_all())[0].report.added == 3
    server.on(ARXIV, page("", 503, retry_after="999"))
    assert run(engine.services.sync("arxiv", Scope("cat:cs.LG"))).trouble
    assert [each.complete for each in engine.services.subscriptions()] == [True, False]


def test_a_refresh_that_ends_in_trouble_did_not_come_to_its_end(engine: Engine, server: WebServer) -> None:
    server.on("/s2/paper/search/bulk", as_json({"total": 0, "data": []}))
    assert run(engine.services.sync("s2", Scope("x"))).subscription.complete
    server.on("/s2/paper/search/bulk", page("", 503, retry_after="999"))
    assert run(engine.services.sync("s2", Scope("x"))).trouble
    (known,) = engine.services.subscriptions()
    assert known.trouble and not known.complete and known.synced_at


def test_what_is_stopped_before_anything_is_stored_is_under_way(engine: Engine, server: WebServer) -> None:
    server.on(ARXIV, collection(3))  # type: ignore[arg-type]
    run(engine.services.sync("arxiv", CL))

    def only_how_many(asked: Asked) -> Page:
        return page(feed(range(1), 230)) if asked.one("max_results") == "1" else Page(silent=True)

    server.on(ARXIV, only_how_many)
    for scope, papers in ((CL, 3), (Scope("cat:cs.LG"), 0)):
        before, task = len(server.asked), engine.services.sync("arxiv", scope)
        while len(server.asked) == before or server.asked[-1].one("max_results") == "1":
            next(task)
        task.close()
        (stopped,) = [each for each in engine.services.subscriptions() if each.scope == scope]
        assert (stopped.complete, stopped.papers) == (False, papers)
    server.on(ARXIV, collection(5))  # type: ignore[arg-type]
    assert [each.report.added for each in run(engine.services.sync_all())] == [2, 0]
    assert all(each.complete for each in engine.services.subscriptions())


def test_a_refusal_later_than_the_first_answer_leaves_nothing_that_never_was(engine: Engine, server: WebServer) -> None:
    server.on(ARXIV, page(feed(range(1), 230)), page("gone", 403))
    assert run(engine.services.sync("arxiv", CL)).trouble
    assert engine.services.subscriptions() == ()


def test_offline_is_one_switch(home: Path, server: WebServer) -> None:
    from dataclasses import replace

    offline = build_engine(replace(from_home(home), offline=True))
    with pytest.raises(errors.Offline, match="offline"):
        run(offline.services.sync("arxiv", CL))
    with pytest.raises(errors.Offline, match="offline"):
        run(offline.services.sync_all())
    assert server.asked == []


def test_a_bad_item_is_kept_and_the_rest_comes(engine: Engine, server: WebServer) -> None:
    works = [{"paperId": "a" * 40, "corpusId": 1, "title": ""}, {"paperId": "b" * 40, "corpusId": 2, "title": "Good"}]
    server.on("/s2/paper/search/bulk", as_json({"total": 2, "data": works}))
    done = run(engine.services.sync("s2", Scope("x")))
    assert done.report.added == 1
    (failure,) = engine.failures()
    assert "no title" in failure.cause and failure.origin.startswith("https://api.semanticscholar.org/")


def test_files_of_a_service_are_named_after_it(engine: Engine, server: WebServer, home: Path) -> None:
    server.on("/acl/tree", as_json({"tree": [{"path": "2020.acl.xml", "sha": "a" * 40, "size": 10}]}))
    server.on("/acl/raw/2020.acl.xml", page(VOLUME.format("acl")))
    done = run(engine.services.sync("acl", Scope(years=YearRange(2020, 2020))))
    assert done.report.added == 1
    (row,) = rows(engine)
    assert (row["id"], row["origin"]) == ("acl:2020.acl-main.1", "acl:2020.acl.xml")
    assert not list(home.rglob("*.work"))


def anthology(**files: str) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"acl-anthology-master/data/xml/2020.{name}.xml")
            member.size = len(content.encode())
            archive.addfile(member, io.BytesIO(content.encode()))
    return packed.getvalue()


def test_what_failed_in_the_archive_is_mended_by_the_file_that_comes_later(
    engine: Engine, server: WebServer, home: Path
) -> None:
    def tree(sha: str) -> Page:
        return as_json(
            {"tree": [{"path": f"2020.{name}.xml", "sha": sha * 40, "size": 9} for name in ("acl", "emnlp")]}
        )

    server.on("/acl/tree", tree("a"))
    server.on("/acl/archive", page(anthology(acl=VOLUME.format("acl"), emnlp="<collection id='2020.emnlp'><volume")))
    run(engine.services.sync("acl", Scope()))
    (failure,) = engine.failures()
    assert failure.origin.startswith("acl:2020.emnlp.xml")
    assert rows(engine)[0]["origin"] == "acl:2020.acl.xml"
    server.on("/acl/tree", as_json({"tree": [{"path": "2020.emnlp.xml", "sha": "b" * 40, "size": 9}]}, etag='"2"'))
    server.on("/acl/raw/2020.emnlp.xml", page(VOLUME.format("emnlp")))
    shutil.rmtree(from_home(home).cache / "web")
    done = run(engine.services.sync("acl", Scope()))
    assert done.report.added == 1 and engine.failures() == ()


def test_much_to_come_is_announced_and_needs_room(
    engine: Engine, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    server.on("/acl/archive", Page(b"not an archive"))
    server.on("/acl/tree", as_json({"tree": []}))
    events: list[Event] = []
    run(engine.services.sync("acl", Scope()), events.append)
    assert any(isinstance(event, Notice) and "are to be fetched" in event.text for event in events)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=1 << 20))
    with pytest.raises(errors.DiskFull, match="are free"):
        run(
            engine.services.sync(
                "acl",
                Scope(venues=()),
            )
        )


def test_many_papers_are_announced_and_need_room(
    engine: Engine, server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from types import SimpleNamespace

    server.on(ARXIV, collection(20_000))  # type: ignore[arg-type]
    first = next(event for event in engine.services.sync("arxiv", CL) if isinstance(event, Notice) and event.text)
    assert first == Notice("About 20,000 papers are to be fetched.")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=50 << 20))
    with pytest.raises(
        errors.DiskFull, match="20,000 papers are to be fetched and need 156 MB of disk space; 50 MB are free"
    ):
        run(engine.services.sync("arxiv", CL))


def test_what_cannot_be_synchronised_is_a_usage_error(engine: Engine) -> None:
    with pytest.raises(errors.UsageError, match="Nothing is subscribed"):
        run(engine.services.sync_all())
    with pytest.raises(errors.UsageError, match="acl, iclr"):
        run(engine.services.sync("google", Scope("x")))
    with pytest.raises(errors.UsageError, match="what to look for"):
        run(engine.services.sync("arxiv", Scope()))


def test_forgetting_keeps_the_papers(engine: Engine, server: WebServer) -> None:
    server.on(ARXIV, collection(3))  # type: ignore[arg-type]
    run(engine.services.sync("arxiv", CL))
    (known,) = engine.services.subscriptions()
    assert engine.services.unsubscribe(known) and not engine.services.subscriptions()
    assert engine.status().papers == 3


def test_what_is_being_synchronised_is_not_forgotten(engine: Engine, server: WebServer, home: Path) -> None:
    server.on(ARXIV, collection(3))  # type: ignore[arg-type]
    run(engine.services.sync("arxiv", CL))
    (known,) = engine.services.subscriptions()
    task = engine.services.sync("arxiv", CL)
    next(event for event in task if list(home.rglob("*.work")))
    with pytest.raises(errors.LibraryError, match=r"Another litterm is synchronising arxiv"):
        engine.services.unsubscribe(known)
    assert list(home.rglob("*.work")) and engine.services.subscriptions()
    task.close()
    assert engine.services.unsubscribe(known) and not engine.services.unsubscribe(known)
    assert not engine.services.subscriptions() and not list(home.rglob("*.work"))


def test_an_archive_goes_on_where_it_broke_off(engine: Engine, server: WebServer, home: Path) -> None:
    content = bytes(range(256)) * 4000
    server.on("/acl/tree", as_json({"tree": []}))
    server.on("/acl/archive", *[Page(content, headers={"etag": '"one"'}, cut_at=600_000)] * 4)
    assert run(engine.services.sync("acl", Scope())).transient
    (part,) = home.rglob("*.part")
    have = part.stat().st_size
    server.on("/acl/archive", ranged(content))
    run(engine.services.sync("acl", Scope()))
    assert server.asked_for("/acl/archive")[-1].headers["range"] == f"bytes={have}-"
    assert not list(home.rglob("*.work"))


def command(home: Path, server: WebServer) -> subprocess.Popen[str]:
    environ = {**os.environ, "LITTERM_HOME": str(home), "LITTERM_SERVICES": server.url}
    argv = [sys.executable, "-m", "litterm", "sync", "arxiv", "cat:cs.CL"]
    return subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_killed_again_and_again_it_ends_with_the_same_library(home: Path, server: WebServer, tmp_path: Path) -> None:
    total = 700
    server.on(ARXIV, collection(total))  # type: ignore[arg-type]
    calm = tmp_path / "calm"
    calm.mkdir()
    _, told = (process := command(calm, server)).communicate(timeout=60)
    assert process.returncode == 0, told
    chance = random.Random(11)
    for _ in range(5):
        process = command(home, server)
        time.sleep(chance.uniform(0.25, 1.1))
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
    _, told = (process := command(home, server)).communicate(timeout=60)
    assert process.returncode == 0, told
    exported = [list(build_engine(from_home(each)).export_rows()) for each in (calm, home)]
    assert len(exported[0]) == total
    assert exported[0] == exported[1]
