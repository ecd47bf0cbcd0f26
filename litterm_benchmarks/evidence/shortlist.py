"""What `--shortlist N` leaves of a paper: the most a model could still find, and how much less it is shown.

Needs no model: the ceiling is a reader who always picks best among the sentences that are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import get_args

from litterm.core.tasks import Task, run
from litterm.evidence.llm.chunks import estimate_tokens, shorten_chunk, split_paper
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.evidence import EvidenceScope
from litterm_benchmarks.evidence.extractors import ExtractorOf
from litterm_benchmarks.evidence.llm_settings import number_behind, settings_of
from litterm_benchmarks.readers.evidencebench import Item, as_document

NAME = "shortlist"
"""With a number behind a slash: `shortlist/8` shows the 8 best sentences of each section, `shortlist/0` all."""


def size_of(strategy: str) -> int | None:
    """How many sentences of each section are shown; `None` for another strategy.

    Raises:
        UsageError: what is behind the slash is no number of sentences.
    """
    name, _, few = strategy.partition("/")
    return number_behind(strategy, few, least=0) if name == NAME else None


def measure(items: Sequence[Item], extractor: ExtractorOf, n: int) -> Task[tuple[list[Mapping[str, float]], str]]:
    """Per item, the recall still to be had by setting, in [0, 1]; and the share of the text that is shown."""
    values: list[Mapping[str, float]] = []
    text, shown = 0, 0
    for number, item in enumerate(items):
        yield Progress(f"{NAME}/{n}", number, len(items))
        document, numbers = as_document(item)
        reached: dict[str, float] = {}
        for scope in get_args(EvidenceScope):
            most = len(document.sentences)
            task = extractor(item).extract(document, item.hypothesis, k=most, scope=scope, everything=True)
            ranked = run(task)
            remaining = _kept_sentences(
                document, [item_sentence.sentence.index for item_sentence in ranked.sentences], n
            )
            text += estimate_tokens(document.sentences)
            shown += estimate_tokens(document.sentences[index] for index in remaining)
            left = {numbers[index] for index in remaining} - set(item.withheld)
            for setting in settings_of(item):
                if setting.scope == scope:
                    reached[setting.metric] = best_recall(left, setting.aspects, setting.k)
        values.append(reached)
    return values, f"{NAME}/{n}: a ceiling, not a result; {shown / max(1, text):.0%} of the text is shown"


def best_recall(shown: Collection[int], aspects: Sequence[frozenset[int]], k: int) -> float:
    """Share of `aspects` that `k` of the sentences `shown` cover, taking each time the one that covers most."""
    left = [sources.intersection(shown) for sources in aspects]
    for _ in range(k):
        covered = Counter(number for sources in left for number in sources)
        if not covered:
            break
        best = min(covered, key=lambda number: (-covered[number], number))
        left = [sources for sources in left if best not in sources]
    return 1 - len(left) / len(aspects)


def _kept_sentences(document: Document, order: Sequence[int], n: int) -> list[int]:
    return [row.index for part in split_paper(document) for row in shorten_chunk(part, order, n).sentences]
