"""What a client does not do over the library of a server, and the sentence that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from litterm.annotations.duplicates import RecordCuration
from litterm.core.errors import UsageError
from litterm.services.online import OnlineServices

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from litterm.annotations.duplicates import Doubt
    from litterm.core.tasks import Task
    from litterm.model.library import ImportReport, Parsed
    from litterm.model.paper import Paper, PaperId
    from litterm.model.services import Obtained, Retried, Scope, SyncReport

_SERVICES = "Papers of services come in"
_RECORDS = "Papers are merged, kept apart and removed"


def refuse_remote(what: str) -> NoReturn:
    """Never returns.

    Raises:
        UsageError: always; `what` begins its sentence, and is said of several things.
    """
    raise UsageError(
        f"{what} on the server itself; ask whoever runs it, or leave out --server to use your own library."
    )


class RemoteServices(OnlineServices):
    """Services are asked from this machine, and nothing they give is stored."""

    def sync(self, name: str, scope: Scope) -> Task[SyncReport]:
        """Refused."""
        refuse_remote(_SERVICES)

    def sync_all(self) -> Task[tuple[SyncReport, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def fetch(self, ids: Sequence[PaperId]) -> Task[tuple[Obtained, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def obtain(self, words: Sequence[str]) -> Task[tuple[Obtained, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def bring(self, words: Sequence[str]) -> Task[tuple[Obtained, ...]]:
        """Refused."""
        refuse_remote(_SERVICES)

    def retry(self, only: Collection[str] = ()) -> Task[Retried]:
        """Refused."""
        refuse_remote("Imports that failed are tried again")

    def keep(self, papers: Sequence[Parsed]) -> Task[ImportReport]:
        """Refused."""
        refuse_remote(_SERVICES)


class RemoteCuration(RecordCuration):
    """Which records are one paper is decided on the server."""

    def doubts(self) -> tuple[Doubt, ...]:
        """Refused."""
        refuse_remote(_RECORDS)

    def merge(self, paper: Paper, other: Paper) -> PaperId:
        """Refused."""
        refuse_remote(_RECORDS)

    def apart(self, first_id: PaperId, second_id: PaperId) -> bool:
        """Refused."""
        refuse_remote(_RECORDS)

    def remove(self, papers: Sequence[Paper]) -> int:
        """Refused."""
        refuse_remote(_RECORDS)
