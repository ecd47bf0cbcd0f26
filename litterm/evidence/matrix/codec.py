"""Encodes and decodes requests and cells of a matrix as JSON, for the rows of its run in `state.db`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from litterm.core.json_fields import integer, integer_or_none, items, mapping, number, text, texts
from litterm.model.document import DocumentId, SentenceKind
from litterm.model.evidence import EvidenceLlmOptions, EvidenceScope, LikelyStance, Stance, Strategy, Strength, Verdict
from litterm.model.llm import ModelCost
from litterm.model.matrix import (
    CellQuote,
    EmptyReason,
    MatrixCell,
    MatrixRequest,
    TextBasis,
)
from litterm.model.paper import PaperId


def encode_request(request: MatrixRequest) -> dict[str, object]:
    """A request as JSON takes it."""
    return {
        "papers": list(request.papers),
        "hypotheses": list(request.hypotheses),
        "query": request.query,
        "k": request.k,
        "scope": request.scope,
        "method": request.method,
        "use": None if request.options is None else _encode_options(request.options),
    }


def decode_request(body: Mapping[str, object]) -> MatrixRequest:
    """The request of one line.

    Raises:
        KeyError, TypeError: the line holds something else.
    """
    return MatrixRequest(
        papers=tuple(map(PaperId, texts(body["papers"]))),
        hypotheses=texts(body["hypotheses"]),
        query=text(body["query"]),
        k=integer(body["k"]),
        scope=cast(EvidenceScope, text(body["scope"])),
        method=text(body["method"]),
        options=None if body.get("use") is None else _decode_options(mapping(body["use"])),
    )


def encode_cell(cell: MatrixCell) -> dict[str, object]:
    """A cell as JSON takes it; its time is on the line itself."""
    return {
        "paper": cell.paper_id,
        "hypothesis": cell.hypothesis,
        "ground": cell.ground,
        "by": cell.by,
        "document": cell.document_id,
        "verdict": cell.verdict,
        "confidence": cell.confidence,
        "empty": cell.empty,
        "why": cell.why,
        "partial": cell.partial,
        "spent": encode_cost(cell.spent),
        "quotes": [_encode_quote(quote) for quote in cell.quotes],
    }


def decode_cell(body: Mapping[str, object], time: str) -> MatrixCell:
    """The cell of one line written at the time `time`.

    Raises:
        KeyError, TypeError: the line holds something else.
    """
    document, empty, confidence = body["document"], body["empty"], body["confidence"]
    return MatrixCell(
        paper_id=PaperId(text(body["paper"])),
        hypothesis=text(body["hypothesis"]),
        ground=cast(TextBasis, text(body["ground"])),
        by=text(body["by"]),
        document_id=None if document is None else DocumentId(text(document)),
        quotes=tuple(_decode_quote(mapping(item)) for item in items(body["quotes"])),
        verdict=cast(Verdict, text(body["verdict"])),
        confidence=None if confidence is None else number(confidence),
        empty=None if empty is None else cast(EmptyReason, text(empty)),
        why=text(body["why"]),
        # Not in the lines of the first versions.
        partial=body.get("partial") is True,
        spent=decode_cost(mapping(body["spent"])),
        at=time,
    )


def _encode_quote(quote: CellQuote) -> dict[str, object]:
    return {
        "index": quote.index,
        "text": quote.text,
        "kind": quote.kind,
        "section": quote.section,
        "locator": quote.locator,
        "page": quote.page,
        "score": quote.score,
        "strength": quote.strength,
        "stance": quote.stance,
        "reason": quote.reason,
        "likely": None if quote.likely_stance is None else _encode_likely(quote.likely_stance),
    }


def _decode_quote(fields: Mapping[str, object]) -> CellQuote:
    page, stance = fields["page"], fields["stance"]
    return CellQuote(
        index=integer(fields["index"]),
        text=text(fields["text"]),
        kind=cast(SentenceKind, text(fields["kind"])),
        section=text(fields["section"]),
        locator=text(fields["locator"]),
        page=integer_or_none(page),
        score=number(fields["score"]),
        strength=cast(Strength, text(fields["strength"])),
        stance=None if stance is None else cast(Stance, text(stance)),
        reason=text(fields["reason"]),
        # Not in the lines of earlier versions.
        likely_stance=None if fields.get("likely") is None else _decode_likely(mapping(fields["likely"])),
    )


def _encode_likely(likely: LikelyStance) -> dict[str, object]:
    return {"stance": likely.stance, "probability": likely.probability}


def _decode_likely(fields: Mapping[str, object]) -> LikelyStance:
    stance = text(fields["stance"])
    return LikelyStance("refutes" if stance == "refutes" else "supports", number(fields["probability"]))


def _encode_options(options: EvidenceLlmOptions) -> dict[str, object]:
    return {"strategy": options.strategy, "shortlist": options.shortlist, "cached": options.cached}


def _decode_options(fields: Mapping[str, object]) -> EvidenceLlmOptions:
    strategy = cast(Strategy, text(fields["strategy"]))
    return EvidenceLlmOptions(strategy, integer(fields["shortlist"]), cached=fields["cached"] is True)


def encode_cost(spent: ModelCost) -> dict[str, object]:
    """What asking models has cost, as JSON takes it."""
    return {
        "calls": spent.calls,
        "dollars": spent.dollars,
        "tokens": spent.tokens,
        "approximate": spent.approximate,
    }


def decode_cost(fields: Mapping[str, object]) -> ModelCost:
    """What asking models has cost, of one line.

    Raises:
        KeyError, TypeError: the line holds something else.
    """
    dollars = fields["dollars"]
    return ModelCost(
        calls=integer(fields["calls"]),
        dollars=None if dollars is None else number(dollars),
        tokens=integer(fields["tokens"]),
        approximate=fields["approximate"] is True,
    )
