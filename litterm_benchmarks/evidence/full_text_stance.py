"""The likely stance of full texts: of their own conclusions, of the opposites of these, and of others' conclusions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.evidence.learned import LinearExtractor
from litterm.model.events import Progress
from litterm.model.evidence import LikelyStance
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.restatement_gold import Restatement, read_restatements
from litterm_benchmarks.readers.claims import ClaimPair
from litterm_benchmarks.report import MethodRow, Metric, SubsetScore

if TYPE_CHECKING:
    from litterm_training.directions import FormedPair

METHODS = ("full texts", "full texts, left out")
_SHOWN = 3
"""Sentences of which a stance may be told."""


@dataclass(frozen=True, slots=True)
class FullTexts:
    """One file of full texts."""

    name: str
    texts: tuple[Restatement, ...]


@dataclass(frozen=True, slots=True)
class _Told:
    pair: FormedPair
    likely: LikelyStance | None


def read_full_texts(path: Path) -> Task[FullTexts]:
    """The papers that restate the conclusion of their abstract.

    Raises:
        BadInput: a line is not in the expected form, or no paper concludes with a finding.
    """
    texts = yield from read_restatements(path)
    return FullTexts(path.parent.name or path.name, texts)


def measure(
    files: Sequence[FullTexts], claims: Sequence[ClaimPair], shipped: Extractors
) -> Task[tuple[MethodRow, ...]]:
    """For each file how many stances are told and how many of them are right, by form of the claim.

    The claim is the conclusion of the abstract, which is taken out of it: the paper states it. The same turned round or
    denied it refutes, and of another paper's conclusion it says nothing, so that all told there is wrong.

    `full texts` is what is shown, out of fold where the weights were fitted on a paper. `full texts, left out` fits the
    weights of the directions on `claims` and on the other files alone.
    """
    rows: list[MethodRow] = []
    for name in METHODS:
        parts: list[SubsetScore] = []
        everything: list[_Told] = []
        for one in files:
            left_out = None
            if name != METHODS[0]:
                left_out = _fitted_without(one, files, claims, shipped)
            told = yield from _tell(one, shipped, left_out)
            everything += told
            parts.append(SubsetScore("file", one.name, len(told), _metrics(told)))
            for form in dict.fromkeys(each.pair.claim.form for each in told):
                of_form = [each for each in told if each.pair.claim.form == form]
                parts.append(SubsetScore(f"claims of {one.name}", form, len(of_form), _metrics(of_form)))
        rows.append(MethodRow(name, _metrics(everything), tuple(parts)))
    return tuple(rows)


def _fitted_without(
    one: FullTexts, files: Sequence[FullTexts], claims: Sequence[ClaimPair], shipped: Extractors
) -> tuple[float, ...]:
    import numpy as np

    from litterm_training.directions import fit_directions, measure_directions

    others = [text for other in files if other is not one for text in other.texts]
    measured = measure_directions(others, claims)
    return tuple(fit_directions(measured, np.array(shipped.trained.shipped.claim_first)).tolist())


def _tell(one: FullTexts, shipped: Extractors, directions: tuple[float, ...] | None) -> Task[Sequence[_Told]]:
    from litterm_training.directions import claims_of

    by_paper = {text.paper: text for text in one.texts}
    told: list[_Told] = []
    pairs = claims_of(one.texts)
    for number, pair in enumerate(pairs):
        yield Progress(one.name, number, len(pairs))
        text = by_paper[pair.paper]
        weights = shipped.trained.weights_without(pair.paper) or shipped.trained.shipped
        if directions is not None:
            weights = replace(weights, directions=directions)
        extractor = LinearExtractor(weights)
        evidence = yield from extractor.extract(text.document, pair.claim.text, k=_SHOWN, scope="all")
        likely = next((item.likely_stance for item in evidence.sentences if item.likely_stance), None)
        told.append(_Told(pair, likely))
    return told


def _metrics(told: Sequence[_Told]) -> tuple[Metric, ...]:
    stances = [each for each in told if each.likely]
    right = sum(
        each.likely is not None
        and each.pair.claim.label == ("SUPPORT" if each.likely.stance == "supports" else "CONTRADICT")
        for each in stances
    )
    share = 100 * right / len(stances) if stances else float("nan")
    return (Metric("told", len(stances)), Metric("right", right), Metric("share", share))
