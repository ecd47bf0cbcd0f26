"""EvidenceBench with a language model: each setting is asked with its own K, as published."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast, get_args

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.evidence import EvidenceLlmOptions, EvidenceScope, Strategy
from litterm.model.llm import CostEstimate
from litterm_benchmarks.cases_at_once import measure_cases
from litterm_benchmarks.readers.evidencebench import Item, as_document, aspect_recall

if TYPE_CHECKING:
    from litterm.evidence.llm.extractor import LlmExtractor

MODEL_STRATEGIES = get_args(Strategy)
"""Also as `sections/8`: the model is shown the 8 best sentences of each section only."""

_MAX_SENTENCES = 1000
JudgeOf: TypeAlias = "Callable[[EvidenceLlmOptions], LlmExtractor]"


@dataclass(frozen=True, slots=True)
class LlmSetting:
    """One setting of one item."""

    metric: str
    k: int
    scope: EvidenceScope
    aspects: tuple[frozenset[int], ...]


def options_of(name: str) -> EvidenceLlmOptions | None:
    """What a strategy's name means; `None` for one without a model.

    Raises:
        UsageError: what is behind the slash is no number of sentences.
    """
    strategy, slash, few = name.partition("/")
    if strategy not in MODEL_STRATEGIES:
        return None
    return EvidenceLlmOptions(cast(Strategy, strategy), number_behind(name, few, least=1) if slash else 0)


def number_behind(name: str, typed: str, *, least: int) -> int:
    """The number `typed` behind the slash of a strategy's name.

    Raises:
        UsageError: it is none, or out of range.
    """
    if not (typed.isdecimal() and least <= int(typed) <= _MAX_SENTENCES):
        raise UsageError(f"{name}: a number of sentences from {least} to {_MAX_SENTENCES} stands behind the slash")
    return int(typed)


def settings_of(item: Item, only: Collection[str] = ()) -> Iterator[LlmSetting]:
    """The settings the item is measured in, or those with the metrics `only`."""
    every = (
        LlmSetting("er@optimal", item.optimal, "all", item.aspects),
        LlmSetting("er@10", 10, "all", item.aspects),
        LlmSetting("result-er@optimal", item.result_optimal, "results", item.result_aspects),
        LlmSetting("result-er@5", 5, "results", item.result_aspects),
    )
    return (setting for setting in every if setting.aspects and setting.k and (not only or setting.metric in only))


def estimate_cost(items: Sequence[Item], judge: LlmExtractor, only: Collection[str] = ()) -> Task[CostEstimate]:
    """What measuring would cost at most, all settings together; sends nothing.

    Raises:
        UsageError: there is nothing to measure.
    """
    total: CostEstimate | None = None
    for number, item in enumerate(items):
        yield Progress("estimating", number, len(items))
        document, _ = as_document(item)
        for setting in settings_of(item, only):
            cost = yield from judge.estimate(document, item.hypothesis, k=setting.k, scope=setting.scope)
            total = total.plus(cost) if total else cost
    if total is None:
        raise UsageError("the files hold no item")
    return total


def measure_settings(
    items: Sequence[Item], judge: LlmExtractor, name: str, only: Collection[str] = ()
) -> Task[tuple[list[Mapping[str, float]], str]]:
    """Per item, recall by setting in [0, 1]; and a sentence where answers were not the model's, else nothing."""

    def measure_item(item: Item) -> Task[tuple[Mapping[str, float], int, int]]:
        """Recall by setting, how many answers there are, and how many of them are not the model's."""
        document, numbers = as_document(item)
        recalled: dict[str, float] = {}
        without = 0
        for setting in settings_of(item, only):
            evidence = yield from judge.extract(
                document, item.hypothesis, k=setting.k, scope=setting.scope, everything=True
            )
            recalled[setting.metric] = aspect_recall(
                [numbers[item_sentence.sentence.index] for item_sentence in evidence.sentences], setting.aspects
            )
            without += not judge.is_by_model(evidence) or bool(evidence.failed)
        return recalled, len(recalled), without

    measured = yield from measure_cases(name, map(measure_item, items), len(items), at_once=judge.at_once)
    values = [recalled for recalled, _, _ in measured]
    answers, without = sum(asked for _, asked, _ in measured), sum(offline for _, _, offline in measured)
    fault = f"{name}: {without} of {answers} answers are offline ones, in whole or in part" if without else ""
    return values, fault
