"""Papers by what people write: ids with or without their scheme, addresses, citation keys; of every library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, get_args

from litterm.core.errors import AmbiguousPaper, UnknownPaper
from litterm.model.paper import LibraryName, library_name_of

if TYPE_CHECKING:
    from litterm.interfaces import Records
    from litterm.model.document import Document
    from litterm.model.paper import Paper, PaperId

_Matches: TypeAlias = "tuple[tuple[PaperId, ...], ...]"

_MAX_PAPERS_NAMED = 5
"""Papers named in the message about an ambiguous key."""


class PaperLookup:
    """Implements `interfaces.Records` over the user's papers and, for keys that none of them has, those behind them."""

    def __init__(
        self,
        own: Records,
        open_starter: Callable[[], Records | None] = lambda: None,
        find_made_keys: Callable[[Sequence[str]], Mapping[str, tuple[PaperId, ...]]] = lambda _keys: {},
    ) -> None:
        """`open_starter` gives the starter library when it is needed, and `None` where it is not shown.

        `find_made_keys` gives the papers whose citation keys a formula of the user has made.
        """
        self._own = own
        self._open_starter = open_starter
        self._find_made_keys = find_made_keys

    def find(self, keys: Sequence[str]) -> _Matches:
        """Per key, the papers whose id or alias it is: the user's, else those behind them."""
        return self._find_in_order(keys, lambda records: records.find(keys))

    def find_by_citation_key(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per citation key, the papers that bear it: the user's, else those behind them."""
        return self._find_in_order(keys, lambda records: records.find_by_citation_key(keys))

    def find_named(self, words: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per word, the papers with this id, alias, bare key or page, else those with this citation key."""
        matches = self._find_recognized(words)
        unknown = [word for word, match in zip(words, matches, strict=True) if not match]
        if not unknown:
            return matches
        # Last, as ids are looked up in an index and keys are not.
        by_key = dict(zip(unknown, self.find_by_citation_key(unknown), strict=True))
        if keyless := [word for word, match in by_key.items() if not match]:
            by_key |= self._find_made_keys(keyless)
        return tuple(match or by_key.get(word, ()) for word, match in zip(words, matches, strict=True))

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is in no library.
        """
        matches = self.find(ids)
        missing = [key for key, match in zip(ids, matches, strict=True) if not match]
        if missing:
            raise UnknownPaper(f"{missing[0]} is not in the library; find its id with `litterm search`.")
        papers: dict[PaperId, Paper] = {}
        # One request a library: what a statement costs is mostly its planning.
        for name in get_args(LibraryName):
            found = [match[0] for match in matches if library_name_of(match[0]) == name]
            if found:
                papers.update(zip(found, self._records_of(found[0]).by_id(found), strict=True))
        return tuple(papers[match[0]] for match in matches)

    def document(self, paper_id: PaperId) -> Document | None:
        """The best parsed full text, or `None`."""
        return self._records_of(paper_id).document(paper_id)

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

    def ids_by_key(self, keys: Sequence[str]) -> tuple[PaperId | None, ...]:
        """As `papers_by_key`, the ids alone, and `None` for a key that names no paper.

        Raises:
            AmbiguousPaper: one of the bare keys fits several.
        """
        matches = self.find_named([key.strip() for key in keys])
        return tuple(_single_match(key, match) if match else None for key, match in zip(keys, matches, strict=True))

    def paper_by_id(self, key: str) -> Paper:
        """As `paper`, without a look at citation keys: quick enough for every word that is typed."""
        return self._load_each([key], self._find_recognized([key.strip()]))[0]

    def _load_each(self, keys: Sequence[str], matches: Sequence[tuple[PaperId, ...]]) -> tuple[Paper, ...]:
        """The one paper that each key fits."""
        for key, match in zip(keys, matches, strict=True):
            if not match:
                raise UnknownPaper(f"{key} is not in the library; find its id with `litterm search`.")
        return self.by_id([_single_match(key, match) for key, match in zip(keys, matches, strict=True)])

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

    def _find_in_order(self, keys: Sequence[str], find: Callable[[Records], _Matches]) -> _Matches:
        own_matches = find(self._own)
        # Opening another library takes time that a look-up of the user's papers need not spend.
        starter = None if all(own_matches) else self._open_starter()
        if starter is None:
            return own_matches
        return tuple(own_ids or ids for own_ids, ids in zip(own_matches, find(starter), strict=True))

    def _records_of(self, paper_id: PaperId) -> Records:
        return (self._open_starter() if library_name_of(paper_id) == "starter" else None) or self._own


def _single_match(key: str, match: Sequence[PaperId]) -> PaperId:
    if len(match) > 1:
        choices = ", ".join(match[:_MAX_PAPERS_NAMED]) + (" ..." if len(match) > _MAX_PAPERS_NAMED else "")
        raise AmbiguousPaper(f"{key} may be any of {choices}; write the whole id.")
    return match[0]
