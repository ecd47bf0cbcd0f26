"""`f` and `F`: full texts in the background, one paper after the other, and what came of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.errors import LittermError
from litterm.model.paper import Paper, PaperId
from litterm.model.sources import Obtained
from litterm.render.obtained import obtained_words
from litterm.tasks import Task
from litterm.tui.bringing import Bringing
from litterm.tui.steps import counting

GROUP = "fetch"
_NOTHING = "\0"
"""No step is counted: which paper of how many it is stands in the job's name."""
_IDS = "services that may hold the text (PMC, Europe PMC, arXiv, ACL Anthology, OpenReview, Unpaywall, ...)"


class Fetching:
    """Takes papers in a row, so that each is stored and shown as soon as it is there."""

    def __init__(self, parts: Bringing) -> None:
        self._stage = parts.stage
        self._parts = parts
        self._row: list[Paper] = []
        """Papers that wait, the next first."""
        self._done: list[Obtained] = []
        """Results since the row was begun."""

    def one(self) -> None:
        """The full text of the paper under the cursor, or of the one read."""
        paper = self._parts.at_hand()
        if paper is not None:
            self._fetch((paper,))

    def several(self) -> None:
        """The full texts of all selected papers."""
        state = self._stage.results.state
        chosen = [row.paper for row in state.rows if row.paper.id in state.chosen]
        if chosen:
            self._fetch(chosen)
        else:
            self._stage.tell("Select papers first (space, v, *): F fetches the full texts of all selected.")

    def words(self, words: Sequence[str]) -> None:
        """The full texts of ids, whether the library has them or not; what comes of them is listed."""
        if not self._parts.leaving.may(_IDS, "are sent the ids of the paper, and its title where they know none"):
            return
        sources = self._stage.engine.sources

        def arrived(found: tuple[Obtained, ...]) -> None:
            self._parts.ledger.note(found)
            self._tell(found)
            self._parts.changed()

        what = words[0] if len(words) == 1 else f"{len(words)} papers"
        self._stage.work.start(GROUP, f"full text: {what}", lambda: sources.bring(words), arrived, failed=self._failed)

    def _fetch(self, papers: Sequence[Paper]) -> None:
        stage = self._stage
        missing = [paper for paper in papers if not paper.full_text]
        if not missing:
            stage.tell("The full text is in the library: enter opens it.")
        elif self._parts.leaving.may(_IDS, "are sent the ids of the paper, and its title where they know none"):
            running = any(job.group == GROUP for job in stage.work.jobs)
            if not running:
                self._row, self._done = [], []
            waiting = {paper.id for paper in self._row}
            self._row += [paper for paper in missing if paper.id not in waiting]
            if not running:
                self._next()

    def _next(self) -> None:
        paper, sources = self._row.pop(0), self._stage.engine.sources
        place = f" {len(self._done) + 1} of {len(self._done) + 1 + len(self._row)}" if self._row or self._done else ""

        def task() -> Task[tuple[Obtained, ...]]:
            return (yield from counting(sources.bring((paper.id,)), _NOTHING))

        def arrived(found: tuple[Obtained, ...]) -> None:
            self._arrived(paper, found)

        self._stage.work.start(GROUP, f"full text{place}: {paper.title}", task, arrived, failed=self._failed)

    def _arrived(self, paper: Paper, found: tuple[Obtained, ...]) -> None:
        self._parts.ledger.note(found)
        self._done += found
        for each in found:
            if each.outcome == "full text" and each.paper_id is not None:
                self._show(paper.id, each.paper_id)
        if self._row:
            self._next()
            return
        self._tell(tuple(self._done))
        self._parts.changed()

    def _show(self, before: PaperId, now: PaperId) -> None:
        """The text is there: in the row of the results, and in the reader if it is open there."""
        stage = self._stage
        paper = stage.attempt(lambda: stage.engine.paper(now))
        if paper is None:
            return
        rows = tuple(
            replace(row, paper=paper, held=True) if row.paper.id == before else row for row in stage.results.state.rows
        )
        stage.results.state = replace(stage.results.state, rows=rows)
        self._parts.reading.anew(before, paper)

    def _tell(self, done: tuple[Obtained, ...]) -> None:
        if len(done) == 1:
            came = done[0].outcome == "full text"
            more = "" if came else " A file you have is joined to it by `:add PATH`."
            self._stage.tell(obtained_words(done[0]) + more, warn=not came)
            return
        counts: dict[str, int] = {}
        for each in done:
            counts[each.outcome] = counts.get(each.outcome, 0) + 1
        told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        self._stage.tell(f"{len(done)} papers: {told}. ! lists them.", warn=set(counts) != {"full text"})

    def _failed(self, error: LittermError) -> None:
        self._row.clear()
        self._stage.failed_group = GROUP
        self._stage.tell(str(error), warn=True)
