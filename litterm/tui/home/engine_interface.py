"""What the workbench asks of the engine about what one comes back to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from litterm.core.tasks import Task

if TYPE_CHECKING:
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.projects import Projects
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.model.overview import Home


class HomeInterface(Protocol):
    """New, half read, unfinished; and papers that are not shown."""

    @property
    def watching(self) -> SavedSearches:
        """Saved searches."""
        ...

    @property
    def curating(self) -> RecordCuration:
        """Which papers are not shown."""
        ...

    def home(self) -> Task[Home]:
        """What one comes back to."""
        ...


class ProjectInterface(Protocol):
    """Projects, each with a session of its own."""

    @property
    def project(self) -> str:
        """The one in use."""
        ...

    @property
    def projects(self) -> Projects:
        """All of them."""
        ...
