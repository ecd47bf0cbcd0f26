"""What the benches ask about, so that none of it is trained on: titles, ids and prose of every file in a folder.

Pools, gold papers and questions are read without knowing the form of each bench: a title is whatever stands under a
key for titles, prose whatever stands under a key for text. That a new bench is left out needs no change here.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from litterm.text.references.identity import identity_key
from litterm.text.tokens import tokens

Hashes = npt.NDArray[np.uint64]

_TITLES = frozenset({"title", "paper_title", "query"})
"""A question may be the title of the paper that answers it."""
_GOLD_TITLES = frozenset({"target_title"})
_PROSE = frozenset(
    "query excerpt claim hypothesis text abstract sentences paper_as_candidate_pool citance keywords sentence".split()
)
_GOLD_IDS = frozenset({"gold", "target_id"})
"""Of an answer it is the abstract that must not be read. A record of the Anthology that has none is at most a
title, which every library shows: it stays, with the sentences of others that cite it."""

_RUN_WORDS = 6
"""Stems in a row by which two texts are compared."""
_MAX_SHARED = 0.4
"""Share of a paper's runs in the texts of a bench from which on it is one of them, cut or cleaned differently."""
_MIN_RUNS = 8
"""Runs that a text must have to be compared at all."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class BenchTexts:
    """The texts of several benches; says which bench a paper belongs to."""

    def __init__(self, benches: Iterable[tuple[str, Iterable[object]]]) -> None:
        """`benches` are names with the rows of their files, as JSON gives them."""
        self._titles: dict[str, str] = {}
        self._gold: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._runs: list[tuple[str, Hashes]] = []
        for name, rows in benches:
            runs = [self._runs_of(prose) for row in rows for prose in self._read(row, name)]
            if hashed := [hashes for hashes in runs if len(hashes)]:
                self._runs.append((name, np.unique(np.concatenate(hashed))))

    def bench_of(self, paper_id: str, title: str, sentences: Sequence[Sequence[str]]) -> str | None:
        """The bench that asks about this paper, or `None`; `sentences` are the stems of its abstract.

        A paper that only answers a question, and of which there is no abstract, belongs to none.
        """
        key, stems = identity_key(title), [stem for sentence in sentences for stem in sentence]
        gold = self._gold.get(paper_id.rpartition(":")[2]) or self._gold.get(key)
        return (gold if stems else None) or self._titles.get(key) or self._bench_with(stems)

    def _bench_with(self, stems: Sequence[str]) -> str | None:
        runs = np.unique(self._hashes(stems))
        if len(runs) < _MIN_RUNS:
            return None
        for name, bench_runs in self._runs:
            places = np.searchsorted(bench_runs, runs)
            if np.count_nonzero(bench_runs[np.minimum(places, len(bench_runs) - 1)] == runs) >= _MAX_SHARED * len(runs):
                return name
        return None

    def _read(self, row: object, bench: str, key: str = "") -> Iterator[str]:
        """The prose in `row`, which stands under `key`; titles and ids are kept on the way."""
        if isinstance(row, str):
            self._keep(row, bench, key)
            if key in _PROSE:
                yield row
            return
        parts: Iterable[tuple[object, object]] = ()
        if isinstance(row, dict):
            parts = row.items()
        elif isinstance(row, list):
            parts = ((key, value) for value in row)
        for name, value in parts:
            yield from self._read(value, bench, str(name))

    def _keep(self, text: str, bench: str, key: str) -> None:
        if key in _TITLES and (title := identity_key(text)):
            self._titles.setdefault(title, bench)
        if key in _GOLD_TITLES and (title := identity_key(text)):
            self._gold.setdefault(title, bench)
        if key in _GOLD_IDS:
            self._gold.setdefault(text.rpartition(":")[2], bench)

    def _runs_of(self, prose: str) -> Hashes:
        stems = tokens(prose)
        for stem in stems:
            self._numbers.setdefault(stem, len(self._numbers) + 1)
        return self._hashes(stems)

    def _hashes(self, stems: Sequence[str]) -> Hashes:
        # Stems that no bench holds are all 0: a run with one of them equals no run of a bench.
        numbers = np.array([self._numbers.get(stem, 0) for stem in stems], np.uint64)
        if len(numbers) < _RUN_WORDS:
            return np.empty(0, np.uint64)
        sums = np.zeros(len(numbers) - _RUN_WORDS + 1, np.uint64)
        for offset in range(_RUN_WORDS):
            sums = sums * _FACTOR + numbers[offset : offset + len(sums)]
        return sums


def read_bench_texts(folder: Path) -> BenchTexts:
    """The texts of every bench in `folder`: a folder each, with JSON, JSON Lines or gzipped JSON Lines in it."""
    files = sorted(file for file in folder.rglob("*") if file.name.endswith((".jsonl", ".jsonl.gz", ".json")))
    return BenchTexts(
        (str(file.parent.relative_to(folder)), _rows(file)) for file in files if file.name != "manifest.json"
    )


def papers_apart(
    papers: Sequence[tuple[str, str]], texts: Sequence[Sequence[Sequence[str]]], benches: BenchTexts
) -> tuple[frozenset[int], dict[str, int]]:
    """Places of the papers (id, title) that a bench asks about, and how many of them belong to each bench."""
    benches_of = {
        index: bench
        for index, ((paper_id, title), sentences) in enumerate(zip(papers, texts, strict=True))
        if (bench := benches.bench_of(paper_id, title, sentences)) is not None
    }
    return frozenset(benches_of), dict(sorted(Counter(benches_of.values()).items()))


def _rows(file: Path) -> Iterator[object]:
    if file.suffix == ".json":
        yield json.loads(file.read_text("utf-8"))
        return
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
