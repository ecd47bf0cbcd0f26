"""Commands run in this process, with a fake engine and streams one can read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes import FakeEngine

from litterm.cli.main import main


@dataclass(frozen=True)
class Done:
    """What one command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        parsed: dict[str, object] = json.loads(self.out)
        return parsed


Command = Callable[..., Done]


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """`litterm(*argv, engine=...)`: the command, in this process."""

    def command(*argv: str, engine: FakeEngine | None = None) -> Done:
        answering = engine or FakeEngine()
        status = main(list(argv), build=lambda _settings: answering)  # type: ignore[arg-type, return-value]
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return command
