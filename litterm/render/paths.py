"""Paths as they are shown."""

from __future__ import annotations

from pathlib import Path


def home_relative(path: str) -> str:
    """`path` with `~` for the user's own folder, as a shell takes it; as it is where it lies elsewhere."""
    try:
        home = str(Path.home())
    except RuntimeError:
        # No folder belongs to this user.
        return path
    return f"~{path[len(home) :]}" if len(home) > 1 and path.startswith(f"{home}/") else path
