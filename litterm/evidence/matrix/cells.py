"""One cell of a matrix: what one paper says about one hypothesis, or why it says nothing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TypeVar

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.evidence.language.stance import are_contrary
from litterm.interfaces import EvidenceExtractor, Records
from litterm.model.document import Document
from litterm.model.events import CostUpdate, Event, Notice, OutgoingRequest, Progress, WaitingForServer
from litterm.model.evidence import Evidence, EvidenceSentence, FailedSection, Verdict
from litterm.model.library import Failure
from litterm.model.llm import ModelCost
from litterm.model.matrix import CellQuote, EmptyReason, MatrixCell, MatrixRequest, TextBasis
from litterm.model.paper import Paper, PaperId
from litterm.render.locator import locator, section_of
from litterm.text.documents.builder import abstract_document

T = TypeVar("T")

_PROGRESS_INTERVAL_S = 0.05
"""Between two events of a cell under work: a stop is heard within this and one step of the extractor."""


@dataclass(frozen=True, slots=True)
class OpenPaper:
    """One requested paper with what there is to read of it."""

    paper_id: PaperId
    """As requested."""
    document: Document | None = None
    """`None`: nothing to look for evidence in, for the reason `empty_reason`."""
    basis: TextBasis = "none"
    empty_reason: EmptyReason | None = None
    cause: str = ""


def open_paper(library: Records, requested: PaperId, paper: Paper | None, unreadable: frozenset[str]) -> OpenPaper:
    """The text of `paper`; `None` for one that the library does not hold. Never raises for a single paper."""
    if paper is None:
        return OpenPaper(
            requested, empty_reason="not in library", cause="The library does not hold this paper, or several fit."
        )
    try:
        document = library.document(paper.id)
    except LittermError as error:
        return OpenPaper(requested, empty_reason="failed", cause=str(error))
    if document is not None and document.origin != "abstract":
        return OpenPaper(requested, document, "full text")
    failed = bool(keys_of(paper) & unreadable)
    reason = "Its file could not be read; `litterm failures` says why." if failed else ""
    if paper.abstract:
        # A record with a reference list but no text keeps both in a document of its own.
        readable = document or abstract_document(paper)
        return OpenPaper(requested, readable, "abstract", "parse failed" if failed else None, reason)
    if failed:
        return OpenPaper(requested, basis="title", empty_reason="parse failed", cause=reason)
    return OpenPaper(
        requested, basis="title", empty_reason="not open", cause="Neither full text nor abstract is in the library."
    )


@dataclass(slots=True)
class CellSpending:
    """What one cell has paid so far, added up from its calls; other cells may be filled at the same time."""

    store_cost: Callable[[ModelCost], None]
    """Called with every payment, at once."""
    paid: ModelCost = field(default=ModelCost())

    def add_cost(self, charged: CostUpdate) -> None:
        """Adds the cost of one more call."""
        self.paid = self.paid.plus(charged.call)
        self.store_cost(charged.call)


def fill_cell(
    opened: OpenPaper, extractor: EvidenceExtractor, hypothesis: str, request: MatrixRequest, spending: CellSpending
) -> Task[MatrixCell]:
    """The cell of an opened paper and a hypothesis; trouble of the extractor becomes the cell's reason."""
    if opened.document is None:
        return MatrixCell(opened.paper_id, hypothesis, opened.basis, empty=opened.empty_reason, why=opened.cause)
    task = extractor.extract(opened.document, hypothesis, k=request.k, scope=request.scope)
    try:
        evidence = yield from _relay_events(task, Progress("filling the matrix"), spending)
        cell = _build_cell(opened, opened.document, hypothesis, evidence)
    except LittermError as error:
        cell = MatrixCell(opened.paper_id, hypothesis, opened.basis, extractor.name, empty="failed", why=str(error))
    return replace(cell, spent=spending.paid)


