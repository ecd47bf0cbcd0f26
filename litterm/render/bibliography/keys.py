"""Citation keys: the source's own, or else one made from the paper alone, so that it stays the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId

_STOPWORDS = frozenset(
    "a an the on of for in to from with and by at is are do does can how why what towards toward".split()
)
_FORBIDDEN_CHARS = re.compile(r"[^A-Za-z0-9_:.+/-]+")


def citation_keys(papers: Iterable[Paper], taken_keys: set[str] | None = None) -> dict[PaperId, str]:
    """A key for every paper, no two alike, even without regard to case (as BibTeX compares them).

    Of papers with equal keys the first keeps it and the others get their own id behind it. `taken_keys` holds the
    lower-cased keys that are not free, and then those given here too.
    """
    keys: dict[PaperId, str] = {}
    taken_keys = set() if taken_keys is None else taken_keys
    for paper in papers:
        if paper.id in keys:
            continue
        key = free_key(paper, taken_keys)
        taken_keys.add(key.lower())
        keys[paper.id] = key
    return keys


def free_key(paper: Paper, taken_keys: Container[str]) -> str:
    """The key of `paper` or, where that is among the lower-cased `taken_keys`, one with its own id behind it."""
    key = citation_key(paper)
    if key.lower() in taken_keys:
        # By the id and not by a letter: a key must not change because another paper came in before.
        key = f"{key}-{_to_ascii(paper.id.partition(':')[2]) or 'x'}"
    while key.lower() in taken_keys:
        key += "x"
    return key


def citation_key(paper: Paper) -> str:
    """The source's own BibTeX key, else `xia-etal-2022-structured`; letters, digits and `_:.+/-` only."""
    # Whoever cites from the Anthology's own file already has these keys in a draft.
    bibkey = _to_ascii(paper.imprint.bibkey)
    if bibkey:
        return bibkey
    families = [_to_ascii(author.surname or author.given).lower() for author in paper.authors]
    names = [name for name in families if name][:3]
    # As the ACL Anthology makes its keys: all names up to two authors, else the first and `etal`.
    if len(families) > 2:
        names = [*names[:1], "etal"]
    parts = [*names, str(paper.year or "nd"), _first_word(paper.title)]
    return "-".join(part for part in parts if part) if names else _key_without_authors(paper, parts)


def _key_without_authors(paper: Paper, parts: list[str]) -> str:
    return "-".join(filter(None, parts)) if parts[-1] else _to_ascii(paper.id)


def _first_word(title: str) -> str:
    words = [_to_ascii(word).lower() for word in re.findall(r"[^\W_]+", title)]
    return next((word for word in words if word and word not in _STOPWORDS), "")


def _to_ascii(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text.translate(_LETTERS_TO_ASCII)).encode("ascii", "ignore").decode()
    return _FORBIDDEN_CHARS.sub("", ascii_text)


# Letters that NFKD does not take apart into a base letter and a mark.
_LETTERS_TO_ASCII = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"}
)
