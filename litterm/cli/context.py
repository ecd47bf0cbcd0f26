"""The context of one command: settings, streams, and the engine once it is needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.cli.terminal.output import Output
    from litterm.core.settings import Settings
    from litterm.core.tasks import Task
    from litterm.engine import Engine
    from litterm.render.lines import LineOptions

T = TypeVar("T")
SERVER_COMMANDS = frozenset(
    (
        "",
        *("search", "ask", "first", "list", "find", "refs", "watch", "cited-by"),
        *("read", "show", "evidence", "mark", "undo", "collections", "cite", "export", "add"),
    )
)
"""Commands that can use the library of a server; the empty one is the workbench."""
LOCAL_COMMANDS = frozenset(("config", "cache", "completion", "help", "doctor", "bench", "serve", "backup", "restore"))
"""Commands about this machine, whatever library is used."""
_SERVER_HINT = "leave out --server, or empty LITTERM_SERVER and the setting `server`"


@dataclass(frozen=True, slots=True)
class Context:
    """Settings and streams of the command that runs, and the way to its engine."""

    settings: Settings
    output: Output
    build: Callable[[Settings], Engine]
    plain: bool = False
    """Whether plain lines are wanted: for screen readers, without colour and without the workbench."""
    project: str = ""
    """The project to work in; empty for the default project."""

    def for_command(self, command: str) -> Context:
        """The context for one command: with the library of a server only if the command can use one.

        Raises:
            UsageError: the command needs a library on this machine.
        """
        if not self.settings.server or command in SERVER_COMMANDS:
            return self
        if command in LOCAL_COMMANDS:
            return replace(self, settings=replace(self.settings, server=""))
        from litterm.core.errors import UsageError

        raise UsageError(f"`litterm {command}` works on a library of this machine only; {_SERVER_HINT}.")

    def engine(self) -> Engine:
        """Builds the engine, importing what it needs; warns of a home in which nothing can be kept."""
        if folder := _unwritable_parent(self.settings.library):
            self.output.say(f"{folder} cannot be written: nothing is kept in {self.settings.library.parent}.")
        engine = self.build(self.settings)
        if self.project:
            engine.annotations.projects.use(self.project)
        return engine

    def line_options(self) -> LineOptions:
        """How lines on stdout are drawn."""
        from litterm.render.lines import LineOptions

        output = self.output
        return LineOptions(colour=output.colour, columns=output.columns, ascii=output.ascii, terminal=output.terminal)

    def run(self, task: Task[T]) -> T:
        """Runs `task` to its result and shows its events on stderr."""
        from litterm.cli.terminal.progress import run_with_progress

        return run_with_progress(task, self.output)


def _unwritable_parent(library: Path) -> Path | None:
    """The nearest folder that exists if `library` is not there and cannot be made."""
    if library.exists():
        return None
    folder = next((parent for parent in library.parents if parent.exists()), library)
    return None if os.access(folder, os.W_OK | os.X_OK) else folder