def _build_cell(opened: OpenPaper, document: Document, hypothesis: str, evidence: Evidence) -> MatrixCell:
    verdict = verdict_of_cell(evidence)
    quotes = () if verdict in ("nothing", "unclear") else tuple(_quote(document, item) for item in evidence.sentences)
    empty: EmptyReason | None = None
    if not quotes:
        nothing_found: EmptyReason = "abstract only" if opened.basis == "abstract" else "nothing found"
        empty = opened.empty_reason or ("too short" if verdict == "unclear" else nothing_found)
    return MatrixCell(
        paper_id=opened.paper_id,
        hypothesis=hypothesis,
        ground=opened.basis,
        by=evidence.by,
        document_id=evidence.document_id,
        quotes=quotes,
        verdict=verdict if quotes or verdict == "unclear" else "nothing",
        confidence=evidence.confidence,
        empty=empty,
        why=" ".join(
            dict.fromkeys(
                filter(None, (opened.cause, *evidence.notices, *map(_describe_failed_section, evidence.failed)))
            )
        ),
        partial=bool(evidence.failed),
    )


def _describe_failed_section(section: FailedSection) -> str:
    return f"{section.title or 'A part'} could not be sent to the model: {section.why}"


def verdict_of_cell(evidence: Evidence) -> Verdict:
    """The method's verdict; of one that gives none, how strong its strongest sentence is within the paper."""
    if evidence.verdict is not None:
        return evidence.verdict
    strengths = {item.strength for item in evidence.sentences}
    return "strong" if "strong" in strengths else "weak" if "medium" in strengths else "nothing"


def without_contradictions(cells: Sequence[MatrixCell | None]) -> tuple[MatrixCell | None, ...]:
    """The cells of a row without the likely stances that cannot both be right: for a claim and its contrary.

    The wording of sentences then does not tell which of the two the paper is for.
    """
    return tuple(
        _without_likely(cell) if cell and any(other and _contradict(cell, other) for other in cells) else cell
        for cell in cells
    )


def _contradict(cell: MatrixCell, other: MatrixCell) -> bool:
    likely = _likely(cell)
    return likely is not None and likely == _likely(other) and are_contrary(cell.hypothesis, other.hypothesis)


def _likely(cell: MatrixCell) -> str | None:
    return next((quote.likely_stance.stance for quote in cell.quotes if quote.likely_stance), None)


def _without_likely(cell: MatrixCell) -> MatrixCell:
    return replace(cell, quotes=tuple(replace(quote, likely_stance=None) for quote in cell.quotes))


def _quote(document: Document, item: EvidenceSentence) -> CellQuote:
    sentence = item.sentence
    return CellQuote(
        index=sentence.index,
        text=sentence.text,
        kind=sentence.kind,
        section=section_of(document, sentence),
        locator=locator(document, sentence),
        page=sentence.page,
        score=item.score,
        strength=item.strength,
        stance=item.stance,
        reason=item.reason,
        likely_stance=item.likely_stance,
    )


def unreadable_keys(failures: Iterable[Failure]) -> frozenset[str]:
    """Names of the files that could not be imported, without folder and endings: a paper's key may be one of them."""
    return frozenset(_base_name(failure.origin) for failure in failures)


def keys_of(paper: Paper) -> frozenset[str]:
    """The keys of a paper's id and aliases as a file may be named after them."""
    return frozenset(
        paper_id.partition(":")[2].rpartition("/")[2].casefold() for paper_id in (paper.id, *paper.aliases)
    )


def _base_name(origin: str) -> str:
    name = re.sub(r":\d+$", "", origin).rpartition("!")[2]
    return re.sub(r"(\.(pdf|n?xml|json|gz|txt|html?))+$", "", PurePosixPath(name).name, flags=re.IGNORECASE).casefold()


def _relay_events(task: Task[T], progress: Event, spending: CellSpending) -> Task[T]:
    """The result of `task`; passes on what concerns the user, and reports `progress` now and then."""
    last_progress_s = time.monotonic()
    try:
        while True:
            event = next(task)
            now_s = time.monotonic()
            if isinstance(event, CostUpdate):
                spending.add_cost(event)
            # Progress within one cell would hide how many cells are done.
            if isinstance(event, Notice | WaitingForServer | CostUpdate | OutgoingRequest):
                yield event
            elif now_s - last_progress_s >= _PROGRESS_INTERVAL_S:
                yield progress
            else:
                continue
            last_progress_s = now_s
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        task.close()
