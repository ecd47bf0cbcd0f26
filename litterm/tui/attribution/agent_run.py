"""The agent of the excerpt dialog (`M`): looks for the paper after consent to its cost, and shows each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.attribution.agent import AgentOptions, AgentStep
from litterm.model.attribution.citation import Attribution, Excerpt
from litterm.model.events import AgentStepped, Event, Notice, Progress
from litterm.model.llm import CostEstimate
from litterm.render.cost import caps_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmConsentDialog
from litterm.tui.evidence.llm_run import requests_dialog

GROUP = "cite"
SENT_DATA = "the excerpt, your words for the paper, and titles, abstracts and passages of papers it looks at"
STOPPED_NOTICE = "You stopped the model: this is the offline ranking. litterm cite --resume last continues."


class StepListener(Protocol):
    """The methods of the dialog by which the agent shows its steps."""

    def begin(self) -> None:
        """Start a new search, without steps yet."""
        ...

    def step(self, step: AgentStep) -> None:
        """One more step."""
        ...

    def tell(self, text: str) -> None:
        """Show one line on the progress of the search."""
        ...


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """An excerpt to attribute, and where its steps and its answer go."""

    excerpt: Excerpt
    source: str
    k: int
    watcher: StepListener
    done: Callable[[Attribution], None]


class AgentController:
    """Asks the model about one excerpt at a time."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._use = AgentOptions()
        self._request: AgentRequest | None = None
        self._dialog: LlmConsentDialog | None = None
        self._running = False

    def open(self, request: AgentRequest) -> None:
        """Estimate what asking would cost, and ask for consent."""
        self._request = request
        self._estimate(request, self._on_estimate)

    def stop(self) -> bool:
        """Stop the search under way, keeping its steps; returns whether there was one."""
        if not self._running or not self._context.work.cancel(GROUP):
            return False
        self._running = False
        if self._request is not None:
            self._request.watcher.tell(STOPPED_NOTICE)
        return True

    def _estimate(self, request: AgentRequest, on_estimate: Callable[[CostEstimate], None]) -> None:
        citation, use = self._context.engine.citing, self._use

        def task() -> Task[CostEstimate]:
            yield Progress("estimating")
            return citation.estimate(request.excerpt, use, source=request.source)

        self._context.work.start("estimate", "estimating", task, on_estimate, failed=self._on_failure)

    def _on_estimate(self, estimate: CostEstimate) -> None:
        caps = caps_words(self._context.settings.model)
        self._dialog = LlmConsentDialog(
            estimate, SENT_DATA, caps, self._context.glyphs, options=self._choices(), switch=self._switch
        )
        self._context.open(self._dialog, self._on_consent)

    def _choices(self) -> tuple[ConsentOption, ...]:
        services = "also Semantic Scholar, arXiv and OpenAlex" if self._use.online else "only your library"
        if self._context.settings.offline:
            services = "only your library: the network is off"
        return (
            ConsentOption("s", "is searched", services),
            ConsentOption("c", "cached replies", "are used" if self._use.cached else "are not used"),
        )

    def _switch(self, key: str) -> None:
        if key == "s":
            self._use = replace(self._use, online=not self._use.online)
        elif key == "c":
            self._use = replace(self._use, cached=not self._use.cached)
        if self._dialog is not None and self._request is not None:
            self._dialog.show(self._choices(), None)
            self._estimate(self._request, self._on_new_estimate)

    def _on_new_estimate(self, estimate: CostEstimate) -> None:
        if self._dialog is not None and self._dialog in self._context.dialogs:
            self._dialog.show(self._choices(), estimate)

    def _on_consent(self, consent: Consent) -> None:
        request, use, citation = self._request, self._use, self._context.engine.citing
        if request is None:
            return
        if consent == "run":
            self._running = True
            request.watcher.begin()
            self._context.work.start(
                GROUP,
                "agent",
                lambda: citation.find(request.excerpt, use, k=request.k, source=request.source),
                self._on_result,
                on_event=self._on_event,
                failed=self._on_failure,
            )
            return
        preview = citation.preview(request.excerpt, use, source=request.source)
        self._context.work.start("estimate", "dry run", lambda: preview, self._show_requests, failed=self._on_failure)

    def _on_event(self, event: Event) -> None:
        if self._request is None:
            return
        if isinstance(event, AgentStepped):
            self._request.watcher.step(event.step)
        elif isinstance(event, Notice) and event.text:
            self._request.watcher.tell(event.text)

    def _on_result(self, attribution: Attribution) -> None:
        self._running = False
        if self._request is not None:
            self._request.done(attribution)

    def _on_failure(self, error: LittermError) -> None:
        self._running = False
        if self._request is not None:
            self._request.watcher.tell(f"This is the offline ranking. {error}")

    def _show_requests(self, requests: tuple[str, ...]) -> None:
        self._context.open(requests_dialog(requests, self._context.glyphs, "litterm cite --agent --dry-run"))
