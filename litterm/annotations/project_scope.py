"""Which decisions on evidence a project shows: its own, and those made before decisions belonged to projects.

The journal does not say in which project an older decision was made. It was shown in every project there was, and
stays there; a project that was begun later does not have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from litterm.annotations.undo_log import State
from litterm.model.paper import PaperId

DEFAULT = ""
"""The key of the project there always is."""
_TOPIC: Final = "project"


def project_id(key: str) -> PaperId:
    """Under which a project stands in the journal."""
    return PaperId(f"{_TOPIC}:{key}")


def is_shown(state: State, made_in: str | None, order: int, key: str) -> bool:
    """Whether the project `key` shows a decision of the event `order`, made in a project or in one that is not told."""
    return made_in == key if made_in is not None else state.begun(_TOPIC, project_id(key)) < order


def others_showing(state: State, order: int, key: str) -> Iterator[str]:
    """The other projects that show a decision of the event `order` of which the project is not told."""
    keys = (DEFAULT, *(known_id.removeprefix(f"{_TOPIC}:") for known_id in state.known(_TOPIC)))
    return (other for other in keys if other != key and is_shown(state, None, order, other))
