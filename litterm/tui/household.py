"""Those of the workbench's collaborators that know what one comes back to, put together."""

from __future__ import annotations

from typing import NamedTuple

from litterm.tui.commanding import Command
from litterm.tui.homing import Homing
from litterm.tui.projects import Switching
from litterm.tui.removing import Removing


class Household(NamedTuple):
    """One of each."""

    homing: Homing
    switching: Switching
    removing: Removing

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of them."""
        return (
            Command("project", "another project, begun if it is new", self.switching.use, "NAME", self.switching.names),
            Command("forget-watch", "watch a search no more", self.homing.forget, "QUERY"),
            Command(
                "remove", "hide this paper, or those selected; nothing is deleted", lambda _: self.removing.remove()
            ),
        )
