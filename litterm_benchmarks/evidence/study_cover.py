"""The fewest sentences that cover all study aspects, against as many sentences of the ranking.

EvidenceBench publishes which sentences are sources of which study aspect, but not what the aspects say. So the aspects
are litterm's own, split from hypothesis and abstract; measured is how many of the published ones their cover holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from litterm.core.tasks import Task, run
from litterm.evidence.llm.study import StudyModel
from litterm.evidence.study.alignment import coverage_of, split_and_align
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.study_aspects import StudyCoverage
from litterm_benchmarks.cases_at_once import measure_cases
from litterm_benchmarks.evidence.extractors import ExtractorOf
from litterm_benchmarks.readers.evidencebench import Item, as_document, aspect_recall, recalls

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel

NAME = "study-aspects"
MODEL_NAME = "study-aspects/model"
COVER_METRIC, RANKING_METRIC, FINDINGS_METRIC = "er@cover", "er@cover of ranking", "er@cover of findings"
"""Aspect recall of the cover, and of as many sentences of the two rankings without study aspects."""
_RANKED = 30
CoverOf: TypeAlias = Callable[[Document, Evidence], Task[StudyCoverage]]


@dataclass(frozen=True, slots=True)
class _MeasuredCover:
    """The cover of one item."""

    figures: Mapping[str, float]
    """Aspect recall by metric, in [0, 1]."""
    size: int
    """Sentences."""
    share: float
    """Of its own study aspects that are covered, in [0, 1]."""


def cover_offline(document: Document, evidence: Evidence) -> Task[StudyCoverage]:
    """Without a model."""
    return (yield from split_and_align(document, evidence.hypothesis, evidence))


def cover_with(model: ChatModel) -> CoverOf:
    """By a model; the aspects are kept nowhere."""

    def cover(document: Document, evidence: Evidence) -> Task[StudyCoverage]:
        # Each paper is a run of its own, so that its cap and the guard against loops count from zero.
        asking = StudyModel(model.start_item())
        study = yield from asking.split(document, evidence.hypothesis)
        aligned, _ = yield from asking.align(document, study)
        return coverage_of(document, study, aligned, evidence, by=asking.name)

    return cover


def measure(
    items: Sequence[Item], extractor: ExtractorOf, cover_of: CoverOf, name: str, *, at_once: int = 1
) -> Task[tuple[list[Mapping[str, float]], str]]:
    """Per item aspect recall, in [0, 1], and a sentence on the covers, `at_once` items at the same time.

    In the settings of all aspects the sentences of the cover come first, then the ranking for the hypothesis.

    Raises:
        ModelError: the model does not answer.
    """

    def measure_item(item: Item) -> Task[_MeasuredCover]:
        document, numbers = as_document(item)
        evidence = run(extractor(item).extract(document, item.hypothesis, k=_RANKED, scope="all", everything=True))
        coverage = yield from cover_of(document, evidence)
        cover, ranking, findings = (
            [numbers[row.sentence.index] for row in rows]
            for rows in (coverage.cover, evidence.sentences, evidence.key_findings)
        )
        order = list(dict.fromkeys((*cover, *ranking)))
        figures = {metric: value for metric, value in recalls(item, order, ()).items() if metric.startswith("er@")}
        if item.aspects:
            same = ((COVER_METRIC, cover), (RANKING_METRIC, ranking), (FINDINGS_METRIC, findings))
            figures |= {metric: aspect_recall(rows[: len(cover)], item.aspects) for metric, rows in same}
        return _MeasuredCover(figures, len(cover), coverage.covered_share or 0.0)

    covers = yield from measure_cases(name, map(measure_item, items), len(items), at_once=at_once)
    size, share = fmean(cover.size for cover in covers), fmean(cover.share for cover in covers)
    optimal = fmean(item.optimal for item in items)
    note = (
        f"{name}: covers of {size:.1f} sentences on average ({optimal:.1f} would cover the published aspects); "
        f"{100 * share:.0f} % of its own aspects are covered"
    )
    return [cover.figures for cover in covers], note
