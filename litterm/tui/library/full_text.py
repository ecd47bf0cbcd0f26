"""Fetches full texts (`f`, `F`) in the background, one paper after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.model.annotations import UnfinishedJob
from litterm.model.events import Event, PaperFetched, Progress
from litterm.model.paper import Paper, PaperId
from litterm.model.services import FetchResult
from litterm.render.services import outcome_sentence
from litterm.tui.citations.citation_counts import CountsController
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.jobs.background_tasks import count_only
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.library.fetch_context import FetchContext

if TYPE_CHECKING:
    from litterm.services.online import OnlineServices

LANE = "fetch"
_UNCOUNTED = "\0"
"""No step of one paper is counted: which paper of how many it is is beside the job."""
_IDS = "services that may hold the text (PMC, Europe PMC, arXiv, ACL Anthology, OpenReview, Unpaywall, ...)"


class FullTextController(ActionTarget):
    """Fetches papers one by one, so that each text is stored and shown as soon as it has come."""

    def __init__(self, parts: FetchContext, counts: CountsController) -> None:
        self._context = parts.context
        self._parts = parts
        self._counts = counts
        self._context.queue.resumers[LANE] = self.resume

    def action_one(self) -> None:
        """Fetch the full text of the paper under the cursor, or of the open one."""
        paper = self._parts.current_paper()
        if paper is not None:
            self._fetch((paper,))

    def action_several(self) -> None:
        """Fetch the full texts of all selected papers."""
        chosen = self._context.results.state.selected_papers()
        if chosen:
            self._fetch(chosen)
        else:
            self._context.tell("Select papers first (space, v, *): F fetches the full texts of all selected.")

    def fetch_ids(self, words: Sequence[str]) -> None:
        """Fetch the full texts of ids, in the library or not, and list the outcomes."""
        if not self._parts.consent.request(_IDS, _sent_words(len(words)), retry=lambda: self.fetch_ids(words)):
            return
        services = self._context.engine.services

        def on_results(results: tuple[FetchResult, ...]) -> JobReport:
            self._parts.fetch_log.record(results)
            return self._on_finished(results)

        description = f"full text: {words[0] if len(words) == 1 else f'{len(words)} papers'}"
        saved = UnfinishedJob(LANE, description, tuple(words))
        self._context.queue.add(JobOrder(LANE, description, lambda: services.bring(words), on_results, saved=saved))

    def resume(self, job: UnfinishedJob) -> None:
        """Resume a fetch that an earlier session left unfinished."""
        self.fetch_ids(job.args)

    def _fetch(self, papers: Sequence[Paper]) -> None:
        context = self._context
        missing = [paper for paper in papers if not paper.full_text]
        if not missing:
            context.tell("The full text is in the library: enter opens it.")
        elif self._parts.consent.request(_IDS, _sent_words(len(missing)), retry=lambda: self._fetch(papers)):
            self._queue(missing)

    def _queue(self, papers: Sequence[Paper]) -> None:
        context, services = self._context, self._context.engine.services
        description = f"full text: {papers[0].title}" if len(papers) == 1 else f"full texts of {len(papers)} papers"

        def on_event(event: Event) -> None:
            if isinstance(event, PaperFetched):
                self._on_text(event.result)

        saved = UnfinishedJob(LANE, description, tuple(paper.id for paper in papers))
        order = JobOrder(
            LANE, description, lambda: _fetch_each(services, papers), self._on_finished, on_event=on_event, saved=saved
        )
        row = context.queue.add(order)
        if row is None:
            context.tell("Its full text is already being fetched; ! lists the jobs.")
        elif before := context.queue.waits_for(row):
            context.tell(f"It waits for “{before}”; ! lists both.")

    def _on_text(self, result: FetchResult) -> None:
        self._parts.fetch_log.record((result,))
        if result.outcome == "full text" and result.paper_id is not None:
            self._show(PaperId(result.asked), result.paper_id)

    def _on_finished(self, results: tuple[FetchResult, ...]) -> JobReport:
        sentence = self._report(results)
        self._parts.changed()
        self._counts.fetch(
            [result.paper_id for result in results if result.paper_id is not None and result.outcome == "full text"],
            quiet=True,
        )
        return JobReport(sentence)

    def _show(self, before: PaperId, paper_id: PaperId) -> None:
        """Show a new full text in the row of the results, and in the reader if the paper is open."""
        context = self._context
        paper = context.attempt(lambda: context.engine.paper(paper_id))
        if paper is None:
            return
        rows = tuple(
            replace(row, paper=paper, held=True) if row.paper.id == before else row
            for row in context.results.state.rows
        )
        context.results.state = replace(context.results.state, rows=rows)
        self._parts.reader.reload_paper(before, paper)

    def _report(self, results: tuple[FetchResult, ...]) -> str:
        if len(results) == 1:
            is_full_text, sentence = results[0].outcome == "full text", outcome_sentence(results[0])
            self._context.tell(
                sentence if is_full_text else f"{sentence} If you have the file, `:add PATH` attaches it.",
                warn=not is_full_text,
            )
            return sentence
        counts: dict[str, int] = {}
        for result in results:
            counts[result.outcome] = counts.get(result.outcome, 0) + 1
        sentence = f"{len(results)} papers: {', '.join(f'{count} {outcome}' for outcome, count in counts.items())}."
        self._context.tell(f"{sentence} ! lists them.", warn=set(counts) != {"full text"})
        return sentence


def _fetch_each(services: OnlineServices, papers: Sequence[Paper]) -> Task[tuple[FetchResult, ...]]:
    """Fetches one paper after the other, so that each is stored and reported as soon as it is there."""
    results: list[FetchResult] = []
    for position, paper in enumerate(papers):
        if len(papers) > 1:
            yield Progress("full texts", position, len(papers))
        for result in (yield from count_only(services.bring((paper.id,)), _UNCOUNTED)):
            # The screen knows the paper by the id it had when it was asked for.
            results.append(replace(result, asked=paper.id))
            yield PaperFetched(results[-1])
    return tuple(results)


def _sent_words(papers: int) -> str:
    """A phrase that says what is sent for `papers` papers."""
    if papers == 1:
        return "are sent the ids of the paper, and its title where they know none"
    return f"are sent the ids of {papers:,} papers, and the titles of those they do not know"
