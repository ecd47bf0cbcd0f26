"""The part of the engine for what the user keeps: annotations, matrices, drafts, saved searches, reading lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.core.tasks import Task
from litterm.model.reading_list import DEFAULT_PAPERS

if TYPE_CHECKING:
    from litterm.annotations.annotations import Annotations
    from litterm.annotations.duplicates import RecordCuration
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.attribution.drafts.drafts import Drafts
    from litterm.engine.parts import Parts
    from litterm.evidence.matrix.matrices import Matrices
    from litterm.model.overview import HomeOverview
    from litterm.model.reading_list import ReadingList
    from litterm.reading_lists.reading_lists import ReadingLists


class UserState:
    """The part of the engine that holds what the user keeps."""

    _parts: Parts

    @property
    def annotations(self) -> Annotations:
        """What the user writes: marks, decisions, tags, notes, the session."""
        return self._parts.annotations

    @property
    def matrices(self) -> Matrices:
        """Hypotheses over many papers: begun, filled in the background, opened again."""
        return self._parts.matrices

    @property
    def drafts(self) -> Drafts:
        """Texts that somebody writes: what citations they lack, and whether those they have hold."""
        return self._parts.drafts

    @property
    def record_curation(self) -> RecordCuration:
        """Records that are one paper, and papers that are not to be shown."""
        return self._parts.record_curation

    @property
    def saved_searches(self) -> SavedSearches:
        """Saved searches, and what is new in them."""
        return self._parts.saved_searches

    @property
    def reading_lists(self) -> ReadingLists:
        """Reading lists of the project: made, kept, changed, made again."""
        return self._parts.reading_lists

    def reading_list(
        self, topic: str, *, n: int = DEFAULT_PAPERS, until: int | None = None, sections: bool = False
    ) -> Task[ReadingList]:
        """A list of `n` papers (3 to 20) that supports learning, in reading order, none newer than `until`; not kept.

        Raises:
            UsageError: the topic has no word to search for.
        """
        from litterm.model.reading_list import ListRequest

        return (yield from self.reading_lists.build(ListRequest(topic, n, until, sections)))

    def home(self) -> Task[HomeOverview]:
        """What the home screen shows: new in the saved searches, half read, unfinished, failed, and decided last."""
        from litterm.engine.overview import home

        return (yield from home(self._parts))
