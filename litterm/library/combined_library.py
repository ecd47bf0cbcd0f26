"""Two libraries as one by id: the user's own, and the starter library behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from litterm.core.errors import AmbiguousPaper, UnknownPaper

if TYPE_CHECKING:
    from litterm.interfaces import Records
    from litterm.model.document import Document
    from litterm.model.paper import Paper, PaperId

_STARTER = "starter:"
_NAMED = 5


class CombinedLibrary:
    """Implements `interfaces.Records`; ids `starter:...` stand on the second shelf, all others on the first."""

    def __init__(self, own: Records, starter: Callable[[], Records | None]) -> None:
        """`starter` is asked for only where the user's own papers do not answer; `None` where it is hidden."""
        self._own = own
        self._open_starter = starter

    @property
    def _starter(self) -> Records | None:
        return self._open_starter()

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the papers whose id or alias it is; those of the starter library only where nobody else has one."""
        own = self._own.find(keys)
        starter = None if all(own) else self._starter
        if starter is None:
            return own
        return tuple(mine or more for mine, more in zip(own, starter.find(keys), strict=True))

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids or aliases, in order.

        Raises:
            UnknownPaper: one of them is on neither shelf.
        """
        found = self.find(ids)
        missing = [wanted for wanted, each in zip(ids, found, strict=True) if not each]
        if missing:
            raise UnknownPaper(f"{missing[0]} is not in the library; find its id with `litterm search`.")
        papers: dict[PaperId, Paper] = {}
        for starter in (False, True):
            here = [each[0] for each in found if self._is_starter(each[0]) is starter]
            if here:
                papers.update(zip(here, self._library_of(here[0]).by_id(here), strict=True))
        return tuple(papers[each[0]] for each in found)

    def document(self, paper_id: PaperId) -> Document | None:
        """The best parsed full text, or `None`."""
        return self._library_of(paper_id).document(paper_id)

    def paper(self, key: str) -> Paper:
        """The one paper with this id, alias or bare key; see `named` for its errors."""
        return self.named([key])[0]

    def named(self, keys: Sequence[str]) -> tuple[Paper, ...]:
        """Per key, the one paper with this id, alias, bare key or page; many cost little more than one.

        Raises:
            UnknownPaper: for one of them there is none.
            AmbiguousPaper: one of the bare keys fits several.
        """
        found = self._found([key.strip() for key in keys])
        for key, each in zip(keys, found, strict=True):
            if not each:
                raise UnknownPaper(f"{key} is not in the library; find its id with `litterm search`.")
            if len(each) > 1:
                named = ", ".join(each[:_NAMED]) + (" ..." if len(each) > _NAMED else "")
                raise AmbiguousPaper(f"{key} may be any of {named}; write the whole id.")
        return self.by_id([each[0] for each in found])

    def _found(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        found = self.find(keys)
        if all(found):
            return found
        from litterm.importers.ids import recognised

        # Addresses and other spellings, which are no keys themselves.
        read = {key: recognised(key) for key, each in zip(keys, found, strict=True) if not each}
        known = [(key, paper_id) for key, paper_id in read.items() if paper_id is not None]
        again = dict(zip((key for key, _ in known), self.find([each for _, each in known]), strict=True))
        return tuple(each or again.get(key, ()) for key, each in zip(keys, found, strict=True))

    def _library_of(self, paper_id: PaperId) -> Records:
        starter = self._starter if paper_id.startswith(_STARTER) else None
        return self._own if starter is None else starter

    def _is_starter(self, paper_id: PaperId) -> bool:
        return paper_id.startswith(_STARTER) and self._starter is not None
