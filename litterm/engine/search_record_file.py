"""The file of a recorded search: JSON that anybody can read, and `litterm rerun` reads back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from litterm.core.errors import BadInput, LittermError, MissingInput
from litterm.core.json_fields import integer, items, mapping, number, text, texts
from litterm.core.user_files import write_file
from litterm.model.aspects import Aspect, AspectQuery
from litterm.model.citations.graph import HopDirection
from litterm.model.paper import PaperId
from litterm.model.search import HopOptions, HopOrder, Query, QueryKind, RerankOptions, Rewrite, SortOrder
from litterm.model.search_record import EncoderState, PapersState, SearchRecord, SearchRequest, SearchState
from litterm.render.json import dumps
from litterm.text.queries.parser import parse_query

if TYPE_CHECKING:
    from litterm.model.search_record import RequestedOrder

FORM = "litterm search record"
VERSION = 1
"""Of the form; a file with a higher one is refused."""
MAX_LIMIT = 100_000
_MAX_BYTES = 64 << 20
_ORDERS = (*get_args(SortOrder), "aspects", "sentences")


def write_record(path: Path, record: SearchRecord, *, force: bool = False) -> Path | None:
    """Writes the record; returns where the previous file was saved, or `None`, as in `core.user_files.write_file`.

    Raises:
        BadInput, DiskFull, LittermError: as `write_file`.
    """
    return write_file(path, f"{dumps(record_data(record))}\n".encode("utf-8", "replace"), force=force)


def read_record(path: Path) -> SearchRecord:
    """The recorded search in the file `path`.

    Raises:
        MissingInput: there is no such file.
        BadInput: it is no record, or one of a newer litterm.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise MissingInput(f"{path}: there is no such file.") from error
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}).") from error
    try:
        if len(content) > _MAX_BYTES:
            raise ValueError("it is too large")
        data = mapping(json.loads(content))
        if data.get("form") != FORM:
            raise ValueError(f"its form is not “{FORM}”")
        if integer(data["form_version"]) > VERSION:
            raise BadInput(f"{path}: was written by a newer litterm; update this one.")
        return _record(data)
    except BadInput:
        raise
    except (LittermError, ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise BadInput(f"{path}: is no record of a search ({reason}); `litterm search --record` writes one.") from error


def record_data(record: SearchRecord) -> dict[str, object]:
    """The record as JSON; docs/reference/json.md documents it."""
    request, state = record.request, record.state
    return {
        "form": FORM,
        "form_version": VERSION,
        "date": record.date,
        "litterm": state.litterm,
        "query": request.query.text,
        "typed": record.typed,
        "options": _options_data(request),
        "library": {
            "papers": state.library.papers,
            "full_texts": state.full_texts,
            "sources": dict(state.library.by_source),
            "reference_lists": state.reference_lists,
            "starter": state.starter,
            "project": state.project,
            "ids_fingerprint": state.library.ids,
            "records_fingerprint": state.library.records,
            "segments": list(state.library.segments),
        },
        "citation_facts": state.facts,
        "semantic_model": state.semantic_model,
        "encoder": state.encoder
        and {"name": state.encoder.name, "fingerprint": state.encoder.fingerprint, "encoded": state.encoder.encoded},
        "ordered_by": record.ordered_by,
        "found": record.found,
        "count": len(record.ids),
        "ids": list(record.ids),
        "local_ids": list(record.local_ids) if record.ordered_by else None,
    }


def _options_data(request: SearchRequest) -> dict[str, object]:
    rewrite, aspects, hop, rerank = request.rewrite, request.aspects, request.hop, request.rerank
    return {
        "limit": request.limit,
        "sort": request.order,
        "as": request.query.kind,
        "in_full_texts": request.query.in_full_texts,
        "rewrites": rewrite and {"by": rewrite.by, "queries": list(rewrite.queries)},
        "aspects": aspects
        and {
            "by": aspects.by,
            "each": request.each_aspect,
            "aspects": [
                {
                    "aspect": aspect.text,
                    "sub_aspects": list(aspect.sub_aspects),
                    "weight": aspect.weight,
                    "muted": aspect.muted,
                }
                for aspect in aspects.aspects
            ],
        },
        "one_hop": hop
        and {
            "direction": hop.direction,
            "order": hop.order,
            "seeds": hop.seeds,
            "cap": hop.cap,
            "rescored": hop.rescored,
        },
        "rerank": rerank and {"by": rerank.by, "papers": rerank.max_papers, "window": rerank.window},
    }


def _record(data: Mapping[str, object]) -> SearchRecord:
    library, encoder, local = mapping(data["library"]), data["encoder"], data["local_ids"]
    sources = tuple((source, _whole(count)) for source, count in mapping(library["sources"]).items())
    return SearchRecord(
        request=_request(text(data["query"]), mapping(data["options"])),
        typed=text(data["typed"]),
        date=text(data["date"]),
        state=SearchState(
            litterm=text(data["litterm"]),
            library=PapersState(
                sources,
                text(library["ids_fingerprint"]),
                text(library["records_fingerprint"]),
                texts(library["segments"]),
            ),
            full_texts=_whole(library["full_texts"]),
            reference_lists=_whole(library["reference_lists"]),
            facts=text(data["citation_facts"]),
            semantic_model=text(data["semantic_model"]),
            starter=text(library["starter"]),
            encoder=None if encoder is None else _encoder(mapping(encoder)),
            project=text(library["project"]),
        ),
        found=_whole(data["found"]),
        ids=_ids(data["ids"]),
        ordered_by=text(data["ordered_by"]),
        local_ids=() if local is None else _ids(local),
    )


def _request(query: str, options: Mapping[str, object]) -> SearchRequest:
    rewrites, aspects, hop, rerank = (options[name] for name in ("rewrites", "aspects", "one_hop", "rerank"))
    parts = None if aspects is None else mapping(aspects)
    limit = _whole(options["limit"])
    if not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"its limit is not in 1..{MAX_LIMIT:,}")
    return SearchRequest(
        query=_query(query, options),
        limit=limit,
        order=cast("RequestedOrder", _one_of(options["sort"], _ORDERS)),
        rewrite=None if rewrites is None else _rewrite(mapping(rewrites)),
        aspects=None if parts is None else _aspects(parts),
        each_aspect=parts is not None and _flag(parts["each"]),
        hop=None if hop is None else _hop(mapping(hop)),
        rerank=None if rerank is None else _rerank(mapping(rerank)),
    )


