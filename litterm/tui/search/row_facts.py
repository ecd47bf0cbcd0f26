"""Authors, venue and year of a result row, shortened to the most informative part."""

from __future__ import annotations

from litterm.render.citations.citation_counts import count_words
from litterm.render.names import short_authors, standing, venue_and_year
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of
from litterm.tui.state import ResultRow
from litterm.tui.widgets.glyphs import Glyphs

_MIN_VENUE_WIDTH = 4
"""Cells of a venue that still say which it may be."""
_MIN_NAME_WIDTH = 5
"""Cells of an author's name that still say who it may be."""


def facts_text(row: ResultRow, glyphs: Glyphs, *, mixed: bool = True) -> str:
    """Venue and year, what one must know, whether it is only online, whether there is a full text.

    Where own papers and those of the starter library are `mixed`, which of them it is.
    """
    full = f"{glyphs.full}full" if row.paper.full_text else ""
    starter = "starter" if row.starter and mixed else ""
    online = "" if row.held else "online"
    venue, sound = plain(venue_and_year(row.paper)), plain(standing(row.paper))
    facts = (online, venue, sound, starter, full, count_words(row.cited))
    return f" {glyphs.dot} ".join(part for part in facts if part)


def fitting_facts(row: ResultRow, glyphs: Glyphs, room: int, *, mixed: bool = True) -> str:
    """The facts in `room` cells: the word at the mark of a full text goes first, then the venue's end, not the year."""
    facts = facts_text(row, glyphs, mixed=mixed)
    if width_of(facts) > room:
        facts = _without_counts(row, facts, glyphs)
    if width_of(facts) > room:
        facts = facts.removesuffix("full")
    excess, venue = width_of(facts) - room, plain(row.paper.venue or row.paper.imprint.journal)
    if excess > 0 and venue:
        facts = facts.replace(venue, clip(venue, max(_MIN_VENUE_WIDTH, width_of(venue) - excess), glyphs.ellipsis), 1)
    return clip(facts, max(0, room), glyphs.ellipsis)


def _without_counts(row: ResultRow, facts: str, glyphs: Glyphs) -> str:
    """`facts` without the citation counts, which `i` shows, too."""
    cited = count_words(row.cited)
    return facts.removesuffix(cited).removesuffix(f" {glyphs.dot} ") if cited else facts


def names_and_facts(row: ResultRow, glyphs: Glyphs, room: int, *, mixed: bool = True) -> tuple[str, str]:
    """Authors and facts for one line of `room` cells, a dot between them.

    Where both do not fit the first author is enough, and goes before the facts; a long venue leaves room for both.
    """
    names, facts, joint = plain(short_authors(row.paper.authors)), facts_text(row, glyphs, mixed=mixed), 3
    if not names or width_of(names) + joint + width_of(facts) <= room:
        return names, fitting_facts(row, glyphs, room, mixed=mixed)
    facts = _without_counts(row, facts, glyphs).removesuffix("full")
    least = room // 3 if width_of(facts) > room else room - joint - width_of(facts)
    names = plain(short_authors(row.paper.authors, max_authors=1))
    names = clip(names, least, glyphs.ellipsis) if least >= _MIN_NAME_WIDTH else ""
    return names, fitting_facts(row, glyphs, room - (width_of(names) + joint if names else 0), mixed=mixed)
