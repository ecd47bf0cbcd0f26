"""Paths as they are typed, dropped on a terminal, and pasted from a file manager."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.tui.input.typed_path import typed_path


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("/papers/a b.pdf", "/papers/a b.pdf"),
        ("'/papers/a b.pdf' ", "/papers/a b.pdf"),
        ("file:///papers/a%20b.pdf", "/papers/a b.pdf"),
        ("/papers/100%25.pdf", "/papers/100%25.pdf"),
        ("~/a.pdf", str(Path.home() / "a.pdf")),
    ],
)
def test_the_path_is_the_one_meant(typed: str, path: str) -> None:
    assert typed_path(typed) == Path(path)
