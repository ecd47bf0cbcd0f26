"""Merged records: all decisions on pairs folded into which records are one paper, and which papers are hidden."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from litterm.model.annotations import RecordVisibility
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.annotations.journal_codec import RegisterChange, Value

TWIN: Final = "twin"
APART = "apart"
"""What a pair holds that is kept apart; one that was merged holds the id that is shown."""


def decision(first_id: PaperId, second_id: PaperId, value: str | None) -> RegisterChange:
    """What is held of a pair, in whatever order it is named: `APART`, the id shown, or nothing."""
    from litterm.annotations.journal_codec import RegisterChange

    # In one order, whichever record was named first: one pair has one register.
    first, second = sorted((first_id, second_id))
    return RegisterChange(TWIN, first, value, second)


def decided_of(
    pairs: Iterable[tuple[PaperId, str, Value]], removed: Iterable[tuple[PaperId, str, Value]]
) -> RecordVisibility:
    """The decisions taken together; `pairs` in the order in which they were made.

    A record merged into one that is merged into a third is shown under the third.
    """
    under: dict[PaperId, PaperId] = {}
    count = 0
    for first, second, value in pairs:
        count += 1
        other = PaperId(second)
        if value in (first, other):
            shown = first if value == first else other
            hidden = other if shown == first else first
            top, bottom = _root(under, shown), _root(under, hidden)
            # They are one already, by a chain of others; a circle would never end.
            if top != bottom:
                under[bottom] = top
    names = {hidden_id: _root(under, hidden_id) for hidden_id in under}
    removed_ids = frozenset(names.get(paper_id, paper_id) for paper_id, _, value in removed if value)
    return RecordVisibility(names, removed_ids, count)


def _root(under: dict[PaperId, PaperId], paper_id: PaperId) -> PaperId:
    while paper_id in under:
        paper_id = under[paper_id]
    return paper_id
