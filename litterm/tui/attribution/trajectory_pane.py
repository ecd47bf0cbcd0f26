"""The trajectory pane of the cite dialog: thoughts, actions and observations of the agent, as they happen."""

from __future__ import annotations

from litterm.model.attribution.agent import AgentStep
from litterm.model.llm import ModelCost, sum_costs
from litterm.render.attribution.trajectory import action_words, observation_line, outcome_words
from litterm.render.cost import spent_short
from litterm.text.terminal_width import clip
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.widgets.glyphs import Glyphs

HINT = "M lets the language model look for the paper."
_MAX_OBSERVATION_CELLS = 160
"""Cells of an observation that are shown; enter shows all of it."""


class TrajectoryPane(ChoiceRows):
    """Shows a row for each step; follows the newest as long as the cursor is on it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__((), glyphs, wrap=True, id="trail")
        self._dot = f" {glyphs.dot} "
        self._more = glyphs.ellipsis
        self.steps: tuple[AgentStep, ...] = ()

    @property
    def current(self) -> AgentStep | None:
        """The step under the cursor."""
        return self.steps[self.cursor] if self.cursor < len(self.steps) else None

    @property
    def spent(self) -> ModelCost:
        """What all steps have cost."""
        return sum_costs(step.spent for step in self.steps)

    def clear(self, hint: str = HINT) -> None:
        """No steps; `hint` says what fills it."""
        self.steps = ()
        self.show([ListChoice(hint, role="muted")])

    def add(self, step: AgentStep) -> None:
        """One more step."""
        cursor = self.cursor
        follows = cursor >= len(self.steps) - 1
        self.steps = (*self.steps, step)
        self.show([self._choice(shown_step) for shown_step in self.steps])
        # `show` has put the cursor on the first row.
        self.cursor = len(self.steps) - 1 if follows else cursor
        self.call_after_refresh(self.show_cursor)

    def _choice(self, step: AgentStep) -> ListChoice:
        summary = clip(observation_line(step), _MAX_OBSERVATION_CELLS, self._more)
        cost = spent_short(step.spent) if step.spent.calls else "kept"
        detail = self._dot.join(part for part in (outcome_words(step), f"{step.spent.tokens:,} tokens", cost) if part)
        return ListChoice(action_words(step.action), detail, key=str(step.number), below=(step.thought, summary))
