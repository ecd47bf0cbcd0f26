"""Services of papers beside the library of a server: asked from this machine, and nothing they give is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.server.client.refusals import refuse_remote
from litterm.services.online import OnlineServices

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from litterm.core.tasks import Task
    from litterm.model.library import ImportReport, Parsed
    from litterm.model.paper import PaperId
    from litterm.model.services import FetchResult, RetryReport, Scope, SyncReport

_SERVICES = "Papers of services come in"


class RemoteServices(OnlineServices):
    """Live search and lists of references; what would fill the library is refused."""

    def sync(self, name: str, scope: Scope) -> Task[SyncReport]:
        """Refused."""
        refuse_remote(_SERVICES)

    def sync_all(self) -> Task[tuple[SyncReport, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def fetch(self, ids: Sequence[PaperId]) -> Task[tuple[FetchResult, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def obtain(self, words: Sequence[str]) -> Task[tuple[FetchResult, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def bring(self, words: Sequence[str]) -> Task[tuple[FetchResult, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def retry(self, only: Collection[str] = ()) -> Task[RetryReport]:
        """Refused."""
        refuse_remote("Imports that failed are tried again")

    def keep(self, papers: Sequence[Parsed]) -> Task[ImportReport]:
        """Refused."""
        refuse_remote(_SERVICES)
