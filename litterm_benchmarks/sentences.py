"""Bench of the sentence splitter: boundaries found again in texts whose sentences are given.

The sentences of a section are joined by one blank; a boundary is the end of a sentence other than the last.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from litterm.core.tasks import Task
from litterm.model.document import Span
from litterm.model.events import Progress
from litterm.text.documents.sentences import split
from litterm_benchmarks.report import BenchReport, MethodRow, Metric

Splitter = Callable[[str], Sequence[Span]]

_PATTERN = re.compile(r"(?<![.!?])[.!?]+[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])")
_SHORT = re.compile(
    r"(?:\b(?:al|figs?|eqs?|e\.g|i\.e|cf|vs|[dm]rs?|prof|no|vol|pp|sec|refs?|etc|[a-z]))\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Boundaries:
    """How the boundaries of a splitter compare with the given ones."""

    found: int
    wrong: int
    missed: int
    cpu_s: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent."""
        return 200 * self.found / max(1, 2 * self.found + self.wrong + self.missed)


def pattern_split(text: str) -> tuple[Span, ...]:
    """What a pattern and a short list of abbreviations reach; the bar a splitter must clear."""
    spans: list[Span] = []
    start = 0
    for match in _PATTERN.finditer(text):
        if _SHORT.search(text, max(start, match.start() - 8), match.start()) is None:
            spans.append(Span(start, match.end() - 1))
            start = match.end()
    return (*spans, Span(start, len(text)))


def compare(sections: Iterable[Sequence[str]], splitter: Splitter) -> Boundaries:
    """`splitter` over `sections`, each the sentences of one section in order."""
    right = wrong = missed = 0
    cpu_s = 0.0
    for sentences in sections:
        text = " ".join(sentences)
        true_ends: set[int] = set()
        end = -1
        for sentence in sentences:
            end += len(sentence) + 1
            true_ends.add(end)
        begun = time.process_time()
        spans = splitter(text)
        cpu_s += time.process_time() - begun
        told_ends = {span.end for span in spans} - {len(text)}
        true_ends.discard(len(text))
        right += len(told_ends & true_ends)
        wrong += len(told_ends - true_ends)
        missed += len(true_ends - told_ends)
    return Boundaries(right, wrong, missed, cpu_s)


def evidencebench(shared: Path) -> Iterator[tuple[str, ...]]:
    """Sections of the biomedical papers of EvidenceBench; headings separate them and are left out."""
    items = json.loads((shared / "data/bench/evidencebench/evidencebench.json").read_text("utf-8"))
    for item in items.values():
        section: list[str] = []
        last = ""
        for text, kind in zip(item["paper_as_candidate_pool"], item["sentence_types_in_candidate_pool"], strict=True):
            if section and kind != last:
                yield tuple(section)
                section = []
            last = kind
            if kind != "section_name" and text.strip():
                section.append(" ".join(text.split()))
        if section:
            yield tuple(section)


def acl(shared: Path) -> Iterator[tuple[str, ...]]:
    """Sections of the ACL full texts."""
    with gzip.open(shared / "data/fulltext-acl/fulltext-acl.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            for section in json.loads(line)["sections"]:
                sentences = tuple(" ".join(text.split()) for text in section["sentences"] if text.strip())
                if sentences:
                    yield sentences


def measure(shared: Path) -> Task[BenchReport]:
    """F1 of boundaries on both collections under `shared`, and CPU time for 5,000 sentences."""
    sets = (("biomedical F1", tuple(evidencebench(shared))), ("ACL F1", tuple(acl(shared))))
    rows = []
    for method, splitter in (("litterm", split), ("pattern", pattern_split)):
        metrics: list[Metric] = []
        cpu_s = 0.0
        for name, sections in sets:
            yield Progress(f"{method}, {name}")
            boundaries = compare(sections, splitter)
            metrics.append(Metric(name, boundaries.f1))
            cpu_s += boundaries.cpu_s
        count = sum(len(section) for _, sections in sets for section in sections)
        metrics.append(Metric("ms per 5,000", cpu_s / count * 5_000_000))
        rows.append(MethodRow(method, tuple(metrics)))
    return BenchReport("sentences", "bench/evidencebench, fulltext-acl", count, tuple(rows))
