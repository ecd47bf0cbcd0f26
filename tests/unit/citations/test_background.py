"""Many lists are read by another process: what the first one says of it, and what a kill costs."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from graphs import citations, citing, read, written
from libraries import store

from litterm.build import build_engine
from litterm.citations import background
from litterm.citations import citations as module
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.library.workers.process import environment, module_command
from litterm.model.events import Event, Notice
from litterm.model.library import Parsed
from litterm.model.paper import PaperId

COUNT = 12
PATIENCE_S = 60.0
A = PaperId("acl:A")


def citer(number: int) -> Parsed:
    """A paper that cites A; no two have one title or one text."""
    title = f"Zebras of the savanna, herd {number}, {'xyz' * (number + 1)}"
    return citing(f"T{number}", [f"Herd {number} follows the first one [1]."], "A", title=title, year=2010)


def made(root: Path, count: int = COUNT) -> Path:
    """A library in which so many papers cite A."""
    store(root, [written("A"), *map(citer, range(count))])
    return root


def citers(root: Path) -> int:
    return len(citations(root).graph().citations([A])[0])


def until(true: Callable[[], bool]) -> None:
    """Waits for what another process does."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def stored_papers(root: Path) -> set[str]:
    """The papers whose lists are stored."""
    with citations(root).store.read() as stored:
        return {head.paper for head in stored.heads()}


def test_of_many_lists_the_first_are_read_at_once_and_the_rest_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FOREGROUND_LISTS", 5)
    monkeypatch.setattr(module, "FIRST_LISTS", 5)
    root, started, events = made(tmp_path / "library"), [], list[Event]()
    graph = citations(root, background=lambda: started.append(root))
    run(graph.catch_up(), events.append)
    assert len(started) == 1
    assert citers(root) == 5
    assert graph.store.unread() == COUNT - 5
    (notice,) = [event.text for event in events if isinstance(event, Notice)]
    assert notice.startswith("7 reference lists are not read yet")
    later = citations(root)
    assert len(read(later)) == COUNT - 5
    assert citers(root) == COUNT
    assert later.store.unread() == 0
    assert run(citations(root, background=lambda: started.append(root)).update()) is not None
    assert len(started) == 1


def test_where_many_lists_are_left_new_ones_wait_for_the_background_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FOREGROUND_LISTS", 5)
    root, started, events = made(tmp_path / "library"), [], list[Event]()
    run(citations(root, background=lambda: started.append(root)).catch_up())
    before = citers(root)
    store(root, [citer(COUNT)])
    run(citations(root, background=lambda: started.append(root)).catch_up(), events.append)
    assert (citers(root), len(started)) == (before, 2)
    assert any("reference lists are not read yet" in event.text for event in events if isinstance(event, Notice))
    background.catch_up_all(citations(root))
    assert citers(root) == COUNT + 1


def test_few_lists_are_read_at_once(tmp_path: Path) -> None:
    root, started = made(tmp_path / "library"), []
    run(citations(root, background=lambda: started.append(root)).catch_up())
    assert (citers(root), started) == (COUNT, [])


def test_a_new_list_is_read_before_those_it_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOREGROUND_LISTS", 1)
    monkeypatch.setattr(module, "FIRST_LISTS", 1)
    root = tmp_path / "library"
    store(root, [citer(number) for number in range(4)])
    run(citations(root).catch_up())
    store(root, [written("A"), citer(9)])
    run(citations(root, background=lambda: None).catch_up())
    assert [edge.citing for edge in citations(root).graph().citations([A])[0]] == ["acl:T9"]
    background.catch_up_all(citations(root))
    assert citers(root) == 5


def test_the_process_outlives_who_started_it_and_reads_the_rest(tmp_path: Path) -> None:
    root = made(tmp_path / "library")
    (root / "citations").mkdir()
    code = (
        "from pathlib import Path; from litterm.citations.background import start_background as start;"
        f" start(Path({str(root)!r}))"
    )
    subprocess.run([*module_command("timeit", "-n1", "-r1", code)], env=environment(), check=True, capture_output=True)
    until(lambda: citers(root) == COUNT and not citations(root).store.is_leased())
    assert (root / "citations" / "background.log").read_bytes() == b""


def test_killed_it_loses_no_list_and_reads_none_twice(tmp_path: Path) -> None:
    root = made(tmp_path / "library", 150)
    process = subprocess.Popen(module_command("litterm.citations.background", str(root)), env=environment())
    until(lambda: len(stored_papers(root)) > 3)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    before = stored_papers(root)
    # Nobody holds the lease of a dead process.
    later = read(citations(root))
    assert len(later) == len(set(later)) == 150 - len(before)
    assert before.isdisjoint(later)
    assert len(stored_papers(root)) == citers(root) == 150


def test_what_comes_in_meanwhile_is_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = made(tmp_path / "library", 3)
    graph = citations(root)
    inner = type(graph)._resolve

    def resolved_while_another_adds(self, heads, works, segments, *, later):  # type: ignore[no-untyped-def]
        monkeypatch.setattr(type(graph), "_resolve", inner)
        store(root, [citer(9)])
        return inner(self, heads, works, segments, later=later)

    monkeypatch.setattr(type(graph), "_resolve", resolved_while_another_adds)
    background.catch_up_all(graph)
    assert citers(root) == 4


def test_two_do_not_read_at_once(tmp_path: Path) -> None:
    root = made(tmp_path / "library", 3)
    lease = citations(root).store.lease()
    assert lease is not None
    assert citations(root).store.is_leased()
    background.catch_up_all(citations(root))
    assert citers(root) == 0
    lease.release()


def test_cite_and_status_say_what_is_not_read_and_have_it_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOREGROUND_LISTS", 5)
    monkeypatch.setattr(module, "FIRST_LISTS", 5)
    started: list[Path] = []
    monkeypatch.setattr(background, "start_background", started.append)
    home = tmp_path / "home"
    root = made(from_home(home).library)
    engine = build_engine(from_home(home))
    run(engine.after_import())
    assert started == [root]
    assert any("7 reference lists are not read yet" in notice for notice in engine.status().notices)
    events: list[Event] = []
    run(engine.cite("Sentences were aligned by their length [CITATION] in parallel texts."), events.append)
    assert any(isinstance(event, Notice) and "7 reference lists" in event.text for event in events)
    assert started == [root, root]
    background.catch_up_all(citations(root))
    events.clear()
    run(engine.cite("Sentences were aligned by their length [CITATION] in parallel texts."), events.append)
    assert not [event for event in events if isinstance(event, Notice)]
    assert not [notice for notice in engine.status().notices if "reference list" in notice]


@pytest.mark.skipif(os.geteuid() == 0 and not Path("/proc").is_dir(), reason="root may write everywhere")
def test_where_nothing_can_be_written_no_process_is_started(tmp_path: Path) -> None:
    assert background.start_background(tmp_path / "nowhere") is None
