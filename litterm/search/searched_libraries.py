"""The libraries that are searched: the user's papers, and the starter library behind them.

Each has word statistics of its own: what a paper scores does not depend on the papers of the other library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.interfaces import Library
    from litterm.library.index.reader import IndexReader
    from litterm.model.paper import LibraryName
    from litterm.search.hybrid import HybridSearcher


@dataclass(frozen=True, slots=True)
class SearchedLibrary:
    """Papers that are searched together."""

    name: LibraryName
    library: Library
    index: IndexReader
    open_searcher: Callable[[], HybridSearcher]
    """Gives the one searcher of the library; most of what it imports is not needed to find a cited paper."""


@dataclass(frozen=True, slots=True)
class SearchedLibraries:
    """The libraries in the order in which their papers are ranked."""

    own: SearchedLibrary
    """The user's papers."""
    open_starter: Callable[[], SearchedLibrary | None] = lambda: None
    """Opens the starter library when it is needed; `None` where it is not shown."""

    def choose(self, name: LibraryName | None) -> SearchedLibrary:
        """The library `name`; without a name the user's papers or, while there are none, the starter library.

        Where the starter library is not shown, it is the user's papers in any case.
        """
        # Looked at each time, because the first import switches to the user's papers.
        if name == "own" or (name is None and not self.own.library.snapshot().is_empty):
            return self.own
        return self.open_starter() or self.own

    def in_order(self) -> tuple[SearchedLibrary, ...]:
        """All that are shown."""
        starter = self.open_starter()
        return (self.own,) if starter is None else (self.own, starter)
