"""What the user wrote into cells of tables of columns, in their journal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.annotations.journal_codec import RegisterChange
from litterm.model.columns import ColumnEdit
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.annotations.undo_log import UndoLog


@dataclass(frozen=True, slots=True)
class ColumnEdits:
    """Edits of cells; each belongs to a paper and a column, so that every table with both shows it."""

    undo_log: UndoLog

    def edit(self, paper_id: PaperId, column: str, edit: ColumnEdit | None) -> bool:
        """Writes into a cell; `None` takes the edit back. Returns whether that changed anything.

        Raises:
            DiskFull: it could not be written.
        """
        body = None if edit is None else json.dumps({"value": edit.value, "unit": edit.unit}, ensure_ascii=False)
        words = "took the edit back" if edit is None else f"wrote “{edit.value}”"
        return self.undo_log.write(
            f"{words}: {paper_id}, {column}", [RegisterChange("value", paper_id, body, column.casefold())]
        )

    def edits(self, papers: Sequence[PaperId], columns: Sequence[str]) -> tuple[tuple[ColumnEdit | None, ...], ...]:
        """The edits, a row for each paper and a column for each column."""
        state = self.undo_log.state()
        return tuple(
            tuple(_decode(state.value("value", paper_id, column.casefold())) for column in columns)
            for paper_id in papers
        )


def _decode(value: object) -> ColumnEdit | None:
    try:
        body = json.loads(value) if isinstance(value, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict) or not isinstance(body.get("value"), str):
        return None
    return ColumnEdit(body["value"], str(body.get("unit", "")))
