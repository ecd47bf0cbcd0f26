"""Letters pressed in quick succession: commands, or text that was meant for a field.

A letter that changes or opens something waits a moment for the next one. Keys that only move never wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from time import monotonic
from typing import Literal

from litterm.tui.input.keymap import TABLE, KeyBinding

MAX_LETTER_GAP_S = 0.12
"""Seconds between letters that belong together."""
_GAP_MARGIN_S = 0.001
"""Seconds added to that limit when waiting for it to pass."""
# Bindings that only move may act at once: taking them back costs nothing.
_MOVE_BINDINGS = ("all.down", "all.up", "all.first", "all.last")
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
    _recent_moves: list[TypedLetter] = field(default_factory=list)
    """Moves that acted at once: if letters follow fast they were the beginning of a word."""

    async def wait_for_next(self, last: TypedLetter) -> None:
        """Wait for the next key, or until one could no longer belong to `last`."""
        await self.pause(max(0.0, last.at_s + self.max_gap_s - self.clock()) + _GAP_MARGIN_S)

    def may_begin_text(self, character: str, *, in_dialog: bool) -> bool:
        """Whether a letter pressed alone acts only after a moment; moves act at once."""
        return character.isalpha() and character not in self._moves(in_dialog)

    def judge(self, letters: Sequence[TypedLetter], *, ended: bool, in_dialog: bool) -> Judgement:
        """Whether the first of `letters` is a command or text; `ended`: another kind of key follows them."""
        run = self._without_pauses(letters)
        if not run or (not in_dialog and run[0].character in self._keys(_FIELD_BINDINGS)):
            return "commands"
        if self._is_text([letter.character for letter in run], in_dialog=in_dialog):
            return "text"
        if not self.may_begin_text(run[0].character, in_dialog=in_dialog):
            return "commands"
        is_over = ended or len(run) < len(letters) or self.clock() - run[-1].at_s > self.max_gap_s
        return "commands" if is_over else "unclear"

    def record_command(self, letter: TypedLetter) -> None:
        """Note a letter that acted as a command; one that only moves may still begin a word."""
        moved = letter.character in self._moves(in_dialog=False)
        # Twenty are more than any word begins with, and keep a held-down `j` from being looked through again.
        self._recent_moves = (
            [*self._without_pauses([*self._recent_moves[-20:], letter], backwards=True)] if moved else []
        )

    def take_text(self, letters: Sequence[TypedLetter]) -> str:
        """The text of `letters` and of the moves directly before them."""
        before = self._without_pauses([*self._recent_moves, *letters[:1]], backwards=True)[:-1]
        self._recent_moves = []
        return "".join(letter.character for letter in (*before, *letters))

    def _without_pauses(self, letters: Sequence[TypedLetter], *, backwards: bool = False) -> Sequence[TypedLetter]:
        """The leading letters without a pause between them; the trailing ones with `backwards`."""
        pairs = list(pairwise(letters))
        gaps = [
            index
            for index, (earlier, later) in enumerate(pairs, 1)
            if not 0 <= later.at_s - earlier.at_s <= self.max_gap_s
        ]
        if not gaps:
            return letters
        return letters[gaps[-1] :] if backwards else letters[: gaps[0]]

    def _is_text(self, run: Sequence[str], *, in_dialog: bool) -> bool:
        changing = [character for character in run if character not in self._moves(in_dialog) and character != " "]
        # One letter many times is a key held down, not a word.
        if not changing or len(set(run)) == 1 or not any(map(str.isalpha, run)):
            return False
        # Two letters of which one is a step are no text: `aj` accepts a row and continues, often within the limit.
        return len(run) > 2 or not any(character in self._keys(_STEP_BINDINGS) for character in run)

    def _moves(self, in_dialog: bool) -> frozenset[str]:
        return self._keys(_MOVE_BINDINGS if in_dialog else (*_MOVE_BINDINGS, *_EVIDENCE_BINDINGS))

    def _keys(self, ids: Iterable[str]) -> frozenset[str]:
        binding_ids = frozenset(ids)
        return frozenset(name for key in self.table if key.id in binding_ids for name in key.keys if len(name) == 1)
