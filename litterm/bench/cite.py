"""Citation attribution: does the cited paper come back for the sentence that cites it.

Reads JSON Lines of excerpts with `[CITATION]` for the cited paper. As CiteME does, only papers up to the
citing year are candidates, and never the citing paper itself.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from litterm.bench.metrics import columns, reciprocal_rank
from litterm.bench.report import Report, Row
from litterm.cite.excerpt import read_excerpt
from litterm.errors import BadInput
from litterm.model.citation import WeightedWord
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.protocols import WeightedSearcher
from litterm.tasks import Task

_SCHEME = "acl"
_DEPTH = 100
"""Candidates looked at; a target further down counts as not found."""
_MASKS = re.compile(r"\[(?:CITATION|AUTHOR)\]")


@dataclass(frozen=True, slots=True)
class Citance:
    """A citing sentence whose target is known. A method may read `excerpt` only."""

    excerpt: str
    target: PaperId
    citing: PaperId
    citing_year: int | None


QueryOf: TypeAlias = Callable[[str], Sequence[WeightedWord]]
"""Excerpt to the words that are searched for."""


def measure(path: Path, searcher: WeightedSearcher) -> Task[Report]:
    """Recall at 1, 10 and 20 and mean reciprocal rank over the papers of one library.

    `litterm` weights the words around the mark, `bm25` takes every word of the excerpt alike. A target
    that the library lacks counts as not found.

    Raises:
        BadInput: the file is not in the expected form.
    """
    citances = read_citances(path)
    rows: list[Row] = []
    for name, query_of in {"litterm": around_the_mark, "bm25": every_word}.items():
        values: defaultdict[str, list[float]] = defaultdict(list)
        for number, citance in enumerate(citances):
            yield Progress(name, number, len(citances))
            found = yield from searcher.candidates(
                query_of(citance.excerpt), k=_DEPTH, before=citance.citing_year, exclude=[citance.citing]
            )
            ranked = [_named(ranked.paper, citance.target) for ranked in found]
            for metric, value in figures(ranked, citance.target).items():
                values[metric].append(value)
        rows.append(Row(name, columns(values)))
    return Report("citance", path.name, len(citances), tuple(rows), (f"mrr over the first {_DEPTH} candidates",))


def figures(ranked: Sequence[str], target: str) -> dict[str, float]:
    """Each metric for one excerpt, in [0, 1]."""
    hits = {f"recall@{k}": float(target in ranked[:k]) for k in (1, 10, 20)}
    return {**hits, "mrr": reciprocal_rank(ranked, target)}


def around_the_mark(excerpt: str) -> Sequence[WeightedWord]:
    """What ships: the words near the mark, weighted."""
    return read_excerpt(excerpt).words


def every_word(excerpt: str) -> Sequence[WeightedWord]:
    """Plain BM25: all words alike, the masks deleted."""
    return [WeightedWord(word, 1.0) for word in _MASKS.sub(" ", excerpt).split()]


def read_citances(path: Path) -> tuple[Citance, ...]:
    """Every excerpt of a file.

    Raises:
        BadInput: a line is not JSON or lacks a field; names file and line.
    """
    found: list[Citance] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read ({error}).") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_citance(json.loads(line)))
            except (ValueError, KeyError, TypeError) as error:
                raise BadInput(f"{path}:{number}: not a citing sentence ({error!r}).") from error
    return tuple(found)


def _citance(fields: Mapping[str, object]) -> Citance:
    year = fields["citing_year"]
    return Citance(
        excerpt=str(fields["excerpt"]),
        target=_id(fields["target_id"]),
        citing=_id(fields["citing_id"]),
        citing_year=int(str(year)) if year is not None else None,
    )


def _id(key: object) -> PaperId:
    return PaperId(str(key) if ":" in str(key) else f"{_SCHEME}:{key}")


def _named(paper: Paper, target: PaperId) -> str:
    """The paper's id, or `target` where that is one of its other ids."""
    return target if target in paper.aliases else paper.id
