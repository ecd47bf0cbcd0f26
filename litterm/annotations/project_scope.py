"""Tells which decisions on evidence are visible in a project.

These are its own, and those from before decisions belonged to projects, which stay visible in all projects that existed
at the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from litterm.annotations.undo_log import State
from litterm.model.paper import PaperId

DEFAULT_PROJECT = ""
"""The key of the default project."""
_TOPIC: Final = "project"


def project_id(key: str) -> PaperId:
    """The id of a project in the journal."""
    return PaperId(f"{_TOPIC}:{key}")


def is_visible(state: State, made_in: str | None, order: int, key: str) -> bool:
    """Whether project `key` shows a decision of the event `order`; `made_in` is its project, `None` for an old one."""
    return made_in == key if made_in is not None else state.first_order(_TOPIC, project_id(key)) < order


def find_other_projects(state: State, order: int, key: str) -> Iterator[str]:
    """The projects other than `key` that show an old decision, of the event `order`."""
    keys = (DEFAULT_PROJECT, *(known_id.removeprefix(f"{_TOPIC}:") for known_id in state.papers_ever_set(_TOPIC)))
    return (other for other in keys if other != key and is_visible(state, None, order, other))
