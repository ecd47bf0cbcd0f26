"""A dry run: what would leave this machine, instead of letting it."""

from __future__ import annotations

import json
from collections.abc import Callable

from litterm.errors import DryRun
from litterm.llm.budget import Run
from litterm.llm.exchange import Target
from litterm.llm.habits import HabitBook, Habits
from litterm.llm.wire import Asked, body_of
from litterm.model.events import Outgoing
from litterm.model.llm import ModelReply, Rung
from litterm.patience import Tell
from litterm.settings.secrets import Key


class Rehearsal:
    """Shows what would be sent, to the letter, and sends nothing."""

    def __init__(self, target: Target, habits: HabitBook, key: Callable[[], Key]) -> None:
        self._target = target
        self._habits = habits
        self._key = key

    async def send(self, asked: Asked, _run: Run, tell: Tell) -> tuple[ModelReply, Rung]:
        """Never a reply."""
        tell(Outgoing(outgoing_text(self._target, asked, self._habits.now, self._key())))
        raise DryRun(f"Nothing was sent to {self._target.endpoint.label}: this is a dry run.")


def outgoing_text(target: Target, asked: Asked, habits: Habits, key: Key) -> str:
    """Request line, headers that matter, and the body as it would be sent."""
    address = habits.address or target.endpoint.addresses[0]
    body = json.dumps(body_of(asked, target.model, habits), ensure_ascii=False, separators=(",", ":"))
    who = f"the key in {key.where}" if key.is_there else "none"
    head = f"POST {address}/chat/completions\nAuthorization: Bearer ({who})\nContent-Type: application/json"
    return f"{head}\n\n{body}\n"
