"""The context that controllers share: all panes of the workbench, and what these share themselves."""

from __future__ import annotations

from dataclasses import dataclass, field

from litterm.tui.evidence.pane import EvidencePane
from litterm.tui.input.completion_list import CompletionList
from litterm.tui.layout.board import Board
from litterm.tui.screen_context import ScreenContext
from litterm.tui.search.results_pane import ResultsPane


@dataclass(slots=True)
class WorkbenchContext(ScreenContext):
    """The parts of one workbench; made by the screen and handed to every controller."""

    results: ResultsPane = field(init=False)
    evidence: EvidencePane = field(init=False)

    def __post_init__(self) -> None:
        # By name: `slots` makes another class of this one, which `super()` without arguments does not know.
        ScreenContext.__post_init__(self)
        # Each pane takes those built before it.
        self.results = ResultsPane(self)
        self.evidence = EvidencePane(self, self.results)
        panes = self.query, self.aspects, self.results, self.reader, self.evidence, self.matrix
        self.board = Board(*panes, CompletionList(self.glyphs))
