"""Queries for services outside this machine: one from the excerpt, one from a model's words, bounded."""

from __future__ import annotations

from litterm.model.attribution.citation import Excerpt
from litterm.text.escape import plain
from litterm.text.tokens import tokens

_MAX_QUERY_WORDS = 8
"""Words of the excerpt in the query that is offered to the user."""
MAX_WORDS, MAX_CHARACTERS, MAX_WORD_LENGTH = 12, 160, 40
"""Of a query that a model wrote, which papers it has read may have put into its mouth."""


def limit_query(query: str, excerpt: Excerpt) -> str:
    """What of a model's query may leave this machine: few and short words, none of the draft but the excerpt's own.

    The excerpt's own words are those that are searched for without a model, its claim, and the names stated in it.
    """
    draft = frozenset(tokens(excerpt.text))
    claim = excerpt.text[excerpt.claim.start : excerpt.claim.end]
    stated = " ".join((*excerpt.coined, *excerpt.stated.families))
    excerpt_stems = frozenset(tokens(" ".join((claim, stated, *(word.word for word in excerpt.words)))))
    allowed: list[str] = []
    for word in plain(query).split():
        stems = tokens(word)
        if len(word) > MAX_WORD_LENGTH or any(stem in draft and stem not in excerpt_stems for stem in stems):
            continue
        if len(allowed) == MAX_WORDS or len(" ".join((*allowed, word))) > MAX_CHARACTERS:
            break
        allowed.append(word)
    return " ".join(allowed)


def online_query(excerpt: Excerpt) -> str:
    """The names near the mark and the weightiest words of the excerpt, in reading order; fit for a search service."""
    heaviest = sorted(range(len(excerpt.words)), key=lambda place: (-excerpt.words[place].weight, place))
    chosen: dict[str, int] = {}
    for place in heaviest:
        word = excerpt.words[place].word
        if word not in chosen and len(chosen) < _MAX_QUERY_WORDS and not word.isdigit():
            chosen[word] = place
    in_order = sorted(chosen, key=lambda word: chosen[word])
    stated = excerpt.stated
    year = [str(stated.year)] if stated.year is not None else []
    return " ".join([*stated.families, *year, *in_order])
