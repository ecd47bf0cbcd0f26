"""Study aspects that the user edited or paid a model for, kept by project, paper and hypothesis."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from litterm.core.errors import ReadOnly
from litterm.library.state.sessions import study_aspects
from litterm.model.study_aspects import MAX_STUDY_ASPECTS, AspectOrigin, StudyAspect, StudyAspects

if TYPE_CHECKING:
    from litterm.library.state.connection import StateDatabase
    from litterm.library.state.sessions import SessionRow
    from litterm.model.paper import PaperId

_ORIGINS: frozenset[str] = frozenset(get_args(AspectOrigin))


@dataclass(frozen=True, slots=True)
class StudyAspectStore:
    """Study aspects on disk, those of the current project."""

    state: Callable[[], StateDatabase]
    project: Callable[[], str]
    """The key of the current project."""

    def load(self, paper_id: PaperId, hypothesis: str) -> StudyAspects | None:
        """What was kept for this paper and hypothesis; `None` if there is nothing."""
        body = self._row(paper_id, hypothesis).load()
        stored = body.get("aspects")
        if not isinstance(stored, list):
            return None
        aspects = tuple(aspect for item in stored if (aspect := _read(item)) is not None)
        return StudyAspects(hypothesis, aspects, str(body.get("by", "hand")))

    def save(self, paper_id: PaperId, study: StudyAspects) -> bool:
        """Keeps the aspects; false in a library that cannot be written to.

        Raises:
            StateBusy: another process is writing.
            DiskFull: there is no room.
        """
        aspects = [
            {"text": aspect.text, "result": aspect.is_result, "origin": aspect.origin}
            for aspect in study.aspects[:MAX_STUDY_ASPECTS]
        ]
        body = {"paper": paper_id, "hypothesis": study.hypothesis, "by": study.by, "aspects": aspects}
        try:
            self._row(paper_id, study.hypothesis).save(body)
        except ReadOnly:
            return False
        return True

    def remove(self, paper_id: PaperId, hypothesis: str) -> None:
        """Forgets them, so that they are split anew.

        Raises:
            StateBusy: another process is writing.
        """
        row = self._row(paper_id, hypothesis)
        if row.load():
            row.remove()

    def _row(self, paper_id: PaperId, hypothesis: str) -> SessionRow:
        words = " ".join(hypothesis.split())
        named = f"{self.project()}\0{paper_id}\0{words}".encode("utf-8", "surrogatepass")
        return study_aspects(self.state(), hashlib.blake2b(named, digest_size=16).hexdigest())


def _read(item: object) -> StudyAspect | None:
    if not isinstance(item, Mapping) or not isinstance(text := item.get("text"), str) or not text:
        return None
    origin = item.get("origin")
    known: AspectOrigin = origin if origin in _ORIGINS else "hand"
    return StudyAspect(text, item.get("result") is True, known)
