"""What a command left behind that a test has run in this process."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from json_answers import answer


@dataclass(frozen=True)
class Done:
    """One command at its end."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        """What was printed, without the name of its schema, which it has to keep to."""
        return answer(self.out)


class TerminalStream(io.StringIO):
    """A stream that says it is a terminal: somebody types into it, or looks at it."""

    def isatty(self) -> bool:
        return True


Command = Callable[..., Done]


def done(status: int, capsys: pytest.CaptureFixture[str]) -> Done:
    """A command that ended with `status`, and what it has said since anybody looked."""
    captured = capsys.readouterr()
    return Done(status, captured.out, captured.err)