def _query(typed: str, options: Mapping[str, object]) -> Query:

    kind = options["as"]
    return replace(
        parse_query(typed),
        kind=None if kind is None else cast("QueryKind", _one_of(kind, get_args(QueryKind))),
        in_full_texts=_flag(options["in_full_texts"]),
    )


def _rewrite(data: Mapping[str, object]) -> Rewrite:
    return Rewrite(texts(data["queries"]), text(data["by"]))


def _aspects(data: Mapping[str, object]) -> AspectQuery:
    aspects = (
        Aspect(
            text(aspect["aspect"]), texts(aspect["sub_aspects"]), number(aspect["weight"]), muted=_flag(aspect["muted"])
        )
        for aspect in map(mapping, items(data["aspects"]))
    )
    return AspectQuery(tuple(aspects), text(data["by"]))


def _hop(data: Mapping[str, object]) -> HopOptions:
    return HopOptions(
        direction=cast("HopDirection", _one_of(data["direction"], get_args(HopDirection))),
        seeds=_whole(data["seeds"]),
        cap=_whole(data["cap"]),
        order=cast("HopOrder", _one_of(data["order"], get_args(HopOrder))),
        rescored=_flag(data["rescored"]),
    )


def _rerank(data: Mapping[str, object]) -> RerankOptions:
    by = cast('Literal["model", "embeddings"]', _one_of(data["by"], ("model", "embeddings")))
    return RerankOptions(min(_whole(data["papers"]), MAX_LIMIT), _whole(data["window"]), by=by)


def _encoder(data: Mapping[str, object]) -> EncoderState:
    return EncoderState(text(data["name"]), text(data["fingerprint"]), _whole(data["encoded"]))


def _ids(value: object) -> tuple[PaperId, ...]:
    return tuple(map(PaperId, texts(value)))


def _whole(value: object) -> int:
    count = integer(value)
    if count < 0:
        raise ValueError(f"{count} is below 0")
    return count


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _one_of(value: object, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
    return value
