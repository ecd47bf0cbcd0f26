"""Combines the user's library with the starter library, which is asked about ids that the user's does not hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from litterm.core.errors import AmbiguousPaper, UnknownPaper

if TYPE_CHECKING:
    from litterm.interfaces import Records
    from litterm.model.document import Document
    from litterm.model.paper import Paper, PaperId

_STARTER_PREFIX = "starter:"
_MAX_PAPERS_NAMED = 5
"""Papers named in the message about an ambiguous key."""


class CombinedLibrary:
    """Implements `interfaces.Records`; ids `starter:...` belong to the starter library, all others to the user's."""

    def __init__(self, own: Records, starter: Callable[[], Records | None]) -> None:
        """`starter` is asked for only where the user's own papers do not answer; `None` where it is hidden."""
        self._own = own
        self._open_starter = starter

    @property
    def _starter(self) -> Records | None:
        return self._open_starter()

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is; of the starter library only where the user's has none."""
        own_matches = self._own.find(keys)
        # Opening the starter library takes time that a look-up in the user's own papers need not spend.
        starter = None if all(own_matches) else self._starter
        if starter is None:
            return own_matches
        return tuple(
            own_ids or starter_ids for own_ids, starter_ids in zip(own_matches, starter.find(keys), strict=True)
        )

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per citation key, the papers that bear it; of the starter library only where the user's has none."""
        own_matches = self._own.find_by_citation_key(keys)
        starter = None if all(own_matches) else self._starter
        if starter is None:
            return own_matches
        return tuple(
            own_ids or starter_ids
            for own_ids, starter_ids in zip(own_matches, starter.find_by_citation_key(keys), strict=True)
        )

    def find_named(self, words: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per word, the papers with this id, alias, bare key or page, else those with this citation key."""
        matches = self._find_recognized(words)
        unknown = [word for word, match in zip(words, matches, strict=True) if not match]
        if not unknown:
            return matches
        # Last, as ids are looked up in an index and keys are not.
        by_key = dict(zip(unknown, self.find_by_citation_key(unknown), strict=True))
        return tuple(match or by_key.get(word, ()) for word, match in zip(words, matches, strict=True))

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is in neither library.
        """
        matches = self.find(ids)
        missing = [key for key, match in zip(ids, matches, strict=True) if not match]
        if missing:
            raise UnknownPaper(f"{missing[0]} is not in the library; find its id with `litterm search`.")
        papers: dict[PaperId, Paper] = {}
        # One request a library: what a statement costs is mostly its planning.
        for starter in (False, True):
            in_library = [match[0] for match in matches if self._is_starter(match[0]) is starter]
            if in_library:
                papers.update(zip(in_library, self._library_of(in_library[0]).by_id(in_library), strict=True))
        return tuple(papers[match[0]] for match in matches)

    def document(self, paper_id: PaperId) -> Document | None:
        """The best parsed full text, or `None`."""
        return self._library_of(paper_id).document(paper_id)

    def paper(self, key: str) -> Paper:
        """The one paper with this id, alias, bare key or citation key; see `papers_by_key` for its errors."""
        return self.papers_by_key([key])[0]

    def papers_by_key(self, keys: Sequence[str]) -> tuple[Paper, ...]:
        """Per key, the one paper with this id, alias, bare key, page or citation key; many cost little more than one.

        Raises:
            UnknownPaper: for one of them there is none.
            AmbiguousPaper: one of the bare keys fits several.
        """
        return self._load_each(keys, self.find_named([key.strip() for key in keys]))

    def paper_by_id(self, key: str) -> Paper:
        """As `paper`, without a look at citation keys: quick enough for every word that is typed."""
        return self._load_each([key], self._find_recognized([key.strip()]))[0]

    def _load_each(self, keys: Sequence[str], matches: Sequence[tuple[PaperId, ...]]) -> tuple[Paper, ...]:
        """The one paper that each key fits."""
        for key, match in zip(keys, matches, strict=True):
            if not match:
                raise UnknownPaper(f"{key} is not in the library; find its id with `litterm search`.")
            if len(match) > 1:
                choices = ", ".join(match[:_MAX_PAPERS_NAMED]) + (" ..." if len(match) > _MAX_PAPERS_NAMED else "")
                raise AmbiguousPaper(f"{key} may be any of {choices}; write the whole id.")
        return self.by_id([match[0] for match in matches])

    def _find_recognized(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        matches = self.find(keys)
        if all(matches):
            return matches
        from litterm.importers.ids import recognize_id

        # Addresses and other spellings, which are no keys themselves.
        recognised_ids = {key: recognize_id(key) for key, match in zip(keys, matches, strict=True) if not match}
        to_find = [(key, paper_id) for key, paper_id in recognised_ids.items() if paper_id is not None]
        papers_by_key = dict(zip((key for key, _ in to_find), self.find([match for _, match in to_find]), strict=True))
        return tuple(match or papers_by_key.get(key, ()) for key, match in zip(keys, matches, strict=True))

    def _library_of(self, paper_id: PaperId) -> Records:
        starter = self._starter if paper_id.startswith(_STARTER_PREFIX) else None
        return self._own if starter is None else starter

    def _is_starter(self, paper_id: PaperId) -> bool:
        return paper_id.startswith(_STARTER_PREFIX) and self._starter is not None
