"""Finds the aspects of the query, scores the results by them in the background, and orders the results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from litterm.model.agreement import OWN_GRADER, GradedCell
from litterm.model.aspects import (
    MAX_SCORED_PAPERS,
    AspectCell,
    AspectCoverage,
    AspectQuery,
    AspectScores,
    CellKey,
)
from litterm.model.paper import Paper, PaperId
from litterm.render.agreement import mark_words
from litterm.render.aspects import cell_state
from litterm.tui.aspects.state import AspectsState, CoverageMatrix
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.state import ResultRow

GROUP = "aspects"
_MAX_KEPT_QUERIES = 20
"""Queries whose edited aspects are kept."""
NO_ASPECTS = "This query has no aspects: separate them with ||, or split it with `:aspects`."


class AspectsController(ActionTarget):
    """Changes the aspects and their scores; `AspectsLlmRun` asks a model about them."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._library_rows: tuple[ResultRow, ...] = ()
        """The rows in the order of the whole query."""
        self._online_rows: tuple[ResultRow, ...] = ()
        """Rows of a service, which are above them."""
        self._edited: dict[str, AspectQuery] = {}
        """What became of the aspects of a query, by its text; the newest last."""
        self._undo_stack: list[AspectQuery] = []
        self._redo_stack: list[AspectQuery] = []
        self._seen: set[CellKey] = set()
        """Cells whose grade by the model was on the screen before it was hidden."""

    @property
    def state(self) -> AspectsState:
        """The aspects as shown."""
        return self._context.aspects.state

    def on_ranking(self, text: str) -> None:
        """Find the aspects of a new ranking's query, and score its papers by them."""
        rows = self._context.results.state.rows
        self._online_rows = tuple(row for row in rows if row.online)
        self._library_rows = tuple(row for row in rows if not row.online)
        # The same query is ranked again whenever the library changes: edits and their undo outlive that.
        if text != self.state.text:
            self._undo_stack, self._redo_stack = [], []
            query = self._edited.get(text) or self._context.engine.aspects.split(text)
            self._context.aspects.state = AspectsState(text, query, blind=self.state.blind)
        self._score()

    def toggle(self) -> None:
        """Switch between reading the query as aspects and as one query."""
        if self.state.shown:
            self.action_remove_all()
            return
        text = self._context.query.state.text
        query = self._context.engine.aspects.split(text, long=True)
        if not query.aspects and text.strip():
            # One that does not split becomes a single aspect, to which others can be added by hand.
            query = AspectQuery((self._context.engine.aspects.read_one(text, ()),), "hand")
        if query.aspects:
            self._context.aspects.state = replace(self.state, text=text)
            self.set_query(query)
            self._context.focus_pane("aspects")
        else:
            self._context.tell("Type a query first; its parts become aspects.")

    def action_remove_all(self) -> None:
        """Read the query as one query again."""
        self.set_query(AspectQuery(by="hand"))
        self._context.focus_pane("results")
        self._context.tell("Read as one query; `:aspects` restores the aspects.")

    def set_query(self, query: AspectQuery, *, reorder: bool = False, undoable: bool = True) -> None:
        """Replace the aspects, keeping scores of unchanged ones; with `reorder` the results are ordered by aspects."""
        if undoable:
            self._undo_stack.append(self.state.query)
            self._redo_stack.clear()
        # Removed first, so that the query changed last stands last and is forgotten last.
        self._edited.pop(self.state.text, None)
        self._edited[self.state.text] = query
        while len(self._edited) > _MAX_KEPT_QUERIES:
            del self._edited[next(iter(self._edited))]
        self._context.aspects.state = replace(self.state, query=query)
        results = self._context.results
        if reorder and results.state.sort == "relevance":
            results.state = replace(results.state, sort="aspects")
        # An order by aspects says nothing once there are none.
        elif not query.aspects and results.state.sort == "aspects":
            results.state = replace(results.state, sort="relevance")
        self._score()

    def action_undo(self) -> None:
        """Undo the last change of the aspects."""
        if not self._undo_stack:
            self._context.tell("Nothing to undo here.")
            return
        self._redo_stack.append(self.state.query)
        self.set_query(self._undo_stack.pop(), undoable=False)

    def action_redo(self) -> None:
        """Redo the last undone change of the aspects."""
        if not self._redo_stack:
            self._context.tell("Nothing to redo here.")
            return
        self._undo_stack.append(self.state.query)
        self.set_query(self._redo_stack.pop(), undoable=False)

    def _score(self) -> None:
        """Score what is not scored yet, aspect by aspect, showing each column as it is done."""
        query, scores = self.state.query, self.state.scores
        ids = [row.paper.id for row in self._library_rows[:MAX_SCORED_PAPERS]]
        todo = [
            aspect
            for aspect in query.aspects
            if any(scores.cell(aspect.text, paper_id).score is None for paper_id in ids)
        ]
        if not todo or self._context.results.state.source != "search":
            self._context.aspects.state = replace(self.state, busy="")
            self.reorder()
            return
        self.reorder()
        self._context.aspects.state = replace(self.state, busy=f"scoring, {len(todo)} to go")
        aspects, first_to_do = self._context.engine.aspects, AspectQuery(tuple(todo[:1]))

        def on_scores(new_scores: AspectScores) -> None:
            # Not arranged here: `_score` does it next, and rows laid out twice would cost a key press its time.
            self.add_scores(new_scores, arrange=False)
            self._score()

        self._context.work.start(GROUP, "scoring aspects", lambda: aspects.score(first_to_do, ids, scores), on_scores)

    def add_scores(self, scores: AspectScores, *, arrange: bool = True) -> None:
        """Add new scores or grades; with `arrange` false the rows stay where they are for now."""
        # Grades may have come while the scores were computed, and the other way round.
        merged_scores = self._context.engine.aspects.merge_scores(self.state.scores, scores)
        mark = ""
        if merged_scores.graded_by:
            mark = mark_words(self._context.engine.agreement.mark("aspects", merged_scores.graded_by))
        self._context.aspects.state = replace(self.state, scores=merged_scores, mark=mark)
        if arrange:
            self.reorder()
        elif self._context.results.state.source == "search":
            self._context.results.show_coverage(_coverage_matrix(self.state.query, self._ranked_papers()))

    def reorder(self) -> None:
        """Show the scores and put the rows into the chosen order; fast enough for every key press."""
        results = self._context.results
        if results.state.source != "search":
            return
        order, rows = self._ranked_papers(), self._library_rows
        if results.state.sort == "aspects" and self.state.shown:
            row_by_id = {row.paper.id: row for row in rows}
            # In this order, too, one's own papers come before all others.
            own_first = sorted(
                (row_by_id[covered.paper_id] for covered in order), key=lambda row: row.library_name != "own"
            )
            pool = [replace(row, rank=rank) for rank, row in enumerate(own_first, 1)]
            # Papers behind the pool have no scores to be ordered by.
            rows = (*pool, *rows[MAX_SCORED_PAPERS:])
        rows = (*self._online_rows, *rows)
        moved = rows != results.state.rows
        # Rows that move are drawn when they are set, below; drawn here as well they would be drawn twice.
        results.show_coverage(_coverage_matrix(self.state.query, order), draw=not moved)
        if moved:
            results.state = replace(results.state, rows=rows)

    def _ranked_papers(self) -> Sequence[AspectCoverage]:
        """The papers in the order of their aspects."""
        ids = [row.paper.id for row in self._library_rows[:MAX_SCORED_PAPERS]]
        return (
            self._context.engine.aspects.rank_by_coverage(self.state.query, self.shown_scores(), ids)
            if self.state.shown
            else ()
        )

    def toggle_blind(self) -> None:
        """Hide the model's grades of what the user has not graded, or show them again."""
        if not self.state.blind:
            # Whoever has seen a grade does not grade blindly any more.
            self._seen |= {key for key, cell in self.state.scores.cells.items() if cell.grade is not None}
        self._context.aspects.state = replace(self.state, blind=not self.state.blind)
        self.reorder()
        self._context.tell(
            "The model's grades are hidden until you have graded the same with #."
            if self.state.blind
            else "The model's grades are shown."
        )

    def note_seen(self, text: str, paper_id: PaperId) -> None:
        """From now on the user has seen the model's grade of this paper for this aspect."""
        self._seen.add((text, paper_id))

    def redraw(self) -> None:
        """Draw the marks of the rows again; the rows stay where they are, so that one can go through them."""
        self._context.results.show_coverage(_coverage_matrix(self.state.query, self._ranked_papers()))

    def shown_scores(self) -> AspectScores:
        """The scores without the grades that are hidden."""
        scores = self.state.scores
        if not self.state.blind or not scores.graded_by:
            return scores
        graded = [
            GradedCell(paper_id, text) for (text, paper_id), cell in scores.cells.items() if cell.grade is not None
        ]
        own = self._context.engine.people_grades.grades_of(graded).get(OWN_GRADER, {})
        hidden = {(cell.text, cell.paper_id) for cell in graded if cell not in own} - self._seen
        cells = {key: AspectCell(cell.score) if key in hidden else cell for key, cell in scores.cells.items()}
        return replace(scores, cells=MappingProxyType(cells))

    def papers(self, limit: int) -> tuple[Paper, ...]:
        """The first `limit` papers in the order shown."""
        return tuple(row.paper for row in self._context.results.state.rows[: min(limit, MAX_SCORED_PAPERS)])

    def explain_lines(self, row: ResultRow) -> Sequence[str]:
        """Lines that say how far a paper meets each aspect."""
        if not self.state.shown or self._context.results.state.source != "search":
            return ()
        words = {"met": "met", "partly": "in part", "not": "not met", "unread": "no clear grade", "unknown": "unknown"}
        lines, scores = [], self.shown_scores()
        for number, aspect in enumerate(self.state.query.aspects, 1):
            cell = scores.cell(aspect.text, row.paper.id)
            grade_source = f"graded {cell.grade}" if cell.grade is not None else ""
            score_words = "" if cell.score is None else f"{cell.score:.0%} of the best in the library"
            facts = ", ".join(part for part in (words[cell_state(cell)], grade_source, score_words) if part)
            ground = f" {cell.reason}" if cell.reason else ""
            quoted = f" “{cell.sentence}”" if cell.sentence else ""
            lines.append(f"Aspect {number}, {aspect.text}: {facts}.{ground}{quoted}")
        return lines


def _coverage_matrix(query: AspectQuery, order: Sequence[AspectCoverage]) -> CoverageMatrix:
    return CoverageMatrix(query, MappingProxyType({coverage.paper_id: coverage for coverage in order}))
