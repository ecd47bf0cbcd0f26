"""Duplicates and hidden papers over a server, where they are decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.annotations.duplicates import RecordCuration
from litterm.server.client.refusals import refuse_remote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litterm.annotations.duplicates import Doubt
    from litterm.model.paper import Paper, PaperId

_RECORDS = "Papers are merged, kept apart and removed"


class RemoteCuration(RecordCuration):
    """Shows decisions, and makes none."""

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
