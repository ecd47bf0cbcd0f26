"""Live search in a service (`ctrl+o`): shows its papers above those of the library; `+` adds one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from textual import on

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.library import ImportReport, Parsed
from litterm.model.paper import Paper, PaperId
from litterm.model.services import FINDERS, service_name
from litterm.text.references.identity import paper_ids
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.jobs.network_consent import NetworkConsent, recipient_words
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.search.controller import OnlineResults, SearchController
from litterm.tui.search.query_pane import QueryPane
from litterm.tui.state import SwitchedOption

GROUP, KEEP_GROUP = "online", "keep"
MAX_RESULTS = 20


class OnlineSearch(ActionTarget):
    """Shows rows of a service above those of the library until the query changes."""

    def __init__(
        self,
        context: WorkbenchContext,
        search: SearchController,
        consent: NetworkConsent,
        changed: Callable[[], None],
    ) -> None:
        self._context = context
        self._search = search
        self._consent = consent
        self._on_change = changed
        self.service = FINDERS[0]

    def option(self) -> SwitchedOption:
        """The option that chooses the service."""
        return SwitchedOption("search online in", service_name(self.service), self._switch)

    def _switch(self) -> None:
        self.service = FINDERS[(FINDERS.index(self.service) + 1) % len(FINDERS)]

    @on(QueryPane.FieldLeft)
    def ask_from_field(self, message: QueryPane.FieldLeft) -> None:
        """`ctrl+o` in the field of the query."""
        if message.where == "online":
            self.ask(self._context.query.field.text)

    def ask(self, text: str) -> None:
        """Ask a service for the query, as well as the library."""
        if not text.strip():
            self._context.tell("Type a query first: services are searched for it.")
            return
        is_allowed = self._consent.request(
            recipient_words(self.service), "the words of your query", retry=lambda: self.ask(text)
        )
        # While consent is asked for, `again` comes back to this; offline nothing will, and the library answers alone.
        if is_allowed or self._context.settings.offline:
            self._search.submit_query(text)
        if not is_allowed:
            return
        name, engine, query = self.service, self._context.engine, self._context.query.state.query
        # The filters of a query are ours: a service would take them for words.
        words = " ".join(query.words) if query is not None and query.words else text

        def task() -> Task[OnlineResults]:
            papers = yield from engine.services.find(name, words, limit=MAX_RESULTS)
            held_ids = [engine.services.held_papers(paper_ids(record.paper)) for record in papers]
            return OnlineResults(
                text, name, papers, tuple(next((ids[0] for ids in record if ids), None) for record in held_ids)
            )

        description = f"searching {service_name(name)}"
        self._context.work.start(GROUP, description, task, self._on_results, failed=self._on_failure)

    def find_in_service(self, typed: str) -> None:
        """`:find SERVICE QUERY`, or `:find QUERY` in the service of the options."""
        first, _, words = typed.strip().partition(" ")
        if first in FINDERS and words.strip():
            self.service, typed = first, words.strip()
        self.ask(typed)

    def command(self) -> Command:
        """The command `:find`."""
        names = tuple(f"{name} " for name in FINDERS)
        return Command(
            "find",
            "search an online service beside the library",
            self.find_in_service,
            "[SERVICE] QUERY",
            lambda: names,
        )

    def _on_results(self, results: OnlineResults) -> None:
        # Another query has been typed while the service was asked.
        if self._context.query.state.text.strip() != results.text.strip():
            return
        self._search.show_online(results)
        if results.papers and self._context.focus in ("query", "results"):
            self._context.results.go(0)
        if not results.papers:
            self._context.tell(f"{service_name(results.service)} found nothing for this; try other words.")

    def _on_failure(self, error: LittermError) -> None:
        self._context.failed_group = GROUP
        self._context.tell(f"{error} These are the papers of the library.", warn=True)

    def _find_record(self, paper_id: PaperId) -> Parsed | None:
        results = self._search.online
        pairs = zip(results.papers, results.held, strict=True) if results else ()
        return next((record for record, held_id in pairs if held_id is None and record.paper.id == paper_id), None)

    def action_keep(self) -> None:
        """Add the online paper under the cursor, or all selected ones, to the library."""
        context = self._context
        state, current = context.results.state, context.results.current
        ids = [row.paper.id for row in state.rows if row.paper.id in state.chosen] if state.chosen else []
        ids = ids or ([current.paper.id] if current else [])
        records = [record for record in map(self._find_record, ids) if record is not None]
        if not records:
            context.tell("This paper is in the library. ctrl+o in the query also searches online.")
            return

        def on_kept(report: ImportReport) -> JobReport:
            return self._on_stored(records, report)

        title = records[0].paper.title[:40] if len(records) == 1 else f"{len(records)} papers"
        context.queue.add(
            JobOrder(KEEP_GROUP, f"adding {title}", lambda: context.engine.services.keep(records), on_kept)
        )

    def _on_stored(self, records: Sequence[Parsed], report: ImportReport) -> JobReport:
        context, results = self._context, self._search.online
        if results is not None:
            kept_ids = {record.paper.id: self._go_to_kept(record.paper) for record in records}
            held_ids = tuple(kept_ids.get(p.paper.id, h) for p, h in zip(results.papers, results.held, strict=True))
            self._search.show_online(replace(results, held=held_ids))
        count = (
            f"{report.added:,} added" if report.added else "It was in the library under another id and has been updated"
        )
        context.tell(f"{count}. f fetches the full text.")
        self._on_change()
        return JobReport(f"{count}.")

    def _go_to_kept(self, paper: Paper) -> PaperId | None:
        (ids,) = self._context.engine.services.held_papers([paper.id])
        return ids[0] if ids else None
