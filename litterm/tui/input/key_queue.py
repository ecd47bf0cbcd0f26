"""A queue for keys that come faster than they are handled: each waits for the one before, and none is lost.

Textual lets a letter act in the widget it is for, but a binding only when its key has bubbled up to the application.
Of `ctrl+u` and a word sent in one burst the word was typed first and then deleted, and what was typed behind a key
that opens a dialog went to the pane below it. Here a key waits until the one before it has had its effect.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from itertools import takewhile
from time import monotonic

from textual import events

from litterm.tui.input.letter_run import LetterRun, TypedLetter
from litterm.tui.platform.textual_compat import CompatApp, key_name

QUIET_ROUNDS = 6
"""Turns of the event loop without a message before the next key: a message bubbles up a widget a turn."""
KEYS_GROUP = "keys"
"""Group of the worker that delivers keys which were held back."""
MAX_WAIT_S = 0.5
"""Seconds after which a key is passed on whatever else continues, as a stream of results must not block keys."""


class KeyQueue(CompatApp):
    """Passes keys and pastes to Textual one at a time, and asks about letters that look like text."""

    _waiting_keys: deque[tuple[events.Event, float]]
    """Waiting keys with the time at which each came."""
    _released: events.Event | None = None
    _confirmed_letters = 0
    """Number of letters to come that the user has confirmed to be commands."""
    _delivering = False
    last_key_at = 0.0
    """When the last key came, by `monotonic`."""

    def __init__(self) -> None:
        super().__init__()
        self._key_came = asyncio.Event()
        self.letter_run = LetterRun(pause=self._wait_for_key)

    def is_in_field(self) -> bool:
        """Whether a letter pressed now is typed."""
        return True

    def is_in_dialog(self) -> bool:
        """Whether a dialog gets the next key."""
        return False

    def ask_about_text(self, text: str) -> None:
        """Ask the user about letters that look like text where letters are commands; none has acted."""

    def awaits_key(self) -> bool:
        """Whether the screen waits for something that the next key is meant for."""
        return False

    async def on_event(self, event: events.Event) -> None:
        """Called by Textual for all input; holds back keys that come too early."""
        # Forwarded events have been through here, on their way to the screen.
        typed = isinstance(event, events.Key | events.Paste) and not event.is_forwarded
        self.last_key_at = monotonic() if typed else self.last_key_at
        if not typed or event is self._released:
            # A forwarded key, or the one just taken from the queue: straight on.
            self._released = None if event is self._released else self._released
            await super().on_event(event)
        elif self._delivering:
            self._waiting_keys.append((event, self.letter_run.clock()))
            self._key_came.set()
        elif self._may_begin_text(event) or self._is_busy():
            self._waiting_keys = deque(((event, self.letter_run.clock()),))
            self._delivering = True
            # A worker, as this handler has to return before Textual handles the next message.
            self.run_worker(self._deliver_keys(), group=KEYS_GROUP, exit_on_error=False)
        else:
            self._record_letter(event)
            await super().on_event(event)

    def replay_as_commands(self, text: str) -> None:
        """Send `text` again as keys, which the user has confirmed to be commands."""
        self._confirmed_letters += len(text)
        for character in text:
            key = key_name(character)
            event = events.Key(key, character)
            event.set_sender(self)
            self.post_message(event)

    @property
    def is_delivering_keys(self) -> bool:
        """Whether keys are being held back."""
        return self._delivering

    def _is_busy(self) -> bool:
        """Whether an earlier key may still have to take effect."""
        # Every widget has a queue of its own, and Textual has no way to ask whether all are empty.
        nodes = (self, *self.screen.walk_children(with_self=True))
        # The focus moves after the message that asks for it, so empty queues alone say too little.
        return self.awaits_key() or any(node.message_queue_size for node in nodes)

    def _may_begin_text(self, event: events.Event) -> bool:
        """Whether the key is a letter that may turn out to be the first of a text."""
        letter = _letter(event)
        is_unconfirmed = bool(letter) and not self._confirmed_letters and not self.is_in_field()
        return is_unconfirmed and self.letter_run.may_begin_text(letter, in_dialog=self.is_in_dialog())

    def _record_letter(self, event: events.Event) -> None:
        if (letter := _letter(event)) and not self.is_in_field():
            self.letter_run.record_command(TypedLetter(letter, self.letter_run.clock()))

    async def _deliver_keys(self) -> None:
        try:
            while self._waiting_keys:
                await self._wait_until_quiet()
                if await self._asked_user_about_text():
                    continue
                self._released, _ = self._waiting_keys.popleft()
                self._record_letter(self._released)
                self._confirmed_letters = max(0, self._confirmed_letters - bool(_letter(self._released)))
                self.post_message(self._released)
        finally:
            self._delivering = False

    async def _asked_user_about_text(self) -> bool:
        """Whether the next letters look like text typed outside a field; then the user is asked and none acts."""
        if self._confirmed_letters or self.is_in_field():
            return False
        in_dialog = self.is_in_dialog()
        while True:
            letters = [TypedLetter(_letter(event), at_s) for event, at_s in takewhile(_is_letter, self._waiting_keys)]
            ended = len(letters) < len(self._waiting_keys)
            judged = self.letter_run.judge(letters, ended=ended, in_dialog=in_dialog)
            if judged != "unclear":
                break
            await self.letter_run.wait_for_next(letters[-1])
        if judged == "commands":
            return False
        # Taken off before the question: while the dialog is open keys behind them are for it.
        for _ in letters:
            self._waiting_keys.popleft()
        self.ask_about_text(self.letter_run.take_text(letters))
        return True

    async def _wait_for_key(self, seconds: float) -> None:
        """Wait for the next key, at most `seconds`."""
        self._key_came.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._key_came.wait()

    async def _wait_until_quiet(self) -> None:
        until = monotonic() + MAX_WAIT_S
        quiet = 0
        # Without limit for the key given out last: `_released` holds one, by which `on_event` knows it.
        while self._released is not None or (quiet < QUIET_ROUNDS and monotonic() < until):
            # Not 0 while messages wait: a loop without pause would take the processor from what is waited for.
            await asyncio.sleep(0 if quiet else 0.001)
            quiet = 0 if self._is_busy() else quiet + 1


def _letter(event: events.Event) -> str:
    """The character of a key that types one; empty for any other."""
    typed = isinstance(event, events.Key) and event.is_printable and event.character
    return event.character or "" if isinstance(event, events.Key) and typed else ""


def _is_letter(waiting: tuple[events.Event, float]) -> bool:
    return bool(_letter(waiting[0]))
