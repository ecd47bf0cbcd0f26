"""Saved searches, and what is new in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.model.paper import Paper


@dataclass(frozen=True, slots=True)
class NewPapers:
    """Papers of a watch that came into the library after it was last looked at."""

    query: str
    papers: tuple[Paper, ...]
    """Those litterm first saw last come first."""
