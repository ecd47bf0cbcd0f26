"""`f` and `F`: full texts in the background, one paper after the other, and what came of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from litterm.errors import LittermError
from litterm.model.paper import Paper, PaperId
from litterm.model.sources import Obtained
from litterm.render.obtained import obtained_words
from litterm.tasks import Task
from litterm.tui.deciding import Deciding
from litterm.tui.leaving import Leaving
from litterm.tui.reading import Reading
from litterm.tui.stage import Stage
from litterm.tui.steps import counting

GROUP = "fetch"
_NOTHING = "\0"
"""No step is counted: which paper of how many it is stands in the job's name."""
_IDS = "services that may hold the text (PMC, Europe PMC, arXiv, ACL Anthology, OpenReview, Unpaywall, ...)"


class Ledger:
    """What came of every id this session asked for, the newest last."""

    def __init__(self) -> None:
        self._told: dict[str, Obtained] = {}

    def note(self, found: Sequence[Obtained]) -> None:
        """Keeps results; the newest of an id counts."""
        for each in found:
            self._told.pop(each.asked, None)
            self._told[each.asked] = each

    def forget(self, asked: str) -> None:
        """Forgets what came of `asked`; what failed stays in the list of failures."""
        self._told.pop(asked, None)

    @property
    def all(self) -> tuple[Obtained, ...]:
        """One an id, the newest first."""
        return tuple(reversed(self._told.values()))


class Fetching:
    """Takes papers in a row, so that each is stored and shown as soon as it is there."""

    def __init__(
        self,
        stage: Stage,
        reading: Reading,
        deciding: Deciding,
        leaving: Leaving,
        ledger: Ledger,
        changed: Callable[[], None],
    ) -> None:
        self._stage = stage
        self._reading = reading
        self._deciding = deciding
        self._leaving = leaving
        self._ledger = ledger
        self._changed = changed
        self._row: list[Paper] = []
        """Papers that wait, the next first."""
        self._done: list[Obtained] = []
        """Results since the row was begun."""

    def one(self) -> None:
        """The full text of the paper under the cursor, or of the one read."""
        stage = self._stage
        current = stage.results.current
        papers = (current.paper,) if stage.focus == "results" and current else self._deciding.papers()
        self._fetch(papers[:1])

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
        if not self._leaving.may(_IDS, "are sent the ids of the paper, and its title where they know none"):
            return
        sources = self._stage.engine.sources

        def arrived(found: tuple[Obtained, ...]) -> None:
            self._ledger.note(found)
            self._tell(found)
            self._changed()

        what = words[0] if len(words) == 1 else f"{len(words)} papers"
        self._stage.work.start(GROUP, f"full text: {what}", lambda: sources.bring(words), arrived, failed=self._failed)

    def _fetch(self, papers: Sequence[Paper]) -> None:
        stage = self._stage
        if not papers:
            stage.tell("No paper here.")
            return
        missing = [paper for paper in papers if not paper.full_text]
        if not missing:
            stage.tell("The full text is in the library: enter opens it.")
        elif self._leaving.may(_IDS, "are sent the ids of the paper, and its title where they know none"):
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

        self._stage.work.start(GROUP, f"full text{place}: {paper.title[:40]}", task, arrived, failed=self._failed)

    def _arrived(self, paper: Paper, found: tuple[Obtained, ...]) -> None:
        self._ledger.note(found)
        self._done += found
        for each in found:
            if each.outcome == "full text" and each.paper_id is not None:
                self._show(paper.id, each.paper_id)
        if self._row:
            self._next()
            return
        self._tell(tuple(self._done))
        self._changed()

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
        self._reading.anew(before, paper)

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
