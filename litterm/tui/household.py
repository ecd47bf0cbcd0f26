"""Those of the workbench's collaborators that know what one comes back to, put together."""

from __future__ import annotations

from typing import NamedTuple

from litterm.tui.commanding import Command
from litterm.tui.home.background import Background
from litterm.tui.homing import Homing
from litterm.tui.pairing import Pairing
from litterm.tui.projects import Switching
from litterm.tui.reading_list.controller import ReadingListController
from litterm.tui.removing import Removing
from litterm.tui.tracing import Tracing
from litterm.tui.watches import Watches


class Household(NamedTuple):
    """One of each."""

    homing: Homing
    background: Background
    watches: Watches
    switching: Switching
    removing: Removing
    pairing: Pairing
    tracing: Tracing
    reading_lists: ReadingListController

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of them."""
        return (
            *self.switching.commands(),
            *self.tracing.commands(),
            *self.pairing.commands(),
            *self.reading_lists.commands(),
            Command("forget-watch", "watch a search no more", self.watches.forget, "QUERY", self.watches.names),
            Command(
                "remove", "hide this paper, or those selected; nothing is deleted", lambda _: self.removing.remove()
            ),
        )
