"""Shortcuts to a running workbench, for tests that press its keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from time import monotonic
from typing import Any

from textual import events
from textual.geometry import Size
from textual.pilot import Pilot
from textual.widget import Widget

from litterm.model.paper import PaperId
from litterm.tui.app import LittermApp
from litterm.tui.input.keymap import textual_key
from litterm.tui.state import PaneName
from litterm.tui.workbench import Workbench
from tui.engines import PRUNING, SmallEngine

LONGEST_S = 60.0
"""For what even a busy machine ends; a test that waits longer fails and says for what."""


class Bench:
    """One running workbench and shortcuts to its parts."""

    def __init__(self, app: LittermApp, pilot: Pilot[None], engine: SmallEngine) -> None:
        self.app = app
        # A letter waits for one that follows it at once: one that has come already, and no clock.
        app.letter_run.max_gap_s = 0.0
        self.pilot = pilot
        self.engine = engine
        self._said = [toast.message for toast in app._notifications]
        notify = app.notify

        def noted(message: str, **options: Any) -> None:
            # Textual forgets a toast after five seconds, which a busy machine may need for a step.
            self._said.append(message)
            notify(message, **options)

        app.notify = noted  # type: ignore[method-assign]
        screen = app.screen_stack[0]
        assert isinstance(screen, Workbench)
        self.screen = screen
        self.context = screen.context
        self.controllers = screen.controllers

    async def settle(self) -> None:
        """Until no worker runs and every message has been handled."""
        end = monotonic() + LONGEST_S
        for _ in range(3):
            # The screen arranges and draws itself at most 120 times a second.
            await asyncio.sleep(0.01)
            # What a thread posts reaches the screen's queue a moment after the thread has ended.
            while self.app._exception is None and self._working:
                assert monotonic() < end, f"still at work: {self.context.work.jobs}, {list(self.app.workers)}"
                await asyncio.sleep(0.002)
            await self._hops()
        await self._frame()

    async def _frame(self) -> None:
        """Until what the widgets ask for is arranged and drawn: on a busy machine a frame can come late."""
        end = monotonic() + LONGEST_S
        while self.app._exception is None and self._undrawn:
            assert monotonic() < end, f"never drawn: {self._undrawn}"
            await asyncio.sleep(0.002)
            await self._hops()

    @property
    def _undrawn(self) -> list[Widget]:
        screen = self.app.screen
        waiting = [
            node
            for node in screen.walk_children(Widget, with_self=True)
            if (node._layout_required or node._repaint_required)
            and all(part.display for part in node.ancestors_with_self)
        ]
        return [*waiting, *screen._dirty_widgets] if screen.is_current else []

    async def until(self, happened: Callable[[], object]) -> None:
        """For what a timer or a later frame brings: looked for as long as even a busy machine may take."""
        end = monotonic() + LONGEST_S
        while not happened():
            assert self.app._exception is None and monotonic() < end, self.shown()
            await asyncio.sleep(0.01)
        await self._hops()

    @property
    def _working(self) -> bool:
        return (
            bool(self.context.work.jobs)
            or self.context.queue.waiting
            or not all(worker.is_finished for worker in self.app.workers)
        )

    async def _hops(self) -> None:
        """Until no queue holds a message, for several rounds: a message goes from widget to widget up to the screen."""
        quiet, rounds, end = 0, 0, monotonic() + LONGEST_S
        # An app that has failed handles no more messages.
        while quiet < 6 and self.app._exception is None:
            rounds += 1
            assert monotonic() < end, "messages never end"
            # A handler may wait for a thread: then the rounds are no measure. Keys may wait for the clock.
            await asyncio.sleep(0.001 if rounds > 5000 or self.app.is_delivering_keys else 0)
            nodes = [self.app, *self.app.screen.walk_children(with_self=True)]
            busy = self.app.is_delivering_keys or any(node._message_queue.qsize() for node in nodes)
            quiet = 0 if busy else quiet + 1

    async def to(self, pane: PaneName) -> None:
        """Command mode in `pane`, which alone is shown, as drawing costs most; nothing is open over it."""
        context = self.context
        if context.work.jobs:
            # What a key has started may still open a dialog.
            await self.settle()
        wanted = replace(
            context.board.shape, hidden=frozenset(), zoomed=pane, reading=True, evidence=True, matrix=True, focus=pane
        )
        at_pane = self.app.focused is not None and self.app.focused.id in (pane, "chips", "home-new")
        if context.board.shape == wanted and not context.dialogs and at_pane:
            return
        for dialog in list(context.dialogs):
            context.close(dialog)
        self.controllers.find.hide()
        context.reshape(hidden=frozenset(), zoomed=pane, reading=True, evidence=True, matrix=True)
        if pane == "home" and not self.controllers.home.is_open:
            self.controllers.home.action_toggle()
            await self.settle()
        context.focus_pane(pane)
        await self.handle()

    async def handle(self) -> None:
        """Until every message has been handled; tasks may still run."""
        await self._hops()

    async def press(self, *keys: str) -> None:
        """Keys one after the other, each handled before the next; no waiting by the clock."""
        for key in keys:
            await self.tap(key)
        await self.settle()

    async def tap(self, key: str) -> None:
        """One key, handled."""
        self.send(key)
        await self._hops()

    def send(self, *keys: str) -> None:
        """Keys as one burst, as a macro or a quick hand sends them: none waits for the one before it."""
        driver = self.app._driver
        assert driver is not None
        for key in keys:
            event = events.Key(textual_key(key), key if len(key) == 1 else {"space": " "}.get(key))
            event.set_sender(self.app)
            driver.send_message(event)

    async def resize(self, width: int, height: int) -> None:
        """Another terminal size."""
        size = Size(width, height)
        self.app.post_message(events.Resize(size, size))
        assert self.app._driver is not None
        self.app._driver._size = size  # type: ignore[attr-defined]
        await self.settle()
        await self.settle()

    async def search(self, text: str) -> None:
        """Type and run a query without waiting for the debounce."""
        self.context.focus_pane("query", typing=True)
        self.context.query.field.set_text(text)
        await self.press("enter")

    async def read(self, title: str = "structured pruning learns", paper_id: PaperId = PRUNING.id) -> None:
        await self.search(title)
        await self.press("enter")
        assert self.context.reader.state.paper is not None
        assert self.context.reader.state.paper.id == paper_id

    async def evidence(self, hypothesis: str = "pruned model speed") -> None:
        await self.read()
        await self.press("e")
        self.field("asked").set_text(hypothesis)
        await self.press("enter")

    def field(self, name: str):  # type: ignore[no-untyped-def]
        return self.app.screen.query_one(f"#{name}")

    @property
    def said(self) -> list[str]:
        """The toasts so far, those that are gone included."""
        return list(self._said)

    @property
    def toasts(self) -> list[str]:
        """The toasts that stand on the screen."""
        return [toast.message for toast in self.app._notifications]

    def forget_toasts(self) -> None:
        """Leaves out of `said` what was said until now."""
        self._said.clear()

    def shown(self) -> str:
        """What the screen shows, as text."""
        height = self.app.size.height
        lines = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in lines[:height])


Start = Callable[..., AbstractAsyncContextManager[Bench]]
