"""EvidenceBench files as published: hypotheses over papers, and which sentences are sources of which study aspect.

Evaluates the definition of its paper: aspect recall, the share of an item's study aspects that at least one
chosen sentence is a source of. (The published script for the result settings compares sentence numbers with
aspect ids; this does not.)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import cast

from litterm.core.errors import BadInput
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm.text.documents.sections import classify

HEADING = "section_name"
_ABSTRACT = "abstract"


@dataclass(frozen=True, slots=True)
class Item:
    """One hypothesis over one paper. A method may read `hypothesis`, `sentences`, `types` and `withheld` only."""

    key: str
    paper_key: str
    hypothesis: str
    sentences: tuple[str, ...]
    types: tuple[str, ...]
    """`section_name`, `abstract` or `normal_paragraph`, one a sentence."""
    aspects: tuple[frozenset[int], ...]
    """For each study aspect, the sentences that are its sources."""
    result_aspects: tuple[frozenset[int], ...]
    optimal: int
    """Fewest sentences that cover every aspect."""
    result_optimal: int
    """The same for result aspects; 0 where there are none."""
    withheld: frozenset[int] = frozenset()
    """Sentences that may be read but not chosen."""


def read_items(path: Path) -> tuple[Item, ...]:
    """Every item of one published file.

    Raises:
        BadInput: it is not JSON, or a field is missing.
    """
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
        return tuple(_item(key, cast("Mapping[str, object]", fields)) for key, fields in loaded.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path}: not an EvidenceBench file ({error!r}).") from error


def body_only(item: Item) -> Item:
    """The item with its abstract withheld, only the aspects that the body covers, and the optima for those."""
    withheld = frozenset(number for number, kind in enumerate(item.types) if kind == _ABSTRACT)
    aspects = _without(item.aspects, withheld)
    result_aspects = _without(item.result_aspects, withheld)
    return replace(
        item,
        aspects=aspects,
        result_aspects=result_aspects,
        optimal=fewest(aspects),
        result_optimal=fewest(result_aspects),
        withheld=withheld,
    )


def as_document(item: Item) -> tuple[Document, tuple[int, ...]]:
    """The item as a document, and for each of its rows the item's sentence number."""
    numbers = [number for number, text in enumerate(item.sentences) if text.split()]
    document = build_document(
        PaperId(f"pmc:{item.paper_key}"), _blocks(item, numbers), origin="jsonl", parser="evidencebench-1"
    )
    return document, tuple(numbers)


def aspect_recall(chosen: Collection[int], aspects: Sequence[Collection[int]]) -> float:
    """Share of `aspects` with at least one of their source sentences in `chosen`; in [0, 1].

    Raises:
        ValueError: there is no aspect, so the share has no meaning.
    """
    if not aspects:
        raise ValueError("no aspect to cover")
    selected = frozenset(chosen)
    return sum(not selected.isdisjoint(sources) for sources in aspects) / len(aspects)


def recalls(item: Item, ranked: Sequence[int], ranked_results: Sequence[int]) -> dict[str, float]:
    """Aspect recall by setting, in [0, 1]; a setting without aspects is left out."""
    recall: dict[str, float] = {}
    if item.aspects:
        recall["er@optimal"] = aspect_recall(ranked[: item.optimal], item.aspects)
        recall["er@10"] = aspect_recall(ranked[:10], item.aspects)
    if item.result_aspects:
        recall["result-er@optimal"] = aspect_recall(ranked_results[: item.result_optimal], item.result_aspects)
        recall["result-er@5"] = aspect_recall(ranked_results[:5], item.result_aspects)
    return recall


def fewest(aspects: Sequence[Collection[int]]) -> int:
    """How many sentences `cover` takes."""
    return len(cover(aspects))


def cover(aspects: Sequence[Collection[int]]) -> list[int]:
    """Sentences that cover all `aspects`, each time the one that covers most of those left (the earliest of equals)."""
    left = [frozenset(sources) for sources in aspects]
    chosen: list[int] = []
    while left:
        covered = Counter(number for sources in left for number in sources)
        chosen.append(min(covered, key=lambda number: (-covered[number], number)))
        left = [sources for sources in left if chosen[-1] not in sources]
    return chosen


def _without(aspects: Iterable[frozenset[int]], withheld: frozenset[int]) -> tuple[frozenset[int], ...]:
    return tuple(rest for sources in aspects if (rest := sources - withheld))


def _item(key: str, fields: Mapping[str, object]) -> Item:
    sources = cast("Mapping[str, Iterable[int]]", fields["aspect2sentence_indices"])
    aspects = cast("Iterable[str]", fields["aspect_list_ids"])
    result_aspects = cast("Iterable[str]", fields["results_aspect_list_ids"] or ())
    return Item(
        key=key,
        paper_key=str(fields["paper_id"]),
        hypothesis=str(fields["hypothesis"]),
        sentences=tuple(cast("Iterable[str]", fields["paper_as_candidate_pool"])),
        types=tuple(cast("Iterable[str]", fields["sentence_types_in_candidate_pool"])),
        aspects=tuple(frozenset(sources[aspect]) for aspect in aspects),
        result_aspects=tuple(frozenset(sources[aspect]) for aspect in result_aspects),
        optimal=_optimal(fields["evidence_retrieval_at_optimal_evaluation"]),
        result_optimal=_optimal(fields["results_evidence_retrieval_at_optimal_evaluation"]),
    )


def _optimal(evaluation: object) -> int:
    return int(cast("Mapping[str, int]", evaluation)["optimal"]) if evaluation else 0


def _blocks(item: Item, numbers: Sequence[int]) -> Iterator[Block]:
    """Runs of one type as blocks; the text after the abstract opens a section even without a heading."""
    for kind, group in groupby(numbers, key=lambda number: item.types[number]):
        texts = tuple(item.sentences[number] for number in group)
        if kind == HEADING:
            yield from (Block("heading", text, section_kind=classify(text)) for text in texts)
        elif kind == _ABSTRACT:
            yield Block("heading", section_kind="abstract")
            yield Block("abstract", sentences=texts)
            yield Block("heading")
        else:
            yield Block("body", sentences=texts)
