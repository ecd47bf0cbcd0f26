"""The likely stance on several sets of claims: how often it is told and right, each set left out of the fit in turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.evidence.language.stance import likely_stance
from litterm.model.events import Progress
from litterm.model.evidence import LikelyStance
from litterm_benchmarks.data_rows import first_row
from litterm_benchmarks.evidence import full_text_stance
from litterm_benchmarks.evidence.claims import PairAnswer, answer_by_litterm
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.readers.claims import ClaimPair, Label, read_claims
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

if TYPE_CHECKING:
    from litterm_training.claims import MeasuredClaim
    from litterm_training.softmax import Matrix

METHODS = ("litterm", "left out", "left out, words may be absent")
_LABEL_OF: Mapping[str, Label] = {"supports": "SUPPORT", "refutes": "CONTRADICT"}


@dataclass(frozen=True, slots=True)
class _Told:
    """What is told of one pair."""

    pair: ClaimPair
    likely: LikelyStance | None
    sure: float | None
    """That the record holds evidence; `None` where nothing is told of that."""
    supports: float
    """Larger where the record is likelier to support the claim."""


@dataclass(frozen=True, slots=True)
class _ClaimSet:
    """One file of pairs: measured, and as the product answers them."""

    name: str
    claims: tuple[MeasuredClaim, ...]
    answers: tuple[PairAnswer, ...]


def measure(paths: Sequence[Path], extractors: Extractors | None = None) -> Task[BenchReport]:
    """For each file how many stances are told, how many of them are right, and areas under the curve.

    A file holds claims with abstracts, or full texts, which `litterm_benchmarks.evidence.full_text_stance` measures.

    `litterm` is what is shown, out of fold where the weights were fitted on the pairs. `left out` fits the stance and
    the verdict on the other files alone, and tells the stance of any record, with a title or without, long or short;
    the last method does so although the sentence lacks words of the claim. What is told of a pair without evidence
    is wrong.

    Raises:
        BadInput: a file is not in the expected form.
        UsageError: there are fewer than two files.
    """
    if len(paths) < 2:
        raise UsageError("bench stance leaves one file out in turn: give it two or more")
    shipped = extractors or Extractors.shipped()
    sets: list[_ClaimSet] = []
    full_texts: list[full_text_stance.FullTexts] = []
    for path in paths:
        if "sections" in first_row(path):
            full_texts.append((yield from full_text_stance.read_full_texts(path)))
        else:
            sets.append((yield from _read_set(path, shipped)))
    methods: Sequence[Callable[[_ClaimSet], Sequence[_Told]]] = (
        _as_shown,
        lambda one: _left_out(one, [other for other in sets if other is not one], shipped),
        lambda one: _left_out(
            _without_gaps(one), [_without_gaps(other) for other in sets if other is not one], shipped
        ),
    )
    rows: list[MethodRow] = []
    notes: list[str] = []
    # One set of claims alone serves the fit for full texts; it cannot be left out of itself.
    for name, answer in zip(METHODS, methods, strict=True) if len(sets) > 1 else ():
        by_set = {one.name: answer(one) for one in sets}
        parts = [SubsetScore("set", key, len(told), _metrics(told)) for key, told in by_set.items()]
        rows.append(MethodRow(name, _metrics([each for told in by_set.values() for each in told]), tuple(parts)))
        notes += [f"{name}, {key}: {_by_stance(told)}" for key, told in by_set.items()]
    if full_texts:
        pairs = [claim.pair for one in sets for claim in one.claims]
        rows += yield from full_text_stance.measure(full_texts, pairs, shipped)
    source = ", ".join([one.name for one in sets] + [one.name for one in full_texts])
    count = sum(len(one.claims) for one in sets) + sum(len(one.texts) for one in full_texts)
    return BenchReport("stance", source, count, tuple(rows), tuple(notes))


def _read_set(path: Path, shipped: Extractors) -> Task[_ClaimSet]:
    from litterm_training.claims import measure_claims

    pairs = read_claims(path)
    name = path.parent.name or path.name
    yield Progress(name, 0, len(pairs))
    claims = measure_claims(pairs)
    answers: list[PairAnswer] = []
    for number, pair in enumerate(pairs):
        yield Progress(name, number, len(pairs))
        answers.append((yield from answer_by_litterm(pair, shipped)))
    return _ClaimSet(name, tuple(claims), tuple(answers))


def _as_shown(one: _ClaimSet) -> Sequence[_Told]:
    return [
        _Told(claim.pair, answer.likely, answer.sure, _signed(answer.likely))
        for claim, answer in zip(one.claims, one.answers, strict=True)
    ]


def _left_out(one: _ClaimSet, others: Sequence[_ClaimSet], shipped: Extractors) -> Sequence[_Told]:
    import numpy as np

    from litterm_training.claims import fit_stance_of, probability_of, telling_wording
    from litterm_training.verdict import fit_verdict

    def order_of(claim: MeasuredClaim) -> Matrix:
        weights = shipped.trained.weights_without(claim.pair.paper) or shipped.trained.shipped
        return np.array(weights.claim_abstract)

    seen = [claim for other in others for claim in other.claims]
    stance = tuple(fit_stance_of([(claim, telling_wording(claim, order_of(claim))) for claim in seen]).tolist())
    verdict = fit_verdict((), (), seen)
    told: list[_Told] = []
    for claim in one.claims:
        compared = telling_wording(claim, order_of(claim))
        likely = likely_stance(compared, stance) if compared else None
        signed = _signed(likely) if likely else 0.1 * compared.side if compared else 0.0
        told.append(_Told(claim.pair, likely, probability_of(claim, verdict), signed))
    return told


def _without_gaps(one: _ClaimSet) -> _ClaimSet:
    """The set as if no sentence lacked a word of its claim."""
    claims = (
        replace(claim, compared=tuple(replace(compared, missing=()) for compared in claim.compared))
        for claim in one.claims
    )
    return replace(one, claims=tuple(claims))


def _signed(likely: LikelyStance | None) -> float:
    return 0.0 if likely is None else likely.probability if likely.stance == "supports" else -likely.probability


def _metrics(told: Sequence[_Told]) -> tuple[Metric, ...]:
    stances = [each for each in told if each.likely]
    right = sum(_is_right(each) for each in stances)
    sure = [(each.sure, each.pair.label != "NONE") for each in told if each.sure is not None]
    sides = [(each.supports, each.pair.label == "SUPPORT") for each in told if each.pair.label != "NONE"]
    return (
        Metric("told", len(stances)),
        Metric("right", right),
        Metric("share", 100 * right / len(stances) if stances else math.nan),
        Metric("auc", _area(sure)),
        Metric("stance auc", _area(sides)),
    )


def _is_right(told: _Told) -> bool:
    return told.likely is not None and _LABEL_OF[told.likely.stance] == told.pair.label


def _area(scored: Sequence[tuple[float, bool]]) -> float:
    """In percent; not a number where there are no two to compare."""
    import numpy as np

    ones = np.array([score for score, is_one in scored if is_one])[:, None]
    others = np.array([score for score, is_one in scored if not is_one])[None, :]
    return 100 * float(((ones > others) + 0.5 * (ones == others)).mean()) if ones.size and others.size else math.nan


def _by_stance(told: Sequence[_Told]) -> str:
    return "; ".join(_counts(told)) or "nothing told"


def _counts(told: Sequence[_Told]) -> Iterator[str]:
    for stance in _LABEL_OF:
        own = [each for each in told if each.likely and each.likely.stance == stance]
        if own:
            probability = sum(each.likely.probability for each in own if each.likely) / len(own)
            right = sum(map(_is_right, own)) / len(own)
            yield f"{stance} {len(own)} times, told {probability:.2f}, true {right:.2f}"
