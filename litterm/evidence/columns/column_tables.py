"""Tables of columns: what many papers state of the same things, filled in the background, continued after a kill."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litterm.annotations.column_edits import ColumnEdits
from litterm.core.errors import LibraryError, UnknownColumnTable, UsageError
from litterm.core.tasks import Task
from litterm.evidence.columns.kinds import MAX_COLUMNS, read_column_name
from litterm.evidence.columns.run import ColumnFill
from litterm.evidence.matrix.run import papers_of
from litterm.model.columns import (
    ColumnEdit,
    ColumnLlmOptions,
    ColumnRecord,
    ColumnRequest,
    ColumnRow,
    ColumnTable,
    ColumnTableId,
    ColumnTableSummary,
)
from litterm.model.llm import CostEstimate
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.evidence.columns.storage import ColumnStore

LAST = "last"
"""The id by which the newest table is meant."""


@dataclass(frozen=True, slots=True)
class ColumnTables:
    """Every table of columns of the library; safe from any thread."""

    filling: ColumnFill
    annotations: ColumnEdits

    @property
    def store(self) -> ColumnStore:
        """The storage of the tables."""
        return self.filling.store

    def begin(
        self,
        keys: Sequence[str],
        columns: Sequence[str],
        *,
        query: str = "",
        options: ColumnLlmOptions | None = None,
    ) -> ColumnTable:
        """The saved table of the same request by this version of litterm, else a new one without cells.

        With `options` a language model is asked; where cached replies may not answer, it is always a new one.

        Raises:
            UsageError: no paper, no column, too many, or no model is set.
            ModelError: the model that is set cannot be asked.
        """
        names = tuple({name.casefold(): name for name in map(read_column_name, reversed(columns))}.values())[::-1]
        if not keys or not names or len(names) > MAX_COLUMNS:
            raise UsageError(f"A table needs a paper and 1 to {MAX_COLUMNS} columns.")
        if options is not None:
            # Told before anything is begun.
            self.filling.build_model(False)
        request = ColumnRequest(tuple(dict.fromkeys(self._ids(keys))), names, query, options)
        anew = options is not None and not options.cached
        same = next((r for r in self.store.all() if not anew and r.request == request and self._is_ours(r)), None)
        return self.open(same.id if same else self.store.begin(request))

    def fill(self, key: str, papers: int | None = None) -> Task[ColumnTable]:
        """Computes what is missing, of the first `papers` rows or of all; each cell is stored before it is told.

        Cells that failed are tried again, as are those of papers of which there is more to read by now. What the user
        wrote into a cell stays.

        Raises:
            UnknownColumnTable: there is none.
        """
        table_id = self.find(key)
        yield from self.filling.fill(table_id, papers)
        return self.open(table_id)

    def estimate(self, key: str, papers: int | None = None) -> Task[CostEstimate | None]:
        """The most that `fill` would ask a model; sends nothing. `None` if it asks none.

        Raises:
            UnknownColumnTable: there is none.
            UsageError: no model is set.
            ModelError: the model that is set cannot be asked.
        """
        return (yield from self.filling.estimate(self.find(key), papers))

    def preview(self, key: str, papers: int | None = None) -> Task[tuple[str, ...]]:
        """The requests `fill` would send, to the letter.

        Raises:
            UnknownColumnTable: there is none.
            UsageError: no model is set.
            ModelError: the model that is set cannot be asked.
        """
        return (yield from self.filling.preview(self.find(key), papers))

    def add_column(self, key: str, typed: str) -> ColumnTable:
        """One more column, to be filled; one that is there already changes nothing.

        Raises:
            UsageError: it is no name of a column, there are too many, or there is no such table.
        """
        table_id, column = self.find(key), read_column_name(typed)
        present = self.store.open(table_id).request.columns
        if column.casefold() not in map(str.casefold, present):
            if len(present) == MAX_COLUMNS:
                raise UsageError(f"A table has at most {MAX_COLUMNS} columns.")
            self.store.add_column(table_id, column)
        return self.open(table_id)

    def open(self, key: str) -> ColumnTable:
        """The table as it is now, with what the user wrote into it.

        Raises:
            UnknownColumnTable: there is none.
        """
        record = self.store.open(self.find(key))
        request = record.request
        papers = papers_of(self.filling.library, request.papers)
        cells = {(cell.paper_id, cell.column): cell for cell in record.cells}
        rows = tuple(
            ColumnRow(
                paper_id,
                papers.get(paper_id),
                tuple(cells.get((paper_id, column)) for column in request.columns),
                (None,) * len(request.columns),
            )
            for paper_id in request.papers
        )
        return self.with_edits(ColumnTable(record.id, record.begun_at, request, rows, record.runs))

    def with_edits(self, table: ColumnTable) -> ColumnTable:
        """`table` with what the user wrote into its cells, as it is now."""
        ids = [row.paper.id if row.paper else row.paper_id for row in table.rows]
        edits = self.annotations.edits(ids, table.request.columns)
        return replace(
            table, rows=tuple(replace(row, edits=written) for row, written in zip(table.rows, edits, strict=True))
        )

    def edit(self, row: ColumnRow, column: str, edit: ColumnEdit | None) -> bool:
        """Writes into a cell, for every table with this paper and column; `None` takes the edit back.

        Raises:
            DiskFull: it could not be written.
        """
        return self.annotations.edit(row.paper.id if row.paper else row.paper_id, column, edit)

    def all(self) -> tuple[ColumnTableSummary, ...]:
        """A line for every table, the newest first."""
        return tuple(map(_summary, self.store.all()))

    def remove(self, key: str) -> ColumnTableId:
        """Deletes a table and says which; what the user wrote into its cells stays, for other tables.

        Raises:
            UnknownColumnTable: there is none.
            LibraryError: another litterm is filling it.
        """
        table_id = self.find(key)
        lock = self.store.lease(table_id)
        if lock is None:
            raise LibraryError(f"This table is being filled by {self.store.holder(table_id)}; stop that first.")
        try:
            self.store.remove(table_id)
        finally:
            lock.release()
        return table_id

    def find(self, key: str) -> ColumnTableId:
        """The id that `key` is, starts or ends; `last` is the newest.

        Raises:
            UnknownColumnTable: none fits, or several do.
        """
        ids = self.store.ids()
        if key == LAST and ids:
            return ids[0]
        folded = key.strip().casefold()
        fits = [table_id for table_id in ids if folded and (table_id.startswith(folded) or table_id.endswith(folded))]
        if len(fits) != 1:
            trouble = "Several tables fit" if fits else "There is no table"
            raise UnknownColumnTable(f"{trouble} {key!r}; `litterm extract --list` shows all.")
        return fits[0]

    def _is_ours(self, record: ColumnRecord) -> bool:
        """Whether nothing of it was computed by another version."""
        return all(run.version == self.filling.version for run in record.runs)

    def _ids(self, keys: Sequence[str]) -> Iterator[PaperId]:
        """The ids of the papers that `keys` name; a key that names none or several stays as it is."""
        for key, ids in zip(keys, self.filling.library.find(keys), strict=True):
            yield ids[0] if len(ids) == 1 else PaperId(key.strip())


def _summary(record: ColumnRecord) -> ColumnTableSummary:
    request = record.request
    computed = sum(cell.empty != "failed" for cell in record.cells)
    return ColumnTableSummary(record.id, record.begun_at, request.query, len(request.papers), request.columns, computed)
