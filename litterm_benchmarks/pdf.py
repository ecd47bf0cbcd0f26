"""Bench of the PDF reader: papers that are at hand as PDF and as JATS, the XML being the truth."""

from __future__ import annotations

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.core.tasks import Task
from litterm.importers.byte_sources import file_content
from litterm.importers.jats.article import read_jats
from litterm.importers.pdf.pages import read_pages
from litterm.importers.pdf.pdf_paper import to_parsed
from litterm.importers.pdf.reader import read_pdf
from litterm.library.workers.pdf_pool import PdfPool
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.library import Failure, Parsed
from litterm.text.documents.page_alignment import align_pages
from litterm_benchmarks.report import BenchReport, MethodRow, Metric

_WORD = re.compile(r"[^\W_]+")
_RUNNING_PARTS = ("body", "heading")


@dataclass(frozen=True, slots=True)
class Figures:
    """How one PDF compares with its JATS; shares in [0, 1]."""

    name: str
    words: float
    """Recall of the words of the body, each as often as it occurs."""
    grams: float
    """Recall of runs of five words: order, columns and broken words."""
    headings: int
    found: int
    """Of them in the PDF's outline."""
    sentences: int
    listed: int
    """Body sentences of the PDF that come from the reference list."""
    located: float
    """Share of the JATS sentences, tables aside, that were given a page."""


def pairs(shared: Path) -> Iterator[tuple[Path, Path]]:
    """PDF and JATS file of every paper that has both."""
    for pdf in sorted((shared / "data/pdf").glob("*.pdf")):
        for ending in (".xml", ".nxml"):
            jats = shared / "data/jats" / f"{pdf.stem}{ending}"
            if jats.exists():
                yield pdf, jats


def compare(pdf: Path, jats: Path) -> Figures | None:
    """The figures of one pair; `None` where the JATS file has no body."""
    truth = _document(jats)
    if truth is None or not any(sentence.kind == "body" for sentence in truth.sentences):
        return None
    parsed = to_parsed(read_pdf(pdf.read_bytes()), str(pdf), pdf.stem).document
    assert parsed is not None
    true_words, read_words = _body_words(truth), _body_words(parsed)
    titles = {_plain(title) for section in parsed.sections for title in (section.title, section.number + section.title)}
    headings = [_plain(s.text) for s in truth.sentences if s.kind == "heading" and _is_body(truth, s.section)]
    headings_found = sum(
        1 for heading in headings if heading in titles or any(heading.endswith(t) for t in titles if len(t) > 5)
    )
    body = [sentence.text for sentence in parsed.sentences if sentence.kind == "body"]
    aligned = [sentence for sentence in align_pages(truth, parsed).sentences if sentence.kind != "table"]
    return Figures(
        pdf.stem,
        recall(true_words, read_words, 1),
        recall(true_words, read_words, 5),
        len(headings),
        headings_found,
        len(body),
        _count_listed(body, " ".join(reference.text for reference in truth.references)),
        sum(sentence.page is not None for sentence in aligned) / max(1, len(aligned)),
    )


def recall(expected: Sequence[str], given: Sequence[str], size: int) -> float:
    """Share of the runs of `size` words of `expected` that `given` has, each counted as often as it occurs."""
    truth, present = _runs(expected, size), _runs(given, size)
    total = sum(truth.values())
    return sum(min(count, present[run]) for run, count in truth.items()) / total if total else 1.0


def measure(shared: Path) -> Task[BenchReport]:
    """All pairs under `shared`, next to the words in the order in which the pages draw them."""
    figures: list[Figures] = []
    drawn: list[tuple[float, float]] = []
    files = list(pairs(shared))
    cpu_s = 0.0
    for compared, (pdf, jats) in enumerate(files):
        yield Progress("papers", compared, len(files))
        begun = time.process_time()
        comparison = compare(pdf, jats)
        cpu_s += time.process_time() - begun
        if comparison is not None:
            figures.append(comparison)
            drawn.append(_as_drawn(pdf, jats))
    count = max(1, len(figures))
    words, grams = sum(share for share, _ in drawn), sum(share for _, share in drawn)
    rows = (
        MethodRow("litterm", (*metrics(figures), Metric("s a paper", cpu_s / max(1, len(files))))),
        MethodRow("as drawn", (Metric("words", 100 * words / count), Metric("5-grams", 100 * grams / count))),
    )
    return BenchReport("pdf", "data/pdf, data/jats", len(figures), rows, tuple(map(_line, figures)))


