"""Finds the data sets of the five papers in a folder, by the names of files and folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final


def _litsearch(folder: Path) -> Sequence[Path]:
    return (folder,) if (folder / "query").is_dir() else _first(folder, "*.jsonl", "*.parquet")


def _doris_mae(folder: Path) -> Sequence[Path]:
    return (folder,) if (folder / "qrels.tsv").is_file() else _first(folder, "*.json")


def _acl_rlg(folder: Path) -> Sequence[Path]:
    return (folder,) if (folder / "reading_lists.csv").is_file() else _first(folder, "*.jsonl")


def _first(folder: Path, *patterns: str) -> Sequence[Path]:
    return [path for pattern in patterns for path in sorted(folder.glob(pattern))][:1]


SETS: Final[Mapping[str, Callable[[Path], Sequence[Path]]]] = {
    "litsearch": _litsearch,
    "evidencebench": lambda folder: sorted(folder.glob("*.json")),
    "citeme": lambda folder: _first(folder, "*.csv"),
    "doris-mae": _doris_mae,
    "acl-rlg": _acl_rlg,
}
"""By the name of its bench, what of a set's folder is measured; empty where nothing in it is of the set."""


def find_sets(folder: Path) -> dict[str, Sequence[Path]]:
    """What lies in `folder` of each set: the entries whose names begin with the name of its bench.

    Capitals and the signs `-` and `_` do not matter: `DORIS_MAE.json` is of `doris-mae`. Sets that are not there are
    left out.
    """
    found: dict[str, Sequence[Path]] = {}
    for entry in sorted(folder.iterdir()):
        name = next((name for name in SETS if _plain(entry.name).startswith(_plain(name))), "")
        if name and name not in found:
            paths = SETS[name](entry) if entry.is_dir() else (entry,)
            found |= {name: paths} if paths else {}
    return found


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
