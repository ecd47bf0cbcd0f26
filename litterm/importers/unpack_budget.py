"""How much a file may unpack to, all archives inside it together: a file in an archive in an archive multiplies."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from litterm.core.errors import BadInput

FREE_BYTES: Final = 64 * 2**20
"""Unpacked size below which no expansion is suspicious."""
MAX_RATIO: Final = 200
"""Text packs 3 to 12 to one, repetitive XML up to 40; bombs start at 1000."""
BOMB_MESSAGE: Final = f"Unpacks to more than {MAX_RATIO} times its size: taken for a decompression bomb."
_LOCAL_HEADER_BYTES: Final = 30
"""Of an entry of a zip archive, without its name."""


@dataclass(slots=True)
class _Budget:
    packed_bytes: int
    unpacked_bytes: int = 0
    by_place: dict[tuple[int, ...], int] = field(default_factory=dict)
    """What each member has unpacked to in the longest of its readings: most are looked through before they are read."""


@dataclass(frozen=True, slots=True)
class UnpackShare:
    """The share of one member in the budget of the file that holds it, perhaps within other archives."""

    _budget: _Budget
    _place: tuple[int, ...] = ()

    def of_member(self, offset: int) -> UnpackShare:
        """The share of the member that begins at `offset` of this archive."""
        return UnpackShare(self._budget, (*self._place, offset))

    def allows(self, size: int) -> bool:
        """Notes that the member has unpacked to `size` bytes; whether all members together may be as large."""
        budget = self._budget
        before = budget.by_place.get(self._place, 0)
        if size > before:
            budget.by_place[self._place] = size
            budget.unpacked_bytes += size - before
        return budget.unpacked_bytes <= max(FREE_BYTES, MAX_RATIO * budget.packed_bytes)

    def spend(self, size: int) -> None:
        """As `allows`.

        Raises:
            BadInput: all members together are larger.
        """
        if not self.allows(size):
            raise BadInput(BOMB_MESSAGE)


def new_share(packed_bytes: int) -> UnpackShare:
    """The share of a file of `packed_bytes` bytes on disk: all of its budget."""
    return UnpackShare(_Budget(packed_bytes))


def refuse_overlaps(members: Sequence[zipfile.ZipInfo]) -> None:
    """Refuses a zip archive in which two entries use the same bytes, as no program packs one.

    Raises:
        BadInput: two entries do.
    """
    end = 0
    for member in sorted(members, key=lambda member: member.header_offset):
        if member.header_offset < end:
            raise BadInput("Entries of the archive share their bytes: taken for a decompression bomb.")
        end = member.header_offset + _LOCAL_HEADER_BYTES + member.compress_size
