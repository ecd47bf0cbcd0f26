"""`python -m litterm_training.evidence EVIDENCEBENCH... --claims CLAIMS... --restatements FULL_TEXTS...`: the weights
of the evidence extractor.

Writes the weights, and for every fold those fitted without it, so that what is said about these very papers and
claims can be said out of fold. Needs numpy only and takes about three minutes.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from litterm.core.tasks import run
from litterm.evidence.features import CLAIM_FEATURE_NAMES
from litterm.evidence.language.concepts import FREQUENCY_FILE
from litterm.evidence.language.directions import DIRECTION_FEATURES
from litterm.evidence.language.stance import STANCE_FEATURES
from litterm.evidence.strength import STRENGTH_TERMS
from litterm.evidence.verdict import VERDICT_FEATURES
from litterm.evidence.weights import FORMAT_VERSION, WEIGHTS_FILE
from litterm.library.index.static_embeddings import shipped_name
from litterm_benchmarks.evidence.restatement_gold import read_restatements
from litterm_benchmarks.readers.claims import read_claims
from litterm_benchmarks.readers.evidencebench import read_items
from litterm_training.claims import (
    MeasuredClaim,
    fit_stance,
    fit_strength,
    measure_claims,
    measure_pair,
    probability_of,
)
from litterm_training.directions import MeasuredDirections, fit_directions, measure_directions
from litterm_training.evidence_items import RankedItem, figures, ranked_item
from litterm_training.restatements import MeasuredRestatement, is_restated_first, measure_restatements
from litterm_training.softmax import Matrix, fit_listwise
from litterm_training.verdict import Pairs, area, fit_verdict, pair_up

RIDGE = 30.0
CLAIM_RIDGE = 20.0
FULL_TEXT_SHARE, ABSTRACT_SHARE = 8.0, 0.3
"""What an item of EvidenceBench counts beside a claim, in the weights for papers and in those for abstracts.

Whole papers stand only in EvidenceBench, so what tells their sentences apart has to come from there.
"""
FIRST_SHARE, RESTATEMENT_SHARE = 5.0, 0.3
"""The same in the weights for the first sentence, where of the aspects only results count, and what a full text that
restates its conclusion counts there.

