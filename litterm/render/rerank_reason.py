"""What moved a paper in a ranking, in words: a citation that led to it, a model, and from which place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from litterm.model.paper import PaperId
from litterm.model.search import RankedPaper, Ranking

if TYPE_CHECKING:
    from litterm.render.lines import LineOptions

_TITLE = 60


def titles_of(ranking: Ranking) -> dict[PaperId, str]:
    """Title by id, for naming the papers whose citations led to others."""
    return {item.paper.id: item.paper.title for item in ranking.papers}


def via_words(item: RankedPaper, titles: Mapping[PaperId, str]) -> str:
    """`via one-hop from “Attention is all…” and 2 more`; empty for what the search found itself."""
    if not item.via:
        return ""
    # A paper that led here may have left the list since; its id still names it.
    first = titles.get(item.via[0], item.via[0])
    named = first if len(first) <= _TITLE else f"{first[: _TITLE - 1].rstrip()}…"
    more = f" and {len(item.via) - 1} more" if len(item.via) > 1 else ""
    return f"via one-hop from “{named}”{more}"


def place_words(item: RankedPaper) -> str:
    """`was 14`: its place before it was moved; empty where it stands there still."""
    return "" if item.local_rank in (None, item.rank) else f"was {item.local_rank}"


def below(ranking: Ranking, look: LineOptions) -> dict[PaperId, list[str]]:
    """Lines to stand below the results that were moved, by paper."""
    titles = titles_of(ranking)
    lines_of = {}
    for item in ranking.papers:
        reason = look.joined([look.text(via_words(item, titles)), place_words(item), look.text(item.reason)])
        if reason:
            lines_of[item.paper.id] = [f"     {look.paint(reason, 'dim')}"]
    return lines_of
