"""Citation keys: the user's own to the letter, or else one made from the paper alone, so that it stays the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import count
from typing import TYPE_CHECKING, Final

from litterm.text.escape import plain
from litterm.text.pandoc_keys import pandoc_key

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId

_STOPWORDS = frozenset(
    "a an the on of for in to from with and by at is are do does can how why what towards toward".split()
)
_MAX_NAME_CHARS = 30
_FORBIDDEN_CHARS = re.compile(r"[^A-Za-z0-9_:.+/-]+")
_BREAKING_CHARS: Final = re.compile(r'[\s,{}%#"\\~=^]+')
"""What ends a key in BibTeX or is obeyed by TeX; `^^5c` is a backslash there."""
_ACTIVE_IN_MARKDOWN: Final = re.compile(r"[`$<>\[\]]")
_MAX_SHOWN_CHARS: Final = 60


def citation_keys(papers: Iterable[Paper], taken_keys: set[str] | None = None) -> dict[PaperId, str]:
    """A key for every paper, no two alike, even without regard to case (as BibTeX compares them).

    Of papers with equal keys the first keeps it and the others get one as by `free_key`. `taken_keys` holds the
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
    """The key of `paper`; where that is among the lower-cased `taken_keys`, one with a letter or its id behind it."""
    key = citation_key(paper)
    if key.lower() not in taken_keys:
        return key
    if _own_key(paper):
        return next(lettered for letters in _letters() if (lettered := f"{key}{letters}").lower() not in taken_keys)
    # By the id and not by a letter: a key made here must not change because another paper came in before.
    key = f"{key}-{_to_ascii(paper.id.partition(':')[2]) or 'x'}"
    while key.lower() in taken_keys:
        key += "x"
    return key


def _letters() -> Iterator[str]:
    """`a` to `z`, then `a1`, `b1` and so on."""
    for lap in count():
        yield from (f"{letter}{lap or ''}" for letter in "abcdefghijklmnopqrstuvwxyz")


def _own_key(paper: Paper) -> str:
    """The key of the source, without the characters that no bibliography can hold in a key."""
    return _BREAKING_CHARS.sub("", plain(paper.imprint.bibkey))


def key_notices(papers: Iterable[Paper], keys: Mapping[PaperId, str]) -> tuple[str, ...]:
    """A sentence for each paper whose own key is another one in `keys`."""
    once = {paper.id: paper for paper in papers}
    # A key that its source gives with a blank around it is the same key.
    changed = (paper for paper in once.values() if keys[paper.id] != (paper.imprint.bibkey.strip() or keys[paper.id]))
    return tuple(_key_notice(paper, keys[paper.id]) for paper in changed)


def _key_notice(paper: Paper, key: str) -> str:
    own, title = (_shortened(text) for text in (paper.imprint.bibkey, paper.title))
    if not (safe := _own_key(paper)):
        return f"The key “{own}” of “{title}” has no character that BibTeX can read; it is written as {key}."
    if key != safe:
        return f"The key “{own}” is that of another paper too; for “{title}” it is written as {key}."
    return f"The key “{own}” of “{title}” has characters that break a bibliography; it is written as {key}."


def _shortened(text: str) -> str:
    shown = plain(text).strip()
    return shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[: _MAX_SHOWN_CHARS - 1]}…"


def pandoc_citation(key: str, suffix: str = "") -> str:
    """`[@key]`, with what is cited of it in `suffix`; `[@{key}]` where pandoc would end a bare key too early."""
    # On another reader of Markdown than pandoc nothing of a key may act.
    harmless = _ACTIVE_IN_MARKDOWN.sub(lambda mark: f"\\{mark.group()}", pandoc_key(key))
    return f"[@{harmless}{suffix}]"


def citation_key(paper: Paper) -> str:
    """The source's own key to the letter, else `xia-etal-2022-structured`; nothing in it breaks a bibliography."""
    # Whoever cites from the Anthology's own file already has these keys in a draft.
    if own := _own_key(paper):
        return own
    families = [_to_ascii(author.surname or author.given).lower() for author in paper.authors]
    word = _first_word(paper.title)
    if word and not any(families):
        # Letters of other scripts, where there are no others: a key of year and title alone tells little.
        families = [_own_letters(author.surname or author.given) for author in paper.authors]
    names = [name for name in families if name][:3]
    # As the ACL Anthology makes its keys: all names up to two authors, else the first and `etal`.
    if len(families) > 2:
        names = [*names[:1], "etal"]
    parts = [*names, str(paper.year or "nd"), word]
    return "-".join(part for part in parts if part) if names else _key_without_authors(paper, parts)


def _key_without_authors(paper: Paper, parts: list[str]) -> str:
    return "-".join(filter(None, parts)) if parts[-1] else _to_ascii(paper.id)


def _first_word(title: str) -> str:
    words = [_to_ascii(word).lower() for word in re.findall(r"[^\W_]+", title)]
    return next((word for word in words if word and word not in _STOPWORDS), "")


def _own_letters(text: str) -> str:
    """Letters and digits of any script, as biber allows them in a key."""
    return "".join(char for char in unicodedata.normalize("NFC", text).lower() if char.isalnum())[:_MAX_NAME_CHARS]


def _to_ascii(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text.translate(_LETTERS_TO_ASCII)).encode("ascii", "ignore").decode()
    return _FORBIDDEN_CHARS.sub("", ascii_text)


# Letters that NFKD does not take apart into a base letter and a mark.
_LETTERS_TO_ASCII = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "œ": "oe", "đ": "d", "ı": "i"}
)
