"""`M` in the cite dialog: a model looks for the paper, its estimate first, each step shown as it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.agent import AgentStep, AgentUse
from litterm.model.citation import Attribution, Excerpt
from litterm.model.events import AgentStepped, Event, Notice, Progress
from litterm.model.llm import CostEstimate
from litterm.render.cost import caps_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Choosable, Consent, LlmConsentDialog
from litterm.tui.evidence.llm_run import rehearsal

GROUP = "cite"
LEAVES = "the excerpt, your words for the paper, and titles, abstracts and passages of papers it looks at"
STOPPED = "You stopped the model: this is the offline ranking. litterm cite --resume last continues."


class StepListener(Protocol):
    """Who shows the steps: the dialog."""

    def begin(self) -> None:
        """A search begins: no steps yet."""
        ...

    def step(self, step: AgentStep) -> None:
        """One more step."""
        ...

    def tell(self, text: str) -> None:
        """One line on how it goes."""
        ...


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """What is looked for, and for whom."""

    excerpt: Excerpt
    source: str
    k: int
    watcher: StepListener
    done: Callable[[Attribution], None]


class AgentController:
    """Asks the model about one excerpt at a time."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._use = AgentUse()
        self._wanted: AgentRequest | None = None
        self._dialog: LlmConsentDialog | None = None
        self._running = False

    def open(self, wanted: AgentRequest) -> None:
        """Reckon what it would cost, and put that to the user."""
        self._wanted = wanted
        self._reckon(wanted, self._estimated)

    def stop(self) -> bool:
        """Stop the search under way; whether there was one. What it did so far is kept."""
        if not self._running or not self._context.work.cancel(GROUP):
            return False
        self._running = False
        if self._wanted is not None:
            self._wanted.watcher.tell(STOPPED)
        return True

    def _reckon(self, wanted: AgentRequest, then: Callable[[CostEstimate], None]) -> None:
        citation, use = self._context.engine.citing, self._use

        def task() -> Task[CostEstimate]:
            yield Progress("estimating")
            return citation.estimate(wanted.excerpt, use, source=wanted.source)

        self._context.work.start("estimate", "estimating", task, then, failed=self._failed)

    def _estimated(self, estimate: CostEstimate) -> None:
        caps = caps_words(self._context.settings.model)
        self._dialog = LlmConsentDialog(
            estimate, LEAVES, caps, self._context.glyphs, how=self._how(), switch=self._switch
        )
        self._context.open(self._dialog, self._answered)

    def _how(self) -> tuple[Choosable, ...]:
        services = "Semantic Scholar, arXiv, OpenAlex, too" if self._use.online else "only your library"
        if self._context.settings.offline:
            services = "only your library: the network is off"
        return (
            Choosable("s", "is searched", services),
            Choosable("c", "replies of earlier", "answer again" if self._use.cached else "are not used"),
        )

    def _switch(self, key: str) -> None:
        if key == "s":
            self._use = replace(self._use, online=not self._use.online)
        elif key == "c":
            self._use = replace(self._use, cached=not self._use.cached)
        if self._dialog is not None and self._wanted is not None:
            self._dialog.show(self._how(), None)
            self._reckon(self._wanted, self._reckoned)

    def _reckoned(self, estimate: CostEstimate) -> None:
        if self._dialog is not None and self._dialog in self._context.dialogs:
            self._dialog.show(self._how(), estimate)

    def _answered(self, consent: Consent) -> None:
        wanted, use, citation = self._wanted, self._use, self._context.engine.citing
        if wanted is None:
            return
        if consent == "run":
            self._running = True
            wanted.watcher.begin()
            self._context.work.start(
                GROUP,
                "agent",
                lambda: citation.find(wanted.excerpt, use, k=wanted.k, source=wanted.source),
                self._done,
                said=self._heard,
                failed=self._failed,
            )
            return
        preview = citation.preview(wanted.excerpt, use, source=wanted.source)
        self._context.work.start("estimate", "dry run", lambda: preview, self._rehearsed, failed=self._failed)

    def _heard(self, event: Event) -> None:
        if self._wanted is None:
            return
        if isinstance(event, AgentStepped):
            self._wanted.watcher.step(event.step)
        elif isinstance(event, Notice) and event.text:
            self._wanted.watcher.tell(event.text)

    def _done(self, found: Attribution) -> None:
        self._running = False
        if self._wanted is not None:
            self._wanted.done(found)

    def _failed(self, error: LittermError) -> None:
        self._running = False
        if self._wanted is not None:
            self._wanted.watcher.tell(f"This is the offline ranking. {error}")

    def _rehearsed(self, requests: tuple[str, ...]) -> None:
        self._context.open(rehearsal(requests, self._context.glyphs, "litterm cite --agent --dry-run"))
