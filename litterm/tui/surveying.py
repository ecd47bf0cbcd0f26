"""`E`: a matrix over the selected papers, or one of earlier days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from litterm.model.events import Progress
from litterm.model.matrix import Matrix, MatrixSummary
from litterm.model.paper import PaperId
from litterm.tasks import Task
from litterm.text.counted import counted
from litterm.tui.dialogs.ask import Ask
from litterm.tui.dialogs.pick import Choice, Pick
from litterm.tui.finding import Finding
from litterm.tui.glyphs import Glyphs
from litterm.tui.matrixing import GROUP, Matrixing
from litterm.tui.stage import Stage
from litterm.tui.words import ago, query_words


class Surveying:
    """Asks what the matrix is to be about."""

    def __init__(self, stage: Stage, finding: Finding, matrixing: Matrixing) -> None:
        self._stage = stage
        self._finding = finding
        self._matrixing = matrixing

    def open(self) -> None:
        """A matrix over the selected papers; without a selection the list of matrices."""
        results = self._stage.results.state
        chosen = [row.paper.id for row in results.rows if row.paper.id in results.chosen]
        if chosen and self._stage.focus != "matrix":
            self._ask(chosen)
        else:
            self._stage.work.start("matrices", "looking for matrices", self._all, self._list)

    def _all(self) -> Task[tuple[MatrixSummary, ...]]:
        yield Progress("looking for matrices")
        return self._stage.engine.matrices.all()

    def _list(self, found: tuple[MatrixSummary, ...]) -> None:
        shown = [row.paper.id for row in self._stage.results.shown]
        choices = [Choice(f"new, over the {len(shown):,} papers of the results")] if shown else []
        choices += [_choice(each, self._stage.glyphs) for each in found]
        if not choices:
            self._stage.tell("Search first: a matrix is over papers of the results.")
            return

        def take(at: int) -> None:
            if shown and at == 0:
                self._ask(shown)
            else:
                self.bring(found[at - bool(shown)].id)

        title = f"matrices {self._stage.glyphs.dot} select papers in the results for one over these"
        self._stage.open(Pick(title, choices, self._stage.glyphs, wrap=True, keys="open"), take)

    def _ask(self, papers: Sequence[PaperId]) -> None:
        about = f"Over {counted(len(papers), 'paper')}. Several hypotheses: one a line; each becomes a column."
        default = self._finding.last or " ".join(query_words(self._stage.query.state.query))

        def begin(text: str) -> None:
            self._begin(papers, [line.strip() for line in text.splitlines() if line.strip()])

        self._stage.open(Ask("matrix for which hypothesis?", default, self._stage.glyphs, about=about), begin)

    def _begin(self, papers: Sequence[PaperId], hypotheses: Sequence[str]) -> None:
        finding, query = self._finding, self._stage.query.state.text
        finding.last = hypotheses[0]
        k, scope = finding.how_many, finding.scope

        def begun() -> Task[Matrix]:
            yield Progress("beginning the matrix", 0, len(papers))
            return self._stage.engine.matrices.begin(papers, hypotheses, query=query, k=k, scope=scope)

        self._stage.work.start(GROUP, "beginning the matrix", begun, self._matrixing.show)

    def bring(self, key: str) -> None:
        """Show a matrix of earlier, and go on with it where it was stopped."""

        def opened() -> Task[Matrix]:
            yield Progress("opening the matrix")
            return self._stage.engine.matrices.open(key)

        self._stage.work.start(GROUP, "opening the matrix", opened, self._matrixing.show)


def _choice(line: MatrixSummary, glyphs: Glyphs) -> Choice:
    """A matrix of earlier: what it is about, its size, how far it is, and when it was begun."""
    total = line.papers * len(line.hypotheses)
    far = "" if line.complete else f"{line.cells:,} of {total:,} cells"
    known = (counted(line.papers, "paper"), far, ago(line.begun_at, datetime.now(UTC)))
    asked = (f"query: {line.query}",) if line.query else ()
    return Choice(" | ".join(line.hypotheses), f" {glyphs.dot} ".join(part for part in known if part), below=asked)
