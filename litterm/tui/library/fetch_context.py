"""The context shared by the controllers that fetch something about the current paper from services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from litterm.model.paper import Paper
from litterm.model.services import FetchResult
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.jobs.network_consent import NetworkConsent
from litterm.tui.reader.controller import ReaderController


class FetchLog:
    """The outcome of every id asked for in this session, newest last."""

    def __init__(self) -> None:
        self._results_by_input: dict[str, FetchResult] = {}

    def record(self, results: Sequence[FetchResult]) -> None:
        """Record results; the newest one of each id counts."""
        for result in results:
            # Taken out first, so that it stands last again.
            self._results_by_input.pop(result.asked, None)
            self._results_by_input[result.asked] = result

    def forget(self, asked: str) -> None:
        """Forget the outcome of `asked`; a failure stays in the list of failures."""
        self._results_by_input.pop(asked, None)

    @property
    def all(self) -> tuple[FetchResult, ...]:
        """The latest result of each id, newest first."""
        return tuple(reversed(self._results_by_input.values()))


@dataclass(frozen=True, slots=True)
class FetchContext:
    """The current paper, network consent, and the listeners of results."""

    context: WorkbenchContext
    reader: ReaderController
    annotations: AnnotationController
    consent: NetworkConsent
    fetch_log: FetchLog
    changed: Callable[[], None]
    """Told when the library has changed."""

    def current_paper(self) -> Paper | None:
        """The paper under the cursor, or the open one; without either a notice says so and this is `None`."""
        current = self.context.results.current if self.context.focus == "results" else None
        papers = (current.paper,) if current else self.annotations.papers()
        if not papers:
            self.context.tell("No paper here.")
        return papers[0] if papers else None
