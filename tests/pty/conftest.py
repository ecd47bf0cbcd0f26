"""litterm in a real pseudo-terminal, over the starter library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pty_terminal import Terminal

Open = Callable[..., Terminal]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Open]:
    """`terminal(TERM="dumb")`: a started litterm; closed at the end of the test."""
    opened: list[Terminal] = []

    def start(**given: object) -> Terminal:
        made = Terminal(tmp_path / "home", **given)  # type: ignore[arg-type]
        opened.append(made)
        return made

    yield start
    for made in opened:
        made.close()
