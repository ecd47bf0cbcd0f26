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
        self._is_ending_run = False
        """Whether a worker waits for the end of the letters that have acted."""

    def is_in_field(self) -> bool:
        """Whether a letter pressed now is typed."""
        return True

    def is_in_dialog(self) -> bool:
        """Whether a dialog gets the next key."""
        return False

    def ask_about_text(self, text: str) -> None:
        """Ask the user about letters that look like text where letters are commands; what they did is taken back."""

    def acts_at_once(self, letter: str) -> bool:
        """Whether what a letter does now can be taken back in full."""
        return False

    def begin_reversible(self) -> None:
        """Called before the first of some letters acts: from now on what they do may have to be taken back."""

    def keep_acts(self) -> None:
        """Called when what the letters did is to stay."""

    def take_acts_back(self) -> None:
        """Take back what the letters did since `begin_reversible`."""

    def awaits_key(self) -> bool:
        """Whether the screen waits for something that the next key is meant for."""
        return False

    async def on_event(self, event: events.Event) -> None:
        """Called by Textual for all input; holds back keys that come too early."""
        # Forwarded events have been through here, on their way to the screen.
        typed = isinstance(event, events.Key | events.Paste) and not event.is_forwarded
        if isinstance(event, events.MouseDown):
            self._end_run()
        self.last_key_at = monotonic() if typed else self.last_key_at
        if not typed or event is self._released:
            # A forwarded key, or the one just taken from the queue: straight on.
            self._released = None if event is self._released else self._released
            await super().on_event(event)
        elif self._delivering:
            self._waiting_keys.append((event, self.letter_run.clock()))
            self._key_came.set()
        elif self._has_to_wait(event) or self._is_busy():
            self._waiting_keys = deque(((event, self.letter_run.clock()),))
            self._delivering = True
            self._key_came.set()
            # A worker, as this handler has to return before Textual handles the next message.
            self.run_worker(self._deliver_keys(), group=KEYS_GROUP, exit_on_error=False)
        else:
            self._prepare(event, self.letter_run.clock())
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
        """Whether keys are being held back, or may still be taken back."""
        return self._delivering or self._is_ending_run

    def _is_busy(self) -> bool:
        """Whether an earlier key may still have to take effect."""
        # Every widget has a queue of its own, and Textual has no way to ask whether all are empty.
        nodes = (self, *self.screen.walk_children(with_self=True))
        # The focus moves after the message that asks for it, so empty queues alone say too little.
        return self.awaits_key() or any(node.message_queue_size for node in nodes)

    def _has_to_wait(self, event: events.Event) -> bool:
        """Whether the key is a letter that may turn out to be text, or belongs to letters that have acted."""
        letter, run = _letter(event), self.letter_run
        if not letter or self._confirmed_letters:
            return False
        if run.has_changed and run.is_continued_at(run.clock()):
            return True
        return not self.is_in_field() and run.waits(
            letter, in_dialog=self.is_in_dialog(), at_once=self.acts_at_once(letter)
        )

    def _prepare(self, event: events.Event, at_s: float) -> None:
        """Called before a key acts: note a letter that can be taken back; any other key makes what was done stay."""
        letter, run = _letter(event), self.letter_run
        can_be_taken_back = (
            letter.isalpha()
            and not (self._confirmed_letters or self.is_in_field() or self.is_in_dialog())
            and not run.waits(letter, in_dialog=False, at_once=self.acts_at_once(letter))
        )
        if not can_be_taken_back or not run.is_continued_at(at_s):
            self._end_run()
        if can_be_taken_back:
            if run.last_acted is None:
                self.begin_reversible()
            run.record(TypedLetter(letter, at_s))
            if run.last_acted is None:
                self.keep_acts()
            elif run.has_changed and not self._is_ending_run:
                self._is_ending_run = True
                self.run_worker(self._end_run_in_time(), group=KEYS_GROUP, exit_on_error=False)

    def _end_run(self) -> None:
        """What letters have done stays."""
        if self.letter_run.last_acted is not None:
            self.letter_run.end()
            self.keep_acts()

    async def _end_run_in_time(self) -> None:
        """Wait until no letter can follow those that have acted."""
        run = self.letter_run
        try:
            while (last := run.last_acted) is not None:
                await self._wait_until_quiet()
                await run.wait_for_next(last)
                # Keys that wait are judged together with those that have acted.
                if not self._delivering and last is run.last_acted and not run.is_continued_at(run.clock()):
                    self._end_run()
        finally:
            self._is_ending_run = False

    async def _deliver_keys(self) -> None:
        try:
            while self._waiting_keys:
                await self._wait_until_quiet()
                if await self._asked_user_about_text():
                    continue
                event, at_s = self._waiting_keys.popleft()
                self._prepare(event, at_s)
                self._released = event
                self._confirmed_letters = max(0, self._confirmed_letters - bool(_letter(event)))
                self.post_message(event)
        finally:
            self._delivering = False

    async def _asked_user_about_text(self) -> bool:
        """Whether the next letters look like text typed outside a field.

        Then those that have acted are taken back, the user is asked, and none acts.
        """
        run = self.letter_run
        if self._confirmed_letters:
            return False
        # A letter may have opened the field into which those that follow it would be typed.
        follows = bool(self._waiting_keys) and run.has_changed and run.is_continued_at(self._waiting_keys[0][1])
        if self.is_in_field() and not follows:
            return False
        letters = await self._letters_of_text(in_dialog=self.is_in_dialog() and not follows)
        if not letters:
            return False
        # Taken off before the question: while the dialog is open keys behind them are for it.
        for _ in letters:
            self._waiting_keys.popleft()
        if not run.is_continued_at(letters[0].at_s):
            self._end_run()
        text, has_acted = run.text_with(letters), run.last_acted is not None
        run.end()
        if has_acted:
            self.take_acts_back()
            await self._wait_until_quiet()
        self.ask_about_text(text)
        return True

    async def _letters_of_text(self, *, in_dialog: bool) -> list[TypedLetter]:
        """The letters that wait, once it is clear that they are text; none if the first is a command."""
        while True:
            letters = [TypedLetter(_letter(event), at_s) for event, at_s in takewhile(_is_letter, self._waiting_keys)]
            ended = len(letters) < len(self._waiting_keys)
            at_once = bool(letters) and self.acts_at_once(letters[0].character)
            judged = self.letter_run.judge(letters, ended=ended, in_dialog=in_dialog, at_once=at_once)
            if judged != "unclear":
                return letters if judged == "text" else []
            await self.letter_run.wait_for_next(letters[-1])

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
