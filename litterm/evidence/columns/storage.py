"""Tables of columns: runs in the state of the library, with an entry for each cell, so that a kill loses nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from litterm.core.errors import UnknownColumnTable
from litterm.core.json_fields import integer, integer_or_none, items, mapping, text, texts
from litterm.evidence.matrix.codec import decode_cost, encode_cost
from litterm.library.lock import WriteLock
from litterm.library.state.connection import StateDatabase
from litterm.library.state.runs import Runs
from litterm.model.columns import (
    ColumnCell,
    ColumnLlmOptions,
    ColumnRecord,
    ColumnRequest,
    ColumnRun,
    ColumnSource,
    ColumnTableId,
    ColumnValue,
    EmptyColumnReason,
)
from litterm.model.document import DocumentId
from litterm.model.llm import ModelCost
from litterm.model.matrix import TextBasis
from litterm.model.paper import PaperId


class ColumnStore:
    """Tables of columns; every cell is durable when its call returns."""

    def __init__(self, state: StateDatabase) -> None:
        self._runs = Runs(state, "columns")

    def begin(self, request: ColumnRequest) -> ColumnTableId:
        """Begins a table without cells.

        Raises:
            DiskFull: it could not be written.
        """
        return ColumnTableId(self._runs.begin(_encode_request(request)))

    def ids(self) -> tuple[ColumnTableId, ...]:
        """Of every table, the newest first."""
        return tuple(map(ColumnTableId, self._runs.ids()))

    def all(self) -> tuple[ColumnRecord, ...]:
        """Every table, the newest first, without those whose request cannot be read."""
        return tuple(record for record in map(self._read, self.ids()) if record is not None)

    def open(self, table_id: ColumnTableId) -> ColumnRecord:
        """The table as it is now, also while another litterm is filling it.

        Raises:
            UnknownColumnTable: there is none with this id.
        """
        record = self._read(table_id)
        if record is None:
            raise UnknownColumnTable(f"There is no table {table_id}; `litterm extract --list` shows all.")
        return record

    def lease(self, table_id: ColumnTableId) -> WriteLock | None:
        """Takes the right to compute cells, until `release` or the end of this process; `None` if it is taken."""
        return self._runs.lease(table_id)

    def holder(self, table_id: ColumnTableId) -> str:
        """The process that computes cells now, as far as is known."""
        return self._runs.holder(table_id)

    def add_column(self, table_id: ColumnTableId, column: str) -> None:
        """Adds a column."""
        self._runs.append(table_id, "column", {"column": column})

    def begin_run(self, table_id: ColumnTableId, version: str) -> None:
        """Starts a new run, to which further cells belong."""
        self._runs.append(table_id, "run", {"version": version})

    def add_cost(self, table_id: ColumnTableId, spent: ModelCost) -> None:
        """Records what the current run has paid since the last call, whether or not it led to a cell."""
        self._runs.append(table_id, "spent", encode_cost(spent))

    def add_cell(self, table_id: ColumnTableId, cell: ColumnCell) -> None:
        """Stores a cell, which replaces an earlier one of the same paper and column."""
        self._runs.append(table_id, "cell", _encode_cell(cell))

    def end_run(self, table_id: ColumnTableId, *, done: bool) -> None:
        """Records that the run has ended or was stopped."""
        self._runs.append(table_id, "end", {"how": "done" if done else "stopped"})

    def remove(self, table_id: ColumnTableId) -> None:
        """Deletes a table; the caller has its lease. What the user wrote into cells stays in the journal."""
        self._runs.remove(table_id)

    def _read(self, table_id: ColumnTableId) -> ColumnRecord | None:
        return _build_record(table_id, self._runs.entries(table_id))


@dataclass(slots=True)
class _RecordBuilder:
    """Builds a table from its entries."""

    request: ColumnRequest | None = None
    begun_at: str = ""
    cells: dict[tuple[PaperId, str], ColumnCell] = field(default_factory=dict)
    runs: list[ColumnRun] = field(default_factory=list)

    def add_entry(self, time: str, kind: str, body: Mapping[str, object]) -> None:
        """Adds one entry; those of unknown kinds are ignored."""
        match kind:
            case "asked":
                self.request, self.begun_at = _decode_request(body), time
            case "column" if self.request:
                columns = dict.fromkeys((*self.request.columns, text(body["column"])))
                self.request = replace(self.request, columns=tuple(columns))
            case "run":
                self.runs.append(ColumnRun(time, text(body["version"])))
            case "cell":
                cell = _decode_cell(body, time)
                self.cells[cell.paper_id, cell.column] = cell
                if self.runs:
                    run = self.runs[-1]
                    by = tuple(dict.fromkeys((*run.by, *([cell.by] if cell.by else []))))
                    self.runs[-1] = replace(run, by=by, cells=run.cells + 1)
            case "spent" if self.runs:
                self.runs[-1] = replace(self.runs[-1], spent=self.runs[-1].spent.plus(decode_cost(body)))
            case "end" if self.runs:
                self.runs[-1] = replace(self.runs[-1], ended="done" if body["how"] == "done" else "stopped")


def _build_record(
    table_id: ColumnTableId, entries: Iterable[tuple[str, str, Mapping[str, object]]]
) -> ColumnRecord | None:
    builder = _RecordBuilder()
    for time, kind, body in entries:
        try:
            builder.add_entry(time, kind, body)
        except (KeyError, TypeError):
            # Written by a newer litterm or by hand: what cannot be read is computed again.
            continue
    if builder.request is None:
        return None
    return ColumnRecord(table_id, builder.begun_at, builder.request, tuple(builder.cells.values()), tuple(builder.runs))


def _encode_request(request: ColumnRequest) -> dict[str, object]:
    return {
        "papers": list(request.papers),
        "columns": list(request.columns),
        "query": request.query,
        "model": None if request.options is None else {"cached": request.options.cached},
    }


def _decode_request(body: Mapping[str, object]) -> ColumnRequest:
    model = body["model"]
    return ColumnRequest(
        papers=tuple(map(PaperId, texts(body["papers"]))),
        columns=texts(body["columns"]),
        query=text(body["query"]),
        options=None if model is None else ColumnLlmOptions(mapping(model)["cached"] is True),
    )


def _encode_cell(cell: ColumnCell) -> dict[str, object]:
    return {
        "paper": cell.paper_id,
        "column": cell.column,
        "ground": cell.ground,
        "by": cell.by,
        "document": cell.document_id,
        "empty": cell.empty,
        "why": cell.why,
        "partial": cell.partial,
        "values": [_encode_value(value) for value in cell.values],
    }


def _decode_cell(body: Mapping[str, object], time: str) -> ColumnCell:
    document, empty = body["document"], body["empty"]
    return ColumnCell(
        paper_id=PaperId(text(body["paper"])),
        column=text(body["column"]),
        ground=cast(TextBasis, text(body["ground"])),
        by=text(body["by"]),
        document_id=None if document is None else DocumentId(text(document)),
        values=tuple(_decode_value(mapping(item)) for item in items(body["values"])),
        empty=None if empty is None else cast(EmptyColumnReason, text(empty)),
        why=text(body["why"]),
        partial=body["partial"] is True,
        at=time,
    )


def _encode_value(value: ColumnValue) -> dict[str, object]:
    source = value.source
    place = (
        None
        if source is None
        else {"index": source.index, "text": source.text, "locator": source.locator, "page": source.page}
    )
    return {"value": value.value, "unit": value.unit, "source": place}


def _decode_value(body: Mapping[str, object]) -> ColumnValue:
    source = None
    if body["source"] is not None:
        place = mapping(body["source"])
        source = ColumnSource(
            integer(place["index"]), text(place["text"]), text(place["locator"]), integer_or_none(place["page"])
        )
    return ColumnValue(text(body["value"]), text(body["unit"]), source)
