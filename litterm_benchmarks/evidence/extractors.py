"""The extractors under measurement, each paper's with weights that have not seen it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from litterm.core.tasks import Task, run
from litterm.evidence.learned import LinearExtractor
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.weights import TrainedWeights, Weights, read_weights
from litterm.interfaces import EvidenceExtractor
from litterm.model.document import SentenceKind
from litterm.model.events import Progress
from litterm.model.evidence import Evidence, EvidenceScope
from litterm_benchmarks.readers.evidencebench import Item, as_document


@dataclass(frozen=True, slots=True)
class ExtractedEvidence:
    """Evidence, and the item's sentence number of each row of its document."""

    evidence: Evidence
    numbers: tuple[int, ...]
    withheld: frozenset[int]


ExtractorOf: TypeAlias = Callable[[Item], EvidenceExtractor]


@dataclass(frozen=True, slots=True)
class Extractors:
    """What ships, and for papers it was fitted on what was fitted without them."""

    trained: TrainedWeights

    @classmethod
    def shipped(cls) -> Extractors:
        """With the weights in the package.

        Raises:
            BadInput: they cannot be read.
        """
        return cls(read_weights())

    def weights(self, item: Item) -> Weights:
        """Those of a fit that has not seen the item's paper."""
        return self.trained.weights_without(item.paper_key) or self.trained.shipped

    def unseen(self, item: Item) -> EvidenceExtractor:
        """The fitted extractor for this item."""
        return LinearExtractor(self.weights(item), withheld=_kinds(item))

    def untrained(self, _item: Item) -> EvidenceExtractor:
        """H1, the same for all items."""
        return LexicalExtractor()

    def note(self, items: Collection[Item]) -> str:
        """How many of the items the shipped weights have seen, and what was done about it."""
        seen = sum(self.trained.weights_without(item.paper_key) is not None for item in items)
        if not seen:
            return "no paper of these is in the training data: the shipped weights"
        return (
            f"{seen} of {len(items)} items are training data: scored out of fold, by weights fitted without their paper"
        )


def evidence_of(
    items: Sequence[Item], extractor: ExtractorOf, name: str
) -> Task[list[tuple[ExtractedEvidence, ExtractedEvidence]]]:
    """Per item, everything the extractor finds, for all aspects and for results, floor ignored."""
    answers: list[tuple[ExtractedEvidence, ExtractedEvidence]] = []
    for number, item in enumerate(items):
        yield Progress(name, number, len(items))
        fitted = extractor(item)
        answers.append(
            (
                _answer(item, fitted, max(10, item.optimal), "all"),
                _answer(item, fitted, max(5, item.result_optimal), "results"),
            )
        )
    return answers


def evidence_numbers(answer: ExtractedEvidence) -> list[int]:
    """Sentence numbers of the evidence, the best first."""
    numbers = [answer.numbers[sentence.sentence.index] for sentence in answer.evidence.sentences]
    return [number for number in numbers if number not in answer.withheld]


def key_findings(answer: ExtractedEvidence) -> list[int]:
    """Sentence numbers of the key findings, the best first."""
    return [answer.numbers[finding.sentence.index] for finding in answer.evidence.key_findings]


def _answer(item: Item, extractor: EvidenceExtractor, k: int, scope: EvidenceScope) -> ExtractedEvidence:
    document, numbers = as_document(item)
    # H1 cannot withhold: it is asked for enough to have k left.
    most = k if isinstance(extractor, LinearExtractor) else k + len(item.withheld)
    evidence = run(extractor.extract(document, item.hypothesis, k=most, scope=scope, everything=True))
    return ExtractedEvidence(evidence, numbers, item.withheld)


def _kinds(item: Item) -> frozenset[SentenceKind]:
    return frozenset({"abstract"}) if item.withheld else frozenset()
