"""Models over the local server of `fakes_model_server`, with time and chance of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fakes_model_server import MODEL

from litterm.core.backoff import Clock as Pulse
from litterm.core.settings import Settings, from_home
from litterm.llm.factory import Clocks, open_model
from litterm.llm.model import ChatModel


@dataclass
class Clock:
    """Time that passes only when somebody sleeps; chance that is always 0."""

    now: float = 1000.0
    today: float = 1_790_000_000.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    @property
    def nature(self) -> Clocks:
        return Clocks(Pulse(lambda: self.now, self.sleep, lambda: 0.0), lambda: self.today)


def settings_for(home: Path, url: str, **changes: object) -> Settings:
    """Default settings under `home`, with a `[model]` table for the server at `url`."""
    plain = from_home(home)
    table = {"base_url": url, "model": MODEL, "timeout_s": 5.0, **changes}
    return replace(plain, model=replace(plain.model, **table))  # type: ignore[arg-type]


class Models:
    """Makes models, and closes them all in the end."""

    def __init__(self, home: Path, url: str, clock: Clock) -> None:
        self.home = home
        self.url = url
        self.clock = clock
        self._made: list[ChatModel] = []

    def __call__(self, environ: Mapping[str, str] | None = None, **changes: object) -> ChatModel:
        model = open_model(settings_for(self.home, self.url, **changes), environ or {}, self.clock.nature)
        assert model is not None
        self._made.append(model)
        return model

    def close(self) -> None:
        for model in self._made:
            model.close()