def survey(folder: Path) -> Task[BenchReport]:
    """Every PDF under `folder`, one note a file: what was found, or why it was not read."""
    paths = sorted(folder.glob("*.pdf"))
    results: list[tuple[Path, Parsed | Failure]] = []
    for result in PdfPool().parse(paths):
        results.append(result)
        yield Progress("files", len(results), len(paths))
    read = [outcome for _, outcome in results if isinstance(outcome, Parsed)]
    notes = tuple(f"{path.name}: {_describe(outcome)}" for path, outcome in results)
    row = MethodRow("litterm", (Metric("read", 100 * len(read) / max(1, len(results))),))
    return BenchReport("pdf files", str(folder), len(results), (row,), notes)


def metrics(figures: Sequence[Figures]) -> tuple[Metric, ...]:
    """Means over papers, in percent; headings and sentences are counted over all of them."""
    count = max(1, len(figures))
    return (
        Metric("words", 100 * sum(paper.words for paper in figures) / count),
        Metric("5-grams", 100 * sum(paper.grams for paper in figures) / count),
        Metric(
            "headings", 100 * sum(paper.found for paper in figures) / max(1, sum(paper.headings for paper in figures))
        ),
        Metric(
            "from references", 100 * sum(paper.listed for paper in figures) / max(1, sum(o.sentences for o in figures))
        ),
        Metric("located", 100 * sum(paper.located for paper in figures) / count),
    )


def _line(paper: Figures) -> str:
    return (
        f"{paper.name}: words {paper.words:.3f}, 5-grams {paper.grams:.3f}, headings {paper.found}/{paper.headings}, "
        f"from references {paper.listed}/{paper.sentences}, located {paper.located:.3f}"
    )


def _describe(result: Parsed | Failure) -> str:
    if isinstance(result, Failure):
        return result.cause
    document = result.document
    assert document is not None
    pages = {sentence.page for sentence in document.sentences if sentence.page is not None}
    return (
        f"{result.paper.title[:60]!r}, {len(result.paper.authors)} authors, {max(pages, default=0)} pages, "
        f"{len(document.sections)} sections, {len(document.sentences)} sentences, "
        f"{len(document.tables)} tables, {len(document.references)} references"
    )


def _document(jats: Path) -> Document | None:
    for result in read_jats(file_content(jats, jats.stat().st_size)):
        if isinstance(result, Failure):
            raise BadInput(result.cause)
        return result.document
    return None


def _as_drawn(pdf: Path, jats: Path) -> tuple[float, float]:
    truth = _document(jats)
    assert truth is not None
    drawn = _words(" ".join(word.text for page in read_pages(pdf.read_bytes()).pages for word in page.words))
    true_words = _body_words(truth)
    return recall(true_words, drawn, 1), recall(true_words, drawn, 5)


def _is_body(document: Document, section: int) -> bool:
    return document.sections[section].kind not in ("front", "abstract")


def _body_words(document: Document) -> list[str]:
    sentences = document.sentences
    return _words(" ".join(s.text for s in sentences if s.kind in _RUNNING_PARTS and _is_body(document, s.section)))


def _count_listed(body: Sequence[str], references: str) -> int:
    runs = _runs(_words(references), 3)
    return sum(1 for text in body if _mostly(_runs(_words(text), 3), runs))


def _mostly(own: Mapping[tuple[str, ...], int], others: Counter[tuple[str, ...]]) -> bool:
    # Runs of three words: a sentence of fewer than three such runs shares them by accident.
    return len(own) > 2 and sum(1 for run in own if others[run]) > 0.6 * len(own)


def _runs(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(size)), strict=False))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _plain(text: str) -> str:
    return "".join(_words(text))
