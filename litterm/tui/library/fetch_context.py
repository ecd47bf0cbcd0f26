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
    """What came of every id this session asked for, the newest last."""

    def __init__(self) -> None:
        self._results_by_input: dict[str, FetchResult] = {}

    def record(self, results: Sequence[FetchResult]) -> None:
        """Keeps results; the newest of an id counts."""
        for result in results:
            # Taken out first, so that it stands last again.
            self._results_by_input.pop(result.asked, None)
            self._results_by_input[result.asked] = result

    def forget(self, asked: str) -> None:
        """Forgets what came of `asked`; what failed stays in the list of failures."""
        self._results_by_input.pop(asked, None)

    @property
    def all(self) -> tuple[FetchResult, ...]:
        """One an id, the newest first."""
        return tuple(reversed(self._results_by_input.values()))


@dataclass(frozen=True, slots=True)
class FetchContext:
    """The paper at hand, whether the network may be used, and who must hear what came."""

    context: WorkbenchContext
    reader: ReaderController
    annotations_controller: AnnotationController
    consent: NetworkConsent
    fetch_log: FetchLog
    changed: Callable[[], None]
    """Told when the library has changed."""

    def current_paper(self) -> Paper | None:
        """The paper under the cursor, or the one read; `None`, which is told, where there is none."""
        current = self.context.results.current if self.context.focus == "results" else None
        papers = (current.paper,) if current else self.annotations_controller.papers()
        if not papers:
            self.context.tell("No paper here.")
        return papers[0] if papers else None
