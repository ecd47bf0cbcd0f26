"""What to search for elsewhere when the library does not hold a paper."""

from __future__ import annotations

from litterm.model.citation import Excerpt

_MOST = 8


def online_query(excerpt: Excerpt) -> str:
    """The names near the mark and the weightiest words of the excerpt, in reading order; fit for a search service."""
    heaviest = sorted(range(len(excerpt.words)), key=lambda at: (-excerpt.words[at].weight, at))
    chosen: dict[str, int] = {}
    for at in heaviest:
        word = excerpt.words[at].word
        if word not in chosen and len(chosen) < _MOST and not word.isdigit():
            chosen[word] = at
    said = sorted(chosen, key=lambda word: chosen[word])
    stated = excerpt.stated
    year = [str(stated.year)] if stated.year is not None else []
    return " ".join([*stated.families, *year, *said])
