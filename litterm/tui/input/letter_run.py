"""Letters pressed in quick succession: commands, or text that was meant for a field.

A letter whose act can be taken back acts at once, and is taken back when a word follows. Any other letter waits a
moment for the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile, pairwise
from time import monotonic
from typing import Literal

from litterm.tui.input.keymap import TABLE, KeyBinding

MAX_LETTER_GAP_S = 0.12
"""Seconds between letters that belong together."""
_GAP_MARGIN_S = 0.001
"""Seconds added to that limit when waiting for it to pass."""
# Bindings that only move are part of a word only if another letter follows.
_MOVE_BINDINGS = ("all.down", "all.up", "all.first", "all.last")
_DECISION_BINDINGS = ("all.accept", "all.reject", "all.star", "all.read-status")
_MIN_HELD_DOWN = 3
"""Times that the same letter comes from a key held down, and no longer from a word."""
_EVIDENCE_BINDINGS = ("all.next-evidence", "all.previous-evidence")
_FIELD_BINDINGS = ("all.query", "all.command-line", "all.find", "all.help")
_STEP_BINDINGS = ("all.down", "all.up")

Judgement = Literal["commands", "text", "unclear"]


@dataclass(frozen=True, slots=True)
class TypedLetter:
    """A printable key and when it came."""

    character: str
    at_s: float


@dataclass(slots=True)
class LetterRun:
    """Decides whether letters typed outside a field are commands or text meant for one."""

    table: Sequence[KeyBinding] = TABLE
    clock: Callable[[], float] = monotonic
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    max_gap_s: float = MAX_LETTER_GAP_S
    _acted: list[TypedLetter] = field(default_factory=list)
    """Letters that acted at once: if others follow fast they were the beginning of a word."""

    async def wait_for_next(self, last: TypedLetter) -> None:
        """Wait for the next key, or until one could no longer belong to `last`."""
        await self.pause(max(0.0, last.at_s + self.max_gap_s - self.clock()) + _GAP_MARGIN_S)

    @property
    def last_acted(self) -> TypedLetter | None:
        """The last letter that acted at once and may still be the beginning of a word."""
        return self._acted[-1] if self._acted else None

    @property
    def has_changed(self) -> bool:
        """Whether a letter that acted at once did more than move."""
        return bool(self._without_leading_moves())

    def is_continued_at(self, at_s: float) -> bool:
        """Whether a letter that comes then belongs to those that have acted."""
        return bool(self._acted) and self._is_close(self._acted[-1].at_s, at_s)

    def waits(self, character: str, *, in_dialog: bool, at_once: bool = False) -> bool:
        """Whether a letter pressed alone acts only after a moment; moves and what can be taken back act at once."""
        return character.isalpha() and not at_once and character not in self._moves(in_dialog)

    def judge(
        self, letters: Sequence[TypedLetter], *, ended: bool, in_dialog: bool, at_once: bool = False
    ) -> Judgement:
        """Whether the first of `letters` is a command or text; `ended`: another kind of key follows them.

        `at_once`: what it does can be taken back.
        """
        run = self._without_pauses(letters)
        acted = self._without_leading_moves() if run and self.is_continued_at(run[0].at_s) else ()
        if not run or (not in_dialog and not acted and run[0].character in self._keys(_FIELD_BINDINGS)):
            return "commands"
        if self._is_text([letter.character for letter in (*acted, *run)], in_dialog=in_dialog):
            return "text"
        if not self.waits(run[0].character, in_dialog=in_dialog, at_once=at_once):
            return "commands"
        is_over = ended or len(run) < len(letters) or self.clock() - run[-1].at_s > self.max_gap_s
        return "commands" if is_over else "unclear"

    def record(self, letter: TypedLetter) -> None:
        """Note a letter that acts at once."""
        self._acted.append(letter)
        last = self._acted[-_MIN_HELD_DOWN:]
        if len(last) == _MIN_HELD_DOWN and len({each.character for each in last}) == 1:
            # A key held down is no word: what comes after it begins anew.
            self._acted = []

    def end(self) -> None:
        """What has acted stays: the next letter begins anew."""
        self._acted = []

    def text_with(self, letters: Sequence[TypedLetter]) -> str:
        """The text of `letters` and of those that acted directly before them."""
        return "".join(letter.character for letter in (*self._acted, *letters))

    def _is_close(self, earlier_s: float, later_s: float) -> bool:
        return 0 <= later_s - earlier_s <= self.max_gap_s

    def _without_leading_moves(self) -> Sequence[TypedLetter]:
        moves = self._moves(in_dialog=False)
        return list(dropwhile(lambda letter: letter.character in moves, self._acted))

    def _without_pauses(self, letters: Sequence[TypedLetter]) -> Sequence[TypedLetter]:
        """The leading letters without a pause between them."""
        gaps = (at for at, (one, two) in enumerate(pairwise(letters), 1) if not self._is_close(one.at_s, two.at_s))
        return letters[: next(gaps, len(letters))]

    def _is_text(self, run: Sequence[str], *, in_dialog: bool) -> bool:
        changing = [character for character in run if character not in self._moves(in_dialog) and character != " "]
        # One letter many times is a key held down, not a word.
        if not changing or len(set(run)) == 1 or not any(map(str.isalpha, run)):
            return False
        # `aj` accepts a row and continues, often within the limit, and so does `ajxj`.
        steps, decisions = self._keys(_STEP_BINDINGS), self._keys(_DECISION_BINDINGS)
        if all(character in steps | decisions for character in run):
            return any(one in decisions and two in decisions for one, two in pairwise(run))
        return len(run) > 2 or not any(character in steps for character in run)

    def _moves(self, in_dialog: bool) -> frozenset[str]:
        return self._keys(_MOVE_BINDINGS if in_dialog else (*_MOVE_BINDINGS, *_EVIDENCE_BINDINGS))

    def _keys(self, ids: Iterable[str]) -> frozenset[str]:
        binding_ids = frozenset(ids)
        return frozenset(name for key in self.table if key.id in binding_ids for name in key.keys if len(name) == 1)
