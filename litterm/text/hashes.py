"""Words as 32-bit hashes that are the same on every machine and in every segment, so that their counts can be added."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Hashes: TypeAlias = "npt.NDArray[np.uint32]"

_HASH_MULTIPLIER = 0x9E3779B1
"""2**32 divided by the golden ratio: multiplying by it spreads numbers that are close together (Knuth)."""


def hash_word(text: str) -> int:
    """32 bits of `text`; never 0."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) or 1


def hash_words(texts: Sequence[str]) -> Hashes:
    """`hash_word` each."""
    import numpy as np

    return np.array([hash_word(text) for text in texts], np.uint32)


def hash_pairs(first: Hashes, second: Hashes) -> Hashes:
    """One hash for each pair of adjacent words, element by element."""
    import numpy as np

    # Not symmetric: the words of a pair have an order.
    mixed: Hashes = (first * np.uint32(_HASH_MULTIPLIER)) ^ (second + (first >> np.uint32(7)))
    return mixed
