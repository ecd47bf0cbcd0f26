"""Takes a secret out of what somebody says who knows it: a server may repeat the key or token that it was sent."""

from __future__ import annotations

from collections.abc import Iterator

_MIN_SECRET_CHARS = 5
"""A shorter one is a placeholder such as `none`, and would take common words out."""
_MIN_SPELLED_CHARS = 8
"""Letters and digits in a row of a key that is spelled apart or backwards; fewer stand in any text by chance."""


def without_secret(text: str, secret: str, least: int) -> str:
    """`text` with an ellipsis for each stretch of at least `least` characters that is in `secret`.

    Longer stretches are found also where the key is spelled apart (`s k - 1`), backwards or in capitals.
    """
    if len(secret) < _MIN_SECRET_CHARS:
        return text
    hidden = bytearray(len(text))
    for start, end in _shared_stretches(text, secret, least):
        hidden[start:end] = b"\1" * (end - start)
    letters, places = _letters_and_digits(text)
    bare, _ = _letters_and_digits(secret)
    for spelling in (bare, bare[::-1]):
        for start, end in _shared_stretches(letters, spelling, max(least, _MIN_SPELLED_CHARS)):
            first, last = places[start], places[end - 1]
            hidden[first : last + 1] = b"\1" * (last + 1 - first)
    pieces = (
        "" if is_hidden and place and hidden[place - 1] else "…" if is_hidden else text[place]
        for place, is_hidden in enumerate(hidden)
    )
    return "".join(pieces)


def _letters_and_digits(text: str) -> tuple[str, list[int]]:
    """The letters and digits of `text` in lower case, and where each stands."""
    places = [place for place, char in enumerate(text) if char.isalnum()]
    # The lower case of a few letters is two characters.
    return "".join(text[place].lower()[:1] for place in places), places


def _shared_stretches(text: str, secret: str, least: int) -> Iterator[tuple[int, int]]:
    """Start and end of the longest stretches of `text`, from left to right, that are in `secret`."""
    start, shortest = 0, min(least, len(secret))
    if not shortest:
        return
    while start + shortest <= len(text):
        end = start + shortest
        if text[start:end] not in secret:
            start += 1
            continue
        while end < len(text) and text[start : end + 1] in secret:
            end += 1
        yield start, end
        start = end
