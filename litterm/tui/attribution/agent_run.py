"""The agent of the excerpt dialog (`M`): looks for the paper after consent to its cost, and shows each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.attribution.agent import AgentOptions
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.events import AgentStepped, Event, Notice, Progress
from litterm.model.llm import CostEstimate
from litterm.tui.attribution.dialog import CitationDialog
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun

GROUP = "cite"
STOPPED_NOTICE = "You stopped the model: this is the offline ranking. litterm cite --resume last continues."


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """An excerpt to attribute, and where its steps and its answer go."""

    excerpt: Excerpt
    source: str
    k: int
    dialog: CitationDialog
    done: Callable[[Attribution], None]


class AgentController(LlmRun):
    """Asks the model about one excerpt at a time."""

    SENT_DATA = "the excerpt, your words for the paper, and titles, abstracts and passages of papers it looks at"
    DRY_RUN_COMMAND = "litterm cite --agent --dry-run"

    def __init__(self, context: WorkbenchContext) -> None:
        super().__init__(context)
        self._options = AgentOptions()
        self._request: AgentRequest | None = None
        self._running = False

    def open(self, request: AgentRequest) -> None:
        """Estimate what asking would cost, and ask for consent."""
        self._request = request
        self.request_consent()

    def stop(self) -> bool:
        """Stop the search under way, keeping its steps; returns whether there was one."""
        if not self._running or not self._context.work.cancel(GROUP):
            return False
        self._running = False
        if self._request is not None:
            self._request.dialog.tell(STOPPED_NOTICE)
        return True

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        citation, options, request = self._context.engine.citing, self._options, self._request
        if request is None:
            return

        def task() -> Task[CostEstimate]:
            yield Progress("estimating")
            return citation.estimate(request.excerpt, options, source=request.source)

        self._context.work.start("estimate", "estimating", task, on_estimate, failed=self._on_failure)

    def options(self) -> tuple[ConsentOption, ...]:
        services = "also Semantic Scholar, arXiv and OpenAlex" if self._options.online else "only your library"
        if self._context.settings.offline:
            services = "only your library: the network is off"
        return (
            ConsentOption("s", "is searched", services),
            ConsentOption("c", "cached replies", "are used" if self._options.cached else "are not used"),
        )

    def switch(self, key: str) -> None:
        if key == "s":
            self._options = replace(self._options, online=not self._options.online)
        elif key == "c":
            self._options = replace(self._options, cached=not self._options.cached)

    def on_consent(self, consent: Consent) -> None:
        request, options, citation = self._request, self._options, self._context.engine.citing
        if request is None:
            return
        if consent == "run":
            self._running = True
            request.dialog.begin()
            self._context.work.start(
                GROUP,
                "agent",
                lambda: citation.find(request.excerpt, options, k=request.k, source=request.source),
                self._on_result,
                on_event=self._on_event,
                failed=self._on_failure,
            )
            return
        preview = citation.preview(request.excerpt, options, source=request.source)
        self._context.work.start("estimate", "dry run", lambda: preview, self.show_requests, failed=self._on_failure)

    def _on_event(self, event: Event) -> None:
        if self._request is None:
            return
        if isinstance(event, AgentStepped):
            self._request.dialog.step(event.step)
        elif isinstance(event, Notice) and event.text:
            self._request.dialog.tell(event.text)

    def _on_result(self, attribution: Attribution) -> None:
        self._running = False
        if self._request is not None:
            self._request.done(attribution)

    def _on_failure(self, error: LittermError) -> None:
        self._running = False
        if self._request is not None:
            self._request.dialog.tell(f"This is the offline ranking. {error}")
