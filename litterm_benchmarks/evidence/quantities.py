"""Quantities of columns on MeasEval: are value and unit of a paragraph's quantities read as people annotated them.

A quantity is right where it overlaps with one of the annotated and has the same numbers; with its unit where that is
the same too, blanks, dashes and the plural of words apart. Articles count as wholes: errors are over resampled
articles, and the worst one is told beside the mean over articles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.document import Span
from litterm.model.events import Progress
from litterm.text.quantities import find_quantities, numbers_in
from litterm_benchmarks.readers.measeval import GoldQuantity, MeasuredParagraph, read_paragraphs
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

_RESAMPLES = 1000
_LEAST_QUANTITIES = 5
"""Annotated quantities of an article that can be the worst: of fewer, one decides."""
_NUMBER = re.compile(r"\d[\d.,]*")
_NEXT_WORD = re.compile(r"\s?([^\s\d,;.()]{1,12})")


@dataclass(frozen=True, slots=True)
class _Read:
    """A quantity as a method reads it."""

    span: Span
    numbers: tuple[float, ...]
    unit: str


@dataclass(frozen=True, slots=True)
class _Counts:
    """Of some paragraphs: quantities read, annotated, read with the right value, and with the right unit too."""

    read: int = 0
    gold: int = 0
    values: int = 0
    units: int = 0

    def plus(self, other: _Counts) -> _Counts:
        return _Counts(
            self.read + other.read, self.gold + other.gold, self.values + other.values, self.units + other.units
        )

    def f1(self, right: int) -> float:
        """In percent."""
        return 200 * right / (self.read + self.gold) if self.read + self.gold else 100.0


def measure(path: Path) -> Task[BenchReport]:
    """F1 of values, and of values with units, for the rules and for every number with the word behind it.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: it holds no paragraph.
    """
    paragraphs = read_paragraphs(path)
    if not paragraphs:
        raise UsageError(f"{path} holds no paragraph")
    rows = []
    notes: list[str] = []
    for name, read in (("litterm", _by_rules), ("numbers", _every_number)):
        counts: defaultdict[str, _Counts] = defaultdict(_Counts)
        by_part: defaultdict[str, dict[str, _Counts]] = defaultdict(dict)
        for number, paragraph in enumerate(paragraphs):
            yield Progress(f"quantities, {name}", number, len(paragraphs))
            counted = _count(paragraph, read(paragraph.text))
            counts[paragraph.article] = counts[paragraph.article].plus(counted)
            of_part = by_part[paragraph.part]
            of_part[paragraph.article] = of_part.get(paragraph.article, _Counts()).plus(counted)
        parts = tuple(
            SubsetScore("part", part, sum(each.gold for each in of_part.values()), _metrics(of_part))
            for part, of_part in by_part.items()
        )
        rows.append(MethodRow(name, _metrics(counts), parts))
        notes.append(_worst_words(name, counts))
    notes.append(
        "the rules were written with examples of all articles in sight, and nothing is fitted: no article is unseen"
    )
    gold = sum(len(paragraph.quantities) for paragraph in paragraphs)
    return BenchReport("columns", path.name, gold, tuple(rows), tuple(notes))


def _by_rules(text: str) -> Iterable[_Read]:
    return (_Read(quantity.span, quantity.numbers, quantity.unit) for quantity in find_quantities(text))


def _every_number(text: str) -> Iterable[_Read]:
    for match in _NUMBER.finditer(text):
        word = _NEXT_WORD.match(text, match.end())
        yield _Read(Span(*match.span()), numbers_in(match.group()), word[1] if word else "")


def _count(paragraph: MeasuredParagraph, read: Iterable[_Read]) -> _Counts:
    left = list(read)
    total, values, units = len(left), 0, 0
    for gold in paragraph.quantities:
        hit = next((item for item in left if _is_same_value(item, gold)), None)
        if hit is not None:
            left.remove(hit)
            values += 1
            units += _fold_unit(hit.unit) == _fold_unit(gold.unit)
    return _Counts(total, len(paragraph.quantities), values, units)


def _is_same_value(read: _Read, gold: GoldQuantity) -> bool:
    overlaps = read.span.start < gold.end and gold.start < read.span.end
    return overlaps and sorted(read.numbers) == sorted(numbers_in(gold.value))


def _fold_unit(unit: str) -> str:
    folded = re.sub(r"\s", "", unit.lower().translate(str.maketrans("µ−–", "μ--")))
    return folded.removesuffix("s") if folded.isalpha() and len(folded) > 3 else folded


def _metrics(counts: Mapping[str, _Counts]) -> tuple[Metric, ...]:
    """F1 in percent over all articles, with its error over resampled articles, and the mean over articles."""
    articles = list(counts.values())
    return (
        _metric("value F1", articles, lambda each: each.values),
        _metric("value+unit F1", articles, lambda each: each.units),
        Metric("value F1, mean of articles", fmean(each.f1(each.values) for each in articles)),
        Metric("value+unit F1, mean of articles", fmean(each.f1(each.units) for each in articles)),
    )


def _metric(name: str, articles: Sequence[_Counts], right: Callable[[_Counts], int]) -> Metric:
    import numpy as np

    hits = np.array([right(each) for each in articles], np.float64)
    sizes = np.array([each.read + each.gold for each in articles], np.float64)
    picks = np.random.default_rng(0).integers(0, len(articles), size=(_RESAMPLES, len(articles)))
    resampled = 200 * hits[picks].sum(axis=1) / np.maximum(1.0, sizes[picks].sum(axis=1))
    return Metric(name, float(200 * hits.sum() / max(1.0, sizes.sum())), float(resampled.std()))


def _worst_words(name: str, counts: Mapping[str, _Counts]) -> str:
    large = {article: each for article, each in counts.items() if each.gold >= _LEAST_QUANTITIES} or counts
    by_value = min(large, key=lambda article: large[article].f1(large[article].values))
    by_unit = min(large, key=lambda article: large[article].f1(large[article].units))
    value, unit = large[by_value].f1(large[by_value].values), large[by_unit].f1(large[by_unit].units)
    return (
        f"{name}: worst of {len(large)} articles with {_LEAST_QUANTITIES} quantities or more: value {value:.1f} "
        f"({by_value}), value and unit {unit:.1f} ({by_unit})"
    )
