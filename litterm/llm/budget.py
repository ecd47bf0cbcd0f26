"""Budgets of runs and days, whose caps hold before a request leaves, and a guard against requests in a loop."""

from __future__ import annotations

import errno
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from litterm.core.errors import CapReached, ModelError, ModelGone, ModelUnreachable, RepeatedRequest
from litterm.core.filesystem import open_private, try_lock
from litterm.core.settings.model import ModelSettings
from litterm.model.llm import ModelCost, Usage, sum_costs
from litterm.render.cost import dollars as in_dollars

_MAX_RUN_TOKENS = 5_000_000
_MAX_DAY_TOKENS = 20_000_000
_MILLION = 1_000_000
_LOCK_TIMEOUT_S = 10.0
"""How long another process may hold the file of the day: each needs it for a moment."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens; `None` where they are not known."""

    sent: float | None
    received: float | None

    def cost_of(self, usage: Usage) -> float | None:
        """What this many tokens cost."""
        if self.sent is None or self.received is None:
            return None
        return (usage.prompt_tokens * self.sent + usage.reply_tokens * self.received) / _MILLION


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that may be spent; 0 is no cap."""

    tokens: int
    dollars: float

    def check(self, period: Literal["run", "day"], spent: ModelCost, more: ModelCost) -> None:
        """Refuses to spend `more` on top where that would pass a cap.

        Raises:
            CapReached: it would pass a cap; names the setting.
        """
        sentence = self.describe_exceeded(period, spent, more)
        if sentence:
            raise CapReached(sentence)

    def describe_exceeded(self, period: Literal["run", "day"], spent: ModelCost, more: ModelCost) -> str:
        """The cap that spending `more` would pass, as a sentence; empty if none. Unknown prices count as nothing."""
        total = (spent.dollars or 0.0) + (more.dollars or 0.0)
        if self.tokens and spent.tokens + more.tokens > self.tokens:
            cap, unit, so_far = f"{self.tokens:,} tokens", "tokens", f"{spent.tokens:,}"
        elif self.dollars and more.dollars and total > self.dollars:
            cap, unit, so_far = in_dollars(self.dollars), "dollars", in_dollars(spent.dollars or 0.0)
        else:
            return ""
        return (
            f"The cap of {cap} a {period} would be exceeded ({so_far} so far); "
            f"raise model.{period}_{unit} if you agree."
        )


def read_prices(settings: ModelSettings, *, local: bool) -> Prices:
    """The prices set; a model on this machine costs nothing unless they say otherwise."""
    free = 0.0 if local else None
    price_sent = free if settings.price_in is None else settings.price_in
    price_received = free if settings.price_out is None else settings.price_out
    return Prices(price_sent, price_received)


def read_run_caps(settings: ModelSettings, *, local: bool) -> Caps:
    """What one run may spend."""
    usual = 0 if local else _MAX_RUN_TOKENS
    return Caps(usual if settings.run_tokens is None else settings.run_tokens, settings.run_dollars)


def read_day_caps(settings: ModelSettings, *, local: bool) -> Caps:
    """What a day may cost."""
    usual = 0 if local else _MAX_DAY_TOKENS
    return Caps(usual if settings.day_tokens is None else settings.day_tokens, settings.day_dollars)


@dataclass(slots=True)
class Budget:
    """What one run has spent, what it has set aside by ticket, and what it has found out about its model."""

    spent: ModelCost = field(default=ModelCost())
    held: dict[str, ModelCost] = field(default_factory=dict)
    gone: ModelGone | None = None
    is_cut_told: bool = False
    """Whether the user knows that the server cuts requests."""


@dataclass(frozen=True, slots=True)
class RunBudget:
    """One run: what it has spent, and how often it has asked the same."""

    caps: Caps
    repeats: int
    fresh: bool = False
    budget: Budget = field(default_factory=Budget)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def total_cost(self) -> ModelCost:
        """So far."""
        return self.budget.spent

    def start_item(self) -> RunBudget:
        """The same budget, with a guard against loops that counts from zero."""
        return replace(self, counts=Counter())

    def count_request(self, key: str) -> None:
        """One more request `key`.

        Raises:
            RepeatedRequest: it was asked too often.
        """
        self.counts[key] += 1
        if self.counts[key] > self.repeats:
            raise RepeatedRequest(
                f"The same request was sent {self.counts[key]} times in one run, which looks like a loop; it stopped."
            )

    def check_model(self) -> None:
        """Nothing is asked of a model that this run has found to be gone.

        Raises:
            ModelGone: it is, for this reason.
        """
        if self.budget.gone is not None:
            raise self.budget.gone

    def hold(self, ticket: str, worst: ModelCost) -> None:
        """Sets aside what a request may cost at most.

        Raises:
            CapReached: it would pass a cap.
        """
        # Requests in progress count at their highest cost: several that each fit must not pass the cap together.
        self.caps.check("run", sum_known_costs([self.total_cost, *self.budget.held.values()]), worst)
        self.budget.held[ticket] = worst

    def settle(self, ticket: str, cost: ModelCost) -> None:
        """What it did cost."""
        self.budget.held.pop(ticket, None)
        self.budget.spent = self.total_cost.plus(cost)


class DayBudget:
    """What all litterm processes of this user have spent today (UTC): one file per day, two lines per payment.

    What is set aside counts until it is settled, also when its process was killed: the money may well be gone.
    Models on this machine and elsewhere are counted apart, since only the latter cost.
    """

    def __init__(self, folder: Path, caps: Caps, clock: Callable[[], float], *, local: bool) -> None:
        self._folder = folder
        self._caps = caps
        self._clock = clock
        self._local = local
        self._path = Path()
        self._offset = 0
        self._lines: dict[str, _Line] = {}

    def total_cost(self) -> ModelCost:
        """Today so far, what is set aside included."""
        try:
            with self._open_locked() as file:
                self._read(file)
        except OSError:
            return ModelCost()
        return self._sum()

    def describe_exceeded(self, more: ModelCost) -> str:
        """The cap that `more` would pass today, as a sentence; empty if none."""
        return self._caps.describe_exceeded("day", self.total_cost(), more)

    def hold(self, ticket: str, worst: ModelCost, details: Mapping[str, str]) -> None:
        """Sets aside what a request may cost at most.

        Raises:
            CapReached: it would pass a cap.
            ModelError: it cannot be written down, so that no cap would hold.
        """
        try:
            with self._open_locked() as file:
                self._read(file)
                self._caps.check("day", self._sum(), worst)
                self._write(file, ticket, worst, details)
        except OSError as error:
            # Without a cap the record is a courtesy, and no reason to refuse.
            if self._caps.tokens or (self._caps.dollars and worst.dollars):
                raise ModelError(
                    f"The record of spending cannot be written to {self._path}: {error.strerror}."
                ) from error

    def settle(self, ticket: str, cost: ModelCost) -> None:
        """What it did cost; where that cannot be written, what was set aside counts on."""
        try:
            with self._open_locked() as file:
                self._read(file)
                self._write(file, ticket, cost, {})
                # Its own line, too: what is counted is always what is in the file.
                self._read(file)
        except OSError:
            self._lines[ticket] = _Line(cost, self._local)

    def _sum(self) -> ModelCost:
        return sum_known_costs([line.spent for line in self._lines.values() if line.local == self._local])

    @contextmanager
    def _open_locked(self) -> Iterator[int]:
        """Today's file, locked: what is read and what is then written belong together."""
        # Days are those of UTC: in another time zone the same day continues.
        path = self._folder / f"spent-{datetime.fromtimestamp(self._clock(), UTC):%Y-%m-%d}.jsonl"
        if path != self._path:
            self._path, self._offset, self._lines = path, 0, _cost_of_later_days(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open_private(path, os.O_RDWR | os.O_APPEND)
        try:
            if not try_lock(file, _LOCK_TIMEOUT_S):
                raise OSError(errno.EBUSY, "another litterm holds it and does not release it; it may be suspended")
            yield file
        finally:
            os.close(file)

    def _read(self, file: int) -> None:
        """Reads what any process has written since."""
        size = os.fstat(file).st_size
        # The file is shorter than what was read of it: it was emptied or replaced.
        if size < self._offset:
            self._offset, self._lines = 0, _cost_of_later_days(self._path)
        text = os.pread(file, size - self._offset, self._offset)
        # Up to the last line break: another process may be in the middle of a line.
        complete_lines = text[: text.rfind(b"\n") + 1]
        self._offset += len(complete_lines)
        self._lines.update(entry for entry in map(_entry, complete_lines.splitlines()) if entry is not None)

    def _write(self, file: int, ticket: str, spent: ModelCost, details: Mapping[str, str]) -> None:
        body = {
            "ticket": ticket,
            "at": datetime.fromtimestamp(self._clock()).astimezone().isoformat(timespec="seconds"),
            **details,
            "local": self._local,
            "calls": spent.calls,
            "tokens": spent.tokens,
            "dollars": spent.dollars,
            "approximate": spent.approximate,
        }
        # A line that a crash has torn must not swallow this one.
        is_cut_off = self._offset < os.fstat(file).st_size
        os.write(file, (b"\n" if is_cut_off else b"") + json.dumps(body).encode() + b"\n")


@dataclass(frozen=True, slots=True)
class _Line:
    spent: ModelCost
    local: bool


def is_free(error: ModelError) -> bool:
    """Whether a request that ended so has cost nothing: it was refused, or never arrived."""
    return error.status is not None or isinstance(error, ModelUnreachable)


def _cost_of_later_days(path: Path) -> dict[str, _Line]:
    """What was spent on days after that of `path`: the clock has been set back since, and it counts all the same."""
    files = (other for other in sorted(path.parent.glob("spent-*.jsonl")) if other.name > path.name)
    return {
        ticket: line for file in files for ticket, line in filter(None, map(_entry, file.read_bytes().splitlines()))
    }


def sum_known_costs(parts: Iterable[ModelCost]) -> ModelCost:
    """Everything together, for caps: what has no known price adds tokens only."""
    return sum_costs(replace(part, dollars=part.dollars or 0.0) for part in parts)


def _entry(line: bytes) -> tuple[str, _Line] | None:
    try:
        body = json.loads(line)
        dollars = None if body["dollars"] is None else float(body["dollars"])
        spent = ModelCost(int(body["calls"]), dollars, int(body["tokens"]), bool(body["approximate"]))
        return str(body["ticket"]), _Line(spent, bool(body["local"]))
    except (ValueError, KeyError, TypeError):
        return None
