"""A workbench over a small library, driven without a terminal."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from litterm.core.settings import Settings, from_home
from litterm.model.paper import PaperId
from litterm.tui.app import LittermApp
from litterm.tui.widgets.glyphs import UNICODE, Glyphs
from tui.engines import SmallEngine
from tui.harness import Bench, Start


@pytest.fixture(autouse=True)
def no_viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has to open papers with: a test must not start it."""
    find = shutil.which
    openers = ("open", "xdg-open")
    monkeypatch.setattr(shutil, "which", lambda name, *more: None if name in openers else find(name, *more))


@pytest.fixture(autouse=True, scope="session")
def shared_styles() -> Iterator[None]:
    """The style sheet is parsed once in a process, as it is in the one workbench of a user's, and not by every test."""
    parse_rules, known = Stylesheet._parse_rules, {}

    def parse_once(self: Stylesheet, css: str, *options: Any, **named: Any) -> list[RuleSet]:
        key = (css, options, *sorted(named.items()), frozenset(self._variables.items()))
        if key not in known:
            known[key] = parse_rules(self, css, *options, **named)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """`async with start(engine, size=(120, 40)) as bench:`"""

    @asynccontextmanager
    async def started(
        engine: SmallEngine | None = None,
        *,
        size: tuple[int, int] = (100, 30),
        glyphs: Glyphs = UNICODE,
        settings: Settings | None = None,
        opening: PaperId | None = None,
        raise_task_errors: bool = True,
    ) -> AsyncIterator[Bench]:
        engine = engine or SmallEngine(settings=replace(from_home(tmp_path), starter=False, network_notice=False))
        app = LittermApp(
            engine,
            settings or engine.settings,
            glyphs,
            opening=opening,
            raise_task_errors=raise_task_errors,
        )
        async with app.run_test(size=size) as pilot:
            bench = Bench(app, pilot, engine)
            await bench.settle()
            yield bench

    return started
