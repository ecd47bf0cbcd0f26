"""Names of people as BibTeX and biblatex write them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from litterm.importers.author_names import (
    Initials,
    PersonList,
    are_initials_last,
    author_from_text,
    cut_mark_of_more,
    is_degree,
    is_group_name,
    is_initials,
    is_known_particle,
    is_mark_of_more,
    is_suffix_in_commas,
    people_from_text,
    tidy_names,
)
from litterm.model.paper import Author

_AND: Final = re.compile(r"[{}]|(?<!\s)\s+and(?=\s)", re.IGNORECASE)
_EXTENDED: Final = re.compile(r"(?:^|,)\s*(?:family|given|prefix|suffix)\s*=", re.IGNORECASE)
_COMMAND_AT_END: Final = re.compile(r"\\(?:[A-Za-z]+|[^A-Za-z])\s*$")
_MARK: Final = re.compile(r"\$\s?\^[^$]{0,60}\$|\\textsuperscript\s?\{[^{}]{0,60}\}|\\thanks\s?\{[^{}]{0,300}\}")
_LINE_SEPARATOR: Final = re.compile(r"[;；，、]|\S\s\S+\s&\s\S+\s\S")
_FIRST_SIGN: Final = 0x12000
"""Signs of a script that no name is written in stand for groups in braces while a name is taken apart."""
_SIGNS: Final = re.compile("[\U00012000-\U00012399]")
_MAX_SIGNS: Final = 0x399


def people_from_bibtex(value: str, decode: Callable[[str], str]) -> PersonList:
    """`A and B and others`; braces hold a name, or a part of one, together. `decode` makes text of LaTeX."""
    names = [_read(name, decode) for name in _split(_MARK.sub("", " ".join(value.split())))]
    texts = [text for text, _ in names if text]
    initials: Initials = "last" if len(texts) > 1 and are_initials_last(texts) else "first"
    authors: list[Author] = []
    has_more = False
    for text, parts in names:
        if isinstance(parts, Author):
            authors.append(parts)
            continue
        text, is_cut = ("", True) if is_mark_of_more(text) else cut_mark_of_more(text)
        has_more |= is_cut
        if _is_line(text):
            people = people_from_text(text)
            authors += (_restore(author, parts) for author in people.authors)
            has_more |= people.has_more
        elif text:
            authors.append(_restore(author_from_text(text, initials, _particle_test(text)), parts))
    return PersonList(tuple(author for author in authors if author.surname or author.given), has_more)


def _split(value: str) -> Iterator[str]:
    """Cut at every `and` that no braces hold."""
    start = depth = 0
    for mark in _AND.finditer(value):
        if mark.group() == "{":
            depth += 1
        elif mark.group() == "}":
            depth -= 1
        elif depth <= 0:
            yield value[start : mark.start()].strip()
            start = mark.end()
    yield value[start:].strip()


def _read(name: str, decode: Callable[[str], str]) -> tuple[str, Author | Sequence[str]]:
    """The author where the braces say who it is; else the name as text, and what its signs stand for."""
    if _is_braced(name):
        group = decode(name)
        # In braces `others` is a name, as BibTeX has it; `et al.` is none anywhere.
        is_name = group.lower() == "others" or not is_mark_of_more(group)
        return ("", Author(group, is_literal=True)) if is_name else (group, [])
    if _EXTENDED.search(name):
        return "", _extended(name, decode)
    text, groups = _protect(name, decode) if "{" in name and not _SIGNS.search(name) else (name, [])
    return tidy_names(decode(text)).strip(" ,;"), groups


def _is_braced(name: str) -> bool:
    """Whether the brace that opens a name closes at its end."""
    return name.startswith("{") and len(name) > 1 and _closing(name, 0) == len(name) - 1


def _closing(text: str, start: int) -> int:
    """Where the brace at `start` closes; -1 if it never does."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return place
    return -1


def _extended(name: str, decode: Callable[[str], str]) -> Author:
    """`family=Berg, given=Jan, prefix=van den, useprefix=true`; what is no part of the name is an option."""
    fields: dict[str, str] = {}
    start = depth = 0
    for place, character in enumerate(f"{name},"):
        depth += (character == "{") - (character == "}")
        if character == "," and depth <= 0:
            key, _, part = name[start:place].partition("=")
            fields.setdefault(key.strip().lower(), decode(part.strip().strip('"')))
            start = place + 1
    family, given = fields.get("family", ""), fields.get("given", "")
    if not family:
        return Author(given, is_literal=True)
    return Author(family, given, fields.get("prefix", ""), fields.get("suffix", ""))


def _protect(name: str, decode: Callable[[str], str]) -> tuple[str, list[str]]:
    """The name with a sign for every group in braces, and the groups; special letters (`{\\'E}`) are no groups."""
    pieces: list[str] = []
    groups: list[str] = []
    copied_to, place = 0, name.find("{")
    while place >= 0:
        end = _closing(name, place)
        if end < 0:
            break
        inner = name[place + 1 : end]
        is_special = not inner or inner.startswith("\\") or _COMMAND_AT_END.search(name[copied_to:place]) is not None
        if not is_special and len(groups) < _MAX_SIGNS:
            pieces += [name[copied_to:place], chr(_FIRST_SIGN + len(groups))]
            groups.append(decode(inner))
            copied_to = end + 1
        place = name.find("{", end)
    return "".join([*pieces, name[copied_to:]]), groups


def _restore(author: Author, groups: Sequence[str]) -> Author:
    """The name with its groups where their signs were; a name that is a group alone is not taken apart."""
    if not groups:
        return author

    def restored(text: str) -> str:
        return " ".join(_SIGNS.sub(lambda match: groups[ord(match.group()) - _FIRST_SIGN], text).split())

    return Author(
        restored(author.family),
        restored(author.given),
        restored(author.prefix),
        restored(author.suffix),
        author.is_literal,
    )


def _particle_test(text: str) -> Callable[[str], bool]:
    """Lower-case words begin the family name; in a name without any capital only known particles do."""
    if text == text.lower() and any(character.isupper() for character in text.upper()):
        return is_known_particle
    return _is_lower


def _is_lower(word: str) -> bool:
    return next((character.islower() for character in word if character.isalpha()), False)


def _is_line(text: str) -> bool:
    """Whether commas or other signs separate people here, which BibTeX does not know."""
    if _LINE_SEPARATOR.search(text):
        return True
    parts = [part for part in (part.strip() for part in text.split(",")) if part]
    if len(parts) < 2:
        return False
    if len(parts) > 2:
        return (
            not any(is_suffix_in_commas(part) or is_degree(part, is_behind_name=" " in parts[0]) for part in parts[1:])
            or len(parts) > 4
        )
    words = parts[0].split()
    return (len(words) > 1 and "." in words[0] and is_initials(words[0])) or (
        are_initials_last(parts) or (is_group_name(parts[1]) and not is_group_name(parts[0]))
    )
