"""Tests whether a text holds a phrase word for word, whatever accents, case, blanks and punctuation lie between."""

from __future__ import annotations

import re
from collections.abc import Callable

from litterm.text.tokens import fold

# What follows a letter in C++, C# or F# is part of the name; other punctuation is not.
_WORD = re.compile(r"[^\W_]+[+#]*")
_SIGN = re.compile(r"[^\W_][+#]")


def has_signs(phrase: str) -> bool:
    """Whether words alone do not tell: `C++` is not in every text that holds the word `C`."""
    return _SIGN.search(phrase) is not None


def phrase_test(phrase: str) -> Callable[[str], bool]:
    """A test for folded texts that hold all words of `phrase`, unstemmed, one right after the other.

    A phrase without a letter or digit is in every text.
    """
    phrase_words = _WORD.findall(fold(phrase))
    if not phrase_words:
        return lambda _folded: True
    first, *following = map(re.escape, phrase_words)
    # The bound follows the first word: only a pattern that starts with plain letters is searched quickly.
    start, end = rf"{first}(?<![^\W_]{first})", r"(?![\w+#])" if phrase_words[-1][-1] in "+#" else r"(?![^\W_])"
    search = re.compile(r"[\W_]+".join((start, *following)) + end).search
    return lambda folded: search(folded) is not None
