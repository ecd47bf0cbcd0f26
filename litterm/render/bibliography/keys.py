"""Citation keys: the user's own to the letter, or else one made from the paper alone, so that it stays the same.

`Engine.citation_keys` makes those of all commands, exports and panes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from litterm.core.errors import BadInput, SettingsError
from litterm.model.paper import CORRECTION, USER_FORMATS
from litterm.render.bibliography.key_filters import LETTERS_TO_ASCII
from litterm.text.escape import plain
from litterm.text.pandoc_keys import pandoc_key

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId
    from litterm.render.bibliography.key_formula import KeyFormula

_STOPWORDS = frozenset(
    "a an the on of for in to from with and by at is are do does can how why what towards toward".split()
)
_MAX_NAME_CHARS = 30
_FORBIDDEN_CHARS = re.compile(r"[^A-Za-z0-9_:.+/-]+")
_BREAKING_CHARS: Final = re.compile(r'[\s,{}%#"\\~=^]+')
"""What ends a key in BibTeX or is obeyed by TeX; `^^5c` is a backslash there."""
_ACTIVE_IN_MARKDOWN: Final = re.compile(r"[`$<>\[\]]")
_MAX_SHOWN_CHARS: Final = 60
_POSTFIX: Final = "%(a)s"


@dataclass(frozen=True, slots=True)
class CitationKeys:
    """Makes the keys of papers: the user's own to the letter, else by the formula of the settings, else by ours."""

    formula: KeyFormula | None = None
    given: Mapping[PaperId, str] = field(default_factory=dict)
    """Keys that are to be used in place of any other, as those of a draft."""

    def with_given(self, given: Mapping[PaperId, str] | None) -> CitationKeys:
        """The same, with keys that are to be used in place of any other."""
        return replace(self, given=given) if given else self

    def key(self, paper: Paper) -> str:
        """The key of `paper` by itself; nothing in it breaks a bibliography."""
        # Whoever cites from the Anthology's own file already has these keys in a draft.
        return self._own_key(paper) or (self.formula.key(paper) if self.formula else "") or _made_key(paper)

    def keys_of(self, papers: Iterable[Paper], taken_keys: set[str] | None = None) -> dict[PaperId, str]:
        """A key for every paper, no two alike, even without regard to case (as BibTeX compares them).

        Of papers with equal keys the first keeps it and the others get one as by `free_key`. `taken_keys` holds the
        lower-cased keys that are not free, and then those given here too.
        """
        keys: dict[PaperId, str] = {}
        taken_keys = set() if taken_keys is None else taken_keys
        for paper in papers:
            if paper.id in keys:
                continue
            key = self.free_key(paper, taken_keys)
            taken_keys.add(key.lower())
            keys[paper.id] = key
        return keys

    def free_key(self, paper: Paper, taken_keys: Container[str]) -> str:
        """The key of `paper`; one with a letter or its id behind it where `taken_keys` (in small letters) has it."""
        key = self.key(paper)
        if key.lower() not in taken_keys:
            return key
        postfix = self.formula.postfix if self.formula and not self._own_key(paper) else _POSTFIX
        if self._own_key(paper) or (self.formula and self.formula.key(paper)):
            numbered = (f"{key}{_postfix(postfix, number)}" for number in count(1))
            return next(candidate for candidate in numbered if candidate.lower() not in taken_keys)
        # By the id and not by a letter: a key made here must not change because another paper came in before.
        key = f"{key}-{_to_ascii(paper.id.partition(':')[2]) or 'x'}"
        while key.lower() in taken_keys:
            key += "x"
        return key

    def find(self, keys: Sequence[str], papers: Iterable[Paper]) -> dict[str, tuple[PaperId, ...]]:
        """By each of `keys` that they bear, those of `papers` whose key it is."""
        found: dict[str, tuple[PaperId, ...]] = {}
        for paper in papers:
            if (key := self.key(paper)) in keys:
                found[key] = (*found.get(key, ()), paper.id)
        return found

    def notices(self, papers: Iterable[Paper], keys: Mapping[PaperId, str]) -> tuple[str, ...]:
        """A sentence for each paper whose own key is another one in `keys`."""
        once = {paper.id: paper for paper in papers}
        # A key that its source gives with a blank around it is the same key.
        changed = (
            (paper, own)
            for paper in once.values()
            if (own := self._stated_key(paper).strip()) and keys[paper.id] != own
        )
        return tuple(_key_notice(paper, own, keys[paper.id]) for paper, own in changed)

    def _own_key(self, paper: Paper) -> str:
        """The key that the paper has already, without the characters that no bibliography can hold in a key."""
        return _without_breaking_chars(self._stated_key(paper))

    def _stated_key(self, paper: Paper) -> str:
        if paper.id in self.given:
            return self.given[paper.id]
        # A formula stands above the key that an archive gives a paper, and below one that the user has chosen.
        return paper.imprint.bibkey if self.formula is None or _is_users_key(paper) else ""


STANDARD_KEYS: Final = CitationKeys()
"""Keys where the user has set no formula."""


def open_citation_keys(formula: str) -> CitationKeys:
    """The keys of the setting `citation_key`; empty for the standard ones.

    Raises:
        SettingsError: the formula cannot be read.
    """
    if not formula:
        return STANDARD_KEYS
    from litterm.render.bibliography.key_formula import parse_key_formula

    try:
        return CitationKeys(parse_key_formula(formula))
    except BadInput as error:
        raise SettingsError(f"citation_key: {error}") from error


def _is_users_key(paper: Paper) -> bool:
    """Whether a file of the user's, or the user, gave the paper its key."""
    records = [source.paper for source in paper.sources] or [paper]
    return any(
        record.imprint.bibkey == paper.imprint.bibkey and record.provenance.format in (*USER_FORMATS, CORRECTION)
        for record in records
    )


def _postfix(template: str, number: int) -> str:
    """What stands behind the key of the `number`th further paper that has it: `a` to `z`, then `a1`, `b1` and so on."""
    lap, letter = divmod(number - 1, 26)
    text = f"{ascii_lowercase[letter]}{lap or ''}"
    return template.replace("%(a)s", text).replace("%(A)s", text.upper()).replace("%(n)s", str(number))


def _without_breaking_chars(key: str) -> str:
    return _BREAKING_CHARS.sub("", plain(key))


def _key_notice(paper: Paper, own_key: str, key: str) -> str:
    own, title = (_shortened(text) for text in (own_key, paper.title))
    if not (safe := _without_breaking_chars(own_key)):
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


def _made_key(paper: Paper) -> str:
    """`xia-etal-2022-structured`."""
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
    ascii_text = unicodedata.normalize("NFKD", text.translate(LETTERS_TO_ASCII)).encode("ascii", "ignore").decode()
    return _FORBIDDEN_CHARS.sub("", ascii_text)
