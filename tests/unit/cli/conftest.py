"""Commands run in this process, with a fake engine and streams one can read."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import Command, Done, done
from fakes import FakeEngine

from litterm.cli.main import main


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """`litterm(*argv, engine=...)`: the command, in this process."""

    def command(*argv: str, engine: FakeEngine | None = None) -> Done:
        answering = engine or FakeEngine()
        status = main(list(argv), build=lambda _settings: answering)  # type: ignore[arg-type, return-value]
        return done(status, capsys)

    return command
