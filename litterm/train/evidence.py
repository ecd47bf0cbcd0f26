"""`python -m litterm.train.evidence FILE...`: the weights of the evidence extractor, from EvidenceBench files.

Writes the weights, and for every fold those fitted without it, so that what is said about these very papers
can be said out of fold. Needs numpy only and takes about two minutes.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np

from litterm.evidence.features import TERMS
from litterm.evidence.linear import LISTENING
from litterm.evidence.verdict import SIGNS
from litterm.evidence.weights import FILE, FORM
from litterm.formats.evidencebench import read_items
from litterm.train.lists import Listed, figures, listed
from litterm.train.softmax import Matrix, fit_listwise
from litterm.train.verdict import Pairs, fit_verdict, pair_up

RIDGE = 30.0
FOLDS = 5
SEEDS = 5
"""Divisions into folds that the recorded scores are averaged over; the folds in the file are those of seed 0."""
_DIGITS = 3

Fit = Mapping[str, Matrix]


def fit(lists: Sequence[Listed], pairs: Pairs) -> Fit:
    """All the weights, from some of the items."""
    rows = [one.rows for one in lists]
    within = frozenset(one.item.key for one in lists)
    return {
        "all": fit_listwise(rows, [one.worth for one in lists], ridge=RIDGE),
        "results": fit_listwise(rows, [one.worth_in_results for one in lists], ridge=RIDGE),
        "full": fit_verdict(pairs.full, within),
        "thin": fit_verdict(pairs.thin, within),
    }


def divide(lists: Sequence[Listed], seed: int) -> list[list[str]]:
    """Papers by fold; items of one paper never part."""
    papers = sorted({one.item.paper_key for one in lists})
    np.random.default_rng(seed).shuffle(papers)
    return [sorted(papers[start::FOLDS]) for start in range(FOLDS)]


def without(lists: Sequence[Listed], papers: Sequence[str]) -> list[Listed]:
    """The items about other papers."""
    return [one for one in lists if one.item.paper_key not in papers]


def out_of_fold(lists: Sequence[Listed], folds: Sequence[Sequence[str]], fits: Sequence[Fit]) -> dict[str, float]:
    """Mean aspect recall in percent, by reading and setting."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    raised = np.where(np.array(TERMS) == "hypothesis", LISTENING, 1.0)
    for papers, fitted in zip(folds, fits, strict=True):
        for one in (one for one in lists if one.item.paper_key in papers):
            for reading, factor, body in (("key", 1.0, False), ("hypothesis", raised, False), ("body", 1.0, True)):
                reached = figures(one, fitted["all"] * factor, fitted["results"] * factor, body=body)
                for setting, recall in reached.items():
                    found[f"{reading} {setting}"].append(recall)
    return {name: 100 * fmean(column) for name, column in found.items()}


def record(paths: Sequence[Path], lists: Sequence[Listed], pairs: Pairs, today: str) -> dict[str, object]:
    """The whole file."""
    scores: defaultdict[str, list[float]] = defaultdict(list)
    shipped: list[tuple[Sequence[str], Fit]] = []
    for seed in range(SEEDS):
        folds = divide(lists, seed)
        fits = [fit(without(lists, papers), pairs) for papers in folds]
        for name, score in out_of_fold(lists, folds, fits).items():
            scores[name].append(score)
        shipped = shipped or list(zip(folds, fits, strict=True))
    return {
        "form": FORM,
        "made": today,
        "by": "python -m litterm.train.evidence",
        "data": [
            {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "items": len(read_items(path))}
            for path in paths
        ],
        "method": f"listwise softmax, worth = aspects^1.5, ridge {RIDGE:g}; {FOLDS} folds by paper",
        "scores": {name: round(fmean(column), 1) for name, column in scores.items()},
        "scores_of": f"aspect recall in percent, out of fold, mean of {SEEDS} divisions; hypothesis x {LISTENING:g}",
        "terms": list(TERMS),
        "signs": list(SIGNS),
        "weights": _plain(fit(lists, pairs)),
        "folds": [{"papers": list(papers), "weights": _plain(fitted)} for papers, fitted in shipped],
    }


def main(argv: list[str] | None = None) -> None:
    """Reads the files, fits, writes the weights."""
    parser = argparse.ArgumentParser(prog="python -m litterm.train.evidence", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=FILE)
    typed = parser.parse_args(argv)
    lists = [listed(item) for path in typed.file for item in read_items(path)]
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    body = record(typed.file, lists, pair_up(lists), today)
    typed.out.write_text(written(body), encoding="utf-8")


def written(body: Mapping[str, object]) -> str:
    """JSON with a line for every field and fold, so that a refit can be read as a difference."""
    lines = [f"  {json.dumps(name)}: {_lines(value)}" for name, value in body.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _lines(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"    {json.dumps(entry)}" for entry in value) + "\n  ]"
    return json.dumps(value)


def _plain(fitted: Fit) -> dict[str, list[float]]:
    return {name: [round(float(weight), _DIGITS) for weight in weights] for name, weights in fitted.items()}


if __name__ == "__main__":
    main()
