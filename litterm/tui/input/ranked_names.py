"""Names that fit what is typed: by whole words first, then by letters in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def filter_by_letters(texts: Sequence[str]) -> Callable[[str], Sequence[int]]:
    """From what is typed to the places of the `texts` that fit, the best first; all of them where nothing is typed."""
    folded = [text.casefold() for text in texts]

    def narrow(typed: str) -> Sequence[int]:
        words = typed.casefold().split()
        # As they come: a list without a filter keeps its own order.
        if not words:
            return range(len(folded))
        scored = [(_match_rank(words, text), index) for index, text in enumerate(folded)]
        return [index for score, index in sorted(scored) if score < _NO_MATCH]

    return narrow


_NO_MATCH = 9


def _match_rank(words: Sequence[str], text: str) -> int:
    """0 for a text that begins with the words, `_NO_MATCH` for one that does not have their letters in order."""
    if text.startswith(words[0]) and all(word in text for word in words):
        return 0
    starts = text.split()
    if all(any(start.startswith(word) for start in starts) for word in words):
        return 1
    if all(word in text for word in words):
        return 2
    letters = iter(text)
    # Each letter is looked for behind the one before it.
    return 3 if all(letter in letters for letter in "".join(words)) else _NO_MATCH
