"""Splits texts into the word pieces of a BERT, as its authors' code does; tests compare it with `tokenizers`.

Letters are normalised, words and punctuation are told apart, and each word is taken apart greedily from its beginning
into the longest pieces of the vocabulary (Wu et al. 2016, section 4.1).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_CONTINUED = "##"
_MAX_WORD_CHARACTERS = 100
"""Longer words are unknown, in the authors' code too."""
_CACHED_WORDS = 50_000
_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Ranges of characters each of which is a word."""


class WordPieces:
    """A vocabulary; shared by threads."""

    def __init__(self, places: Mapping[str, int], *, lowercase: bool, max_pieces: int) -> None:
        """`places` are the numbers of the pieces; texts longer than `max_pieces` are cut.

        Raises:
            ValueError: a piece is missing that every such vocabulary has.
        """
        if missing := [piece for piece in (_UNKNOWN, _FIRST, _LAST) if piece not in places]:
            raise ValueError(f"its vocabulary has no {missing[0]}")
        self._places, self._lowercase, self._max_pieces = places, lowercase, max_pieces
        self._pieces_of = lru_cache(_CACHED_WORDS)(self._split_word)

    def encode(self, text: str) -> list[int]:
        """The numbers of the pieces of `text`, with those that begin and end every text."""
        numbers = [self._places[_FIRST]]
        for word in _split_words(self._normalise(text)):
            numbers += self._pieces_of(word)
            if len(numbers) >= self._max_pieces:
                break
        return [*numbers[: self._max_pieces - 1], self._places[_LAST]]

    def _normalise(self, text: str) -> str:
        spaced = "".join(map(_clean, text))
        if not self._lowercase:
            return spaced
        decomposed = unicodedata.normalize("NFD", spaced)
        # One by one: the last sigma of a word is no other letter here.
        return "".join(character.lower() for character in decomposed if unicodedata.category(character) != "Mn")

    def _split_word(self, word: str) -> tuple[int, ...]:
        unknown = (self._places[_UNKNOWN],)
        if len(word) > _MAX_WORD_CHARACTERS:
            return unknown
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = _CONTINUED if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._places), 0)
            if not end:
                return unknown
            pieces.append(self._places[prefix + word[start:end]])
            start = end
        return tuple(pieces)


def _clean(character: str) -> str:
    """The character, a space for white space and around a Chinese one, nothing for a control character."""
    code = ord(character)
    if 32 < code < 127:
        return character
    if character in "\t\n\r" or unicodedata.category(character) == "Zs":
        return " "
    if code in (0, 0xFFFD) or unicodedata.category(character) in ("Cc", "Cf", "Cn", "Co", "Cs"):
        return ""
    return f" {character} " if any(first <= code <= last for first, last in _CHINESE) else character


def _split_words(text: str) -> list[str]:
    """The words of `text`; every punctuation mark is one."""
    return "".join(f" {character} " if _is_punctuation(character) else character for character in text).split(" ")


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return not character.isalnum() and character != " "
    return unicodedata.category(character).startswith("P")
