"""Looks at the library now and then, of which some may fail."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from litterm.core.errors import LibraryServerError, LittermError
from litterm.core.tasks import Task, run
from litterm.model.library import LibraryStatus
from litterm.tui.library.library_watch import LibraryWatch


def test_a_server_that_stays_away_is_logged_once_each_time(caplog: pytest.LogCaptureFixture) -> None:
    outcomes: list[LibraryStatus | LittermError] = []
    failures: list[LittermError | None] = []

    def start(
        _group: str, _what: str, _task: object, done: Callable[..., None], *, failed: Callable[[LittermError], None]
    ) -> None:
        outcome = outcomes.pop(0)
        if isinstance(outcome, LittermError):
            failed(outcome)
        else:
            done(outcome)

    results = SimpleNamespace(show_mine=lambda papers: None)
    context = cast(Any, SimpleNamespace(work=SimpleNamespace(start=start), results=results))
    watch = LibraryWatch(context, lambda _status, _since: None, lambda: None, failures.append)
    away, back = LibraryServerError("The server cannot be reached."), LibraryStatus(1, 0, 0, (), 0, 0)
    outcomes += [away, away, away, back, away, away]
    with caplog.at_level(logging.WARNING):
        while outcomes:
            watch.refresh()
    assert [record.getMessage() for record in caplog.records] == ["status: The server cannot be reached."] * 2
    assert failures == [away, None, away]


def test_damage_found_in_the_background_is_shown_once() -> None:
    told: list[str] = []
    mine: list[frozenset[str]] = []
    engine = SimpleNamespace(
        status=lambda: LibraryStatus(1, 2, 0, (), 0, 0),
        damage_notice=lambda: notices.pop(0),
        import_index=SimpleNamespace(mine=lambda: frozenset(("local:1",))),
    )

    def start(
        _group: str, _what: str, task: Callable[[], Task[LibraryStatus]], done: Callable[..., None], **_: object
    ) -> None:
        done(run(task()))

    results = SimpleNamespace(show_mine=mine.append)
    context = cast(Any, SimpleNamespace(work=SimpleNamespace(start=start), engine=engine, results=results))
    context.tell = lambda text, *, warn: told.append(text)
    watch = LibraryWatch(context, lambda _status, _since: None, lambda: None, lambda _error: None)
    notices = ["", "postings are damaged", "postings are damaged", "", "postings are damaged"]
    while notices:
        watch.refresh()
    assert told == ["postings are damaged"] * 2
    assert mine == [frozenset(("local:1",))] * 5
