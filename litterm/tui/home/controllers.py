"""The controllers of home and of what it lists, and their commands."""

from __future__ import annotations

from typing import NamedTuple

from litterm.tui.annotations.projects import ProjectSwitch
from litterm.tui.citations.first_papers import FirstPapersController
from litterm.tui.home.controller import HomeController
from litterm.tui.home.jobs import JobListController
from litterm.tui.input.command_line import Command
from litterm.tui.library.duplicates import DuplicatesController
from litterm.tui.library.remove import RemoveController
from litterm.tui.reading_lists.controller import ReadingListController
from litterm.tui.search.saved_searches import SavedSearchController


class HomeControllers(NamedTuple):
    """Controllers by their names in actions, in the order of the fields of `Controllers`."""

    home: HomeController
    jobs: JobListController
    saved_searches: SavedSearchController
    projects: ProjectSwitch
    removal: RemoveController
    duplicates: DuplicatesController
    first_papers: FirstPapersController
    reading_lists: ReadingListController

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of them."""
        return (
            *self.projects.commands(),
            *self.first_papers.commands(),
            *self.duplicates.commands(),
            *self.reading_lists.commands(),
            Command(
                "forget-watch", "stop watching a search", self.saved_searches.forget, "QUERY", self.saved_searches.names
            ),
            Command(
                "remove", "hide this paper, or the selected ones; nothing is deleted", lambda _: self.removal.remove()
            ),
        )
