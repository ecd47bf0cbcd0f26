"""The papers in whose files highlights and notes were found, by their words."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from litterm.core.errors import SegmentDamaged, SegmentGone
from litterm.library.segments.papers import annotation_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from litterm.library.shown_library import ShownLibrary
    from litterm.model.library import Segment, Snapshot
    from litterm.model.paper import PaperId


class AnnotatedPapers:
    """Looks up annotations; thread-safe. What was read of a segment is kept, as it never changes."""

    def __init__(self, library: ShownLibrary) -> None:
        self._library = library
        self._words: dict[str, Mapping[int, tuple[PaperId, str]]] = {}

    def holding(self, words: str) -> tuple[PaperId, ...]:
        """The papers with an annotation in whose quote or comment `words` stand, in any case; all if empty."""
        folded = words.casefold()
        ids = self._library.stored.with_newest_snapshot(lambda snapshot: self._ids(snapshot, folded))
        return tuple(dict.fromkeys(shown for shown in self._library.shown_ids(ids) if shown is not None))

    def _ids(self, snapshot: Snapshot, folded: str) -> list[PaperId]:
        ids: list[PaperId] = []
        for segment in snapshot.segments:
            # One that is gone or damaged is left out by the next snapshot.
            with suppress(SegmentGone, SegmentDamaged):
                shadowed = set(segment.shadowed)
                rows = self._of(segment).items()
                ids += [paper_id for row, (paper_id, said) in rows if row not in shadowed and folded in said]
        return ids

    def _of(self, segment: Segment) -> Mapping[int, tuple[PaperId, str]]:
        if segment.key not in self._words:
            self._words[segment.key] = annotation_words(self._library.stored.view, segment)
        return self._words[segment.key]
