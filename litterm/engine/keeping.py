"""What outlives a verb, as the engine hands it to shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.tasks import Task

if TYPE_CHECKING:
    from litterm.engine.curating import Curating
    from litterm.engine.desk import Desk
    from litterm.engine.drafts import Drafts
    from litterm.engine.matrix import Matrices
    from litterm.engine.parts import Parts
    from litterm.engine.watching import Watching
    from litterm.model.home import Home


class Keeping:
    """The part of the engine that holds what outlives a verb."""

    _parts: Parts

    @property
    def desk(self) -> Desk:
        """What the user writes: marks, decisions, tags, notes, the session."""
        return self._parts.desk

    @property
    def matrices(self) -> Matrices:
        """Hypotheses over many papers: begun, filled in the background, opened again."""
        return self._parts.matrices

    @property
    def drafts(self) -> Drafts:
        """Texts that somebody writes: what citations they lack, and whether those they have hold."""
        return self._parts.drafts

    @property
    def curating(self) -> Curating:
        """Records that are one paper, and papers that are not to be shown."""
        return self._parts.curating

    @property
    def watching(self) -> Watching:
        """Saved searches, and what is new in them."""
        return self._parts.watching

    def home(self) -> Task[Home]:
        """What one comes back to: new in the watches, half read, unfinished, failed, and decided last."""
        from litterm.engine.home import home

        return (yield from home(self._parts))
