"""`python -m litterm.train.attribution FILE --library DIR`: the weights of citation attribution.

`FILE` holds citing sentences whose paper is known (JSON Lines with `id`, `excerpt`, `target_id`, `citing_id` and
`citing_year`), `DIR` a library that holds those papers. Scores are out of fold, the folds parted by cited paper.
Confidence is fitted on the same excerpts with and without their paper in the library, and in small libraries drawn
from it. Needs numpy only and takes about three minutes.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import numpy as np
import numpy.typing as npt

from litterm.cite.confidence import chance, shares, sureness_signs
from litterm.cite.signs import READ, TERMS, Matrix
from litterm.cite.weights import FILE, FORM, SIGNS
from litterm.index.memory import MemoryIndex
from litterm.index.reader import IndexFolder
from litterm.index.static import open_static
from litterm.model.index import index_row
from litterm.model.library import Parsed, RowRef
from litterm.model.paper import Paper
from litterm.retrieve.citable import CitableSearcher
from litterm.retrieve.hybrid import WordEmbedder
from litterm.store.library import DuckLibrary
from litterm.store.memory import MemoryLibrary
from litterm.train.citances import Case, Citance, cases, read_citances
from litterm.train.logistic import fit_logistic
from litterm.train.softmax import fit_listwise

RIDGE, SURENESS_RIDGE = 5.0, 1.0
FOLDS, SEEDS = 5, 5
SMALL = (50, 150, 500, 1500)
"""Papers in the small libraries."""
_PER_LIBRARY = 60
"""Excerpts asked of each."""
_DIGITS = 4
_SHARPNESS = np.linspace(0.4, 2.0, 33)
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01)

Found = Sequence[Case]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of sureness: the signs, whether the first is right, whether the paper is there, what it counts."""

    signs: Matrix
    first: bool
    there: bool
    mass: float


def fit_terms(found: Found) -> Matrix:
    """Weights of the terms, from cases whose target is among the candidates."""
    used = [case for case in found if case.hit]
    fitted = fit_listwise([case.rows for case in used], [case.right.astype(float) for case in used], ridge=RIDGE)
    # Being named speaks for a paper; a name that comes out against it only corrects another.
    floor = np.array([0.0 if term in READ else -np.inf for term in TERMS])
    return np.asarray(np.maximum(fitted, floor))


def fit_sharpness(found: Found, points: Sequence[Matrix]) -> float:
    """By what points are multiplied so that the probabilities of targets come out likeliest."""
    used = [(case, each) for case, each in zip(found, points, strict=True) if case.hit]
    losses = [sum(-np.log(shares(each, by)[case.right][0]) for case, each in used) for by in _SHARPNESS]
    return float(_SHARPNESS[int(np.argmin(losses))])


def divide(found: Found, seed: int) -> npt.NDArray[np.int64]:
    """The fold of each case; cases of one target never part."""
    targets = sorted({case.citance.target for case in found})
    order = np.random.default_rng(seed).permutation(len(targets))
    fold = {targets[at]: place % FOLDS for place, at in enumerate(order.tolist())}
    return np.array([fold[case.citance.target] for case in found])


def out_of_fold(found: Found, folds: npt.NDArray[np.int64]) -> list[Matrix]:
    """Per case the points of its candidates by weights that have not seen its target."""
    points: list[Matrix] = [np.empty(0)] * len(found)
    for fold in range(FOLDS):
        terms = fit_terms([case for case, own in zip(found, folds, strict=True) if own != fold])
        for at in np.flatnonzero(folds == fold).tolist():
            points[at] = found[at].rows @ terms
    return points


def ranks(found: Found, points: Sequence[Matrix]) -> list[float]:
    """The rank of each target; infinite where it is not among the candidates."""
    return [
        float(1 + (each > each[case.right].max()).sum()) if case.hit else float("inf")
        for case, each in zip(found, points, strict=True)
    ]


def figures(ranked: Sequence[float], count: int) -> dict[str, float]:
    """Recall and reciprocal rank in percent over `count` excerpts."""
    recalls = {f"recall@{k}": 100 * sum(rank <= k for rank in ranked) / count for k in (1, 10, 20)}
    return {**recalls, "mrr": 100 * sum(1 / rank for rank in ranked) / count}


def small_libraries(citances: Sequence[Citance], papers: Sequence[Paper], model: WordEmbedder | None) -> Iterator[Case]:
    """Cases in small libraries, each once with and once without the papers that are cited."""
    by_id = {paper.id: paper for paper in papers}
    for seed, size in enumerate(SMALL):
        chance_of = np.random.default_rng(seed)
        asked = [citances[at] for at in chance_of.permutation(len(citances))[:_PER_LIBRARY].tolist()]
        targets = sorted({each.target for each in asked})
        drawn = [papers[at] for at in chance_of.permutation(len(papers))[:size].tolist()]
        others = [paper for paper in drawn if paper.id not in targets]
        for held in ([by_id[target] for target in targets if target in by_id], []):
            library = MemoryLibrary(Parsed(paper) for paper in (*others, *held))
            index = MemoryIndex((index_row(paper) for paper in library.all), model=open_static() if model else None)
            yield from cases(asked, CitableSearcher(library, index, embedder=model))


