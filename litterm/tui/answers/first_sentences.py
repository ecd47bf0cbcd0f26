"""Below a question that is typed: the sentence of each of the first papers that answers it best.

Rows of a question have a line for it from the beginning, so that a sentence that comes moves no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from litterm.core.errors import LittermError
from litterm.model.answer import AnswerSentence
from litterm.model.paper import PaperId
from litterm.model.search import Query, RankedPaper, Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.timer import Timer

    from litterm.tui.context import WorkbenchContext
    from litterm.tui.state import ResultRow

GROUP: Final = "first sentences"
DELAY_S: Final = 0.3
"""Seconds without a key before papers are read."""
MAX_PAPERS: Final = 5


class FirstSentences:
    """Reads the first papers of a question, and shows a sentence of each in its row."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._timer: Timer | None = None
        self._known: tuple[str, Mapping[PaperId, AnswerSentence]] = ("", {})
        """The question read last with its sentences: typed back to, it is shown at once."""

    def with_lines(self, ranking: Ranking, rows: Sequence[ResultRow]) -> tuple[ResultRow, ...]:
        """`rows` of `ranking`, the first ones with a line for their sentence where a question was searched."""
        if ranking.kind != "question":
            return tuple(rows)
        known = self._known[1] if self._known[0] == ranking.query.text else {}
        first = {item.paper.id for item in ranking.papers[:MAX_PAPERS]}
        return tuple(
            replace(row, has_answer_line=True, answer=known[row.paper.id].text if row.paper.id in known else "")
            if row.paper.id in first and not row.online
            else row
            for row in rows
        )

    def stop(self) -> None:
        """What is typed changes: nothing is read for what was typed before."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._context.work.cancel(GROUP)

    def schedule(self, ranking: Ranking) -> None:
        """Read the first papers of a question once no key has come for a while."""
        self.stop()
        papers = ranking.papers[:MAX_PAPERS]
        if ranking.kind == "question" and papers and self._known[0] != ranking.query.text:
            self._timer = self._context.screen.set_timer(DELAY_S, lambda: self._read(ranking.query, papers))

    def _read(self, query: Query, papers: Sequence[RankedPaper]) -> None:
        engine = self._context.engine
        self._context.work.start(
            GROUP,
            "reading the first papers",
            lambda: engine.answers.first_sentences(query, papers),
            lambda sentences: self._show(query, sentences),
            failed=_ignore,
        )

    def _show(self, query: Query, sentences: Mapping[PaperId, AnswerSentence]) -> None:
        context = self._context
        self._known = query.text, sentences
        shown = context.query.state.query
        # Other results may be there by now.
        if shown is None or shown.text != query.text or context.results.state.source != "search":
            return
        rows = tuple(
            replace(row, answer=sentences[row.paper.id].text)
            if row.has_answer_line and row.paper.id in sentences
            else row
            for row in context.results.state.rows
        )
        context.results.state = replace(context.results.state, rows=rows)


def _ignore(_error: LittermError) -> None:
    # Nobody asked for it: a question of words that say nothing has no sentence, and that is all.
    return
