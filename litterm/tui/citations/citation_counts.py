"""Citation counts by services: on `:sync counts`, and after full texts have been fetched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from litterm.core.tasks import Task
from litterm.model.annotations import UnfinishedJob
from litterm.model.citations.citation_counts import COUNT_SOURCES, CountsReport
from litterm.model.paper import PaperId
from litterm.model.services import service_name
from litterm.render.citations.citation_counts import report_sentence
from litterm.text.plural import count_phrase
from litterm.tui.context import WorkbenchContext
from litterm.tui.jobs.network_consent import NetworkConsent
from litterm.tui.jobs.queue import JobOrder, JobReport

LANE = "counts"
_SERVICE_NAMES = ", ".join(map(service_name, COUNT_SOURCES))
_SENT_DATA = "are sent the ids of these papers"
_VERBS = ("are", "is")
_MAX_PAPERS = 200
"""Papers of the results that are at hand."""


class CountsController:
    """Fetches citation counts in the background, and shows them in the rows."""

    def __init__(self, context: WorkbenchContext, consent: NetworkConsent) -> None:
        self._context = context
        self._consent = consent
        context.queue.resumers[LANE] = self.resume

    def count_shown(self) -> None:
        """Counts of the selected papers, else of those in the results."""
        state = self._context.results.state
        held = [row.paper for row in state.rows if row.held and row.library_name == "own"]
        others = {row.paper.id for row in state.rows if not row.held or row.library_name != "own"}
        chosen = [paper for paper in state.selected_papers() if paper.id not in others] or held[:_MAX_PAPERS]
        if chosen:
            self.fetch([paper.id for paper in chosen])
        else:
            self._context.tell("No paper of yours is in the results: search first, then `:sync counts`.")

    def fetch(self, ids: Sequence[PaperId], *, quiet: bool = False) -> None:
        """Ask services for counts; `quiet` is for automatic requests, and hides refusals."""
        context = self._context
        retry = None if quiet else partial(self.fetch, ids)
        if not ids or not self._consent.request(_SERVICE_NAMES, _SENT_DATA, retry=retry, quiet=quiet):
            return
        counts, engine, description = (
            context.engine.counts,
            context.engine,
            f"citation counts of {count_phrase(len(ids), 'paper')}",
        )

        def task() -> Task[CountsReport]:
            return (yield from counts.sync(engine.papers_by_key(ids)))

        def on_done(report: CountsReport) -> JobReport:
            return self._on_report(report, quiet=quiet)

        saved = UnfinishedJob(LANE, description, tuple(ids))
        row = context.queue.add(JobOrder(LANE, description, task, on_done, saved=saved))
        if quiet:
            return
        # Counts asked for quietly may be under way, so that these wait without an apparent reason: say it.
        if row is None:
            context.tell(f"{description[0].upper()}{description[1:]} are already being asked for; ! lists the jobs.")
        elif before := context.queue.waits_for(row):
            context.tell(f"{description[0].upper()}{description[1:]} wait for “{before}”; ! lists both.")
        else:
            context.tell(
                f"Services are asked how often {count_phrase(len(ids), 'paper')} {_VERBS[len(ids) == 1]} cited."
            )

    def resume(self, job: UnfinishedJob) -> None:
        """Continue a request for counts that an earlier session left unfinished."""
        self.fetch([PaperId(paper_id) for paper_id in job.args])

    def _on_report(self, report: CountsReport, *, quiet: bool) -> JobReport:
        context = self._context
        state = context.results.state
        # For the rows of now, which may be others than those that were asked about.
        ids = [row.paper.id for row in state.rows]
        paper_counts = context.attempt(lambda: context.engine.counts.counts_of(ids)) or ()
        rows = tuple(replace(row, cited=counts) for row, counts in zip(state.rows, paper_counts, strict=False))
        # Where the counts could not be read, `zip` has cut the list short.
        if len(rows) == len(state.rows):
            context.results.state = replace(state, rows=rows)
        trouble = " ".join(service.trouble for service in report.services if service.trouble)
        sentence = f"{report_sentence(report)} {trouble}".strip()
        if not quiet:
            context.tell(sentence, warn=bool(trouble))
        return JobReport(sentence, complete=not trouble)
