"""What the user decided about the open marks of drafts, kept across restarts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.model.attribution.draft import DraftMark
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.library.state.sessions import SessionRow

REFUSED = PaperId("")
"""Stands for the decision that no candidate is right."""
_MAX_DRAFTS = 100
"""Drafts; the one that was touched longest ago is forgotten first."""


class DraftDecisions:
    """Per draft and open mark the paper that was accepted, or that none was right.

    A mark is known by the words around it, so that decisions stay when lines move.
    """

    def __init__(self, stored: SessionRow) -> None:
        self._stored = stored

    def decisions_of(self, path: Path, marks: Sequence[DraftMark]) -> dict[int, PaperId]:
        """By index of the mark; `REFUSED` where none was right, nothing where it is undecided."""
        decided = _rows(self._stored.load().get(_name(path)))
        return {index: PaperId(decided[key]) for index, key in enumerate(_mark_keys(marks)) if key in decided}

    def drafts(self) -> tuple[Path, ...]:
        """The drafts that were reviewed, the newest first."""
        return tuple(map(Path, reversed(list(self._stored.load()))))

    def newest_draft(self) -> Path | None:
        """The draft that was reviewed last."""
        return next(iter(self.drafts()), None)

    def remember(self, path: Path) -> None:
        """Makes the draft the newest one, also if nothing is decided about it yet.

        Raises:
            LibraryError: it could not be written.
        """
        body, name = dict(self._stored.load()), _name(path)
        if next(reversed(body), None) != name:
            body[name] = _rows(body.pop(name, None))
            self._save(body)

    def set(self, path: Path, marks: Sequence[DraftMark], index: int, paper_id: PaperId | None) -> None:
        """Keeps the decision about the mark `index`; `None`: undecided again.

        Raises:
            LibraryError: it could not be written.
        """
        body = dict(self._stored.load())
        # Taken out and put in again, so that the newest draft is the last and the oldest is forgotten first.
        decided = _rows(body.pop(_name(path), None))
        key = _mark_keys(marks)[index]
        decided.pop(key, None)
        if paper_id is not None:
            decided[key] = paper_id
        body[_name(path)] = decided
        self._save(body)

    def _save(self, body: Mapping[str, object]) -> None:
        self._stored.save(dict(list(body.items())[-_MAX_DRAFTS:]))


def _name(path: Path) -> str:
    return str(path.absolute())


def _mark_keys(marks: Sequence[DraftMark]) -> list[str]:
    """A name for each mark: its excerpt, and which one of equal excerpts it is."""
    seen: Counter[str] = Counter()
    names = []
    for mark in marks:
        # `surrogatepass`: a lone surrogate in a draft must not cost its decisions.
        digest = hashlib.blake2b(mark.excerpt.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
        names.append(f"{digest}.{seen[digest]}")
        seen[digest] += 1
    return names


def _rows(raw: object) -> dict[str, str]:
    if not isinstance(raw, Mapping):
        return {}
    return {key: value for key, value in raw.items() if isinstance(key, str) and isinstance(value, str)}
