"""The study aspects of a hypothesis on a paper: those kept, those typed by hand, those split offline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.evidence.study.alignment import align_offline, split_and_align
from litterm.evidence.study.split import distinct, reports_result
from litterm.evidence.study.storage import StudyAspectStore
from litterm.model.document import Document
from litterm.model.evidence import Evidence
from litterm.model.study_aspects import MAX_STUDY_ASPECTS, StudyAspect, StudyAspects, StudyCoverage

if TYPE_CHECKING:
    from litterm.model.paper import PaperId

BY_HAND = "hand"
"""`StudyAspects.by` of aspects that the user typed or changed."""


@dataclass(frozen=True, slots=True)
class Studies:
    """Operations on study aspects; safe from any thread."""

    store: Callable[[], StudyAspectStore]

    def cover(self, document: Document, evidence: Evidence, aspects: StudyAspects | None = None) -> Task[StudyCoverage]:
        """Which sentences carry the study aspects of the hypothesis of `evidence`, and the fewest that carry all.

        The aspects are `aspects`, or else those that were kept, or else those found offline.
        """
        study = aspects or self.store().load(document.paper_id, evidence.hypothesis)
        if study is None:
            return (yield from split_and_align(document, evidence.hypothesis, evidence))
        return (yield from align_offline(document, study, evidence))

    def read(self, hypothesis: str, texts: Sequence[str]) -> StudyAspects:
        """Study aspects as a user writes them, one a text; whether each is a result is read from its wording.

        Raises:
            UsageError: there is none with a word to look for, or there are too many.
        """
        aspects = distinct(
            StudyAspect(text, reports_result(text), "hand") for text in (" ".join(typed.split()) for typed in texts)
        )
        if not aspects:
            raise UsageError("There is no study aspect with a word to look for.")
        if len(aspects) > MAX_STUDY_ASPECTS:
            raise UsageError(f"There are {len(aspects)} study aspects, and at most {MAX_STUDY_ASPECTS} are aligned.")
        return StudyAspects(hypothesis, tuple(aspects), BY_HAND)

    def keep(self, paper_id: PaperId, study: StudyAspects) -> bool:
        """Keeps the aspects for this paper, hypothesis and the current project; false in a library not written to.

        Raises:
            StateBusy: another process is writing.
            DiskFull: there is no room.
        """
        return self.store().save(paper_id, study)

    def forget(self, paper_id: PaperId, hypothesis: str) -> None:
        """Forgets what was kept, so that the aspects are split anew.

        Raises:
            StateBusy: another process is writing.
        """
        self.store().remove(paper_id, hypothesis)

    def edited(self, study: StudyAspects, place: int, text: str) -> StudyAspects:
        """`study` with the aspect at `place` worded anew, added where `place` is past the last, removed if it is empty.

        Raises:
            UsageError: it would be one aspect too many.
        """
        typed = " ".join(text.split())
        new = (StudyAspect(typed, reports_result(typed), "hand"),) if typed else ()
        aspects = (*study.aspects[:place], *new, *study.aspects[place + 1 :])
        if len(aspects) > MAX_STUDY_ASPECTS:
            raise UsageError(f"A hypothesis has at most {MAX_STUDY_ASPECTS} study aspects.")
        return StudyAspects(study.hypothesis, aspects, BY_HAND)
