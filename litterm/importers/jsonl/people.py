"""Reads the people of a row: names, one line of names, or objects as CSL, Zotero, S2ORC and the services write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from litterm.importers.author_names import (
    PersonList,
    author_from_name,
    is_group_name,
    is_mark_of_more,
    people_from_line,
    people_from_names,
    split_suffix,
)
from litterm.model.paper import Author
from litterm.text.clean import clean_line

if TYPE_CHECKING:
    from litterm.importers.jsonl.rows import JsonRow

_FAMILY_FIELDS: Final = ("family", "last", "lastname", "surname", "familyname", "lastnames")
_GIVEN_FIELDS: Final = (
    "given", "first", "firstname", "forenames", "forename", "givennames", "givenname", "firstnames", "initials",
)  # fmt: skip
_NAME_FIELDS: Final = (
    "name", "fullname", "displayname", "authorname", "rawauthorname", "rawname", "stringname", "preferredname",
)  # fmt: skip
_GROUP_FIELDS: Final = ("literal", "collectivename", "collab", "collective", "institution", "organization")
_ALL_FIELDS: Final = (*_FAMILY_FIELDS, *_GIVEN_FIELDS, *_NAME_FIELDS, *_GROUP_FIELDS)
_AUTHOR_ROLES: Final = frozenset(("", "author", "editor", "bookauthor", "first author", "aut"))
_TITLE: Final = re.compile(r"(?:Prof|Dr|Mr|Mrs|Ms|Sir|Dame|Rev|PD|Hon)\b.*", re.IGNORECASE)
_NOT_LETTERS: Final = re.compile(r"[^a-z]")


def people_of(row: JsonRow, *fields: str) -> PersonList:
    """The people in the first of `fields` that the row has."""
    for field in fields:
        value = row.values.get(field)
        if isinstance(value, str):
            return people_from_line(value)
        if isinstance(value, Mapping):
            value = [value]
        if isinstance(value, list):
            return _people_of_list(value)
    return PersonList(())


def _people_of_list(entries: list[object]) -> PersonList:
    authors: list[Author] = []
    has_more = False
    # Names side by side tell together how they are written.
    names = people_from_names([entry for entry in entries if isinstance(entry, str)])
    if all(isinstance(entry, str) for entry in entries):
        return names
    # Zotero keeps editors and translators among the creators.
    has_authors = any(isinstance(entry, Mapping) and _role(entry) == "author" for entry in entries)
    for entry in entries:
        people = PersonList(())
        if isinstance(entry, str):
            people = people_from_names([entry])
        elif isinstance(entry, Mapping) and not (has_authors and _role(entry) == "editor"):
            people = _people_of_object({str(key): value for key, value in entry.items()})
        elif isinstance(entry, list):
            people = _people_of_parts([_line(part) for part in entry])
        authors += people.authors
        has_more |= people.has_more
    return PersonList(tuple(authors), has_more)


def _role(entry: Mapping[object, object]) -> str:
    return _first(_by_plain_name({str(key): value for key, value in entry.items()}), ("creatortype", "role")).lower()


def _people_of_parts(parts: list[str]) -> PersonList:
    """The person in a list of family name, given name and suffix, as arXiv's `authors_parsed` has them."""
    family, given, suffix = (*parts[:3], "", "", "")[:3]
    if is_mark_of_more(family):
        return PersonList((), has_more=True)
    return PersonList((_person(family, given, "", suffix),) if family else ())


def _people_of_object(entry: Mapping[str, object]) -> PersonList:
    author = author_from_object(entry)
    if author is not None and not author.given and is_mark_of_more(author.family):
        return PersonList((), has_more=True)
    if author is not None and not author.given and not author.is_literal:
        name = _first(_by_plain_name(entry), _NAME_FIELDS)
        if name:
            return people_from_names([name])
    return PersonList(() if author is None else (author,))


def author_from_object(entry: Mapping[str, object]) -> Author | None:
    """The person or group that an object describes; `None` without a name, or in a role that is no author's."""
    fields = _by_plain_name(entry)
    if _first(fields, ("creatortype", "role")).lower() not in _AUTHOR_ROLES:
        return None
    for field in ("author", "name"):
        inner = fields.get(field)
        if isinstance(inner, Mapping):
            # OpenAlex keeps the person in an object of its own, others the parts of the name.
            return author_from_object({**entry, field: None, **{str(key): value for key, value in inner.items()}})
    family, given = _first(fields, _FAMILY_FIELDS), _first(fields, _GIVEN_FIELDS)
    if middle := _first(fields, ("middle", "middlename", "middlenames")):
        given = f"{given} {middle}".strip()
    suffix = _first(fields, ("suffix", "suffixes"))
    if family:
        return _person(family, given, _prefix(fields), suffix)
    if group := _first(fields, _GROUP_FIELDS):
        return Author(group, is_literal=True)
    name = _first(fields, _NAME_FIELDS)
    if name and "creatortype" in fields:
        # Zotero has one field for the names of groups, and two for those of people.
        return Author(name, is_literal=True)
    return author_from_name(name) if name else Author(given) if given else None


def is_named(entry: Mapping[object, object]) -> bool:
    """Whether an object has a name in it, whatever the role of its bearer."""
    fields = _by_plain_name({str(key): value for key, value in entry.items()})
    if any(isinstance(inner := fields.get(field), Mapping) and is_named(inner) for field in ("author", "name")):
        return True
    return any(isinstance(fields.get(name), str | list) for name in _ALL_FIELDS)


def _person(family: str, given: str, prefix: str, suffix: str) -> Author:
    if not given and is_group_name(family):
        return Author(family, is_literal=True)
    if not suffix:
        family, suffix = split_suffix(family)
    return Author(family, given, prefix, suffix)


def _prefix(fields: Mapping[str, object]) -> str:
    """The particle; in Crossref's records `prefix` is a title."""
    parts = [_line(fields.get(name)) for name in ("droppingparticle", "nondroppingparticle")]
    stated = " ".join(part for part in parts if part) or _line(fields.get("prefix")) or _line(fields.get("particle"))
    return "" if _TITLE.fullmatch(stated) else stated


def _by_plain_name(entry: Mapping[str, object]) -> dict[str, object]:
    """By the fields' names without case, hyphens and underscores, in which the sources differ."""
    return {_NOT_LETTERS.sub("", name.lower()): value for name, value in entry.items()}


def _first(fields: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((line for name in names if (line := _line(fields.get(name)))), "")


def _line(value: object) -> str:
    if isinstance(value, list):
        return " ".join(line for part in value if (line := _line(part)))
    return clean_line(value) if isinstance(value, str) else ""
