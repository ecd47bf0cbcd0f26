"""Keys that come faster than they can be answered: given out one after the other, none lost and none out of turn.

Textual lets a letter act in the widget it is for, but a binding only when its key has bubbled up to the application.
Of `ctrl+u` and a word sent in one burst the word was typed first and then deleted, and what was typed behind a key
that opens a dialog went to the pane below it. Here a key waits until the one before it has had its effect.
"""

from __future__ import annotations

import asyncio
from collections import deque
from time import monotonic

from textual import events
from textual.app import App

QUIET_ROUNDS = 6
"""Turns of the event loop without a message anywhere: a message goes from widget to widget up to the screen."""
LONGEST_S = 0.5
"""A key is not kept back longer, whatever else goes on."""


class InTurn(App[None]):
    """Gives out keys and pastes in turn."""

    _ahead: deque[events.Event]
    _released: events.Event | None = None
    _giving_out = False
    touched_at = 0.0
    """When the last key came, by `monotonic`."""

    def held(self) -> bool:
        """Whether the screen waits for something that the next key is meant for."""
        return False

    async def on_event(self, event: events.Event) -> None:
        """Textual's door for all input."""
        typed = isinstance(event, events.Key | events.Paste) and not event.is_forwarded
        self.touched_at = monotonic() if typed else self.touched_at
        if not typed or event is self._released:
            self._released = None if event is self._released else self._released
            await super().on_event(event)
        elif self._giving_out:
            self._ahead.append(event)
        elif self._busy():
            self._ahead = deque((event,))
            self._giving_out = True
            self.run_worker(self._give_out(), group="keys", exit_on_error=False)
        else:
            await super().on_event(event)

    @property
    def giving_out(self) -> bool:
        """Whether keys are kept back at this moment."""
        return self._giving_out

    def _busy(self) -> bool:
        """Whether an earlier key may still be on its way."""
        nodes = (self, *self.screen.walk_children(with_self=True))
        return self.held() or any(node.message_queue_size for node in nodes)

    async def _give_out(self) -> None:
        try:
            while self._ahead:
                await self._settled()
                self._released = self._ahead.popleft()
                self.post_message(self._released)
        finally:
            self._giving_out = False

    async def _settled(self) -> None:
        until = monotonic() + LONGEST_S
        quiet = 0
        while self._released is not None or (quiet < QUIET_ROUNDS and monotonic() < until):
            await asyncio.sleep(0 if quiet else 0.001)
            quiet = 0 if self._busy() else quiet + 1
