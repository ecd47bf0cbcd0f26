"""`python -m litterm_benchmarks.speed.key_driver [PANE ...]`: drives the workbench without a terminal.

`litterm bench speed` starts it. It works on a copy of the library that shares its segments, offline and without a
language model: what keys decide, write and mark is thrown away. Prints `{"keys": [[wall ms, cpu ms, of that drawing
ms], ...], "memory": {WHEN: {NAME: MB}}}`, or with `--idle`, when no key is pressed, `{"idle": CPU ms a second}`.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, ParamSpec, TypeAlias, TypeVar

from textual import events
from textual.screen import Screen

from litterm.core.settings import Settings, from_home, load
from litterm.core.temporary_files import scratch_folder
from litterm.engine import Engine
from litterm.engine.parts import Parts
from litterm.library.index.vectors import VECTORS_FILE
from litterm.tui.app import LittermApp
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.key_queue import KEYS_GROUP, QUIET_ROUNDS
from litterm.tui.input.keymap import TABLE, KeyBinding, textual_key
from litterm.tui.platform.idle_gc import IDLE_BEFORE_GC_S, rare_full_collections
from litterm.tui.state import PANES, PaneName
from litterm.tui.widgets.glyphs import UNICODE
from litterm.tui.workbench import Workbench
from litterm_benchmarks.speed.key_latency import IDLE

P = ParamSpec("P")
T = TypeVar("T")
Lap: TypeAlias = tuple[float, ...]
"""Milliseconds of a key: by the clock, of the processor, and of these for drawing."""

QUERY: Final = "structured pruning of large language models"
SIZE: Final = (120, 40)
_LEAVING_KEYS: Final = frozenset({"all.quit", "all.suspend", "all.open-outside"})
"""Keys that end, stop or leave the process."""
_OWN: Final = ("results", "reader", "aspects", "matrix")
_IDLE_S: Final = 20.0
"""Seconds without a key over which the processor's time is taken."""
_SCREEN_TIMEOUT_S: Final = 30.0
"""Seconds that a screen may take to come; then the bench fails instead of waiting for ever."""
_FRAME_S: Final = 0.004
"""Seconds between two looks whether the screen is drawn; Textual draws at most every eight milliseconds."""
_KILOBYTE: Final = 1024


def main(panes: Sequence[str]) -> int:
    """Measures on the library of the settings; keys in `panes`, or in all if none is named."""
    settings = load({}, dict(os.environ))
    with scratch_folder() as folder:
        copy = from_home(folder)
        _share(settings.library, copy.library)
        os.chdir(folder)
        offline = replace(copy, offline=True)
        if list(panes) == [IDLE]:
            _share_failures(settings.library, copy.library)
            figures = asyncio.run(_idle(offline))
        else:
            figures = asyncio.run(_driven(offline, [pane for pane in PANES if not panes or pane in panes]))
    sys.stdout.write(json.dumps(figures))
    return 0


def _share(library: Path, copy: Path) -> None:
    """The papers of `library` in `copy`, and nothing of what its user wrote."""
    copy.mkdir(parents=True)
    (copy / "segments").symlink_to((library / "segments").resolve())
    for file in (library / "CURRENT", *library.glob("manifest-*.json")):
        shutil.copy(file, copy / file.name)


def _share_failures(library: Path, copy: Path) -> None:
    """What could not be imported into `library`, told in `copy`."""
    if (library / "failures").is_dir():
        shutil.copytree(library / "failures", copy / "failures")


async def _driven(settings: Settings, panes: Sequence[PaneName]) -> dict[str, object]:
    app = LittermApp(Engine(Parts(settings)), settings, UNICODE)
    # As in a terminal: with Python's own habit a pass over everything would fall into one key or another.
    with rare_full_collections():
        return await _measure(app, panes)


async def _idle(settings: Settings) -> dict[str, object]:
    """Processor time of a workbench that nobody touches."""
    app = LittermApp(Engine(Parts(settings)), settings, UNICODE)
    with rare_full_collections():
        async with app.run_test(size=SIZE):
            driver = KeyDriver(app)
            await driver.prepare()
            await asyncio.sleep(2 * IDLE_BEFORE_GC_S)
            began, busy = time.perf_counter(), time.process_time()
            await asyncio.sleep(_IDLE_S)
            return {"idle": 1000 * (time.process_time() - busy) / (time.perf_counter() - began)}


async def _measure(app: LittermApp, panes: Sequence[PaneName]) -> dict[str, object]:
    async with app.run_test(size=SIZE):
        driver = KeyDriver(app)
        await driver.prepare()
        at_rest = await driver.memory()
        # Everything a first visit loads is loaded before the clock starts.
        laps = [lap async for lap in driver.table(panes)]
        laps = [lap async for lap in driver.table(panes)]
        return {"keys": laps, "memory": {"workbench at rest": at_rest, "after every key, twice": await driver.memory()}}


class _Drawing:
    """Processor seconds that Textual spends on arranging and drawing the screen, which is no handler's work."""

    def __init__(self) -> None:
        self.spent = 0.0
        self._under_way = False
        for name in ("_refresh_layout", "_compositor_refresh"):
            setattr(Screen, name, self._count_calls(getattr(Screen, name)))

    def _count_calls(self, draw: Callable[P, T]) -> Callable[P, T]:
        def counted(*args: P.args, **kwargs: P.kwargs) -> T:
            if self._under_way:
                return draw(*args, **kwargs)
            self._under_way, started = True, time.thread_time()
            try:
                return draw(*args, **kwargs)
            finally:
                self.spent += time.thread_time() - started
                self._under_way = False

        return counted


