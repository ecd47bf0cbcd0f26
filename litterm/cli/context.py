"""The context of one command: settings, streams, and the engine once it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from litterm.cli.output import Output
    from litterm.core.settings import Settings
    from litterm.core.tasks import Task
    from litterm.engine import Engine
    from litterm.render.lines import LineOptions

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Context:
    """Settings and streams of the command that runs, and the way to its engine."""

    settings: Settings
    output: Output
    build: Callable[[Settings], Engine]
    plain: bool = False
    """Whether plain lines are wanted: for screen readers, without colour and without the workbench."""
    project: str = ""
    """The project to work in; empty is the one there always is."""

    def engine(self) -> Engine:
        """The engine, built now; costs the imports it needs."""
        engine = self.build(self.settings)
        if self.project:
            engine.annotations.projects.use(self.project)
        return engine

    def look(self) -> LineOptions:
        """How lines on stdout are drawn."""
        from litterm.render.lines import LineOptions

        output = self.output
        return LineOptions(colour=output.colour, columns=output.columns, ascii=output.ascii, terminal=output.terminal)

    def drive(self, task: Task[T]) -> T:
        """Runs `task` to its result and shows its events on stderr."""
        from litterm.cli.progress import drive

        return drive(task, self.output)


def build_engine(settings: Settings) -> Engine:
    """The real engine; imported only when a command needs it."""
    from litterm.container import build_engine

    return build_engine(settings)
