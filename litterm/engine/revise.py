"""Changes to stored records, as every method of the engine that makes one begins and ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.core.tasks import Task

if TYPE_CHECKING:
    from litterm.engine.parts import Parts
    from litterm.library.writer.revision import Revise
    from litterm.model.paper import PaperId


def revise(parts: Parts, change: Revise) -> Task[None]:
    """Publishes what `change` makes of the library, once the write lock is held."""
    from litterm.model.events import PapersStored

    writer = parts.writer()
    try:
        yield from writer.begin()
        for event in writer.revise(change):
            # Nothing comes in that was not stored before.
            if not isinstance(event, PapersStored):
                yield event
    finally:
        writer.close()


def check_own(paper_id: PaperId) -> None:
    """Refuses a paper of the starter library.

    Raises:
        UsageError: it is one.
    """
    from litterm.core.errors import UsageError
    from litterm.model.paper import library_name_of

    if library_name_of(paper_id) == "starter":
        raise UsageError(f"{paper_id} belongs to the starter library, which is part of litterm and does not change.")
