"""What another process does to a journal; a module of its own, so that a spawned process can import it."""

from __future__ import annotations

from pathlib import Path

from litterm.library.journal import FileJournal


def append_many(folder: Path, name: str) -> None:
    journal = FileJournal(folder)
    for number in range(50):
        journal.append(name, {"n": number, "pad": "x" * 3000})
