"""Verdicts of the listed papers on the pinned hypothesis, computed in the background, visible rows first."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from textual import on
from textual.timer import Timer

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.events import Progress
from litterm.model.evidence import Evidence, EvidenceScope
from litterm.model.paper import PaperId
from litterm.render.closeness import evidence_words
from litterm.tui.evidence.options import EvidenceOptions
from litterm.tui.screen_context import ScreenContext
from litterm.tui.search.results_pane import ResultsPane
from litterm.tui.state import RowVerdict

GROUP = "rows"
"""Group of the background tasks that read rows."""
ROWS_AHEAD = 20
"""Rows below the screen that are read too."""
IDLE_DELAY_S = 0.2
"""Seconds after the last change of the list before reading begins: scrolling past a row must not read it."""
BATCH_DELAY_S = 0.01
BATCH_SIZE = 8
"""Papers read by one thread; then the list is looked at again."""
EVENT_INTERVAL_S = 0.1
MAX_VERDICTS = 5_000
"""Verdicts kept."""
_FOREGROUND_GROUPS = frozenset(("search", "read", "evidence", "open", "cite"))
"""Groups of tasks that the user waits for. Reading rows meanwhile would slow them down, so it is put off."""

VerdictKey = tuple[PaperId, str, int, EvidenceScope]


class RowVerdicts:
    """Reads a few papers at a time, so that the list may change at any time."""

    def __init__(self, context: ScreenContext, results: ResultsPane, options: EvidenceOptions) -> None:
        self._context = context
        self._results = results
        self._options = options
        self._hypothesis = ""
        """The pinned hypothesis; empty if there is none."""
        self._cache: dict[VerdictKey, RowVerdict] = {}
        self._by_paper: dict[PaperId, RowVerdict] = {}
        """The verdicts on the current hypothesis and options."""
        self._timer: Timer | None = None

    def ask(self, hypothesis: str) -> None:
        """Start over for another hypothesis or other options; an empty hypothesis asks about none."""
        # Reading on for the old question would only keep the new one waiting.
        self._context.work.cancel(GROUP)
        self._hypothesis = hypothesis
        question = self._question()
        self._by_paper = {key[0]: verdict for key, verdict in self._cache.items() if key[1:] == question}
        self._results.show_verdicts(self._by_paper if hypothesis else None)
        self.schedule()

    def store_answer(self, answer: Evidence) -> None:
        """Store an answer that the open paper has already given."""
        self._store(answer.paper_id, answer.hypothesis, _verdict(answer))

    @on(ResultsPane.RowsInViewChanged)
    def schedule(self) -> None:
        """Read the visible rows once the list has stopped changing."""
        if self._timer is not None:
            self._timer.stop()
        if self._hypothesis:
            self._timer = self._context.screen.set_timer(IDLE_DELAY_S, self._read_batch)

    def _question(self) -> tuple[str, int, EvidenceScope]:
        return self._hypothesis, self._options.how_many, self._options.scope

    def _read_batch(self) -> None:
        """Read the next batch of unread papers, visible rows first."""
        work, engine = self._context.work, self._context.engine
        running = {job.group for job in work.jobs}
        papers, question = self._unread_papers()[:BATCH_SIZE], self._question()
        if not papers or GROUP in running:
            return
        if running & _FOREGROUND_GROUPS:
            self.schedule()
            return
        verdicts: dict[PaperId, RowVerdict] = {}

        def store_verdicts(_event: object) -> None:
            # The thread fills `verdicts` on; what it adds after this look is taken at the next event.
            for paper_id in [key for key in verdicts if key not in self._by_paper]:
                self._store(paper_id, question[0], verdicts[paper_id])

        def start_next(_: None) -> None:
            store_verdicts(None)
            # By a timer, so that keys which came during the batch are handled before the next.
            self._timer = self._context.screen.set_timer(BATCH_DELAY_S, self._read_batch)

        work.start(
            GROUP,
            "reading the results",
            lambda: _read_verdicts(engine, papers, question, verdicts),
            start_next,
            on_event=store_verdicts,
        )

    def _unread_papers(self) -> tuple[PaperId, ...]:
        results = self._results
        visible = results.rows_on_screen
        last_visible = next((index for index, row in enumerate(results.shown) if visible and row is visible[-1]), -1)
        rows = (*visible, *results.shown[last_visible + 1 : last_visible + 1 + ROWS_AHEAD]) if visible else ()
        # A paper that was only found online has no text here to be read.
        return tuple(row.paper.id for row in rows if row.paper.id not in self._by_paper and row.held)

    def _store(self, paper_id: PaperId, hypothesis: str, verdict: RowVerdict) -> None:
        _, k, scope = self._question()
        # All at once: verdicts cost little to find again, and which are old is not worth keeping track of.
        if len(self._cache) >= MAX_VERDICTS:
            self._cache.clear()
        self._cache[paper_id, hypothesis, k, scope] = verdict
        if hypothesis == self._hypothesis:
            self._by_paper[paper_id] = verdict
            self._results.show_verdicts(self._by_paper, paper_id)


def _read_verdicts(
    engine: Engine,
    papers: Sequence[PaperId],
    question: tuple[str, int, EvidenceScope],
    verdicts: dict[PaperId, RowVerdict],
) -> Task[None]:
    """Fills `verdicts`, dropping most events of the extractor, which would redraw the screen for nothing."""
    hypothesis, k, scope = question
    for position, paper_id in enumerate(papers, 1):
        try:
            evidence = yield from _throttle_events(engine.evidence(paper_id, hypothesis, k=k, scope=scope))
        except LittermError:
            # A paper that cannot be read says nothing here; opening it tells why.
            verdicts[paper_id] = RowVerdict(0)
        else:
            verdicts[paper_id] = _verdict(evidence)
        yield Progress("reading the results", position, len(papers))


def _throttle_events(task: Task[Evidence]) -> Task[Evidence]:
    """Runs `task` with only as many events as are needed to cancel it in time."""
    due = monotonic() + EVENT_INTERVAL_S
    try:
        while True:
            next(task)
            if monotonic() > due:
                yield Progress("reading the results")
                due = monotonic() + EVENT_INTERVAL_S
    except StopIteration as end:
        evidence: Evidence = end.value
        return evidence
    finally:
        task.close()


def _verdict(evidence: Evidence) -> RowVerdict:
    return RowVerdict(len(evidence.sentences), evidence.verdict, evidence_words(evidence))
