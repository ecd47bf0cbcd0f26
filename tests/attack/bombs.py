"""Small files that unpack to much, or say one thing again and again: each import ends within seconds."""

from __future__ import annotations

import gzip
import io
import resource
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from .outcome import Outcome

NAME = "decompression bombs"
MAX_CPU_S = 10.0
"""Processor time of the command and its children."""
_ROW = b'{"title":"a"}\n'
_PIECE_ROWS = 100_000


def attack(root: Path, _random: Random, count: int, finished: Sequence[str] = ()) -> list[Outcome]:
    """Files of `count` percent of the full size; see `tests.attack`."""
    if NAME in finished:
        return []
    outcome, seen = Outcome(NAME, "files"), []
    for name, make in FILES.items():
        path = make(root, count)
        command = [sys.executable, "-m", "litterm", "--home", str(root / f"home-{name}"), "--offline", "add", str(path)]
        before = _child_seconds()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = _child_seconds() - before
        outcome.tried += 1
        seen.append(f"{name} ({path.stat().st_size:,} bytes) {seconds:.1f} s")
        if seconds > MAX_CPU_S:
            outcome.broken.append(f"{name} takes {seconds:.1f} s of processor time")
        if done.returncode not in (0, 1) or "bug in litterm" in done.stderr:
            outcome.broken.append(f"{name} ends with {done.returncode}: {done.stderr[-300:]}")
    outcome.seen = ", ".join(seen)
    return [outcome]


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rows_in_zip(folder: Path, rows: int) -> Path:
    """A member of `rows` equal rows."""
    path = folder / "rows.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file, file.open("a.jsonl", "w") as member:
        for _ in range(rows // _PIECE_ROWS):
            member.write(_ROW * _PIECE_ROWS)
    return path


def rows_in_gzip(folder: Path, rows: int) -> Path:
    """`rows` equal rows."""
    path = folder / "rows.jsonl.gz"
    with gzip.open(path, "wb") as file:
        for _ in range(rows // _PIECE_ROWS):
            file.write(_ROW * _PIECE_ROWS)
    return path


def overlapping_zip(folder: Path, entries: int, size: int) -> Path:
    """A table of contents that names one member of `size` zeros many times."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", bytes(size))
    content = made.getvalue()
    table, end = content.index(b"PK\1\2"), content.index(b"PK\5\6")
    names = content[table:end] * entries
    path = folder / "overlap.zip"
    tail = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, entries, entries, len(names), table, 0)
    path.write_bytes(content[:table] + names + tail)
    return path


def nested_zip(folder: Path, members: int, size: int) -> Path:
    """An archive of many members of zeros in another one."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(members):
            file.writestr(f"a{number}", bytes(size))
    path = folder / "nested.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("in.zip", made.getvalue())
    return path


FILES: Mapping[str, Callable[[Path, int], Path]] = {
    "rows in zip": lambda folder, percent: rows_in_zip(folder, 40_000 * percent),
    "rows in gzip": lambda folder, percent: rows_in_gzip(folder, 80_000 * percent),
    "overlapping entries": lambda folder, percent: overlapping_zip(folder, 655 * percent, 60_000_000),
    "nested archives": lambda folder, percent: nested_zip(folder, 40, 600_000 * percent),
}
