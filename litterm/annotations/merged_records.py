"""Decisions on pairs of records, folded: which are one paper under which id, and which papers are not shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from litterm.model.annotations import Decided
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.annotations.journal_codec import RegisterChange, Value

TWIN: Final = "twin"
APART = "apart"
"""What a pair holds that is kept apart; one that was merged holds the id that is shown."""


def decision(one: PaperId, other: PaperId, value: str | None) -> RegisterChange:
    """What is held of a pair, in whatever order it is named: `APART`, the id shown, or nothing."""
    from litterm.annotations.journal_codec import RegisterChange

    first, second = sorted((one, other))
    return RegisterChange(TWIN, first, value, second)


def decided_of(pairs: Iterable[tuple[PaperId, str, Value]], removed: Iterable[tuple[PaperId, str, Value]]) -> Decided:
    """The decisions taken together; `pairs` in the order in which they were made.

    A record merged into one that is merged into a third is shown under the third.
    """
    under: dict[PaperId, PaperId] = {}
    count = 0
    for one, second, value in pairs:
        count += 1
        other = PaperId(second)
        if value in (one, other):
            shown = one if value == one else other
            hidden = other if shown == one else one
            top, bottom = _root(under, shown), _root(under, hidden)
            if top != bottom:
                under[bottom] = top
    names = {each: _root(under, each) for each in under}
    gone = frozenset(names.get(paper_id, paper_id) for paper_id, _, value in removed if value)
    return Decided(names, gone, count)


def _root(under: dict[PaperId, PaperId], paper_id: PaperId) -> PaperId:
    while paper_id in under:
        paper_id = under[paper_id]
    return paper_id