class KeyDriver:
    """Presses keys and knows when each has had its effect."""

    def __init__(self, app: LittermApp) -> None:
        screen = app.screen_stack[0]
        assert isinstance(screen, Workbench)
        self._app, self._screen = app, screen
        self._drawing = _Drawing()

    @property
    def _stage(self) -> WorkbenchContext:
        return self._screen.context

    async def prepare(self) -> None:
        """A search, the first paper of it open, and the evidence in it."""
        self._stage.focus_pane("query", typing=True)
        self._stage.query.field.set_text(QUERY)
        for key in ("enter", "enter", "e", "enter"):
            self._send(key)
            await self.settle()

    async def table(self, panes: Sequence[PaneName]) -> AsyncIterator[Lap]:
        """Every key of the table in each of `panes` it counts in."""
        for pane in panes:
            for key in _keys(pane):
                for name in key.keys:
                    await self._to(pane)
                    yield await self._lap(name)

    async def memory(self) -> dict[str, float]:
        """What the process holds once the hand rests: by then the workbench has looked through its garbage."""
        await self.settle()
        await asyncio.sleep(2 * IDLE_BEFORE_GC_S)
        return _memory_mb()

    async def settle(self) -> None:
        """Until nothing works in the background and every message has been handled."""
        until = time.monotonic() + _SCREEN_TIMEOUT_S
        while time.monotonic() < until:
            await asyncio.sleep(0.01)
            await self._settle()
            if not self._stage.work.jobs and all(worker.is_finished for worker in self._app.workers):
                return

    async def _lap(self, name: str) -> Lap:
        """This thread's time only: what a worker computes holds no key up."""
        started, busy, drawn = time.perf_counter(), time.thread_time(), self._drawing.spent
        self._send(name)
        looking = await self._settle()
        while self._is_undrawn():
            # The screen is drawn by a timer, some milliseconds behind the handler.
            await asyncio.sleep(_FRAME_S)
            looking += await self._settle()
        cpu = time.thread_time() - busy - looking
        return tuple(1000 * spent for spent in (time.perf_counter() - started, cpu, self._drawing.spent - drawn))

    async def _settle(self) -> float:
        """Until no message waits anywhere; the processor seconds that looking for one took."""
        quiet, looking = 0, 0.0
        while quiet < QUIET_ROUNDS:
            # A letter that may begin a word is kept back a moment: looking for its end would be counted as its work.
            for worker in [worker for worker in self._app.workers if worker.group == KEYS_GROUP]:
                await worker.wait()
            await asyncio.sleep(0)
            if not self._app.is_running:
                # A workbench that has failed handles no more messages: `run_test` raises what ended it.
                raise RuntimeError("The workbench ended before its keys were measured.")
            started = time.thread_time()
            nodes = (self._app, *self._app.screen.walk_children(with_self=True))
            busy = self._app.is_delivering_keys or any(node.message_queue_size for node in nodes)
            quiet = 0 if busy else quiet + 1
            looking += time.thread_time() - started
        return looking

    def _is_undrawn(self) -> bool:
        """Whether a handler has changed what the screen does not show yet."""
        screen = self._app.screen
        return bool(screen._dirty_widgets or screen._layout_required or screen._repaint_required)

    def _send(self, name: str) -> None:
        event = events.Key(textual_key(name), name if len(name) == 1 else {"space": " "}.get(name))
        event.set_sender(self._app)
        self._app.post_message(event)

    async def _to(self, pane: PaneName) -> None:
        """Command mode in `pane`, everything shown and nothing open over it."""
        for dialog in list(self._stage.dialogs):
            self._stage.close(dialog)
        self._stage.reshape(hidden=frozenset(), zoomed=None, reading=True, evidence=True, matrix=True)
        self._stage.focus_pane(pane)
        await self.settle()


def _keys(pane: PaneName) -> Iterator[KeyBinding]:
    for key in TABLE:
        if key.scope != "typing" and key.id not in _LEAVING_KEYS and (key.scope not in _OWN or key.scope == pane):
            yield key


def _memory_mb() -> dict[str, float]:
    """Of this process: all of it, without the mapped vectors, and without what is mapped from any file.

    Empty where the system does not tell.
    """
    try:
        lines = Path("/proc/self/smaps").read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    proportional, anonymous, vectors, in_vectors = 0, 0, 0, False
    for line in lines:
        name, _, value = line.partition(":")
        if name == "Rss":
            proportional += int(value.split()[0])
            vectors += int(value.split()[0]) * in_vectors
        elif name == "Anonymous":
            anonymous += int(value.split()[0])
        elif "-" in name:
            # The head of a mapping: its addresses, and the file at the end.
            in_vectors = line.endswith(f"/{VECTORS_FILE}")
    sizes = {"MB": proportional, "MB without vectors": proportional - vectors, "MB without mapped files": anonymous}
    return {name: kilobytes / _KILOBYTE for name, kilobytes in sizes.items()}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
