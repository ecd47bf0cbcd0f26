"""Replaces paths by file names, so that clients do not learn where a server stores files."""

from __future__ import annotations

import re
from dataclasses import is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

from litterm.model.paper import Paper
from litterm.server.protocol.codec import item_types, types_of, union_members

T = TypeVar("T")
_ABSOLUTE_PATH = re.compile(r"(?<![\w:/.])/(?:[^/\0\s:;,!'\"“”]+/)+")
"""The folders before a name."""


def hide_paths(value: T) -> T:
    """`value` with file names instead of paths in every paper that it holds; what holds none is the same object."""
    hidden: Any = value
    if isinstance(value, Paper):
        hidden = _hide_origin(value)
    elif isinstance(value, tuple):
        items = tuple(map(hide_paths, value))
        hidden = items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    elif is_dataclass(value) and not isinstance(value, type):
        old_values = {name: getattr(value, name) for name in _fields_with_papers(type(value))}
        new_values = {name: hide_paths(old) for name, old in old_values.items()}
        changes = {name: new for name, new in new_values.items() if new is not old_values[name]}
        hidden = replace(value, **changes) if changes else value
    result: T = hidden
    return result


def _hide_origin(paper: Paper) -> Paper:
    origin = file_name(paper.provenance.origin)
    files = tuple(map(file_name, paper.imprint.files))
    sources = hide_paths(paper.sources)
    if (origin, files, sources) == (paper.provenance.origin, paper.imprint.files, paper.sources):
        return paper
    return replace(
        paper,
        provenance=replace(paper.provenance, origin=origin),
        imprint=replace(paper.imprint, files=files),
        sources=sources,
    )


@cache
def _fields_with_papers(kind: type) -> tuple[str, ...]:
    return tuple(name for name, field_type in types_of(kind).items() if _holds_papers(field_type, frozenset((kind,))))


def _holds_papers(kind: object, outer: frozenset[object]) -> bool:
    """Whether a value of a type may hold papers; `outer` are the data classes around it, which are asked already."""
    if kind is Paper:
        return True
    if (items := item_types(kind)) is not None:
        return any(_holds_papers(item, outer) for item in items)
    members = union_members(kind)
    if len(members) > 1:
        return any(_holds_papers(member, outer) for member in members)
    if not (isinstance(kind, type) and is_dataclass(kind)) or kind in outer:
        return False
    return any(_holds_papers(field_type, outer | {kind}) for field_type in types_of(kind).values())


def file_name(origin: str) -> str:
    """The file name of a path, followed by the member of an archive; addresses stay."""
    if "://" in origin:
        return origin
    path, mark, member = origin.partition("!")
    return f"{path.rpartition('/')[2]}{mark}{member}"


def hide_folders(sentence: str) -> str:
    """`sentence` with names instead of whole paths."""
    return _ABSOLUTE_PATH.sub("", sentence)
