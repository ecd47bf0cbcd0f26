"""The workbench without a terminal, every key of the table pressed in every pane: what each costs in CPU time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from textual import events

from litterm.settings import Settings
from litterm.tui.app import LittermApp
from litterm.tui.glyphs import UNICODE
from litterm.tui.keys import TABLE, Key, long_key
from litterm.tui.state import PaneName
from litterm.tui.tidying import unhurried
from litterm.tui.verbs import DeskVerbs, Verbs
from litterm.tui.workbench import Workbench

PANES: tuple[PaneName, ...] = ("query", "results", "reader", "evidence")
LEFT_OUT = frozenset(("all.quit", "all.suspend", "all.open-outside", "all.retry", "all.copy", "all.copy-all"))
"""They end or stop the process, start another program, or change the user's library or clipboard."""
_QUIET = 6
_FRAME_S = 0.02
_LONGEST_S = 20.0


@dataclass(frozen=True, slots=True)
class KeyCost:
    """What one press cost, its effect and the drawing included."""

    pane: PaneName
    key: str
    """As the help shows it."""
    handler_ms: float
    """CPU time of the thread that answers keys and draws."""
    process_ms: float
    """CPU time of all threads until nothing runs any more: also the search or the reading that the key began."""


class Borrowed:
    """An engine with another desk: what keys decide is kept there, and not in the user's own library."""

    def __init__(self, engine: Verbs, desk: DeskVerbs) -> None:
        self._engine = engine
        self.desk = desk

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)


def press_every_key(
    engine: Verbs,
    desk: DeskVerbs,
    settings: Settings,
    *,
    query: str,
    hypothesis: str,
    size: tuple[int, int] = (120, 40),
) -> tuple[KeyCost, ...]:
    """Presses what the table holds, pane by pane, over the first paper that `query` finds.

    Decisions go to `desk`; the library of `engine` is only read. `size` is columns and rows. Takes some 20 s.
    """
    borrowed = cast("Verbs", Borrowed(engine, desk))
    with unhurried():
        return asyncio.run(_press_all(LittermApp(borrowed, settings, UNICODE), query, hypothesis, size))


async def _press_all(app: LittermApp, query: str, hypothesis: str, size: tuple[int, int]) -> tuple[KeyCost, ...]:
    async with app.run_test(size=size):
        screen = app.screen
        assert isinstance(screen, Workbench)
        hand = _Hand(app, screen)
        await hand.settle()
        await hand.begin(query, hypothesis)
        found = []
        for pane in PANES:
            for key in _keys(pane):
                for name in key.keys:
                    await hand.to(pane)
                    found.append(await hand.press(pane, name))
        return tuple(found)


def _keys(pane: PaneName) -> Iterator[Key]:
    for key in TABLE:
        if key.id not in LEFT_OUT and (key.scope == "all" or key.scope == pane):
            yield key


class _Hand:
    """Presses keys and waits for what they do."""

    def __init__(self, app: LittermApp, screen: Workbench) -> None:
        self._app = app
        self._screen = screen

    async def begin(self, query: str, hypothesis: str) -> None:
        """A search, a paper in the reader, and its evidence beside it."""
        crew = self._screen.crew
        crew.searching.asked(query)
        await self.settle()
        row = self._screen.stage.results.current
        if row is not None:
            crew.reading.open(row.paper)
            await self.settle()
            crew.finding.ask(hypothesis)
            await self.settle()

    async def to(self, pane: PaneName) -> None:
        """Command mode in `pane`, with nothing over it."""
        stage = self._screen.stage
        for dialog in list(stage.dialogs):
            stage.close(dialog)
        if self._screen.query_one("#find").has_class("-open"):
            self._screen.crew.looking.end(keep=False)
        stage.reshape(hidden=frozenset(), zoomed=None, reading=True, evidence=True)
        stage.focus_pane(pane)
        await self.settle()

    async def press(self, pane: PaneName, name: str) -> KeyCost:
        """One key, until nothing that it began runs any more."""
        event = events.Key(long_key(name), name if len(name) == 1 else {"space": " "}.get(name))
        event.set_sender(self._app)
        handler, process = time.thread_time(), time.process_time()
        self._app.post_message(event)
        await self.settle()
        spent = time.thread_time() - handler, time.process_time() - process
        return KeyCost(pane, name, *(1000 * seconds for seconds in spent))

    async def settle(self) -> None:
        """Until no task runs and no message is on its way, and what has changed is drawn."""
        until = time.monotonic() + _LONGEST_S
        quiet = 0
        while quiet < _QUIET and time.monotonic() < until:
            await asyncio.sleep(_FRAME_S if quiet == 0 else 0)
            nodes = (self._app, *self._screen.walk_children(with_self=True))
            busy = any(node.message_queue_size for node in nodes) or self._app.giving_out
            waited_for = [job for job in self._screen.stage.work.jobs if job.group != "rows"]
            quiet = 0 if busy or waited_for else quiet + 1
