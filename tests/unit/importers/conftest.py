"""Our own small files, and reading in one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from litterm.importers.reader import FileReader
from litterm.model.library import Failure, Parsed, ReadEvent

SAMPLES = Path(__file__).resolve().parents[2] / "data" / "formats"
Read = Callable[[Path], list[ReadEvent]]
Papers = Callable[[Path], list[Parsed]]


@pytest.fixture
def samples() -> Path:
    return SAMPLES


@pytest.fixture
def read() -> Read:
    return lambda path: list(FileReader().read(path, lambda _sha256: False))


@pytest.fixture
def papers(read: Read) -> Papers:
    """Papers only; fails where anything could not be read."""

    def papers_of(path: Path) -> list[Parsed]:
        found = read(path)
        assert [each for each in found if isinstance(each, Failure)] == []
        return [each for each in found if isinstance(each, Parsed)]

    return papers_of
