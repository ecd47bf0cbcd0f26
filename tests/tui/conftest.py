"""A workbench driven without a terminal, over a small library or, in some folders, a fake engine."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from litterm.core.settings import Settings, from_home
from litterm.model.paper import PaperId
from litterm.tui.app import LittermApp
from litterm.tui.widgets.glyphs import UNICODE, Glyphs
from tui.engines import SmallEngine
from tui.fakes import FakeEngine
from tui.harness import Bench, Start

REAL_ENGINE_FOLDERS = (
    "annotations",
    "attribution",
    "citations",
    "evidence",
    "home",
    "input",
    "jobs",
    "library",
    "matrix",
    "platform",
    "reader",
    "reading_lists",
    "search",
    "tour",
)
"""The folders whose tests run over the real engine; the others wait for their assertions to fit its answers."""


@pytest.fixture(autouse=True)
def no_viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has to open papers with: a test must not start it."""
    find = shutil.which
    openers = ("open", "xdg-open")
    monkeypatch.setattr(shutil, "which", lambda name, *more: None if name in openers else find(name, *more))


@pytest.fixture
def start(tmp_path: Path, request: pytest.FixtureRequest) -> Start:
    """`async with start(engine, size=(120, 40)) as bench:`"""

    @asynccontextmanager
    async def started(
        engine: SmallEngine | FakeEngine | None = None,
        *,
        size: tuple[int, int] = (100, 30),
        glyphs: Glyphs = UNICODE,
        settings: Settings | None = None,
        opening: PaperId | None = None,
        raise_task_errors: bool = True,
    ) -> AsyncIterator[Bench]:
        own = replace(from_home(tmp_path), network_notice=False)
        if engine is None:
            is_real = request.path.parent.name in REAL_ENGINE_FOLDERS
            engine = SmallEngine(settings=replace(own, starter=False)) if is_real else FakeEngine()
        app = LittermApp(
            engine,
            settings or (engine.settings if isinstance(engine, SmallEngine) else own),
            glyphs,
            opening=opening,
            raise_task_errors=raise_task_errors,
        )
        async with app.run_test(size=size) as pilot:
            bench = Bench(app, pilot, engine)
            await bench.settle()
            yield bench

    return started
