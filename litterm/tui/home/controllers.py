"""Those of the workbench's collaborators that know what one comes back to, put together."""

from __future__ import annotations

from typing import NamedTuple

from litterm.tui.command_line import Command
from litterm.tui.home.background import Background
from litterm.tui.home.controller import HomeController
from litterm.tui.library.duplicates import DuplicatesController
from litterm.tui.library.first_papers import FirstPapersController
from litterm.tui.library.remove import RemoveController
from litterm.tui.projects import Switching
from litterm.tui.reading_list.controller import ReadingListController
from litterm.tui.search.saved_searches import SavedSearchController


class HomeControllers(NamedTuple):
    """One of each."""

    homing: HomeController
    background: Background
    watches: SavedSearchController
    switching: Switching
    removing: RemoveController
    pairing: DuplicatesController
    tracing: FirstPapersController
    reading_lists: ReadingListController

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of them."""
        return (
            *self.switching.commands(),
            *self.tracing.commands(),
            *self.pairing.commands(),
            *self.reading_lists.commands(),
            Command("forget-watch", "stop watching a search", self.watches.forget, "QUERY", self.watches.names),
            Command(
                "remove", "hide this paper, or the selected ones; nothing is deleted", lambda _: self.removing.remove()
            ),
        )