def questions(found: Found, points: Sequence[Matrix], sharpness: float, *, withheld: bool) -> Iterator[Asked]:
    """Every case as it is and, if `withheld`, as if the library lacked the paper."""
    for case, each in zip(found, points, strict=True):
        right = bool(case.right[int(each.argmax())])
        yield Asked(sureness_signs(case.signs, each, sharpness), right, case.hit, 1.0)
        if withheld and case.hit and len(each) > 1:
            without = case.without_target()
            yield Asked(sureness_signs(without.signs, each[~case.right], sharpness), False, False, 0.5)


def fit_chance(asked: Sequence[Asked], right: Sequence[bool]) -> Matrix:
    """Weights of the signs of sureness, and the constant."""
    rows = np.array([each.signs for each in asked])
    return fit_logistic(rows, np.array(right, float), np.array([each.mass for each in asked]), ridge=SURENESS_RIDGE)


def reliability(told: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """Per bin of told probability: its mean, how often it was right, how many."""
    rows = []
    for low, high in pairwise(BINS):
        inside = [(each, right) for each, right in told if low <= each < high]
        if inside:
            mean, true = fmean(each for each, _ in inside), fmean(right for _, right in inside)
            rows.append({"from": low, "told": round(mean, 3), "true": round(true, 3), "cases": len(inside)})
    return rows


def told_out_of_fold(asked: Sequence[Asked], right: Sequence[bool], parts: int = FOLDS) -> list[tuple[float, bool]]:
    """Per question the probability by weights that have not seen it, and the truth."""
    fold = np.random.default_rng(0).permutation(len(asked)) % parts
    told: list[tuple[float, bool]] = []
    for part in range(parts):
        inside = np.flatnonzero(fold == part).tolist()
        outside = np.flatnonzero(fold != part).tolist()
        weights = fit_chance([asked[at] for at in outside], [right[at] for at in outside])
        told += [(chance(asked[at].signs, weights), right[at]) for at in inside]
    return told


def fitted(
    citances: Sequence[Citance], library: DuckLibrary, papers: Sequence[Paper], model: WordEmbedder | None
) -> Mapping[str, object]:
    """Everything that is said of one kind of pool."""
    archive = list(cases(citances, CitableSearcher(library, IndexFolder(), embedder=model)))
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for seed in range(SEEDS):
        points = out_of_fold(archive, divide(archive, seed))
        for name, score in figures(ranks(archive, points), len(citances)).items():
            scores[name].append(score)
    terms = fit_terms(archive)
    points = out_of_fold(archive, divide(archive, 0))
    sharpness = fit_sharpness(archive, points)
    small = list(small_libraries(citances, papers, model))
    large = list(questions(archive, points, sharpness, withheld=True))
    asked = [*large, *questions(small, [case.rows @ terms for case in small], sharpness, withheld=False)]
    first, there = [each.first for each in asked], [each.there for each in asked]
    told = told_out_of_fold(asked, first)
    return {
        "terms": _rounded(terms),
        "sharpness": round(sharpness, _DIGITS),
        "first": _rounded(fit_chance(asked, first)),
        "presence": _rounded(fit_chance(asked, there)),
        "scores": {name: round(fmean(column), 1) for name, column in scores.items()},
        "reliability": reliability(told),
        "reliability_presence": reliability(told_out_of_fold(asked, there)),
        "questions": {"large": len(large), "small": len(asked) - len(large)},
    }


def _rounded(weights: Matrix) -> list[float]:
    return [round(float(each), _DIGITS) for each in weights]


def record(path: Path, root: Path, today: str) -> dict[str, object]:
    """The whole file."""
    citances = read_citances(path)
    library = DuckLibrary(root)
    snapshot = library.snapshot()
    refs = [RowRef(each.key, row) for each in snapshot.segments for row in range(each.count)]
    papers = library.papers(snapshot, refs)
    return {
        "form": FORM,
        "made": today,
        "by": "python -m litterm.train.attribution",
        "data": [{"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "items": len(citances)}],
        "library": {"papers": len(papers), "embedder": open_static().name},
        "method": f"listwise softmax, ridge {RIDGE:g}; {FOLDS} folds by cited paper, mean of {SEEDS} divisions",
        "terms": list(TERMS),
        "signs": list(SIGNS),
        "fits": {
            "hybrid": fitted(citances, library, papers, open_static()),
            "bm25": fitted(citances, library, papers, None),
        },
    }


def main(argv: list[str] | None = None) -> None:
    """Reads the excerpts, asks the library, fits, writes the weights."""
    parser = argparse.ArgumentParser(prog="python -m litterm.train.attribution", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=FILE)
    typed = parser.parse_args(argv)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    typed.out.write_text(_json(record(typed.file, typed.library, today)), "utf-8")


def _json(whole: Mapping[str, object]) -> str:
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
