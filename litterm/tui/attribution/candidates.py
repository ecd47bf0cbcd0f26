"""The candidates for a citation among the results, and the excerpt that they are for."""

from __future__ import annotations

from dataclasses import replace

from litterm.model.attribution.citation import Attribution, Candidate, Excerpt
from litterm.tui.context import WorkbenchContext
from litterm.tui.state import ResultRow, ResultsState


class CitationCandidates:
    """Remembers the last excerpt, and shows its candidates in the results, which are restored afterwards."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._before: ResultsState | None = None
        self._text = ""
        self._source = ""
        self.join = False
        """Whether candidates join the results instead of replacing them."""
        self.how_many = 10

    def remember(self, text: str, source: str) -> str:
        """The excerpt to begin with: `text`, taken from the paper `source`, or without it the last one."""
        if text:
            self._text, self._source = text, source
        return self._text

    def source_of(self, excerpt: Excerpt) -> str:
        """The paper the passage was taken from, as long as the excerpt still holds that passage."""
        # A passage that was typed again is from no paper; one that was only added to still is.
        if excerpt.text != self._text:
            self._text, self._source = excerpt.text, self._source if self._text in excerpt.text else ""
        return self._source

    def show(self, attribution: Attribution) -> tuple[ResultRow, ...]:
        """Show the candidates in the results; returns their rows."""
        results = self._context.results
        sure = any(candidate.confidence is not None for candidate in attribution.candidates)
        rows = tuple(_row(candidate, attribution.by, explained=not sure) for candidate in attribution.candidates)
        # Candidates of an earlier excerpt are not what `esc` goes back to.
        if results.state.source == "search":
            self._before = results.state
        shown_rows = rows
        if self.join and self._before is not None:
            ids = {row.paper.id for row in rows}
            other_rows = [row for row in self._before.rows if row.paper.id not in ids]
            shown_rows = (*rows, *(replace(row, rank=rank) for rank, row in enumerate(other_rows, len(rows) + 1)))
        empty = ("No candidate in the library for this excerpt.", "esc goes back to the search.")
        results.state = replace(
            results.state,
            rows=shown_rows,
            result_count=len(shown_rows),
            by=attribution.by,
            source="cite",
            notes=results.notes_of(shown_rows),
            empty=empty,
            hint=attribution.notices,
            only="",
        )
        return rows

    def leave(self) -> bool:
        """Return from the candidates to the search; returns whether there were candidates."""
        results = self._context.results
        if results.state.source != "cite" or self._before is None:
            return False
        notes = results.notes_of(self._before.rows)
        # Notes and the open paper may have changed while the candidates were shown.
        results.state = replace(self._before, notes=notes, reading=results.state.reading)
        self._before = None
        return True


def _row(candidate: Candidate, by: str, *, explained: bool) -> ResultRow:
    matched = tuple((word, 1) for word in candidate.matched)
    # Confidences are in the dialog; a share of the best score beside them would be read as one.
    score = candidate.score if explained else None
    return ResultRow(candidate.rank, candidate.paper, score, by, matched=matched, support=candidate.support)
