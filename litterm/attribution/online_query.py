"""What to search for elsewhere when the library does not hold a paper."""

from __future__ import annotations

from litterm.model.citation import Excerpt
from litterm.text.escape import plain
from litterm.text.tokens import tokens

_MOST = 8
MOST_WORDS, MOST_CHARACTERS, LONGEST_WORD = 12, 160, 40
"""Of a query that a model wrote, which papers it has read may have put into its mouth."""


def bounded_query(query: str, excerpt: Excerpt) -> str:
    """What of a model's query may leave this machine: few and short words, none of the draft but the excerpt's own.

    The excerpt's own words are those that are searched for without a model, its claim, and the names stated in it.
    """
    draft = frozenset(tokens(excerpt.text))
    claim = excerpt.text[excerpt.claim.start : excerpt.claim.end]
    stated = " ".join((*excerpt.coined, *excerpt.stated.families))
    own = frozenset(tokens(" ".join((claim, stated, *(word.word for word in excerpt.words)))))
    kept: list[str] = []
    for word in plain(query).split():
        stems = tokens(word)
        if len(word) > LONGEST_WORD or any(stem in draft and stem not in own for stem in stems):
            continue
        if len(kept) == MOST_WORDS or len(" ".join((*kept, word))) > MOST_CHARACTERS:
            break
        kept.append(word)
    return " ".join(kept)


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