With more for restatements the first sentence covers fewer result aspects of EvidenceBench.
"""
FOLDS = 5
SEEDS = 5
"""Divisions into folds that the recorded scores are averaged over; the folds in the file are those of seed 0."""
_DIGITS = 3

Fit = Mapping[str, Matrix]


@dataclass(frozen=True, slots=True)
class TrainingItems:
    """What is learned from."""

    lists: Sequence[RankedItem]
    pairs: Pairs
    claims: Sequence[MeasuredClaim]
    restatements: Sequence[MeasuredRestatement] = ()
    directions: Sequence[MeasuredDirections] = ()

    def within(self, papers: Collection[str]) -> TrainingItems:
        """Items about these papers and claims put to them."""
        return self._where(lambda paper: paper in papers)

    def without(self, papers: Collection[str]) -> TrainingItems:
        """Items about other papers and claims put to others."""
        return self._where(lambda paper: paper not in papers)

    def _where(self, wanted_paper: Callable[[str], bool]) -> TrainingItems:
        lists = [item for item in self.lists if wanted_paper(item.item.paper_key)]
        claims = [item for item in self.claims if wanted_paper(item.pair.paper)]
        restatements = [item for item in self.restatements if wanted_paper(item.paper)]
        directions = [item for item in self.directions if wanted_paper(item.paper)]
        return TrainingItems(lists, self.pairs, claims, restatements, directions)


def fit(ground: TrainingItems) -> Fit:
    """All the weights."""
    lists, claims = ground.lists, ground.claims
    rows = [item.rows for item in lists]
    worths, in_results = [item.worth for item in lists], [item.worth_in_results for item in lists]
    within = frozenset(item.item.key for item in lists)
    verdict_abstract = fit_verdict(ground.pairs.of_abstracts, within, claims)
    claim_abstract = _by_claim(ground, worths, ABSTRACT_SHARE)
    claim_first = _for_first(ground, in_results)
    return {
        "key_findings": fit_listwise(rows, worths, ridge=RIDGE),
        "key_results": fit_listwise(rows, in_results, ridge=RIDGE),
        "claim_full_text": _by_claim(ground, worths, FULL_TEXT_SHARE),
        "claim_abstract": claim_abstract,
        "claim_results": _by_claim(ground, in_results, FULL_TEXT_SHARE),
        "claim_first": claim_first,
        "verdict_full_text": fit_verdict(ground.pairs.of_full_texts, within),
        "verdict_abstract": verdict_abstract,
        "strength": fit_strength(claims, verdict_abstract),
        "stance": fit_stance(claims, claim_abstract),
        "directions": fit_directions(ground.directions, claim_first),
    }


def _by_claim(ground: TrainingItems, worths: Sequence[Matrix], share: float) -> Matrix:
    with_rationale = [item for item in ground.claims if item.gold.any()]
    rows = [*(item.rows for item in with_rationale), *(item.claim_rows for item in ground.lists)]
    masses = [*[1.0] * len(with_rationale), *[share] * len(ground.lists)]
    return fit_listwise(rows, [*(item.gold for item in with_rationale), *worths], ridge=CLAIM_RIDGE, masses=masses)


def _for_first(ground: TrainingItems, in_results: Sequence[Matrix]) -> Matrix:
    lists = [(item.rows, item.gold, 1.0) for item in ground.claims if item.gold.any()]
    lists += [(item.rows, item.gold, RESTATEMENT_SHARE) for item in ground.restatements]
    lists += [(item.claim_rows, own, FIRST_SHARE) for item, own in zip(ground.lists, in_results, strict=True)]
    rows, worths, masses = zip(*lists, strict=True)
    return fit_listwise(rows, worths, ridge=CLAIM_RIDGE, masses=masses)


def divide(ground: TrainingItems, seed: int) -> list[list[str]]:
    """Papers by fold; items of one paper never part, nor pairs that share a paper or a claim, however indirectly."""
    papers = sorted({item.item.paper_key for item in ground.lists})
    groups = sorted({item.group for item in ground.claims})
    dice = np.random.default_rng(seed)
    dice.shuffle(papers)
    dice.shuffle(groups)
    fold_of = {group: number % FOLDS for number, group in enumerate(groups)}
    cited = [
        sorted({item.pair.paper for item in ground.claims if fold_of[item.group] == fold}) for fold in range(FOLDS)
    ]
    # Last, so that the folds of the others are the same with and without full texts.
    texts = sorted({item.paper for item in ground.restatements})
    dice.shuffle(texts)
    return [[*sorted(papers[fold::FOLDS]), *cited[fold], *sorted(texts[fold::FOLDS])] for fold in range(FOLDS)]


def out_of_fold(ground: TrainingItems, folds: Sequence[Sequence[str]], fits: Sequence[Fit]) -> dict[str, float]:
    """Mean aspect recall by reading and setting, and what is reached on claims, in percent."""
    reached_by: defaultdict[str, list[float]] = defaultdict(list)
    probabilities: dict[bool, list[float]] = {True: [], False: []}
    for papers, fitted in zip(folds, fits, strict=True):
        held_out = ground.within(frozenset(papers))
        for ranked in held_out.lists:
            for name, recall in _recalls(ranked, fitted):
                reached_by[name].append(recall)
        for claim in held_out.claims:
            probabilities[claim.speaks].append(probability_of(claim, fitted["verdict_abstract"]))
            for name, value in measure_pair(claim, fitted["claim_abstract"]).items() if claim.speaks else ():
                reached_by[f"claims {name}"].append(value)
        for text in held_out.restatements:
            reached_by["restatements first"].append(is_restated_first(text, fitted["claim_first"]))
    scores = {name: 100 * fmean(column) for name, column in reached_by.items()}
    return scores | (
        {"claims auc": 100 * area(probabilities[True], probabilities[False])} if all(probabilities.values()) else {}
    )


def _recalls(ranked: RankedItem, fitted: Fit) -> Iterator[tuple[str, float]]:
    key, claim = (fitted["key_findings"], fitted["key_results"]), (fitted["claim_full_text"], fitted["claim_results"])
    for reading, rows, weights, body in (
        ("key", ranked.rows, key, False),
        ("hypothesis", ranked.claim_rows, claim, False),
        ("body", ranked.rows, key, True),
    ):
        for setting, recall in figures(ranked, *weights, body=body, rows=rows).items():
            yield f"{reading} {setting}", recall


def record(sources: Sequence[Mapping[str, object]], ground: TrainingItems, today: str) -> dict[str, object]:
    """The whole file; `sources` name the data."""
    scores: defaultdict[str, list[float]] = defaultdict(list)
    shipped: list[tuple[Sequence[str], Fit]] = []
    for seed in range(SEEDS):
        folds = divide(ground, seed)
        fits = [fit(ground.without(frozenset(papers))) for papers in folds]
        for name, score in out_of_fold(ground, folds, fits).items():
            scores[name].append(score)
        shipped = shipped or list(zip(folds, fits, strict=True))
    return {
        "form": FORMAT_VERSION,
        "made": today,
        "by": "python -m litterm_training.evidence",
        "data": list(sources),
        "embedder": shipped_name(),
        "background": hashlib.sha256(FREQUENCY_FILE.read_bytes()).hexdigest(),
        "method": f"listwise softmax, worth = aspects^1.5, ridge {RIDGE:g}; with claims ridge {CLAIM_RIDGE:g}, an item "
        f"counting {FULL_TEXT_SHARE:g} claims for papers and {ABSTRACT_SHARE:g} for abstracts; for the first sentence "
        f"{FIRST_SHARE:g}, and a restated conclusion {RESTATEMENT_SHARE:g}; {FOLDS} folds by paper and claim",
        "scores": {name: round(fmean(column), 1) for name, column in scores.items()},
        "scores_of": f"percent, out of fold, mean of {SEEDS} divisions; aspect recall with one order for all "
        "sentences, and on claims see bench claims",
        "terms": list(CLAIM_FEATURE_NAMES),
        "signs": list(VERDICT_FEATURES),
        "strength_terms": list(STRENGTH_TERMS),
        "stance_terms": list(STANCE_FEATURES),
        "direction_terms": list(DIRECTION_FEATURES),
        "weights": _plain(fit(ground)),
        "folds": [{"papers": list(papers), "weights": _plain(fitted)} for papers, fitted in shipped],
    }


def main(argv: list[str] | None = None) -> None:
    """Reads the files, fits, writes the weights."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.evidence", description=__doc__)
    parser.add_argument("file", nargs="+", type=Path)
    parser.add_argument("--claims", nargs="+", type=Path, required=True)
    parser.add_argument("--restatements", nargs="+", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=WEIGHTS_FILE)
    typed = parser.parse_args(argv)
    items = {path: read_items(path) for path in typed.file}
    pairs = {path: read_claims(path) for path in typed.claims}
    texts = {path: run(read_restatements(path)) for path in typed.restatements}
    lists = [ranked_item(item) for group in items.values() for item in group]
    every_pair = [pair for group in pairs.values() for pair in group]
    every_text = [text for group in texts.values() for text in group]
    ground = TrainingItems(
        lists,
        pair_up(lists),
        measure_claims(every_pair),
        measure_restatements(every_text),
        measure_directions(every_text, every_pair),
    )
    sources = [_source(path, len(group)) for path, group in (*items.items(), *pairs.items(), *texts.items())]
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    typed.out.write_text(dump_weights(record(sources, ground, today)), encoding="utf-8")


def _source(path: Path, items: int) -> dict[str, object]:
    return {"name": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "items": items}


def dump_weights(body: Mapping[str, object]) -> str:
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
