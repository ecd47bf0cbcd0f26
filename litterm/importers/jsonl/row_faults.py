"""Finds fields of a JSON row whose values have the wrong form, so that nothing is left out silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

_LINE_FIELDS: Final = frozenset(
    """id title abstract tldr year date venue type decision status journal booktitle volume issue pages publisher
    address language bibkey doi arxiv pmid pmcid s2 anthology_id openreview url pdf_url licence""".split()
)
"""Text, or a number."""
_PEOPLE_FIELDS: Final = frozenset(("authors", "editors"))
_LIST_FIELDS: Final = frozenset(("keywords", "aliases", "urls"))
_TEXT_FIELDS: Final = ("text", "sentences", "paragraphs")


def faults_of(row: Mapping[str, object]) -> str:
    """The fields that could not be read, as one sentence; empty where all could."""
    faults = list(dict.fromkeys(_faults(row)))
    if not faults:
        return ""
    return f"Read without {', '.join(faults[:3])}{' and more' if len(faults) > 3 else ''}."


def _faults(row: Mapping[str, object]) -> Iterator[str]:
    for name, value in row.items():
        # Exports write every field, empty where there is nothing.
        if value is None or value in ("", [], {}):
            continue
        expected = _expected_kind(name, value)
        if expected:
            yield f"“{name}” ({_kind_name(value)}, should be {expected})"
        elif name in _PEOPLE_FIELDS and isinstance(value, list) and not all(map(_is_person, value)):
            yield f"some of “{name}” (not names)"
        elif name == "sections" and isinstance(value, list):
            yield from _section_faults(value)


def _expected_kind(name: str, value: object) -> str:
    """What the field should hold; empty where `value` is of that kind."""
    # For Python a truth value is a number.
    is_line = isinstance(value, str | int | float) and not isinstance(value, bool)
    if name in _LINE_FIELDS:
        return "" if is_line else "text or a number"
    if name in _PEOPLE_FIELDS:
        return "" if isinstance(value, str | list) else "a list of names"
    if name in _LIST_FIELDS:
        return "" if isinstance(value, str | list) else "a list"
    return "a list" if name in ("sections", "references") and not isinstance(value, list) else ""


def _is_person(value: object) -> bool:
    return isinstance(value, str) or (
        isinstance(value, dict)
        and any(isinstance(value.get(name), str) for name in ("family", "last", "name", "given", "first"))
    )


def _section_faults(sections: list[object]) -> Iterator[str]:
    for number, section in enumerate(sections, 1):
        fields = section if isinstance(section, dict) else {}
        if not isinstance(section, dict) or not any(name in fields for name in (*_TEXT_FIELDS, "title", "heading")):
            yield f"section {number} (neither title nor text)"
        elif not isinstance(fields.get("text", ""), str):
            yield f"the text of section {number} ({_kind_name(fields['text'])})"
        elif not all(isinstance(fields.get(name, []), list) for name in _TEXT_FIELDS[1:]):
            yield f"the sentences of section {number} (should be a list)"


def _kind_name(value: object) -> str:
    kinds: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (str, "text"),
        (int, "a number"),
        (float, "a number"),
        (list, "a list"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), "an object")
