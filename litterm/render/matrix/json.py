"""A matrix and what people agree on as JSON; fields may be added, never removed or renamed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from litterm.model.annotations import MarkKind
from litterm.model.matrix import (
    Agreement,
    CellQuote,
    Matrix,
    MatrixRow,
    MatrixRun,
    MatrixSummary,
)
from litterm.render.bibliography.keys import CitationKeys
from litterm.render.closeness import cell_stance_words, cell_strength_words, strength_words
from litterm.render.evidence import RankedSentenceData, likely_stance_data
from litterm.render.matrix.words import row_reason
from litterm.render.names import full_name


class MatrixRunData(TypedDict):
    """One run that filled a matrix."""

    date: str
    version: str
    by: list[str]
    k: int
    scope: str
    cells: int
    calls: int
    cost: float | None
    ended: str


class QuoteData(RankedSentenceData):
    """A sentence in a cell of a matrix."""

    mark: str | None


class MatrixCellData(TypedDict):
    """What one paper says about one hypothesis; only the first four fields where it is not computed yet."""

    hypothesis: str
    computed: bool
    decision: str | None
    accepted: list[str]
    verdict: NotRequired[str]
    closeness: NotRequired[str]
    level: NotRequired[str | None]
    stance: NotRequired[str | None]
    confidence: NotRequired[float | None]
    reason: NotRequired[str | None]
    why: NotRequired[str]
    count: NotRequired[int]
    strong: NotRequired[int]
    supports: NotRequired[int]
    refutes: NotRequired[int]
    context: NotRequired[int]
    partial: NotRequired[bool]
    ground: NotRequired[str]
    by: NotRequired[str]
    document: NotRequired[str | None]
    date: NotRequired[str]
    calls: NotRequired[int]
    cost: NotRequired[float | None]
    sentences: NotRequired[list[QuoteData]]


class MatrixRowData(TypedDict):
    """A paper of a matrix."""

    paper: str
    id: str | None
    key: str | None
    title: str | None
    authors: list[str]
    year: int | None
    venue: str | None
    retraction: str
    decision: str
    reason: str | None
    cells: list[MatrixCellData]


class MatrixData(TypedDict):
    """The answer of `evidence --query` and `--papers`."""

    matrix: str
    begun: str
    query: str
    hypotheses: list[str]
    k: int
    scope: str
    method: str
    cells: int
    total: int
    notices: list[str]
    audit: list[MatrixRunData]
    rows: list[MatrixRowData]


class MatrixSummaryData(TypedDict):
    """One of the matrices there are."""

    matrix: str
    begun: str
    query: str
    papers: int
    hypotheses: list[str]
    cells: int
    complete: bool


class MatricesData(TypedDict):
    """The answer of `evidence --list`."""

    count: int
    matrices: list[MatrixSummaryData]


class CoderPairData(TypedDict):
    """How far two people agree; `kappa` is `null` where it says nothing."""

    one: str
    other: str
    both: int
    agreed: int
    kappa: float | None


class DisagreementData(TypedDict):
    """A cell that people decided differently."""

    paper: str
    hypothesis: str
    decisions: dict[str, str]


class MergedSheetsData(TypedDict):
    """The answer of `evidence --merge`."""

    coders: list[str]
    pairs: list[CoderPairData]
    disagreements: list[DisagreementData]
    faults: list[str]


def matrix(matrix: Matrix, citation_keys: CitationKeys, notices: Sequence[str] = ()) -> MatrixData:
    """The whole matrix: audit, then a row for every requested paper; `notices` are about the search of its papers."""
    request = matrix.request
    keys = citation_keys.keys_of(row.paper for row in matrix.rows if row.paper)
    return {
        "matrix": matrix.id,
        "begun": matrix.begun_at,
        "query": request.query,
        "hypotheses": list(request.hypotheses),
        "k": request.k,
        "scope": request.scope,
        "method": request.method,
        "cells": matrix.computed_count,
        "total": matrix.cell_count,
        "notices": list(notices),
        "audit": [_run(run) for run in matrix.runs],
        "rows": [_row(row, request.hypotheses, keys[row.paper.id] if row.paper else None) for row in matrix.rows],
    }


def _run(run: MatrixRun) -> MatrixRunData:
    return {
        "date": run.at,
        "version": run.version,
        "by": list(run.by),
        "k": run.k,
        "scope": run.scope,
        "cells": run.cells,
        "calls": run.spent.calls,
        "cost": run.spent.dollars,
        "ended": run.ended,
    }


def _row(row: MatrixRow, hypotheses: tuple[str, ...], key: str | None) -> MatrixRowData:
    paper = row.paper
    return {
        "paper": row.paper_id,
        "id": paper.id if paper else None,
        "key": key,
        "title": paper.title if paper else None,
        "authors": [full_name(author) for author in paper.authors] if paper else [],
        "year": paper.year if paper else None,
        "venue": paper.venue if paper else None,
        "retraction": paper.retraction if paper else "",
        "decision": paper.decision if paper else "",
        "reason": row_reason(row) or None,
        "cells": [_cell(row, column, hypothesis) for column, hypothesis in enumerate(hypotheses)],
    }


def _cell(row: MatrixRow, column: int, hypothesis: str) -> MatrixCellData:
    cell, decision, accepted = row.cells[column], row.decisions[column], row.accepted_in(column)
    if cell is None:
        return {"hypothesis": hypothesis, "computed": False, "decision": decision, "accepted": list(accepted)}
    return {
        "hypothesis": hypothesis,
        "computed": True,
        "decision": decision,
        "verdict": cell_strength_words(cell),
        "closeness": cell_strength_words(cell),
        "level": cell.verdict,
        "stance": cell_stance_words(cell) or None,
        "confidence": cell.confidence,
        "reason": cell.empty,
        "why": cell.why,
        "count": len(cell.quotes),
        "strong": cell.strong_count,
        "supports": cell.count_stance("supports"),
        "refutes": cell.count_stance("refutes"),
        "context": cell.count_stance("context"),
        "partial": cell.partial,
        "ground": cell.ground,
        "by": cell.by,
        "document": cell.document_id,
        "date": cell.at,
        "calls": cell.spent.calls,
        "cost": cell.spent.dollars,
        "sentences": [
            _quote(rank, quote, row.mark_on(column, quote.text)) for rank, quote in enumerate(cell.quotes, 1)
        ],
        "accepted": list(accepted),
    }


def _quote(rank: int, quote: CellQuote, mark: MarkKind | None) -> QuoteData:
    return {
        "rank": rank,
        "index": quote.index,
        "section": quote.section,
        "kind": quote.kind,
        "page": quote.page,
        "text": quote.text,
        "score": quote.score,
        "strength": quote.strength,
        "closeness": strength_words(quote.strength),
        "locator": quote.locator,
        "stance": quote.stance,
        "likely_stance": likely_stance_data(quote.likely_stance),
        "reason": quote.reason,
        "mark": mark,
    }


def listing(lines: tuple[MatrixSummary, ...]) -> MatricesData:
    """The matrices there are, the newest first."""
    return {
        "count": len(lines),
        "matrices": [
            {
                "matrix": line.id,
                "begun": line.begun_at,
                "query": line.query,
                "papers": line.papers,
                "hypotheses": list(line.hypotheses),
                "cells": line.cells,
                "complete": line.complete,
            }
            for line in lines
        ],
    }


def agreement(agreement: Agreement) -> MergedSheetsData:
    """What a merge found; `kappa` is `null` where it says nothing."""
    return {
        "coders": list(agreement.coders),
        "pairs": [
            {"one": pair.one, "other": pair.other, "both": pair.both, "agreed": pair.agreed, "kappa": pair.kappa}
            for pair in agreement.pairs
        ],
        "disagreements": [
            {
                "paper": disagreement.paper_id,
                "hypothesis": disagreement.hypothesis,
                "decisions": dict(disagreement.decisions),
            }
            for disagreement in agreement.disagreements
        ],
        "faults": list(agreement.faults),
    }
