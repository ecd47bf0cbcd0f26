"""Restatements: is the first sentence shown of a full text one that states the claim, or an aim or a method.

The claim is the conclusion of the paper's own abstract, which the document lacks; nothing else of the abstract may be
chosen, either, so that the claim has to be found in the body.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import content_stems
from litterm.evidence.language import cue_words
from litterm.evidence.learned import LinearExtractor
from litterm.library.index.static_embeddings import shipped_name
from litterm.model.events import Progress
from litterm_benchmarks.evidence.baselines import bm25_scores
from litterm_benchmarks.evidence.extractors import Extractors
from litterm_benchmarks.evidence.restatement_gold import Restatement, read_restatements
from litterm_benchmarks.metrics import columns
from litterm_benchmarks.report import BenchReport, MethodRow

STRATEGIES = ("litterm", "one-order", "overlap", "bm25", "lead")
_SHOWN = 3
"""Sentences among which a restatement is looked for."""


def measure(path: Path, extractors: Extractors | None = None, *, strategies: Sequence[str] = ()) -> Task[BenchReport]:
    """How often the first sentence, and one of three, restates the claim, and the first is an aim or a method.

    `litterm` is the default; `one-order` is what it would be without weights of their own for the first sentence.
    Papers that the weights were fitted on are scored by weights fitted without them.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: a strategy is not known.
    """
    unknown = [name for name in strategies if name not in STRATEGIES]
    if unknown:
        raise UsageError(f"no strategy {unknown[0]!r}; there are {', '.join(STRATEGIES)}")
    shipped = extractors or Extractors.shipped()
    restatements = yield from read_restatements(path)
    rows: list[MethodRow] = []
    for name in strategies or STRATEGIES:
        values: defaultdict[str, list[float]] = defaultdict(list)
        for number, item in enumerate(restatements):
            yield Progress(f"restatements, {name}", number, len(restatements))
            order = yield from _order(item, name, shipped)
            values["restatement@1"].append(float(order[0] in item.gold))
            values[f"restatement@{_SHOWN}"].append(float(not item.gold.isdisjoint(order)))
            values["aim or method@1"].append(float(_is_aim_or_method(item, order[0])))
        rows.append(MethodRow(name, columns(values)))
    seen = sum(shipped.trained.weights_without(item.paper) is not None for item in restatements)
    notes = (
        f"{seen} of {len(restatements)} papers are training data: scored out of fold, by weights fitted without them",
        f"no reader chose what restates a claim: told by likeness, vectors of {shipped_name()} too, and section",
    )
    return BenchReport("restatements", path.name, len(restatements), tuple(rows), notes)


def _order(item: Restatement, name: str, shipped: Extractors) -> Task[Sequence[int]]:
    """Places of the first candidates in the body."""
    if name in ("litterm", "one-order"):
        weights = shipped.trained.weights_without(item.paper) or shipped.trained.shipped
        if name == "one-order":
            weights = replace(weights, claim_first=weights.claim_full_text)
        extractor = LinearExtractor(weights, withheld={"abstract"})
        evidence = yield from extractor.extract(item.document, item.claim, k=_SHOWN, scope="all", everything=True)
        place_of = {sentence.index: place for place, sentence in enumerate(item.pool.sentences)}
        return [place_of[row.sentence.index] for row in evidence.sentences]
    scores = _scores(item, name)
    body = [place for place, sentence in enumerate(item.pool.sentences) if sentence.kind != "abstract"]
    return sorted(body, key=lambda place: (-scores[place], place))[:_SHOWN]


def _scores(item: Restatement, name: str) -> list[float]:
    if name == "bm25":
        return bm25_scores(item.claim, [sentence.text for sentence in item.pool.sentences])
    if name == "lead":
        return [-float(place) for place in range(len(item.pool.sentences))]
    claim_stems = frozenset(content_stems(item.claim))
    return [len(claim_stems.intersection(counts)) / max(1, len(claim_stems)) for counts in item.pool.counts]


def _is_aim_or_method(item: Restatement, place: int) -> bool:
    """Whether a candidate stands before the results, or says what was to be found out."""
    lower = item.pool.sentences[place].text.lower()
    asks = cue_words.has_cue(cue_words.AIM, lower) or cue_words.has_cue(cue_words.QUESTION_CUES, lower)
    return item.kinds[place] in ("introduction", "methods") or bool(asks)
